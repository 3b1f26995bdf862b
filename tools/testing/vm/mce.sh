#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mce.sh KERNEL: let the rows of copy_mc, and the kernel's own copy, meet machine checks,
# in QEMU, which has a command for them. Prints KTAP; leaves all in build/run/mce-KERNEL*.
#
# In the kernel patched-none, where the hook of copy_mc_to_kernel() leads to rows, copies on
# write meet machine checks as well.
#
# The controls are rows that are wrong: those that say something wrong of what they copied,
# or look again at what has the error, must be caught, and one whose loads have exception
# entries of a type that no machine check is survived with must make the kernel panic.
set -eu
top=$(realpath "$(dirname "$0")/../../..")
. "$top/tools/testing/vm/kernels.sh"

kernel=${1-}
check_kernel_name "$kernel"
good=mce-$kernel
fragile=$good-fragile
bad=$good-wrong
hook=$good-hook
patched=patched-none
# By what they copy with; stock, which the hook does not lead to, is rep_movsb there.
hook_rows='careful aligned_mov movnti mmx sse_nt avx2'

# After a machine check: mov says that it copied 64 bytes more than it did, sse 256 fewer,
# and mmx reads the turn again. movnti has entries of the wrong type.
wrong='
/^\tje\t\\mc_to$/i\
	.ifc	\\mc_to, .Lsimd_copy_mc_mov_done\
	lea	-64(LEN), LEN\
	.endif\
	.ifc	\\mc_to, .Lsimd_copy_mc_sse_done\
	lea	256(LEN), LEN\
	.endif\
	.ifc	\\mc_to, .Lsimd_copy_mc_mmx_done\
	mov	(SRC), %al\
	.endif
/^\t_ASM_EXTABLE_TYPE(.*, EX_TYPE_FAULT_MCE_SAFE)$/{
h
s/_MCE_SAFE//
s/^/\t.ifc \\fault, .Lsimd_copy_mc_movnti_fault\n/
G
s/\n\([^\n]*\)$/\n\t.else\n\1\n\t.endif/
}'

# An Intel CPU with all that QEMU has. Others have machine checks that need more.
cpu=max,vendor=GenuineIntel,model=143,stepping=8

# prepare NAME FOLDER: the initramfs of build/run/NAME, with the modules of FOLDER
prepare()
{
	out=$build/run/$1
	folder=$2
	rm -rf "$out"
	mkdir -p "$out"
	set -- "modules/simd_copy_test.ko=$folder/simd_copy_test.ko"
	# It may be in the kernel.
	[ ! -e "$folder/simd_copy.ko" ] ||
		set -- "$@" "modules/simd_copy.ko=$folder/simd_copy.ko"
	"$vm/initramfs.sh" "$out/initramfs.gz" "$@" "bin/mce=$build/harness/mce"
}

# boot NAME KERNEL [ARGUMENTS]: becomes QEMU, with that on the kernel's command line
boot()
{
	cd "$build/run/$1"
	exec "$vm/watch.sh" "$boot_silence" "$boot_total" console.log guest.txt -- \
		"$vm/mce.py" qemu-system-x86_64 -accel tcg,thread=single -cpu "$cpu" -m 512 \
		-kernel "$build/kernel/$2/boot"/vmlinuz-* -initrd initramfs.gz \
		-append "console=ttyS0 ignore_loglevel panic=-1 no_timer_check tests=mce ${3-}" \
		-nodefaults -display none -no-reboot \
		-serial file:console.log -serial file:guest.txt >qemu.txt 2>&1
}

# booted NAME STATUS POINT: whether the guest of build/run/NAME came to that point of init
booted()
{
	log=$build/run/$1/console.log
	cat "$build/run/$1/qemu.txt"
	[ "$2" = 0 ] && grep -q "simd_copy_vm: $3" "$log" && return
	tail -n 20 "$log"
	return 1
}

good_run()
{
	booted $good $good_rc end
}

hook_run()
{
	booted $hook $hook_rc end || return 1
	sed -n 's/^ *//; /^\(not \)*ok /p; /^# /p' "$build/run/$hook/guest.txt"
	for row in $hook_rows; do
		grep -q "^ *ok .* copy on write by copy_mc/$row\$" "$build/run/$hook/guest.txt" ||
			return 1
	done
	grep -qx 'ok 1 mce' "$build/run/$hook/guest.txt"
}

