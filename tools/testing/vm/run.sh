#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh KERNEL[-debug][@CPU]: show simd_copy at work on a stock kernel in QEMU, and on this
# machine's CPU.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

kernel=${1-}
variant=${kernel%%@*}
check_kernel_name "${variant%-debug}"
out=$build/run/$kernel
"$vm/packages.sh" run "${variant%-debug}"

tests="load sysfs params hostile"
# Only there the kernel itself calls the library.
! is_patched "$variant" || tests="$tests hooks"
rc=0
TESTS=$tests "$vm/guest.sh" "$kernel" || rc=1
if [ -s "$out/info.txt" ]; then
	echo
	cat "$out/info.txt"
fi
if [ -s "$out/routines.txt" ]; then
	echo
	echo "The routines in the guest, and then /sys/kernel/simd_copy/*:"
	cat "$out/routines.txt"
fi
if is_patched "$variant"; then
	echo
	echo "Copies on write in the guest, by the routine that was chosen by name:"
	grep -A 1 '^ *# copy on write: ' "$out/results.ktap" | sed -n '
		s/^ *# copy on write: //
		h
		n
		s/^ *ok [0-9]* copy on write, //
		G
		s/\n/: /p'
fi
if [ $rc != 0 ]; then
	echo
	echo "simd_copy: NOT ready: see above what failed on $kernel"
	exit 1
fi

if grep -q '^accelerator: tcg' "$out/info.txt"; then
	echo
	echo "NOTE: the guest's times above are those of the emulator, and say nothing"
	echo "about a CPU. These are the same routines on the CPU of this machine:"
fi
echo
step "timing the routines on this machine"
make -s -C "$selftests" OUTPUT="$build/harness" \
	"$build/harness/harness_64" >"$out/build.log" 2>&1 || {
	cat "$out/build.log"
	die "the harness does not build, see above"
}
"$build/harness/harness_64" --bench >"$out/native.txt" || {
	cat "$out/native.txt"
	die "build/harness/harness_64 --bench failed, see above"
}
cat "$out/native.txt"
echo
cases=$(grep -c "^    ok" "$out/results.ktap")
echo "hostile process: its x87 exception did not reach an MMX section, and came to"
echo "  itself once ($cases cases: each exception, in each class of section)"
echo "results: build/run/$kernel/ (console.log results.ktap routines.txt native.txt)"
step "done"
echo "simd_copy: ready"
