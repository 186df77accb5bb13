#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins results/reference/asked.csv with the tables of published figures into the C table of figures.h.

Usage: figures.py REFERENCE_FOLDER OUTPUT

Invariant: each published figure of an Apple GPU of generation 7 or 8 has exactly one line of asked.csv, and each line a
figure: one that is left out, or named twice, fails the build. The figures themselves stand in their tables alone."""
import csv
import pathlib
import re
import sys

ROLES = {"fitted": "FIGURE_FITTED", "seen": "FIGURE_SEEN", "blind": "FIGURE_BLIND", "": "FIGURE_NOT_ASKED"}
METAL = "philipturner/metal-benchmarks:README.md"
ROSENZWEIG = "Rosenzweig, Dissecting the Apple M1 GPU, part III"


def apple(row):
    return re.search(r"Apple 7|M1", row["architecture"]) is not None


# Table: what names a row, its figures (column: unit; None: the row's unit), their source and chip (None: the row's), and
# which rows are of chips that there are virtual devices of. Columns that are not named hold other architectures (instr's
# throughput_a14), another set-up of the same figure (raw_latency_min), or no figure.
TABLES = {
    "instr": ("{section}/{name}", {"throughput": "cycles", "adjusted_latency": "cycles", "raw_latency_max": "cycles"},
              METAL, "M1 Max", None),
    "mixed_a": ("{sequence}", {"throughput_cycles": "cycles"}, METAL, "M1 Max", None),
    "ilp_occupancy": ("{instr_class} ilp {ilp} simds {simds_per_core}", {"cycles_f32": "cycles", "cycles_f16": "cycles"},
                      METAL, "M1 Max", None),
    "calibration": ("{bits}-bit {virtual_repetitions}", {"throughput_max": "cycles"}, METAL, "M1 Max", None),
    "occupancy_registers": ("{registers_text}", {"max_threads": "threads"}, ROSENZWEIG, "M1", None),
    "ops_per_cycle": ("{op}", {"value_num": "operations/cycle/core"}, METAL, "M1", apple),
    "core_bandwidth": ("{property}", {"value": None}, METAL, "M1", apple),
    "core_memory": ("{property}", {"value": None}, METAL, "M1", apple),
    "gpus": ("{gpu}", {"gops32": "Gop/s"}, METAL, None, lambda row: row["gpu"] in "M1 M1P M1M M1U M2 M2P M2M".split()),
    "memory": ("{quantity}, {chip}", {"value": None}, None, None, None),
    "launch": ("{quantity}, {chip}", {"value": None}, None, None, None),
    "matrix": ("{quantity}, {chip}", {"value": None}, None, None, None),
    "rigel": ("{finding}", {"value": None}, "Rigel, arXiv 2606.12765", "M4 Max", None),
    "cases": ("{quantity}, {chip}", {"value": None}, None, None, None),
}
REPEATED = {"mixed_a"}  # whose source prints a row twice


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def interval(text, qualifier):
    """The least and the largest published figure; None: it is no number."""
    bounds = {"<": (float("-inf"), None), "<=": (float("-inf"), None), ">": (None, float("inf")),
              ">=": (None, float("inf"))}.get(qualifier, (None, None))
    number = r"~?([0-9]+(?:\.[0-9]+)?)"
    match = re.fullmatch(rf"[<>]?{number}(?: ?(?:\.\.|/|-) ?{number})?", text.strip()) or \
        re.fullmatch(r"(-[0-9.]+)(?: ?/ ?(-[0-9.]+))?", text.strip())
    if match is None:
        return None
    values = [float(value) for value in match.groups() if value is not None]
    return (bounds[0] if bounds[0] is not None else min(values), bounds[1] if bounds[1] is not None else max(values))


def qualifier_of(row, column):
    method = row.get("method", "")
    return row.get(column + "_qualifier") or row.get({"adjusted_latency": "adjusted_qualifier"}.get(column, "throughput_"
        "qualifier" if column.startswith("throughput") else "value_qualifier")) or \
        ("<" if "upper bound" in method else ">" if "lower bound" in method else "")


def published(folder):
    """(table, row, column) -> what is published: text, qualifier, unit, chip, source."""
    figures = {}
    for table, (name, columns, source, chip, wanted) in TABLES.items():
        counts = {}
        for row in read(folder / f"{table}.csv"):
            key = name.format(**row)
            if wanted is not None and not wanted(row):
                continue
            counts[key] = counts.get(key, 0) + 1
            if counts[key] > 1 and table in REPEATED:
                continue
            key = key if counts[key] == 1 else f"{key} #{counts[key]}"
            for column, unit in columns.items():
                if row[column]:
                    figures[table, key, column] = {
                        "text": row[column], "qualifier": qualifier_of(row, column), "unit": unit or row["unit"],
                        "chip": chip or row.get("chip") or row.get("gpu"), "source": source or row["source"]}
    return figures


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def limit(value):
    return repr(value) if abs(value) != float("inf") else "INFINITY" if value > 0 else "-INFINITY"


def line(asked, figure):
    numbers = interval(figure["text"], figure["qualifier"])
    if asked["ask"] and numbers is None:
        sys.exit(f"asked.csv: {asked['table']}, {asked['row']}: '{figure['text']}' is no number, so nothing asks it")
    if bool(asked["ask"]) != bool(asked["role"]) or (not asked["ask"] and not asked["note"]):
        sys.exit(f"asked.csv: {asked['table']}, {asked['row']}: what is asked has a role, what is not has a reason")
    words = [asked["group"], asked["table"], asked["row"], asked["figure"], figure["source"], figure["chip"],
             figure["unit"], figure["qualifier"] + figure["text"], asked["device"], asked["ask"], asked["value"],
             asked["note"]]
    low, high = numbers or (0.0, 0.0)
    return f"   {{{', '.join(map(quoted, words))}, {ROLES[asked['role']]}, {limit(low)}, {limit(high)}}},\n"


def main(folder, target):
    folder = pathlib.Path(folder)
    figures, lines = published(folder), []
    for asked in read(folder / "asked.csv"):
        figure = figures.pop((asked["table"], asked["row"], asked["figure"]), None)
        if figure is None:
            sys.exit(f"asked.csv: {asked['table']}.csv has no '{asked['row']}', {asked['figure']}, or it is asked twice")
        lines.append(line(asked, figure))
    if figures:
        sys.exit("asked.csv: nothing is said about " + "; ".join(f"{t}.csv: '{r}', {c}" for t, r, c in sorted(figures)))
    with open(target, "w", encoding="utf-8") as file:
        file.write('/* Made by agx_runner/correlate/figures.py. */\n#include <math.h>\n\n'
                   '#include "agx_runner/correlate/figures.h"\n\nconst struct figure figures[] = {\n')
        file.writelines(lines)
        file.write(f"}};\nconst unsigned figure_count = {len(lines)};\n")


main(*sys.argv[1:])
