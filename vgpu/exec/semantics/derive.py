#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Collects the lines VGPU_OPERATION(...) of the semantics into one list: derive.py OUTPUT SOURCE.c..."""
import re
import sys

rows = []
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        rows += re.findall(r"^VGPU_OPERATION\(([^()]*)\);", file.read(), re.M)
rows = [" ".join(row.split()) for row in rows]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write("/* Made by vgpu/exec/semantics/derive.py. */\n#define VGPU_SEMANTICS(ROW) \\\n")
    file.writelines(f"   ROW({row}) \\\n" for row in rows)
    file.write("\n")
