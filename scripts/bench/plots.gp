# SPDX-License-Identifier: GPL-2.0
# Plots base.tsv and ours.tsv, which measure.py has written to the current directory, one below the other.

set terminal pngcairo size 720,900 font "sans,10" background "white"
set output "plots.png"
set multiplot layout 3,1
set logscale x
set xtics 1,100 nomirror
set ytics nomirror
unset mxtics
unset mytics
set format "%.0s%c"
set key outside bottom horizontal
of(side, figure) = sprintf("<grep '^%s\t' %s.tsv || echo x NaN NaN", figure, word("base ours", side))
title_of(side, curve) = (side == 1 ? "base, " : "this project, ").curve
set linetype 1 lw 2 lc rgb "#c04030"
set linetype 2 lw 2 lc rgb "#2060a0"

set title "What a hit costs as points pile up: instructions a hit"
set yrange [0:*]
set ytics 0,100
plot for [side=1:2] for [i=1:2] of(side, word("points.break points.jump", i)) using 2:3 with lines \
	lt side dt i title title_of(side, word("breakpoint jump-optimized", i))

set title "Registering so many function entries: instructions a probe"
set autoscale y
set ytics autofreq
set logscale y
plot for [side=1:2] for [i=1:2] of(side, word("reg.entry.single reg.entry.batch", i)) using 2:($3 / $2) \
	with lines lt side dt i title title_of(side, word("'one by one' batch", i))

set title "From the end of registering until all points are jumps: nanoseconds"
plot for [side=1:2] of(side, "optimize") using 2:3 with lines lt side title title_of(side, "batch")
