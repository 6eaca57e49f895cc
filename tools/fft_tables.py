#!/usr/bin/env python3
"""fft_tables.py -- results of fft_bench (JSON) -> the tables of docs/kernels/fft.md, FFTW's time over ours.

  build/release/bin/fft_bench --benchmark_filter='^fft_.*/(pawl|fftw)/' --benchmark_repetitions=3 \\
      --benchmark_out=fft.json --benchmark_out_format=json
  tools/fft_tables.py docs/kernels/fft.md fft.json [more.json ...]

Each number is the least time of FFTW's repetitions over the least of ours; below 1 it is bold. What stands between the
marks in the document is replaced. Exit status: 0, or 2 with one line if an input cannot be used.
"""
import collections
import json
import math
import re
import sys

import made_tables

TOOL = "fft_tables.py"
TYPES = ("f32", "f64")
SIZE = re.compile(r"n\d*:(\d+)")


def fail(message):
    made_tables.fail(TOOL, message)


def read(paths):
    """{(op, type, case, threads): FFTW's least time / ours}, in the order of the rows."""
    times = collections.defaultdict(dict)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                rows = json.load(file)["benchmarks"]
        except (OSError, ValueError, KeyError) as error:
            fail(f"{path}: {error}")
        for row in rows:
            if row.get("run_type", "iteration") != "iteration" or row.get("error_occurred"):
                continue
            op, kind, impl, *rest = row.get("run_name", row["name"]).split("/")
            threads = next((part[8:] for part in rest if part.startswith("threads:")), "1")
            case = tuple(part for part in rest if not part.startswith("threads:"))
            least = times[op, kind, case, threads]
            least[impl] = min(row["real_time"], least.get(impl, math.inf))
    return {key: t["fftw"] / t["pawl"] for key, t in times.items() if "fftw" in t and "pawl" in t}


def label(case):
    sizes = [int(n) for n in SIZE.findall("/".join(case))]
    batch = next((part[6:] for part in case if part.startswith("batch:")), None)
    if batch:
        return f"{batch} lines of {sizes[0]}"
    if len(sizes) == 3 and len(set(sizes)) == 1:
        return f"{sizes[0]}^3"
    return " x ".join(map(str, sizes))


def cell(ratio):
    if ratio is None:
        return ""
    return f"**{ratio:.2f}**" if ratio < 0.995 else f"{ratio:.2f}"


def table(title, columns, ratios):
    """columns: [(heading, ops, type, threads)]; a row for each case of any of them, by size."""
    cases = {}
    for heading, ops, kind, threads in columns:
        for (op, of, case, used), ratio in ratios.items():
            if op in ops and of == kind and used == threads:
                cases.setdefault(case, {})[heading] = ratio
    if not cases:
        return []
    def size(case):
        numbers = [int(n) for n in SIZE.findall("/".join(case))]
        return (any(part.startswith("batch:") for part in case), len(numbers), math.prod(numbers))
    lines = [f"| {title} | " + " | ".join(heading for heading, *_ in columns) + " |", "|---|" + "---|" * len(columns)]
    for case in sorted(cases, key=size):
        lines.append(f"| {label(case)} | " + " | ".join(cell(cases[case].get(h)) for h, *_ in columns) + " |")
    means = []
    for heading, *_ in columns:
        values = [row[heading] for row in cases.values() if heading in row]
        means.append(f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else "")
    return lines + ["| geometric mean | " + " | ".join(means) + " |", ""]


def main(arguments):
    if len(arguments) < 2:
        fail("usage: tools/fft_tables.py DOCUMENT RESULTS.json [...]")
    document, *paths = arguments
    ratios = read(paths)
    if not ratios:
        fail(f"{paths[0]}: no row of FFTW beside one of ours")
    both = lambda ops, threads: [(kind, ops, kind, threads) for kind in TYPES]
    lines = table("n, complex", both(("fft_c2c",), "1"), ratios)
    lines += table("n, real", [(f"{way} {kind}", (f"fft_{way}",), kind, "1") for way in ("r2c", "c2r") for kind in TYPES],
                   ratios)
    many = ("fft_2d", "fft_3d", "fft_batch")
    lines += table("arrays and batches, complex", [(f"{kind}, {threads} thread{'s' * (threads == '2')}", many, kind, threads)
                                                   for threads in ("1", "2") for kind in TYPES], ratios)
    lines += table("arrays, real", both(("fft_real_2d", "fft_real_3d"), "1"), ratios)
    made_tables.replace(TOOL, document, lines)


if __name__ == "__main__":
    main(sys.argv[1:])
