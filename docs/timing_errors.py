#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of docs/timing-model.md: what the model says beside what is published, by the full measuring path.

Usage: timing_errors.py AGX_RUNNER [DEVICE]"""
import csv
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What a property of the core was set by, or chosen with in sight (vgpu/timing/timing_params.c).
SEEN = {"float/DIV32", "float/FRACT32", "float/EXPE_32", "int/IADD(64+64=64)", "int/IADD(64+32=64)", "int/ABSDIFF32",
        "int/RSHIFT32", "int/RHADD32", "int/IMAD((32x32=32)+64)", "simd/PREFIX_ISUM<F32>", "simd/PREFIX_ISUM<I32>",
        "simd/PREFIX_IPROD<F32>", "quad/PREFIX_ISUM<F32>", "quad/PREFIX_ISUM<I32>", "quad/PREFIX_IPROD<F32>",
        "int/BITINSERT32 + ADD32", "int/IMADHI16", "int/BITREV16"}


def run(runner, device, *arguments):
    done = subprocess.run([runner, "run", "--device", device, "--format", "json", *arguments],
                          capture_output=True, text=True)
    return json.loads(done.stdout)["results"] if done.stdout else []


def number(text):
    return float(text) if text else None


def set_rows():
    """The rows that a class's interval and latency were read from."""
    text = (ROOT / "vgpu/timing/timing_params.c").read_text()
    rows = set()
    for section, names in re.findall(r'"instr (float|int|simd|quad)/([^"]*)"', text):
        rows |= {f"{section}/{name}" for name in names.split(", ")}
    return rows


def listed_rows():
    """The sequences whose instructions the source lists, or names."""
    rows = csv.DictReader(open(ROOT / "results/reference/sequences.csv"))
    return {f"{row['section']}/{row['name']}" for row in rows if row["parsed"]} | {"int/BITWISE32 + ADD32",
                                                                                "int/IADD(64+64=64)"}


def compare(value, published, qualifier):
    """The error in percent, and its text: what a bound allows is no error."""
    error = (value / published - 1) * 100
    if qualifier in ("<", "<=") and value <= published:
        return 0, "within"
    return error, f"{error:+.1f} %"


def summary(label, errors):
    errors = sorted(abs(e) for e in errors)
    if errors:
        print(f"{label}: {len(errors)} rows, median {errors[len(errors) // 2]:.1f} %, "
              f"90th percentile {errors[len(errors) * 9 // 10]:.1f} %, largest {errors[-1]:.1f} %  ")


def throughput(runner, device):
    used, listed, errors, missing = set_rows(), listed_rows(), {}, []
    print("### Throughput\n\n| row | published | model | error | row's role | its instructions |\n|---|---|---|---|---|---|")
    for row in csv.DictReader(open(ROOT / "results/reference/instr.csv")):
        name, published = f"{row['section']}/{row['name']}", number(row["throughput"])
        if published is None:
            continue
        results = run(runner, device, "--mix", name)
        if not results or results[0]["value"] is None:
            missing.append(name)
            continue
        value = results[0]["value"]
        role = "set" if name in used else "seen" if name in SEEN else "blind"
        error, text = compare(value, published, row["throughput_qualifier"])
        code = "one" if row["kind"] == "instruction" else "listed" if name in listed else "ours"
        errors.setdefault((code, role), []).append(error)
        print(f"| {name} | {row['throughput_qualifier']}{published:g} | {value:.2f} | {text} | {role} | {code} |")
    print()
    label = {"listed": "listed sequences", "one": "instructions", "ours": "sequences of unknown instructions"}
    for (code, role), values in sorted(errors.items()):
        summary(f"{label[code]}, {role}", values)
    print(f"\nNot expressed: {', '.join(missing)}.\n")


def mixed(runner, device):
    """mixed_a.csv: a row of alternatives is measured with the last of them."""
    errors = []
    print("### Mixed sequences\n\n| sequence | published | model | error |\n|---|---|---|---|")
    for row in csv.DictReader(open(ROOT / "results/reference/mixed_a.csv")):
        published = float(row["throughput_cycles"])
        names, _, rest = row["parsed"].rpartition("|")
        value = run(runner, device, "--mix", rest if names else row["parsed"])[0]["value"]
        errors.append((value / published - 1) * 100)
        print(f"| {row['sequence']} | {published:g} | {value:.2f} | {errors[-1]:+.1f} % |")
    print()
    summary("mixed sequences", errors)
    print()


def latency(runner, device):
    errors, used = {}, set_rows()
    print("### Latency (benchmarks of the catalogue)\n\n| benchmark | published, adjusted | model | error "
          "| row's role |\n|---|---|---|---|---|")
    for result in run(runner, device, "*/latency"):
        reference = result["reference"]
        if reference and result["value"] and reference["code"].startswith("same"):
            name = re.search(r"Metal: (.*), adjusted latency", reference["source"]).group(1)
            role = "set" if name in used else "seen" if name in SEEN else "blind"
            error, text = compare(result["value"], reference["value"], reference["qualifier"])
            errors.setdefault(role, []).append(error)
            print(f"| {result['name']} | {reference['qualifier']}{reference['value']:g} | {result['value']:.2f} "
                  f"| {text} | {role} |")
    print()
    for role, values in sorted(errors.items()):
        summary(f"latencies, {role}", values)
    print()


def occupancy(runner, device):
    print("### ILP and occupancy\n\n| instructions | ILP | simdgroups a core | 32-bit published | model | error "
          "| 16-bit published | model | error |\n|---|---|---|---|---|---|---|---|---|")
    errors = {}
    for row in csv.DictReader(open(ROOT / "results/reference/ilp_occupancy.csv")):
        name = "FFMA" if row["instr_class"] == "FFMA" else "FADD"
        options = ["--ilp", row["ilp"], "--simds", row["simds_per_core"]]
        cells = []
        for bits, column in ((32, "cycles_f32"), (16, "cycles_f16")):
            value = run(runner, device, *options, "--mix", f"{name}{bits}")[0]["value"]
            published = float(row[column])
            error = (value / published - 1) * 100
            errors.setdefault(row["simds_per_core"], []).append(error)
            cells.append(f"{published:g} | {value:.2f} | {error:+.1f} %")
        print(f"| {row['instr_class']} | {row['ilp']} | {row['simds_per_core']} | {' | '.join(cells)} |")
    print()
    for simds, values in errors.items():
        summary(f"{simds} simdgroups a core", values)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    runner, device = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "virtual:m1-max"
    throughput(runner, device)
    mixed(runner, device)
    latency(runner, device)
    occupancy(runner, device)


main()
