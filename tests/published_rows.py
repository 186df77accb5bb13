#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every quantity of results/reference/memory.csv and launch.csv stands in docs/timing-model.md: beside the model's figure,
or in the list of those that the model has no figure for. A name in the document that ends in * stands for all that begin
so. Invariant: a row that is added to a table of published figures without a word about the model fails the test.

Usage: published_rows.py DIRECTORY_OF_THE_SOURCE
"""
import csv
import pathlib
import re
import sys

TABLES = ("memory.csv", "launch.csv")
SECTION = "## Memory and launches"


def missing(text, quantities):
    """The quantities that no name in the text stands for."""
    names = {name.rstrip(".") for name in re.findall(r"[A-Za-z0-9_.]+\*?", text)}
    starts = tuple(name[:-1] for name in names if name.endswith("*") and len(name) > 4)
    return [quantity for quantity in quantities if quantity not in names and not quantity.startswith(starts)]


def main():
    source = pathlib.Path(sys.argv[1])
    text = (source / "docs/timing-model.md").read_text(encoding="utf-8")
    section = text[text.index(SECTION):]
    failed = 0
    if missing("l1_size, gather_* and no more", ["l1_size", "gather_1"]) or not missing("l1_size_b", ["l1_size"]):
        print("the test does not tell names apart")
        failed = 1
    for table in TABLES:
        with open(source / "results/reference" / table, encoding="utf-8", newline="") as file:
            quantities = sorted({row["quantity"] for row in csv.DictReader(file)})
        if len(quantities) < 20:
            print(f"{table}: only {len(quantities)} quantities were read")
            failed = 1
        for quantity in missing(section, quantities):
            print(f"{table}: docs/timing-model.md says nothing about '{quantity}'")
            failed = 1
    sys.exit(failed)


main()
