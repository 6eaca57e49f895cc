#!/usr/bin/env python3
"""fft_plot.py -- results of fft_bench (JSON) -> an SVG of GFLOP/s over n, ours beside FFTW's.

  build/release/bin/fft_bench --benchmark_filter='fft_c2c/f(32|64)/(pawl|fftw)/.*threads:1$' \\
      --benchmark_out=fft.json --benchmark_out_format=json
  tools/fft_plot.py fft.json docs/kernels/fft.svg

Rows that were skipped or failed are left out. Exit status: 0, or 2 with one line if the input cannot be used.
"""
import json
import math
import os
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, PANEL, GAP = 900, 360, 60, 40, 380, 60
COLOURS = {"pawl": "#1f5fbf", "fftw": "#c0562b"}
ROW = re.compile(r"fft_c2c/(f32|f64)/(pawl|fftw)/n:(\d+)/threads:1$")


def read(path):
    """{type: {impl: [(n, GFLOP/s)]}}, medians of repetitions, sorted by n."""
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["benchmarks"]
    rates = {}
    for row in rows:
        name = ROW.match(row.get("run_name", row["name"]))
        if not name or row.get("run_type", "iteration") != "iteration" or row.get("error_occurred") or "flops" not in row:
            continue
        rates.setdefault((name[1], name[2], int(name[3])), []).append(row["flops"] / 1e9)
    series = {}
    for (kind, impl, n), values in sorted(rates.items()):
        series.setdefault(kind, {}).setdefault(impl, []).append((n, sorted(values)[len(values) // 2]))
    return series


def is_power_of_two(n):
    return n & (n - 1) == 0


def panel(kind, lines, left):
    """One diagram: curves through the powers of two, dots for all other lengths."""
    points = [p for values in lines.values() for p in values]
    low, high = (math.log2(f(n for n, _ in points)) for f in (min, max))
    top = max(rate for _, rate in points) * 1.08
    x = lambda n: left + (math.log2(n) - low) / max(high - low, 1) * PANEL
    y = lambda rate: TOP + (1 - rate / top) * (HEIGHT - 2 * TOP)
    step = next(s for s in (5, 10, 20, 25, 50, 100, 1000) if top / s <= 8)
    out = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{kind}, GFLOP/s = 5 n log2(n) / time</text>']
    for i in range(int(top / step) + 1):
        out.append(f'<line x1="{left}" x2="{left + PANEL}" y1="{y(i * step):.1f}" y2="{y(i * step):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y(i * step) + 4:.1f}" text-anchor="end">{i * step}</text>')
    for exponent in range(math.ceil(low), int(high) + 1, 2):
        out.append(f'<text x="{x(2 ** exponent):.1f}" y="{HEIGHT - TOP + 16}" text-anchor="middle">2^{exponent}</text>')
    for impl, values in lines.items():
        curve = " ".join(f"{x(n):.1f},{y(rate):.1f}" for n, rate in values if is_power_of_two(n))
        out.append(f'<polyline points="{curve}" fill="none" stroke="{COLOURS[impl]}" stroke-width="2"/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(rate):.1f}" r="3" fill="{COLOURS[impl]}"><title>{impl} {n}: '
                f'{rate:.1f}</title></circle>' for n, rate in values if not is_power_of_two(n)]
    return out


def draw(series):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for i, kind in enumerate(sorted(series)):
        out += panel(kind, series[kind], LEFT + i * (PANEL + GAP))
    for i, (impl, label) in enumerate((("pawl", "pawl"), ("fftw", "FFTW, MEASURE"))):
        out.append(f'<circle cx="{LEFT + 160 * i + 4}" cy="{HEIGHT - 8}" r="4" fill="{COLOURS[impl]}"/>'
                   f'<text x="{LEFT + 160 * i + 14}" y="{HEIGHT - 4}">{label}</text>')
    out.append(f'<text x="{LEFT + 340}" y="{HEIGHT - 4}">lines: powers of two; dots: other lengths</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main(arguments):
    if len(arguments) != 2:
        print("usage: fft_plot.py results.json plot.svg", file=sys.stderr)
        return 2
    try:
        series = read(arguments[0])
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"fft_plot.py: {arguments[0]}: {error}", file=sys.stderr)
        return 2
    if not series:
        print(f"fft_plot.py: {arguments[0]}: no rows fft_c2c/<type>/<pawl or fftw>/n:<n>/threads:1", file=sys.stderr)
        return 2
    new = arguments[1] + ".new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(draw(series))
    os.replace(new, arguments[1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
