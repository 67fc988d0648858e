#!/usr/bin/env bash
# Writes assets/: libraries of the page, at pinned versions, with their licences and checksums.
set -euo pipefail
cd "$(dirname "$0")"
d3="internmap@2.0.3 d3-array@3.2.5 d3-color@3.1.1 d3-dispatch@3.0.2 d3-ease@3.0.2 d3-format@3.1.3 d3-interpolate@3.0.2 d3-time@3.1.1 d3-time-format@4.1.1 d3-timer@3.0.2 d3-selection@3.0.1 d3-hierarchy@3.1.3 d3-scale@4.0.3 d3-transition@3.0.2"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
npm install --prefix "$dir" --ignore-scripts --no-audit --no-fund --silent uplot@1.6.32 d3-flame-graph@5.0.0 $d3
rm -rf assets && mkdir assets
m=$dir/node_modules
cp "$m/uplot/dist/uPlot.iife.min.js" assets/uplot.js
cp "$m/uplot/dist/uPlot.min.css" assets/uplot.css
cp "$m/d3-flame-graph/dist/d3-flamegraph.umd.min.js" assets/flamegraph.js
for p in $d3; do
	n=${p%@*}
	[ "$n" = internmap ] || cat "$m/$n/dist/$n.min.js"
	echo
done > assets/d3.js
for p in uplot@1.6.32 d3-flame-graph@5.0.0 $d3; do
	n=${p%@*}
	printf '%s\n\n' "== $p"
	cat "$m/$n/LICENSE"
	echo
done > assets/LICENSES.txt
(cd assets && sha256sum *) > assets.sha256
