#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz with a fixed seed finds faults of the pinned Mesa that docs/mesa-bugs.md describes, shrinks them and
blames the right pass. The list of known findings, ci/fuzz-known.txt, has all that the seed gives; without the lines of one fault
that is new. So CI is green until something new comes, and not because nothing is looked at. --known makes findings known; one job
gives the same findings twice, and --first the same program alone.

Usage: finds.py AGX_RUNNER KNOWN
"""
import json
import pathlib
import subprocess
import sys
import tempfile

# Blamed pass, and what the shrunk program consists of: from docs/mesa-bugs.md, not from the fuzzer.
EXPECTED = [
    ("agx_optimizer_forward (AGX backend)", {"u2u32", "extract_u16"},
     {"ilt", "ige", "imin", "imax", "isign", "irem", "idiv", "imod"}),  # 1: signed comparison
    ("nir_opt_constant_folding (NIR)", {"iadd_sat", "isub_sat"}, set()),  # overflow of the evaluator
]
MOST_INSTRUCTIONS = 6
SMALL = pathlib.Path(__file__).parent / "crashing/packing.fuzz"  # F21 in a small program that spills
COUNT = 1000  # each of EXPECTED shows five times and more
LESS = 100  # folding shows twice


def fuzz(program, *words, codes):
    """The JSON report of a run."""
    with tempfile.NamedTemporaryFile() as file:
        run = subprocess.run([program, "fuzz", "--language", "nir", "-f", "json", "-o", file.name, *words], stderr=subprocess.PIPE, text=True,
                             check=False)
        if run.returncode not in codes:
            sys.exit(f"fuzz {' '.join(words)}: exit code {run.returncode}, expected {codes}\n{run.stderr[-2000:]}")
        with open(file.name, encoding="utf-8") as text:
            return json.load(text)


def ops(finding):
    """The ops of a shrunk program: stores to memory are ops, too."""
    lines = [line.split(" = ")[-1] for line in finding["program"].splitlines() if " = " in line or " store_memory " in line]
    names = [line.split()[0] for line in lines]
    return [name for name in names if name not in ("constant", "input", "argument")]


def check_list(program, known):
    """How many faults: the list without the lines of constant folding."""
    with open(known, encoding="utf-8") as file, tempfile.NamedTemporaryFile("w", suffix=".txt") as less:
        less.writelines(line for line in file if "constant_folding" not in line)
        less.flush()
        report = fuzz(program, "--seed", "1", "--count", str(LESS), "--known", less.name, codes=[0, 98])
    new = [f["signature"] for f in report["findings"] if not f["known"]]
    if not new or not all("constant_folding" in signature for signature in new):
        print(f"new without the lines of constant folding: {new}")
        return 1
    return 0


def check_small(program):
    """How many faults: F21 in a small program that spills."""
    found = fuzz(program, SMALL, codes=[98])["findings"]
    if [f["kind"] for f in found] != ["crash of the compiler"] or "agx_pack_binary" not in found[0]["blamed"]:
        print(f"{SMALL.name}: {[(f['kind'], f['blamed']) for f in found]}")
        return 1
    return 0


def main():
    """Exit status: 0 when all is found, and nothing new."""
    program, list_of_known = sys.argv[1:]
    report = fuzz(program, "--seed", "1", "--count", str(COUNT), "--known", list_of_known, codes=[0, 98])
    failed = check_list(program, list_of_known) + check_small(program)
    if report["compiled"] < COUNT:
        print(f"{report['compiled']} small programs that spill were compiled")
        failed += 1
    for signature in [f["signature"] for f in report["findings"] if not f["known"]]:
        print(f"new: {signature}")
        failed += 1
    for blamed, any_of, and_any in EXPECTED:
        found = [f for f in report["findings"] if f["blamed"] == blamed and any_of & set(ops(f)) and
                 (not and_any or and_any & set(ops(f)))]
        if not found:
            print(f"not found: {blamed} with {any_of} {and_any}")
            failed += 1
        elif min(len(ops(f)) for f in found) > MOST_INSTRUCTIONS:
            print(f"not shrunk: {blamed}: {found[0]['program']}")
            failed += 1
        else:
            print(f"found: {found[0]['signature']}")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as known:
        known.write("# known\n" + "".join(f["signature"] + "\n" for f in report["findings"]))
        known.flush()
        words = ["--seed", "5", "--count", "150", "-j", "1"]
        once = fuzz(program, *words, codes=[0, 98])
        known.write("".join(f["signature"] + "\n" for f in once["findings"]))
        known.flush()
        again = fuzz(program, *words, "--known", known.name, codes=[0])
    first = min(once["findings"], key=lambda f: f["index"])  # nothing that was found before can hide it
    alone = fuzz(program, "--seed", "5", "--first", str(first["index"]), "--count", "1", codes=[98])
    if [(f["index"], f["signature"]) for f in alone["findings"]] != [(first["index"], first["signature"])] or alone["programs"] != 1:
        print(f"program {first['index']} alone gave {alone['programs']} programs and {[f['signature'] for f in alone['findings']]}")
        failed += 1
    if not once["findings"] or [f["signature"] for f in once["findings"]] != [f["signature"] for f in again["findings"]]:
        print("the same seed gave other findings")
        failed += 1
    if not all(f["known"] for f in again["findings"]):
        print("--known did not make the findings known")
        failed += 1
    print(f"{report['programs']} programs in {report['seconds']:.1f} s, {len(report['findings'])} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
