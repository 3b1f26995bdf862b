# SPDX-License-Identifier: GPL-2.0
#
# What the scripts here share. To be sourced, with $out set to a folder.

LC_ALL=C
export LC_ALL
rm -rf "$out"
mkdir -p "$out"

# is STATUS WHAT COMMAND...: the result "ok - WHAT" if COMMAND ends with STATUS
is()
{
	want=$1
	what=$2
	shift 2
	"$@" >"$out/log" && got=0 || got=1
	if [ $got = "$want" ]; then
		echo "ok - $what"
	else
		sed 's/^/# /' "$out/log"
		echo "not ok - $what"
	fi
}

# ktap COMMAND: runs it, and turns "ok - WHAT" and "not ok - WHAT" into KTAP:
# numbered, behind their plan. Fails if one is "not ok", or if there is none.
ktap()
{
	"$@" >"$out/results"
	awk '
	/^(not )?ok - / {
		nr++
		bad += /^not /
		sub(/ok /, "ok " nr " ")
	}
	{ line[NR] = $0 }
	END {
		print "TAP version 13"
		print "1.." nr + 0
		for (i = 1; i <= NR; i++)
			print line[i]
		exit bad || !nr
	}' "$out/results"
}
