#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kunit.sh: run the KUnit suites in a UML kernel that is built from the patched
# source with the kernel's own kunit.py. A UML kernel is a host process: all that
# is in the CPU at hand runs natively. Prints KTAP; leaves the kernel's logs in
# build/run/kunit. BENCH=1 in the environment prints the speed of the routines, too.
#
# The control is a kernel whose guard does not clear x87 exceptions. It must panic.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

kdir=$build/kunit-um
out=$build/run/kunit

# Devices, and what serves processes, are in a UML kernel by default. Without them it takes
# less time to build, and PCI does not warn that there is none. So does what is optimized
# for size.
config="--kconfig_add=CONFIG_EXPERT=y --kconfig_add=CONFIG_CC_OPTIMIZE_FOR_SIZE=y"
for symbol in UML_PCI_OVER_VIRTIO VIRTIO_UML HID INPUT BLOCK IO_URING AIO COREDUMP EPOLL \
	SIGNALFD TIMERFD EVENTFD FHANDLE SUSPEND HW_RANDOM SERIO INOTIFY_USER DNOTIFY \
	COMPACTION SECCOMP PROC_FS FW_LOADER UNIX98_PTYS LEGACY_PTYS FILE_LOCKING MCONSOLE; do
	config="$config --kconfig_add=CONFIG_$symbol=n"
done

# kunit COMMAND [ARGUMENT]...: with what $watch says before it
watch=
kunit()
{
	command=$1
	shift
	cd "$patched"
	# shellcheck disable=SC2086 # words
	$watch tools/testing/kunit/kunit.py "$command" --arch=um --build_dir="$kdir" "$@"
}

# kernel NAME: build what is to be run as NAME
kernel()
{
	step "building the UML kernel '$1', which takes minutes, once"
	# shellcheck disable=SC2086 # words
	kunit build --jobs="$(nproc)" --kunitconfig=lib/simd_copy/tests $config \
		>"$out/$1.build.log" 2>&1 || {
		tail -n 30 "$out/$1.build.log"
		die "the UML kernel '$1' does not build, see above and build/run/kunit/$1.build.log"
	}
}

# boot NAME [ARGUMENT]...
boot()
{
	name=$1
	shift
	step "running it"
	# Python keeps lines back unless told not to.
	watch="env PYTHONUNBUFFERED=1 $vm/watch.sh $boot_silence $boot_total $out/$name.txt --"
	kunit exec --raw_output=kunit --timeout="$boot_total" "$@" >"$out/$name.txt" 2>&1 || :
	watch=
	cp "$kdir/test.log" "$out/$name.console.log"
}

# kbuild prefers a source in its output folder to that in the source folder.
mutant=$kdir/lib/simd_copy/guard.c
forget_mutant()
{
	if [ -e "$mutant" ]; then
		rm -f "${mutant%c}o" "$mutant"
	fi
}

good_run()
{
	grep -q '^KTAP version' "$out/good.txt" &&
		"$vm/ktap.sh" "$out/good.ktap" >"$out/count" && return
	tail -n 20 "$out/good.console.log"
	grep '^# killed: ' "$out/good.txt" || :
	return 1
}

clean_log()
{
	"$vm/checklog.sh" "$out/good.console.log"
}

rule_2()
{
	log=$out/rule2.console.log
	grep -m 1 'Kernel panic' "$log" || :
	grep -q 'Kernel panic - not syncing: Kernel mode signal 8' "$log" && return
	echo "the test is void: no panic with 'Kernel mode signal 8' in"
	echo "build/run/kunit/rule2.console.log, the last lines of which are:"
	tail -n 5 "$log"
	return 1
}

rm -rf "$out"
mkdir -p "$out"
{
	patched_source
	forget_mutant
	kernel good
	boot good ${BENCH:+--kernel_args=simd_copy_kunit.bench=1}

	trap forget_mutant EXIT
	trap 'exit 1' HUP INT TERM
	sed 's/asm volatile("fnclex")//' "$patched/lib/simd_copy/guard.c" >"$mutant"
	! cmp -s "$mutant" "$patched/lib/simd_copy/guard.c" ||
		die "the control changes nothing: has guard.c changed?"
	kernel rule2
	boot rule2 simd_copy_pending
} >&2

sed -n '/^KTAP version/,$p' "$out/good.txt" | grep -v '^\[' >"$out/good.ktap" || :
cat "$out/good.ktap"
checks "$out/why" good_run clean_log rule_2
