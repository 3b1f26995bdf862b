#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the harness on this machine and on emulated CPUs, and see that no row is
# left out. A row that runs nowhere, and a row spelt in bytes, is disassembled
# instead: it must have the instructions that its description names, encoded
# as the assembler encodes them.
#
# What is 32-bit is run by run32.sh, for a kernel that does not run such programs.
#
# Argument: the directory of harness_64, harness_32 and runs32

here=$(dirname "$0")
dir=${1:-$here/../../../../build/harness}
log=$(mktemp -d) || exit 1
trap 'rm -rf "$log"' EXIT

CASES=100
NATIVE_CASES=10000

models() {
	case $1 in
	64) echo qemu64 core2duo-v1 Nehalem Haswell max ;;
	# No C library of today runs without CMOV, so the Pentium gets that.
	32) echo pentium,+cmov pentium2 pentium3 athlon core2duo max ;;
	esac
}

qemu() {
	case $1 in
	64) echo qemu-x86_64-static ;;
	32) echo qemu-i386-static ;;
	esac
}

# harness WIDTH [ARGUMENT]...: on any CPU that runs it
harness() {
	case $1 in
	64) shift; "$dir/harness_64" "$@" ;;
	32) shift; "$here/run32.sh" "$dir/harness_32" "$@" ;;
	esac
}

# native WIDTH [ARGUMENT]...: on this one
native() {
	case $1 in
	64) harness "$@" ;;
	32) shift; "$here/run32.sh" --native "$dir/harness_32" "$@" ;;
	esac
}

tests=0
failed=0
skipped=0

# result STATUS DESCRIPTION
result() {
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests $2"
	else
		failed=$((failed + 1))
		echo "not ok $tests $2"
	fi
}

# --- Running ---

# run WIDTH: on all CPUs, one after the other
run() {
	native "$1" --cases $NATIVE_CASES >"$log/$1.native" 2>&1
	echo $? >"$log/$1.native.status"
	command -v "$(qemu "$1")" >/dev/null || return
	for model in $(models "$1"); do
		"$(qemu "$1")" -cpu "$model" "$dir/harness_$1" --cases $CASES \
			>"$log/$1.$model" 2>&1
		echo $? >"$log/$1.$model.status"
	done
}

# report WIDTH MODEL
report() {
	file=$log/$1.$2
	if [ ! -e "$file.status" ]; then
		skipped=$((skipped + 1))
		result 0 "$1-bit $2 # SKIP no $(qemu "$1"): install qemu-user-static"
		return
	fi
	status=$(cat "$file.status")
	why=$(sed -n 's/^1\.\.0 # SKIP //p' "$file")
	if [ -n "$why" ]; then
		skipped=$((skipped + 1))
		result 0 "$1-bit $2 # SKIP $why"
		return
	fi
	counts=$(awk -F'[: ]' '/^# Totals/ {
			printf "%s passed, %s failed, %s skipped", $5, $7, $13
		}' "$file")
	[ "$status" -eq 0 ] || grep -v "^ok" "$file" | sed "s/^/# /"
	sed -n "s/^# registers/# $1-bit $2: registers/p" "$file"
	result "$status" "$1-bit $2: ${counts:-no result, exit status $status}"
}

# --- Encoding ---

