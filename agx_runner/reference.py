#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns results/reference/instr.csv into the C table of agx_runner/reference.h: reference.py CSV OUTPUT"""
import csv
import sys


def number(text):
    return repr(float(text)) if text else "NAN"


def main(source, target):
    with open(source, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [f"{row['section']}/{row['name']}" for row in rows]
    if len(set(names)) != len(names):
        sys.exit(f"{source}: a section holds a name twice")
    with open(target, "w", encoding="utf-8") as file:
        file.write('/* Made by agx_runner/reference.py. */\n#include <math.h>\n\n#include "agx_runner/reference.h"\n\n')
        file.write("const struct reference reference_table[] = {\n")
        for name, row in zip(names, rows):
            file.write(f'   {{"{name}", {number(row["throughput"])}, {number(row["adjusted_latency"])}, '
                       f'"{row["throughput_qualifier"]}", "{row["adjusted_qualifier"]}"}},\n')
        file.write(f"}};\nconst unsigned reference_count = {len(rows)};\n")


main(*sys.argv[1:])
