#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# boot.sh KERNEL INITRAMFS OUT [CPU]: boot in QEMU, with the log of the kernel going
# to OUT/console.log and what its init reports to standard output, which the caller
# writes to OUT/guest.txt.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

# /dev/kvm alone says nothing: containers have one that does not work.
if ! grep -qwE 'vmx|svm' /proc/cpuinfo; then
	accel=tcg
	why="this CPU shows no vmx or svm"
elif ! [ -r /dev/kvm ] || ! [ -w /dev/kvm ]; then
	accel=tcg
	why="/dev/kvm is not there or not ours"
else
	accel=kvm
	why="vmx or svm, and /dev/kvm is usable"
fi
case $accel in
tcg)
	# With a thread per CPU, QEMU 7.2 at times runs an INT3 that another CPU has
	# patched away already: the kernel oopses in whatever has a static key or
	# call. One thread that runs the CPUs by turns does not.
	thread=,thread=single
	cpu=max ;;
kvm)
	thread=
	cpu=host ;;
esac

kernel=$1
initramfs=$2
out=$3
[ -z "${4-}" ] || cpu=$4
# Of a guard that saves nothing a process knows within 10 ms. What is rare is for "make soak",
# and for the CPU at hand, on which the same program verifies a million times.
soak=${SOAK:-3}
echo "# accelerator: $accel ($why), -cpu $cpu"
# Of the CPUs that the kernel copies with care on, for what may have a memory error, it
# knows by their PCI devices, or by this.
case $cpu in
Haswell)	recovery=mce=recovery ;;
*)		recovery= ;;
esac
# Sockets: the only thing that the BIOS tells a kernel without ACPI of.
# no_timer_check: on a busy host the emulated timer may be too late for the boot
# check of the IO-APIC, and the kernel panics. It skips the check itself on KVM.
# kunit.autorun: 6.19 runs no suite by itself if CONFIG_KUNIT_AUTORUN_ENABLED is off.
rc=0
"$vm/watch.sh" "$boot_silence" $((boot_total + soak)) "$out/console.log" "$out/guest.txt" -- \
	qemu-system-x86_64 -accel $accel$thread -cpu "$cpu" -smp 2,sockets=2 -m 1024 \
	-kernel "$kernel" -initrd "$initramfs" \
	-append "console=ttyS0 ignore_loglevel panic=-1 no_timer_check kunit.enable=1 kunit.autorun=1 $recovery simd_copy.copy=mov_x2 simd_copy.clear=nonsense ${TESTS:+tests=\"$TESTS\"} soak=$soak" \
	-nodefaults -display none -no-reboot \
	-serial "file:$out/console.log" -serial stdio </dev/null || rc=$?
case $rc in
0)	;;
124)	exit 1 ;;
*)	echo "# QEMU failed with status $rc"; exit 1 ;;
esac
