# SPDX-License-Identifier: GPL-2.0
#
# Copies of 4 KiB between hot lines, by the offset of either side: a map per
# routine. Set from outside: csv, svg, rows.
n = words(rows)
across = 5
down = (n + across - 1) / across
set terminal svg size 260 * across, 240 * down + 40 font "sans,11" background "white"
set output svg
set datafile separator ","
set datafile columnheaders
set multiplot layout down, across title "copy, 4 KiB in L1: by offset of destination (x) and source (y); light 15 ns, dark 500 ns"
set palette defined (0 "#ffffd9", 1 "#41b6c4", 2 "#081d58")
set logscale cb
set cbrange [15:500]
set xrange [-2:62]
set yrange [-2:62]
set xtics 16
set ytics 16
set style fill solid noborder
unset key
unset colorbox
set size square
do for [i = 1:n] {
	row = word(rows, i)
	set title row noenhanced
	plot csv using (strcol("routine") eq row ? column("dst_off") : NaN): \
		(column("src_off")):(column("dst_off") - 2):(column("dst_off") + 2): \
		(column("src_off") - 2):(column("src_off") + 2): \
		(column("median")) with boxxyerror fillcolor palette
}
unset multiplot
