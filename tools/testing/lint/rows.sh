#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rows.sh: the code of each routine keeps what its row promises, in both widths.
# Reports KTAP, and the size of each routine. rows.awk has the rules.
#
# The controls in the same run are wrong routines, that each must draw the
# complaint they were written for. A rule without a control fails.
set -eu
cd "$(realpath "$(dirname "$0")/../../..")"
lint=tools/testing/lint
out=build/lint/rows
. $lint/lib.sh
cc=${CC:-gcc}
tab=$(printf '\t')

mkdir -p "$out/64" "$out/32"

flags()
{
	case $1 in
	64)	echo "-m64 -DCONFIG_X86_64=1" ;;
	32)	echo "-m32 -march=i586" ;;
	esac
}

# assemble WIDTH FILE.S: to an object
assemble()
{
	$cc $(flags "$1") -D__ASSEMBLY__ -DSHIM_PRIVILEGED \
		-Itools/testing/selftests/simd_copy/shim \
		-Iarch/x86/lib -c "$2" -o "$out/$1/$(basename "$2" .S).o"
}

# rows WIDTH FILE.def [FLAG]: one row a line
rows()
{
	cat >"$out/rows.h" <<-EOF
	#define SIMD_ROUTINE(kind, name, guard, text, ...) \\
		ROW kind name guard | __VA_ARGS__ | text
	#include "$2"
	EOF
	$cc -E $(flags "$1") ${3-} -I. -x c "$out/rows.h" >"$out/rows.i"
	grep '^ROW ' "$out/rows.i"
}

# judge WIDTH ROWS OBJECT...: what rows.awk finds
judge()
{
	bits=$1
	rows=$2
	shift 2
	for o; do
		echo "object $o"
		objdump -s -r "$o"
		objdump -t -d -w -r --insn-width=16 "$o"
	done >"$out/objdump"
	awk -v bits="$bits" -f $lint/rows.awk "$rows" "$out/objdump"
}

# The rows themselves.
check()
{
	for s in arch/x86/lib/simd_*.S; do
		assemble "$1" "$s"
	done
	rows "$1" lib/simd_copy/routines.def >"$out/$1/rows"
	judge "$1" "$out/$1/rows" "$out/$1"/simd_*.o >"$out/$1/findings"
	awk -F "$tab" -v bits="$1" '
	$1 == "row" { printf "# %s-bit %4d bytes, guard %-4s %s\n", bits, $4, $3, $2 }
	!($2 in what) { what[$2] = ""; order[++n] = $2 }
	$1 == "bad" { what[$2] = what[$2] "# " $2 ": " $4 " (" $5 ")\n" }
	END {
		for (i = 1; i <= n; i++)
			printf "%s%sok - %s-bit %s\n", what[order[i]],
				what[order[i]] == "" ? "" : "not ", bits, order[i]
	}' "$out/$1/findings"
}

# The controls: each draws its complaint, and no other.
controls()
{
	assemble "$1" $lint/controls.S
	rows "$1" $lint/controls.def >"$out/$1/control_rows"
	rows "$1" $lint/controls.def -DCOMPLAINTS >"$out/$1/complaints"
	judge "$1" "$out/$1/control_rows" "$out/$1/controls.o" >"$out/$1/control_findings"
	sed -n 's/.*complain("\([a-z0-9]*\)".*/rule \1/p' $lint/rows.awk | sort -u |
	awk -v bits="$1" '
	function result(good, what) {
		printf "%sok - %s-bit control: %s\n", good ? "" : "not ", bits, what
	}

	/^rule / { rules[++nr] = $2; next }

	/^ROW / {
		split($0, part, / *[|] */)
		split(part[1], word, " ")
		who = word[2] "/" word[3]
		order[++n] = who
		rule = word[3]
		sub(/_.*/, "", rule)
		text = substr(part[3], 2, length(part[3]) - 2)
		if (text == "")
			want[who] = "nothing"
		else {
			want[who] = rule ": " text
			controlled[rule]
		}
		got[who] = "nothing"
		next
	}

	{ split($0, part, "\t") }
	part[1] == "bad" {
		who = part[2]
		sub(/^simd_clear_/, "clear/", who)
		if (!(who in want)) {
			want[who] = got[who] = "nothing"
			order[++n] = who
		}
		got[who] = (got[who] == "nothing" ? "" : got[who] "; ") part[3] ": " part[4]
	}

	END {
		for (i = 1; i <= n; i++) {
			who = order[i]
			if (got[who] != want[who])
				printf "# %s: expected %s, got %s\n", who, want[who], got[who]
			result(got[who] == want[who], who)
		}
		for (i = 1; i <= nr; i++)
			if (!(rules[i] in controlled)) {
				print "# nothing breaks the rule " rules[i] ": add a routine to " \
					"controls.S and its row to controls.def"
				result(0, "rule " rules[i])
			}
		result(nr > 0, "each of " nr + 0 " rules was looked for")
	}' "$out/$1/complaints" "$out/$1/control_findings" -
}

results()
{
	for bits in 64 32; do
		check $bits
		controls $bits
	done
}
ktap results
