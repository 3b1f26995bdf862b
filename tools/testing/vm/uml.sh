#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# uml.sh: run the rows with an x87 exception pending in a UML kernel. That is a
# host process: its MMX instructions meet the exception on the real CPU, which no
# emulator replaces. Prints KTAP; leaves all in build/run/uml*, and with it the
# rows' times on this CPU as the module measures them.
#
# The control is a kernel whose guard does not clear exceptions. It must panic.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
. "$top/tools/testing/vm/kernels.sh"

kdir=$build/uml

# A boot takes less than a second.
limit=120

config='CONFIG_64BIT=y
CONFIG_BINFMT_ELF=y
CONFIG_BINFMT_SCRIPT=y
CONFIG_BLK_DEV_INITRD=y
CONFIG_BUG=y
CONFIG_DEBUG_FS=y
CONFIG_EXPERT=y
CONFIG_KALLSYMS=y
CONFIG_KUNIT=y
CONFIG_KUNIT_DEFAULT_ENABLED=y
CONFIG_MODULES=y
CONFIG_NULL_CHAN=y
CONFIG_PRINTK=y
CONFIG_PROC_FS=y
CONFIG_RD_GZIP=y
CONFIG_STDERR_CONSOLE=y
CONFIG_SYSFS=y
CONFIG_TTY=y'

kernel()
{
	linux_source
	inputs="$top $(stat -Lc '%s %Y' "$linux_tar")
$config"
	[ ! -e "$kdir/.complete" ] || [ "$(cat "$kdir/.complete")" != "$inputs" ] || return 0
	step "building a UML kernel, which takes minutes, once"
	rm -rf "$kdir"
	mkdir -p "$kdir"
	echo "$config" >"$kdir/config"
	for target in allnoconfig "-j$(nproc)"; do
		make -C "$build/linux-6.12" ARCH=um O="$kdir" KCONFIG_ALLCONFIG="$kdir/config" \
			"$target" >>"$kdir/build.log" 2>&1 </dev/null || {
			tail -n 30 "$kdir/build.log"
			die "the UML kernel does not build, see above and build/uml/build.log"
		}
	done
	echo "$inputs" >"$kdir/.complete"
	step "built"
}

# boot NAME: with the modules that are in build/modules/NAME
boot()
{
	out=$build/run/$1
	rm -rf "$out"
	mkdir -p "$out"
	cat >"$out/init" <<-'END'
	#!/bin/sh
	/bin/busybox mount -t proc proc /proc
	/bin/busybox mount -t sysfs sys /sys
	/bin/busybox mount -t debugfs debug /sys/kernel/debug
	/bin/busybox insmod /simd_copy.ko
	/bin/busybox sed 's/^/@routines.txt| /' /sys/kernel/debug/simd_copy/routines
	echo "simd_copy_vm: pending"
	/bin/busybox insmod /uml_pending.ko
	/bin/busybox poweroff -f
	END
	chmod +x "$out/init"
	"$vm/initramfs.sh" "$out/initramfs.gz" "init=$out/init" \
		"simd_copy.ko=$build/modules/$1/simd_copy.ko" \
		"uml_pending.ko=$build/modules/$1/uml_pending.ko"
	# The one that panics ends with a signal.
	timeout -k 5 $limit "$kdir/linux" mem=128M initrd="$out/initramfs.gz" con=null \
		con0=fd:0,fd:1 </dev/null >"$out/console.log" 2>&1 || :
	sed -n 's/^@routines.txt| //p' "$out/console.log" >"$out/routines.txt"
}

good_run()
{
	grep -q 'reboot: Power down' "$build/run/uml/console.log" && return
	tail -n 20 "$build/run/uml/console.log"
	return 1
}

clean_log()
{
	"$vm/checklog.sh" "$build/run/uml/console.log"
}

control()
{
	log=$build/run/uml-rule2/console.log
	grep -m 1 'Kernel panic' "$log" || :
	grep -q 'Kernel panic - not syncing: Kernel mode signal 8' "$log" && return
	echo "the test is void: no panic with 'Kernel mode signal 8' in"
	echo "build/run/uml-rule2/console.log, the last lines of which are:"
	tail -n 5 "$log"
	return 1
}

{
	kernel
	"$vm/modules.sh" "$kdir" uml ARCH=um
	MUTATE='lib/simd_copy/guard.c s/asm volatile("fnclex")//' \
		"$vm/modules.sh" "$kdir" uml-rule2 ARCH=um
} >&2
boot uml
boot uml-rule2

sed '1,/^simd_copy_vm: pending/d' "$build/run/uml/console.log" | sed '/^reboot: /,$d'
checks "$build/run/uml/why" good_run clean_log control
