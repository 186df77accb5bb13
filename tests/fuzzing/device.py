#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz finds faults of the device: a virtual GPU with one planted fault (planted_device.c) gives a finding that
ci/fuzz-known.txt does not list, the backend or the device is blamed, and the smallest program holds the op whose
instruction is wrong. Of some faults a finding marks that instruction, and no other. A fault that shows once and not again
is told of, too. Without a fault the same programs give nothing new. With --against, a fault of one chip is a difference,
and two chips without one agree.

A fault is looked for in the first COUNT programs. Where these do not show it, the program is a file: planted/FAULT.fuzz.

Usage: device.py AGX_RUNNER_WITH_PLANTED_FAULTS KNOWN
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SEED = "11"
COUNT = 15
FILES = pathlib.Path(__file__).parent / "planted"
ONCE = 3  # a fault that shows once is looked for from here on: the first program with that instruction must show it
ALIKE = 300  # programs on which two chips agree
# Fault of planted_device.c, and NIR ops, or statements, that its instruction stands for: from NIR's and the ISA's descriptions.
FAULTS = {
    "shift": {"ushr", "extract_u8", "extract_u16", "ubfe", "ubitfield_extract", "unpack_64_2x32", "unpack_32_2x16"},
    "asr": {"ishr", "extract_i8", "extract_i16", "ibfe", "ibitfield_extract", "i2i64", "i2i32"},
    "popcount": {"bit_count"},
    "signed-compare": {"ilt", "ige", "imin", "imax", "isign", "iabs", "irem", "idiv", "imod"},
    "saturation": {"iadd_sat", "isub_sat", "uadd_sat", "usub_sat"},
    "trunc": {"ftrunc"},
    "ffs": {"ufind_msb", "ifind_msb", "find_lsb", "uclz", "ufind_msb_rev", "ifind_msb_rev"},
    "select-operands": {"flt", "fge", "slt", "sge", "sne", "seq", "fmin", "fmax", "bcsel", "fsign", "fclamp_pos", "fmin3", "fmax3"},
    "sign-extension": {"imul_high", "imul_2x32_64", "imul", "i2i64", "i2i32", "imad24_ir3", "imul24"},
    "negation": {"ffma", "flrp"},
    "absolute": {"fadd", "fsub", "fabs"},
    "rounding": {"f2i32", "f2u32", "f2i16", "f2u16", "i2f32", "u2f32", "i2f16", "u2f16", "f2i64", "f2u64", "f2i8", "f2u8"},
    "or": {"ior"},
    "xor": {"ixor", "inot"},
    "extract": {"ishl", "ushr", "ishr", "urol", "uror"},
    "bitrev": {"bitfield_reverse", "find_lsb", "ufind_msb", "ifind_msb", "uclz"},
    "rint": {"fround_even"},
    "floor": {"ffloor", "ffract", "fmod", "frem"},
    "ceil": {"fceil"},
    "exp2": {"fexp2", "fpow", "i2f16", "i2f32", "u2f16", "u2f32"},  # Mesa scales what was a 64-bit integer by a power of 2
    "log2": {"flog2", "fpow"},
    "float-compare": {"flt", "fge", "fmin", "fmax", "bcsel", "fsign", "slt", "sge", "fsat"},
    "unsigned-compare": {"ult", "uge", "umin", "umax", "usub_borrow", "uadd_carry", "iadd", "isub", "ineg"},
    "subtraction": {"isub", "ineg", "iabs", "usub_sat", "isub_sat"},
    "shuffle": {"subgroup"},
    "reduce": {"subgroup"},
    "prefix": {"subgroup"},
    "sum-saturation": {"fsat"},
    "atomic": {"atomic"},
    "local-atomic": {"atomic", "combine"},
    "branch": {"if", "loop", "break"},
    "store-address": {"store", "store_memory"},
}
# Faults of which one finding at least marks the faulty instruction alone, and none another one alone; what a listing calls it.
MARKED = {"popcount": "popcnt", "saturation": "iadd", "select-operands": "csel", "sign-extension": "imul", "signed-compare": "csel",
          "branch": "if", "store-address": "store"}
