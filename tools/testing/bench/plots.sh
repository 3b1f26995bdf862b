#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# plots.sh [SIMDBENCH [FOLDER]]: measure what the plots show, and draw them as SVG.
set -eu
here=$(realpath "$(dirname "$0")")
build=$(realpath "$here/../../..")/build/bench
bench=${1-$build/simdbench}
out=${2-$build/plots}

command -v gnuplot >/dev/null || {
	echo "plots.sh: there is no gnuplot. Type: apt-get install gnuplot-nox" >&2
	exit 1
}
mkdir -p "$out"

sizes=64,128,256,512,1KB,2KB,4KB,8KB,16KB,32KB,64KB,128KB,256KB,512KB,1MB,2MB,4MB
# States that are impossible at a size are left out, with a word on standard error.
"$bench" --seconds 30 --kind copy --size 4KB --dst-off 0-60/4 --src-off 0-60/4 \
	--csv "$out/offsets.csv" >/dev/null
for place in L1 L2 flushed; do
	"$bench" --seconds 30 --kind clear,copy --size "$sizes" --dst $place --src $place \
		--consumer none,all --csv "$out/$place.csv" >/dev/null 2>"$out/$place.log" ||
		{ cat "$out/$place.log" >&2; exit 1; }
done
# One header is enough.
{ cat "$out/L1.csv"; sed 1d "$out/L2.csv"; sed 1d "$out/flushed.csv"; } >"$out/sizes.csv"
rm "$out/L1.csv" "$out/L2.csv" "$out/flushed.csv"

# names FILE KIND: the routines in a file, in the order of the table
names()
{
	"$bench" --list | awk -F '[, ]+' -v kind="$2" '
	NR == FNR { if ($1 == kind) has[$2] = 1; next }
	$1 == kind && has[$2] { printf "%s ", $2 }' "$1" -
}

# winners KIND CONSUMER: those that are best at some size, from memory
winners()
{
	awk -F, -v kind="$1" -v consumer="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	{ size = $col["size"]; ns = $col["median"] }
	$1 == kind && $col["dst"] == "flushed" && $col["consumer"] == consumer &&
	(!(size in best) || ns < best[size]) {
		best[size] = ns
		name[size] = $2
	}
	END { for (s in name) if (!seen[name[s]]++) printf "%s ", name[s] }' "$out/sizes.csv"
}

gnuplot -e "csv='$out/offsets.csv'; svg='$out/offsets.svg'" \
	-e "rows='$(names "$out/offsets.csv" copy)'" "$here/offsets.gp"
for kind in clear copy; do
	gnuplot -e "csv='$out/sizes.csv'; svg='$out/sizes-$kind.svg'; kind='$kind'" \
		-e "rows='$(names "$out/sizes.csv" $kind)'" "$here/sizes.gp"
	stock=$("$bench" --list | awk -v kind=$kind '$1 == kind && / stock$/ { print $2 }')
	gnuplot -e "csv='$out/sizes.csv'; svg='$out/crossover-$kind.svg'; kind='$kind'" \
		-e "none='$stock $(winners $kind none)'; all='$stock $(winners $kind all)'" \
		"$here/crossover.gp"
done

# What counts: loops as workloads have them, the routines that are best in some of them.
"$bench" walk --seconds 60 --json "$out/walk.json" >/dev/null
# The fields of a line of JSON that are plotted, by tabs.
fields()
{
	kind=$1
	set -- '"workload": "([^"]*)", "kind": "'"$kind"'", "routine": "([^"]*)".*' \
		'"read": "([^"]*)".*"saving": \[([^,]*), ([^,]*), ([^]]*)\].*'
	sed -n -E "s/^\{$1$2/\1, read \3\t\2\t\4\t\5\t\6/p" "$out/walk.json" |
		grep -v "$(printf '\tstock by page\t')"
}

for kind in clear copy to_user copy_mc; do
	fields $kind >"$out/walk-$kind.dat"
	rows=$(awk -F '\t' '
		$1 != loop { if (name) best[name] = 1; loop = $1; most = 0 }
		$3 > most { most = $3; name = $2 }
		END {
			best[name] = 1
			for (name in best)
				printf "%s ", name
		}' "$out/walk-$kind.dat")
	gnuplot -e "dat='$out/walk-$kind.dat'; svg='$out/walk-$kind.svg'; kind='$kind'" \
		-e "rows='$rows'" "$here/walk.gp"
done
ls "$out"/*.svg
