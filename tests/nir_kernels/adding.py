#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows docs/adding-a-benchmark.md to the letter: adding.py DOCUMENT SOURCE OUTPUT

The document's first block of C goes above the source's table, its second one into it."""
import pathlib
import re
import sys

ABOVE = "/* clang-format off */\n"
TABLE = "static const struct benchmark benchmarks[] = {\n"


def main(document, source, output):
    blocks = re.findall(r"^```c\n(.*?)^```$", pathlib.Path(document).read_text(encoding="utf-8"), re.M | re.S)
    text = pathlib.Path(source).read_text(encoding="utf-8")
    if len(blocks) < 2 or sum(block.count("\n") for block in blocks[:2]) >= 20:
        sys.exit(f"{document}: expected a function and an entry, in under 20 lines")
    for mark in ABOVE, TABLE:
        if text.count(mark) != 1:
            sys.exit(f"{source}: not one line {mark!r}")
    text = text.replace(ABOVE, blocks[0] + "\n" + ABOVE).replace(TABLE, TABLE + blocks[1])
    pathlib.Path(output).write_text(text, encoding="utf-8")


main(*sys.argv[1:])
