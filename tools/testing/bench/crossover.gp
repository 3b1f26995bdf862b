# SPDX-License-Identifier: GPL-2.0
#
# Flushed lines: ns per KiB by size, of stock and of all that win somewhere. Set from
# outside: csv, svg, kind, none, all.
set terminal svg size 1300, 520 font "sans,12" background "white"
set output svg
set datafile separator ","
set datafile columnheaders
set multiplot layout 1, 2 title kind.", flushed lines: ns per KiB"
set logscale x 2
set yrange [0:*]
set datafile missing NaN
set xrange [1024:4194304]
set xtics ("1K" 1024, "4K" 4096, "16K" 16384, "64K" 65536, "256K" 262144, "1M" 1048576, \
	"4M" 4194304)
set grid
set key top right noenhanced

is(k, r, d, c) = k eq kind && r eq row && d eq "flushed" && c eq consumer
do for [consumer in "none all"] {
	set title consumer eq "all" ? "until it is read" : "until it returns"
	plot for [row in value(consumer)] csv \
		using (is(strcol("kind"), strcol("routine"), strcol("dst"), strcol("consumer")) ? \
			column("size") : NaN): \
		(column("median") * 1024 / column("size")) with linespoints title row
}
unset multiplot
