#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a block of code of a document to a file: adding_block.py DOCUMENT HEADING OUTPUT

The block is the first one of C below the heading."""
import pathlib
import re
import sys


def main(document, heading, output):
    _, after = pathlib.Path(document).read_text(encoding="utf-8").split(f"## {heading}\n")
    pathlib.Path(output).write_text(re.search(r"^```c\n(.*?)^```$", after, re.M | re.S).group(1), encoding="utf-8")


main(*sys.argv[1:])