BACKEND = "AGX"  # its instruction selection or the device, or the optimization that makes the faulty instruction


def fuzz(program, known, fault=None, chip=None, words=(), first=0, count=COUNT, once=False, file=None):
    """(exit code, findings that are not known, programs that differed once and not again). file: tries that program alone."""
    environment = dict(os.environ)
    if fault:
        environment["PLANTED"] = fault
    if chip:
        environment["PLANTED_CHIP"] = chip
    if once:
        environment["PLANTED_ONCE"] = "1"
    which = [file] if file else ["--language", "nir", "--seed", SEED, "--first", str(first), "--count", str(count)]
    with tempfile.NamedTemporaryFile() as output:
        run = subprocess.run([program, *which, "--known", known, "-f", "json", "-o", output.name, *words], stderr=subprocess.PIPE, text=True, check=False,
                             env=environment)
        try:
            with open(output.name, encoding="utf-8") as text:  # another file has its name now
                report = json.load(text)
        except ValueError:
            sys.exit(f"no report, exit code {run.returncode}: {run.stderr[-1000:]}")
    return run.returncode, [finding for finding in report["findings"] if not finding["known"]], report["unstable"]


def ops(finding):
    """The ops and statements of a shrunk program."""
    return {line.split(" = ")[-1].split()[0] for line in finding["program"].splitlines() if line.strip()}


def marked(finding):
    """The names of the instructions that are marked as wrong: the listing has address, bytes, instruction."""
    return [line.split()[3] for line in finding["marked"]] if "wrong instruction" in finding["marks"] else []


def find(program, known, fault, expected):
    """What is wrong, or None: the fault is found."""
    file = FILES / f"{fault}.fuzz"
    code, findings, _ = fuzz(program, known, fault, file=file if file.exists() else None)
    fitting = [f for f in findings if BACKEND in f["blamed"] and ops(f) & expected]
    print(f"{fault}: {file.name if file.exists() else f'{COUNT} programs'}, {len(findings)} findings, {len(fitting)} of them fit: "
          f"{[f['signature'] for f in fitting[:1]]}", flush=True)
    alone = {marks[0] for marks in map(marked, findings) if len(marks) == 1}
    if fault in MARKED and alone != {MARKED[fault]}:
        return f"{fault}: {MARKED[fault]} is to be marked alone, and no other instruction: {[(marked(f), f['marks']) for f in findings]}"
    return None if code == 98 and fitting else f"{fault}: exit code {code}, {[f['signature'] for f in findings]}"


def main():
    """Exit status: 0 when every fault is found, and nothing else."""
    program, known = sys.argv[1:]
    failed = []
    for file in (None, *sorted(FILES.glob("*.fuzz"))):
        code, findings, unstable = fuzz(program, known, file=file)
        if code != 0 or unstable:
            failed.append(f"{file}, without a fault: exit code {code}, {unstable} unstable, {[f['signature'] for f in findings]}")
    code, findings, unstable = fuzz(program, known, "popcount", words=["--jobs", "1"], first=ONCE, once=True)
    if code != 98 or findings or unstable != 1:
        failed.append(f"a fault that shows once: exit code {code}, {unstable} unstable, {[f['signature'] for f in findings]}")
    failed += filter(None, (find(program, known, fault, expected) for fault, expected in FAULTS.items()))
    pair = ["--device", "virtual:m1", "--against", "virtual:m2"]
    code, findings, _ = fuzz(program, known, words=pair, count=ALIKE)
    if code != 0:
        failed.append(f"two chips without a fault: exit code {code}, {[f['signature'] for f in findings]}")
    for chip in ["m1", "m2"]:
        code, findings, _ = fuzz(program, known, "popcount", chip, pair)
        if code != 98 or not any("bit_count" in ops(f) for f in findings):
            failed.append(f"a fault of {chip}: exit code {code}, {[f['signature'] for f in findings]}")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