clean_log()
{
	for run in $good $fragile $hook; do
		"$vm/checklog.sh" "$build/run/$run/console.log" || return 1
	done
}

# With mce=recovery the kernel copies with care, and no row with a string instruction may be
# chosen. Where it does not, none of them says so.
fragile_run()
{
	booted $fragile $fragile_rc end || return 1
	sed -n 's/^ *//; /^\(not \)*ok /p; /^# stock:/p; /only by name/p' \
		"$build/run/$fragile/guest.txt"
	for row in rep_movsb aligned_mov prefetchnta; do
		grep -q "# copy_mc/$row: only by name: .*COPY_MC_FRAGILE" \
			"$build/run/$fragile/guest.txt" || return 1
	done
	! grep -q 'only by name: .*COPY_MC_FRAGILE' "$build/run/$good/guest.txt" &&
		grep -q 'stock: copy_mc_fragile()' "$build/run/$fragile/guest.txt" &&
		grep -q '^ok 1 mce' "$build/run/$fragile/guest.txt"
}

# caught ROW WHY
caught()
{
	awk -v row="copy_mc/$1:" -v why="# $2" '
	{ sub(/^ */, "") }
	$0 == why { said = 1 }
	/^(not )?ok / { if (index($0, row)) found = /^not/ && said; said = 0 }
	END { exit !found }' "$build/run/$bad/guest.txt" && return
	grep '^ ' "$build/run/$bad/guest.txt"
	return 1
}

too_much()
{
	caught mov "it says that it copied what has the error"
}

too_little()
{
	caught sse "it says that it copied less than it has to"
}

reads_again()
{
	caught mmx "it read the memory that has the error again"
}

wrong_type_panics()
{
	booted $bad $bad_rc mce || return 1
	grep -E 'Kernel panic|Machine check: ' "$build/run/$bad/console.log"
	! grep -q 'ok .* copy_mc/movnti' "$build/run/$bad/guest.txt" &&
		grep -q 'Data load in unrecoverable area of kernel' "$build/run/$bad/console.log" &&
		grep -q 'Kernel panic - not syncing: Fatal' "$build/run/$bad/console.log"
}

# As in guest.sh: what others build as well is built by one at a time.
mkdir -p "$build"
exec 8>"$build/lock"
flock 8
"$vm/kernel.sh" "$kernel" >&2
kdir=$(kernel_dir "$kernel")
"$vm/kernel.sh" "$patched" >&2
"$vm/modules.sh" "$kdir" $good
MUTATE="arch/x86/lib/simd_asm.h $wrong" "$vm/modules.sh" "$kdir" $bad
make -s -C "$selftests" OUTPUT="$build/harness" "$build/harness/mce" >&2
prepare $good "$build/modules/$good"
prepare $fragile "$build/modules/$good"
prepare $bad "$build/modules/$bad"
prepare $hook "$build/kernel/$patched/lib/simd_copy/tests"
flock -u 8

good_rc=0
fragile_rc=0
bad_rc=0
hook_rc=0
good_pid=
pid=
trap 'kill $good_pid $pid 2>/dev/null || true; wait' EXIT
trap 'exit 1' HUP INT TERM
boot $good "$kernel" &
good_pid=$!

# The others, one after the other, beside the longest.
boot $bad "$kernel" 'mce_rows="mov sse mmx die/movnti"' &
pid=$!
wait $pid || bad_rc=$?
boot $fragile "$kernel" 'mce=recovery mce_rows="stock careful rep_movsb aligned_mov prefetchnta"' &
pid=$!
wait $pid || fragile_rc=$?
# shellcheck disable=SC2086 # words
boot $hook $patched "mce_rows=\"$(printf 'cow/%s ' $hook_rows)\"" &
pid=$!
wait $pid || hook_rc=$?
pid=
wait $good_pid || good_rc=$?
trap - EXIT HUP INT TERM

sed -n '/^KTAP version/,$p' "$build/run/$good/guest.txt" | grep -v '^# @' || true
checks "$build/run/$good/why" good_run fragile_run hook_run clean_log too_much too_little \
	reads_again wrong_type_panics
