# SPDX-License-Identifier: GPL-2.0
#
# Bytes per ns, by size and routine: a map per state, above until the routine
# returns, below until all of the result was read. Set from outside: csv, svg, kind,
# rows.
n = words(rows)
set terminal svg size 1500, 60 + 2 * (22 * n + 110) font "sans,11" background "white"
set output svg
set datafile separator ","
set datafile columnheaders
set multiplot layout 2, 3 title kind.": GB/s, by size and routine"
set palette defined (0 "#ffffd9", 1 "#41b6c4", 2 "#081d58")
set logscale cb
set cbrange [1:200]
set logscale x 2
set xrange [64 / 1.5:4194304 * 1.5]
set xtics ("64" 64, "256" 256, "1K" 1024, "4K" 4096, "16K" 16384, "64K" 65536, \
	"256K" 262144, "1M" 1048576, "4M" 4194304)
set yrange [n + 0.5:0.5]
set ytics noenhanced
do for [i = 1:n] {
	set ytics add (word(rows, i) i)
}
set style fill solid noborder
unset key

at(row) = sum [i = 1:n] (word(rows, i) eq row ? i : 0)
wanted(k, d, c) = k eq kind && d eq place && c eq consumer
# Half a step to the next size.
half = sqrt(2)
do for [consumer in "none all"] {
	do for [place in "L1 L2 flushed"] {
		set title place.(consumer eq "all" ? ", read" : "")
		plot csv using (wanted(strcol("kind"), strcol("dst"), strcol("consumer")) ? \
				column("size") : NaN): \
			(at(strcol("routine"))): \
			(column("size") / half):(column("size") * half): \
			(at(strcol("routine")) - 0.5):(at(strcol("routine")) + 0.5): \
			(column("median") > 0 ? column("size") / column("median") : NaN) \
			with boxxyerror fillcolor palette
	}
}
unset multiplot
