#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh KERNEL[-debug][@CPU]: build for a kernel, with run-time checks if -debug,
# boot it in QEMU on a model of CPU, run the tests in it, or those that TESTS="..." in
# the environment names. Prints progress; fails if a test does. Leaves in build/run/:
# console.log, results.ktap, routines.txt, info.txt.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

name=${1-}
variant=${name%%@*}
kernel=${variant%-debug}
check_kernel_name "$kernel"
cpu=${name#"$variant"}
set --
[ "$variant" = "$kernel" ] || set -- SIMD_COPY_DEBUG=1

out=$build/run/$name
rm -rf "$out"
mkdir -p "$out"
raw=$out/guest.txt

# What is built for one guest is built for others as well: one at a time.
exec 8>"$build/lock"
flock 8
"$vm/kernel.sh" "$kernel"
kdir=$(kernel_dir "$kernel")
# A 32-bit kernel comes with a busybox that it can run.
width=
[ ! -e "$kdir/busybox" ] || width=_32

# wanted TEST: whether it is one of $TESTS, or that does not say
wanted()
{
	[ -n "${TESTS-}" ] || return 0
	case " $TESTS " in
	*" $1 "*)	;;
	*)		return 1 ;;
	esac
}

# build_modules FOLDER NAME WHAT [OPTION]...: as what the guest has in FOLDER
modules=
build_modules()
{
	folder=$1
	dir=$2
	step "building the modules for $name$3"
	shift 3
	"$vm/modules.sh" "$kdir" "$dir" "$@"
	modules="$modules $folder:$build/modules/$dir"
}

if is_patched "$kernel"; then
	# The library is in the kernel, and so is what it needs for each test.
	modules=modules/:$build/kernel/$kernel/lib/simd_copy/tests
else
	build_modules modules/ "$variant" "" "$@"
	! wanted planted && ! wanted contexts ||
		build_modules modules/plant/ "$variant-plant" ", with a wrong routine planted" \
			"$@" SIMD_COPY_PLANT=1
	! wanted debug ||
		build_modules modules/debug/ "$kernel-debug" ", with run-time checks" \
			SIMD_COPY_DEBUG=1
fi

# Tests that are programs of their own. Some of them serve others as well.
set --
for program in hostile pending to_user contexts debug hooks hammer; do
	case $program in
	hostile)	user=stats ;;
	contexts)	user=debug ;;
	debug)		user=unchecked ;;
	*)		user=$program ;;
	esac
	if wanted $program || wanted $user; then
		set -- "$@" $program
	fi
done
# A 64-bit kernel has 32-bit tasks as well.
if [ -z "$width" ] && wanted to_user_32; then
	set -- "$@" to_user_32
fi
step "building the test programs"
programs=$*
for program; do
	set -- "$@" "$build/harness/$program$width"
	shift
done
make -s -C "$selftests" OUTPUT="$build/harness" "$@" >"$out/build.log" 2>&1 || {
	cat "$out/build.log"
	die "the test programs do not build, see above"
}

# What goes into the guest besides our init, as initramfs.sh takes it.
set --
for program in $programs; do
	set -- "$@" "bin/$program=$build/harness/$program$width"
done
for dir in $modules; do
	for module in "${dir#*:}"/*.ko; do
		set -- "$@" "${dir%%:*}${module##*/}=$module"
	done
done
[ -z "$width" ] || set -- "$@" "bin/busybox=$kdir/busybox"
"$vm/initramfs.sh" "$out/initramfs.gz" "$@"

flock -u 8

step "booting $name in QEMU"
set -- "$build/kernel/$kernel/boot"/vmlinuz-*
{ "$vm/boot.sh" "$1" "$out/initramfs.gz" "$out" "${cpu#@}" 2>&1; echo "# boot.sh: $?"; } |
	tee "$raw" |
	while IFS= read -r line; do
		case $line in
		'ok '*)		step "  ok    ${line#ok * }" ;;
		'not ok '*)	step "  FAIL  ${line#not ok * }" ;;
		esac
	done

# The guest's results, then our own about the guest.
{
	sed -n '/^KTAP version/,/^# boot.sh: /p' "$raw" | grep -v '^# @' || true
	echo "KTAP version 1"
	echo "1..2"
	sed 's/^/# /' "$raw" | grep -v '^# # @' | tail -n 3
	if grep -q '^# boot.sh: 0$' "$raw"; then
		echo "ok 1 the guest ran to its end"
	else
		echo "not ok 1 the guest ran to its end"
	fi
	if [ ! -s "$out/console.log" ]; then
		echo "# console.log is empty"
		echo "not ok 2 the kernel's log is clean"
	elif "$vm/checklog.sh" "$out/console.log" >"$out/complaints.txt"; then
		echo "ok 2 the kernel's log is clean"
	else
		sed 's/^/# /' "$out/complaints.txt"
		echo "not ok 2 the kernel's log is clean"
	fi
} >"$out/results.ktap"
sed -n 's/^# @routines.txt| //p' "$raw" >"$out/routines.txt"
sed -n -E 's/^# (kernel|cpu|accelerator): /\1: /p' "$raw" >"$out/info.txt"

"$vm/ktap.sh" "$out/results.ktap" >"$out/count.txt" && exit

# What failed, with what was said about it.
echo
awk '/^ *(not )?ok / { if (/not ok/) { printf "%s", said; print } said = ""; next }
	{ said = said $0 "\n" }' "$out/results.ktap"
sed "s|^$top/||" "$out/count.txt"
if ! grep -q 'simd_copy_vm: end' "$out/console.log"; then
	echo "the last lines of the kernel's log:"
	tail -n 30 "$out/console.log"
fi
echo "all of it: build/run/$name/"
exit 1
