# SPDX-License-Identifier: GPL-2.0
#
# Ratios to stock with their intervals: a line per loop, a colour per routine. Set from
# outside: dat (loop, routine, ratio, low, high by tabs), svg, kind, rows.
nr = system("cut -f 1 ".dat." | uniq | wc -l") + 0
set terminal svg size 1100, 120 + 40 * nr font "sans,11" background "white"
set output svg
set datafile separator "\t"
set title kind.": times as fast as stock in the same round, with 95 % intervals, registers saved"
set xrange [0:2.5]
set yrange [nr + 0.5:0.5]
set grid xtics
set key outside bottom center horizontal noenhanced
set ytics noenhanced
do for [i = 1:nr] {
	set ytics add (system(sprintf("cut -f 1 %s | uniq | sed -n %dp", dat, i)) i)
}
set arrow from 1, graph 0 to 1, graph 1 nohead lw 2
plot for [i = 1:words(rows)] \
	sprintf("< awk -F '\\t' -v OFS='\\t' -v r=%s '$1 != l { n++; l = $1 } $2 == r { print n, $3, $4, $5 }' %s", \
		word(rows, i), dat) \
	using 2:($1 + (i - 0.5 - words(rows) / 2.0) * 0.8 / words(rows)):3:4 \
	with xerrorbars pt 7 ps 0.4 title word(rows, i)