# insns FILE [SYMBOL]: bytes, a tab, text; one instruction a line
insns() {
	objdump -dw --no-addresses ${2:+--disassemble="$2"} "$1" |
		awk -F'\t' 'NF >= 3 {
			sub(/ +$/, "", $2)
			sub(/ *[#<].*/, "", $3)
			sub(/ +$/, "", $3)
			print $2 "\t" $3
		}'
}

# encoded_well WIDTH FILE SYMBOL MNEMONIC...
encoded_well() {
	bits=$1 file=$2 symbol=$3
	shift 3
	insns "$file" "$symbol" >"$log/insns"
	for mnemonic; do
		if ! cut -f2 "$log/insns" | grep -q "^$mnemonic\\b"; then
			echo "# $symbol, $bits-bit: its description names $mnemonic, it has none"
			return 1
		fi
	done
	# Where a jump goes is not in its text.
	awk -F'\t' '$2 !~ /^(j|call|loop)/' "$log/insns" >"$log/straight"
	cut -f2 "$log/straight" >"$log/again.s"
	as "--$bits" -o "$log/again.o" "$log/again.s" || return 1
	insns "$log/again.o" >"$log/again"
	if ! cmp -s "$log/straight" "$log/again"; then
		echo "# $symbol, $bits-bit: not what the assembler makes of it:"
		diff "$log/straight" "$log/again" | sed 's/^/#   /'
		return 1
	fi
}

symbol_of() {
	echo "simd_$1" | tr / _
}

# row_encoded_well WIDTH KIND/NAME
row_encoded_well() {
	# The description: what follows the tab, up to a remark in brackets.
	words=$(harness "$1" --list | awk -v row="$2" '$1 "/" $2 == row {
			sub(/^[^\t]*\t/, "")
			sub(/ \[.*/, "")
			n = split($0, part, /, */)
			for (i = 1; i <= n; i++) {
				sub(/ .*/, "", part[i])
				print part[i]
			}
		}')
	# shellcheck disable=SC2086 # one mnemonic each
	encoded_well "$1" "$dir/harness_$1" "$(symbol_of "$2")" $words
}

# control WHAT BYTES MNEMONIC COMPLAINT: bytes that have to be complained about
control() {
	{
		echo ".type control, @function"
		echo "control: .byte $2"
		echo ".size control, . - control"
	} >"$log/control.s"
	as --64 -o "$log/control.o" "$log/control.s"
	encoded_well 64 "$log/control.o" control "$3" | grep -q "$4"
	result $? "control: $1"
}

# --- Rows ---

rows() {
	harness "$1" --list | awk '{ print $1 "/" $2 }'
}

rows_that_ran() {
	cat "$log/$1".* | sed -n 's,^.*ok [0-9]* \([a-z_]*/[a-z0-9_]*\)$,\1,p' | sort -u
}

rows_in_bytes() {
	grep -l '\.byte' "$here"/../../../../arch/x86/lib/simd_*.S | while read -r source; do
		nm "$dir/$1/$(basename "$source" .S).o"
	done >"$log/symbols"
	rows "$1" | while read -r row; do
		if grep -q " T $(symbol_of "$row")\$" "$log/symbols"; then
			echo "$row"
		fi
	done
}

for program in harness_64 harness_32 runs32; do
	if [ ! -x "$dir/$program" ]; then
		echo "$0: no $dir/$program: type 'make' first" >&2
		exit 2
	fi
done

echo "KTAP version 1"

run 64 &
run 32
wait

for width in 64 32; do
	rows $width | sort >"$log/rows.$width"
	rows_that_ran $width >"$log/ran.$width"
	comm -23 "$log/rows.$width" "$log/ran.$width" >"$log/never.$width"
	rows_in_bytes $width | sort -u "$log/never.$width" - >"$log/encoded.$width"
done
cpus=$(for width in 64 32; do echo native; models $width; done | wc -w)
# Of each width: rows run. Two controls, and cmov.
echo "1..$((cpus + $(cat "$log"/encoded.* | wc -l) + 2 + 3))"

for width in 64 32; do
	for model in native $(models $width); do
		report $width "$model"
	done

	if [ -s "$log/never.$width" ]; then
		echo "# no CPU here runs, $width-bit: $(tr '\n' ' ' <"$log/never.$width")"
	fi
	[ -s "$log/ran.$width" ]
	result $? "$width-bit: $(wc -l <"$log/ran.$width") of $(wc -l <"$log/rows.$width") rows ran"

	while read -r row; do
		row_encoded_well $width "$row"
		result $? "$width-bit $row: encoding"
	done <"$log/encoded.$width"
done

control "bytes of another instruction" "0x0f, 0x01, 0xfb" clzero "names clzero"
control "bytes the assembler would not choose" "0x48, 0x8b, 0xce" mov "not what the assembler"

! objdump -d "$dir"/32/simd_*.o | grep -q cmov
result $? "32-bit rows need no cmov"

echo "# Totals: pass:$((tests - failed - skipped)) fail:$failed xfail:0 xpass:0" \
	"skip:$skipped error:0"
[ $failed -eq 0 ]
