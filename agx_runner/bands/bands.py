#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns results/correlation.csv into the C table of agx_runner/bands/bands.h: bands.py CORRELATION.csv OUTPUT"""
import csv
import sys


def main(source, target):
    with open(source, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["group"] != "all"]
    with open(target, "w", encoding="utf-8") as file:
        file.write('/* Made by agx_runner/bands/bands.py. */\n#include "agx_runner/bands/bands.h"\n\n'
                   "const struct error_band error_bands[] = {\n")
        for row in rows:
            file.write(f'   {{"{row["group"]}", "{row["role"]}", {row["figures"]}, {float(row["median"])!r}, '
                       f'{float(row["ninetieth"])!r}}},\n')
        file.write(f"}};\nconst unsigned error_band_count = {len(rows)};\n")


main(*sys.argv[1:])
