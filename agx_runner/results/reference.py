#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the published figures into the C tables of agx_runner/results/reference.h: reference.py INSTR SEQUENCES CALIBRATION
MIXED OUTPUT"""
import csv
import re
import sys

REPETITIONS = 1440  # of rows that name no other: their raw latencies less the adjusted ones are calibration's 1440s


def number(text):
    return repr(float(text)) if text else "NAN"


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def listed(rows, sequences):
    """Names of instr.csv -> what the source lists as their instructions, or names them by."""
    made_of = {f"{row['section']}/{row['name']}": row["name"] for row in rows if " + " in row["name"]}
    for row in sequences:
        alias = re.search(r"name used elsewhere: ([^;]*)", row["note"])
        if row["parsed"]:
            made_of[f"{row['section']}/{alias.group(1).strip() if alias else row['name']}"] = row["actual_instructions"]
    return made_of


def repetitions(text):
    """Where the source names several, the most: throughput and latency are best there."""
    counts = [int(count) for count in re.findall(r"[0-9]+", text)]
    return max(counts, default=REPETITIONS)


def instructions(rows, made_of, file):
    file.write("const struct reference reference_table[] = {\n")
    for row in rows:
        name = f"{row['section']}/{row['name']}"
        text = f'"{made_of[name]}"' if name in made_of else "NULL"
        file.write(f'   {{"{name}", {number(row["throughput"])}, {number(row["adjusted_latency"])}, '
                   f'"{row["throughput_qualifier"]}", "{row["adjusted_qualifier"]}", '
                   f'{number(row["raw_latency_max"])}, {repetitions(row["optimal_repetitions"])}, '
                   f'{str(row["kind"] == "sequence").lower()}, {text}}},\n')
    file.write(f"}};\nconst unsigned reference_count = {len(rows)};\n")


def controls(rows, file):
    file.write("const struct reference_control reference_controls[] = {\n")
    for row in rows:
        file.write(f'   {{{row["bits"]}, {row["virtual_repetitions"]}, {number(row["throughput_max"])}, '
                   f'"{row["throughput_qualifier"]}"}},\n')
    file.write(f"}};\nconst unsigned reference_control_count = {len(rows)};\n")


def mixes(rows, file):
    """A row of alternatives, "A|B*4", becomes a mix for each of them."""
    unique = {}
    for row in rows:
        names, star, count = row["parsed"].partition("*") if "|" in row["parsed"] else (row["parsed"], "", "")
        for name in names.split("|"):
            unique[name + star + count] = row
    file.write("const struct reference_mix reference_mixes[] = {\n")
    for text, row in unique.items():
        file.write(f'   {{"{text}", "{row["sequence"]}", {number(row["throughput_cycles"])}}},\n')
    file.write(f"}};\nconst unsigned reference_mix_count = {len(unique)};\n")


def main(source, sequences, calibration, mixed, target):
    rows = read(source)
    names = [f"{row['section']}/{row['name']}" for row in rows]
    if len(set(names)) != len(names):
        sys.exit(f"{source}: a section holds a name twice")
    with open(target, "w", encoding="utf-8") as file:
        file.write('/* Made by agx_runner/results/reference.py. */\n#include <math.h>\n#include <stddef.h>\n\n'
                   '#include "agx_runner/results/reference.h"\n\n')
        instructions(rows, listed(rows, read(sequences)), file)
        controls(read(calibration), file)
        mixes(read(mixed), file)


main(*sys.argv[1:])
