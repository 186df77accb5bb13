#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts a block of C of a document into a copy of a source: adding_row.py DOCUMENT BLOCK LINES MARK SOURCE OUTPUT

Block number BLOCK, of at most LINES lines, goes behind the one line of the source that begins with MARK."""
import pathlib
import re
import sys


def main(document, block, lines, mark, source, output):
    blocks = re.findall(r"^```c\n(.*?)^```$", pathlib.Path(document).read_text(encoding="utf-8"), re.M | re.S)
    text = pathlib.Path(source).read_text(encoding="utf-8")
    found = re.findall(rf"^{re.escape(mark)}.*\n", text, re.M)
    if len(found) != 1:
        sys.exit(f"{source}: not one line begins with {mark!r}")
    if blocks[int(block)].count("\n") > int(lines):
        sys.exit(f"{document}: block {block} has more than {lines} lines")
    pathlib.Path(output).write_text(text.replace(found[0], found[0] + blocks[int(block)]), encoding="utf-8")


main(*sys.argv[1:])
