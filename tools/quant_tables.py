#!/usr/bin/env python3
"""quant_tables.py -- one set of results of quantization_bench -> the tables of docs/kernels/quantization.md.

  pawl run build/release/bin/quantization_bench --runs 2 --min-time 0.003 --out results/quant
  pawl peers results/quant --format json --output peers.json
  tools/quant_tables.py docs/kernels/quantization.md peers.json results/quant/raw/*.json

What stands between the marks in the document is replaced. Exit status: 0, or 2 with one line if an input cannot be used.
"""
import json
import re
import sys

import made_tables

TOOL = "quant_tables.py"
FORMATS = ("q8_0", "q4_0", "int4_g32", "int4_g64", "int4_g128", "uint4_g32", "ternary2", "ternary3")
CODES = ("quantize/s8", "quantize/u8", "dequantize/s8", "dequantize/u8", "quantize_dynamic/s8", "requantize/s8",
         "requantize/u8", "from_f32/bf16", "to_f32/bf16", "from_f32/f16", "to_f32/f16", "quantized_add/s8",
         "quantized_relu/s8")
PRODUCTS = (("int8, packed", "matmul_packed/s8"), ("int8, as they lie", "matmul/s8"),
            ("f32 in and out, int8 packed", "linear_packed/s8"), ("bf16, packed", "matmul_packed/bf16"),
            ("f16, packed", "matmul_packed/f16"))


def fail(message):
    made_tables.fail(TOOL, message)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}")


def rate(row, with_share=True):
    """10^9 of what the row counts in a second, and the share of the limit."""
    if row is None:
        return ""
    number = (row["flops"] or row["bytes"]) / 1e9
    share = f" ({100 * row['of_limit']:.0f} %)" if with_share and row["of_limit"] else ""
    return f"{number:.0f}{share}"


def over_peer(row):
    """The fastest peer's time over ours; bold where we are behind."""
    if row is None or not row["peers"]:
        return ""
    ratio = min(peer["speed_up"] for peer in row["peers"])
    return f" **x{ratio:.2f}**" if ratio < 0.995 else f" x{ratio:.2f}"


def table(title, headings, lines):
    """lines: [(label, cells)]; columns and rows without a cell are left out."""
    used = [i for i in range(len(headings)) if any(cells[i] for _, cells in lines)]
    head = [f"| {title} | " + " | ".join(headings[i] for i in used) + " |", "|---|" + "---|" * len(used)]
    return head + [f"| {label} | " + " | ".join(cells[i] for i in used) + " |"
                   for label, cells in lines if any(cells)] + [""]


def product_table(rows):
    shape = re.compile(r"/pawl/m:(\d+)/n:(\d+)/k:(\d+)/threads:1$")
    shapes = {tuple(map(int, found.groups())) for found in map(shape.search, rows) if found}
    lines = []
    for m, n, k in sorted(shapes, key=lambda s: (s[0] * s[1] * s[2], s)):
        found = [(op, rows.get(f"{op}/pawl/m:{m}/n:{n}/k:{k}/threads:1")) for _, op in PRODUCTS]
        # f16 runs at the f32 peak, which no yardstick of the row stands for.
        lines.append((f"{m} x {n} x {k}", [rate(row, not op.endswith("/f16")) + over_peer(row) for op, row in found]))
    return table("m x n x k", [heading for heading, _ in PRODUCTS], lines)


def sized_table(title, rows, names, heading):
    sizes = sorted({int(row.rsplit(":", 1)[1]) for row in rows for name in names
                    if re.fullmatch(re.escape(name) + r"/pawl/n:\d+", row)})
    lines = []
    for name in names:
        found = [rows.get(f"{name}/pawl/n:{n}") for n in sizes]
        lines.append((f"`{heading(name)}`", [rate(row) + over_peer(row) for row in found]))
    return table(title, [f"{n:,}" for n in sizes], lines)


def few_rows_table(rows):
    counts = (1, 2, 4, 8, 32)
    lines = []
    for name in ("s8", *FORMATS):
        of = lambda op, m: rows.get(f"{op}/{name}/pawl/m:{m}/n:4096/k:4096/threads:1")
        found = [of("matmul_packed" if name == "s8" else "linear_packed", m) for m in counts]
        lines.append((f"`{name}`", [rate(of("linear_from_memory", 1)), rate(found[0]),
                                    *(rate(row, False) for row in found[1:])]))
    headings = ["1 row, from memory"] + [f"{m} row{'s' * (m > 1)}, from L3" for m in counts]
    return table("weights of 4096 x 4096", headings, lines)


def pareto_table(rows, raw):
    errors = {}
    for path in raw:
        for row in read(path)["benchmarks"]:
            name = row.get("run_name", row["name"])
            if row.get("run_type") == "iteration" and "snr_db" in row and name.startswith("linear_packed/"):
                errors[name] = row
    lines = []
    base = rows.get("linear_from_memory/s8/pawl/m:1/n:4096/k:4096/threads:1")
    slow = rows.get("linear_packed/q8_0/pawl/m:1/n:4096/k:4096/threads:1")
    for name in FORMATS:
        case = f"{name}/pawl/m:1/n:4096/k:4096/threads:1"
        here, there = rows.get("linear_packed/" + case), rows.get("linear_from_memory/" + case)
        error = errors.get("linear_packed/" + case)
        if not (here and there and error and base and slow):
            continue
        lines.append((f"`{name}`", [f"{error['bytes_per_weight']:.3f}", f"{error['snr_db']:.1f}", f"{error['mse']:.2e}",
                                    f"{error['max_error']:.4f}", f"{here['seconds'] / slow['seconds']:.2f}",
                                    f"{base['seconds'] / there['seconds']:.2f}"]))
    return table("format", ["bytes per weight", "signal to noise, dB", "mean squared error", "largest error",
                            "time to q8_0, L3", "times as fast as int8, memory"], lines)


def main(arguments):
    if len(arguments) < 3:
        fail("usage: tools/quant_tables.py DOCUMENT PEERS.json RESULTS.json [...]")
    document, peers, *raw = arguments
    try:
        rows = {row["name"]: row for row in read(peers)["rows"]}
    except KeyError:
        fail(f"{peers}: no rows")
    lines = ["Products, GOP/s:", ""] + product_table(rows)
    lines += ["Codes and halves, GB/s:", ""] + sized_table("n", rows, CODES, lambda name: name)
    for op in ("quantize", "dequantize"):
        lines += sized_table(f"`{op}`, blocks and groups, n", rows, [f"{op}/{name}" for name in FORMATS],
                             lambda name: name.split("/")[1])
    lines += ["Few rows of activations, GOP/s:", ""] + few_rows_table(rows)
    lines += ["Error, size and time of one row of activations:", ""] + pareto_table(rows, raw)
    made_tables.replace(TOOL, document, lines)


if __name__ == "__main__":
    main(sys.argv[1:])
