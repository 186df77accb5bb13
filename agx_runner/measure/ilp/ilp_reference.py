#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns results/reference/ilp_occupancy.csv into the C table of agx_runner/measure/ilp/sweep.h: ilp_reference.py CSV OUTPUT"""
import csv
import sys


def main(source, target):
    with open(source, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(target, "w", encoding="utf-8") as file:
        file.write('/* Made by agx_runner/measure/ilp/ilp_reference.py. */\n#include "agx_runner/measure/ilp/sweep.h"\n\n')
        file.write("const struct sweep_reference sweep_reference_table[] = {\n")
        for row in rows:
            file.write(f'   {{"{row["instr_class"]}", {row["ilp"]}, {row["simds_per_core"]}, '
                       f'{row["cycles_f16"]}, {row["cycles_f32"]}}},\n')
        file.write(f"}};\nconst unsigned sweep_reference_count = {len(rows)};\n")


main(*sys.argv[1:])
