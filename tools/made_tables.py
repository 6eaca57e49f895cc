"""made_tables.py -- lines of Markdown -> the same document with what stands between a tool's marks replaced.

Imported by fft_tables.py and quant_tables.py.
"""
import os
import sys


def fail(tool, message):
    """One line and status 2, as every tool here tells of an input that cannot be used."""
    print(f"{tool}: {message}", file=sys.stderr)
    sys.exit(2)


def replace(tool, document, lines):
    """The document is written beside itself and renamed, so that it is never half there."""
    begin, end = (f"<!-- made by tools/{tool}: {mark} -->" for mark in ("begin", "end"))
    try:
        with open(document, encoding="utf-8") as file:
            text = file.read()
        before, rest = text.split(begin)
        _, after = rest.split(end)
    except (OSError, ValueError):
        fail(tool, f"{document}: cannot be read, or has not one pair of marks ({begin})")
    made = document + ".new"
    with open(made, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n\n" + "\n".join(lines) + end + after)
        file.flush()
        os.fsync(file.fileno())
    os.replace(made, document)
