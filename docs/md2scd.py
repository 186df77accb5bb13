#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/result-schema.md as a manual page for scdoc: md2scd.py INPUT.md NAME SECTION SUMMARY, to standard output.

Knows what that file uses: headings, paragraphs, tables (which become definitions), `code`, links."""
import re
import sys

path, name, section, summary = sys.argv[1:5]


def inline(text):
    text = re.sub(r"\[([^]]*)\]\(([^)]*)\)", r"\1 (docs/\2)", text)
    parts = re.split(r"(`[^`]*`)", text)
    for i, part in enumerate(parts):
        if part.startswith("`"):
            parts[i] = "*" + re.sub(r"([\\*_])", r"\\\1", part[1:-1]) + "*"
        else:
            parts[i] = re.sub(r"([\\*_])", r"\\\1", part)
    return "".join(parts)


print(f"{name}({section})\n\n# NAME\n\n{name} - {summary}\n\n# DESCRIPTION\n")
paragraph, rows = [], 0


def flush():
    global paragraph
    if paragraph:
        print(inline(" ".join(paragraph)) + "\n")
    paragraph = []


for line in open(path, encoding="utf-8").read().splitlines():
    if line.startswith("# "):
        flush()
    elif line.startswith("#"):
        flush()
        print("# " + line.lstrip("# ").upper() + "\n")
    elif line.startswith("|"):
        flush()
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        rows += 1
        if rows == 1 or set(line) <= set("|- :"):
            continue
        print(f"*{inline(cells[0])}*" + (f" ({inline(cells[1])})" if len(cells) > 2 else "") + "\n\t" + inline(cells[-1]) + "\n")
        continue
    elif line.strip():
        paragraph.append(line.strip())
    else:
        flush()
    rows = 0
flush()
