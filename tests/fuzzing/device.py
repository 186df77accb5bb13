#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz finds faults of the device: a virtual GPU with one planted fault (planted_device.c) gives a finding that
ci/fuzz-known.txt does not list, the backend or the device is blamed, and the smallest program holds the op whose
instruction is wrong. Without a fault the same seed gives nothing new. With --against, a fault of one chip is a
difference, and two chips without one agree.

Usage: device.py AGX_RUNNER_WITH_PLANTED_FAULTS KNOWN
"""
import json
import os
import subprocess
import sys
import tempfile

SEED = "11"
COUNT = "300"
FIRST = "40"  # most faults show in these: each finding takes time
RARE = {"log2": "900", "prefix": "1500"}  # faults of instructions that few programs have
# Fault of planted_device.c, and NIR ops that its instruction stands for: from NIR's and the ISA's descriptions.
FAULTS = {
    "shift": {"ushr", "extract_u8", "extract_u16", "ubfe", "ubitfield_extract", "unpack_64_2x32", "unpack_32_2x16"},
    "asr": {"ishr", "extract_i8", "extract_i16", "ibfe", "ibitfield_extract", "i2i64", "i2i32"},
    "popcount": {"bit_count"},
    "signed-compare": {"ilt", "ige", "imin", "imax", "isign", "iabs", "irem", "idiv", "imod"},
    "saturation": {"iadd_sat", "isub_sat", "uadd_sat", "usub_sat"},
    "trunc": {"ftrunc"},
    "ffs": {"ufind_msb", "ifind_msb", "find_lsb", "uclz", "ufind_msb_rev", "ifind_msb_rev"},
    "select-operands": {"fmin", "fmax", "bcsel", "fsign", "fclamp_pos", "fmin3", "fmax3"},
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
}
BACKEND = "AGX"  # its instruction selection or the device, or the optimization that makes the faulty instruction


def fuzz(program, known, fault=None, chip=None, words=(), count=COUNT):
    """(exit code, findings that are not known)."""
    environment = dict(os.environ)
    if fault:
        environment["PLANTED"] = fault
    if chip:
        environment["PLANTED_CHIP"] = chip
    with tempfile.NamedTemporaryFile() as file:
        run = subprocess.run([program, "fuzz", "--language", "nir", "--seed", SEED, "--count",
                              count, "--known", known,
                              "-f", "json", "-o", file.name, *words], stderr=subprocess.PIPE, text=True, check=False,
                             env=environment)
        try:
            with open(file.name, encoding="utf-8") as text:  # another file has its name now
                report = json.load(text)
        except ValueError:
            sys.exit(f"no report, exit code {run.returncode}: {run.stderr[-1000:]}")
    return run.returncode, [finding for finding in report["findings"] if not finding["known"]]


def ops(finding):
    """The ops of a shrunk program."""
    return {line.split(" = ")[1].split()[0] for line in finding["program"].splitlines() if " = " in line}


def main():
    """Exit status: 0 when every fault is found, and nothing else."""
    program, known = sys.argv[1:]
    failed = []
    code, findings = fuzz(program, known)
    if code != 0:
        failed.append(f"without a fault: exit code {code}, {[f['signature'] for f in findings]}")
    for fault, expected in FAULTS.items():
        for count in [FIRST, RARE.get(fault, COUNT)]:
            code, findings = fuzz(program, known, fault, count=count)
            fitting = [f for f in findings if BACKEND in f["blamed"] and ops(f) & expected]
            if fitting:
                break
        print(f"{fault}: {count} programs, {len(findings)} findings, {len(fitting)} of them fit: {[f['signature'] for f in fitting[:1]]}", flush=True)
        if code != 98 or not fitting:
            failed.append(f"{fault}: exit code {code}, {[f['signature'] for f in findings]}")
    pair = ["--device", "virtual:m1", "--against", "virtual:m2"]
    code, findings = fuzz(program, known, words=pair)
    if code != 0:
        failed.append(f"two chips without a fault: exit code {code}, {[f['signature'] for f in findings]}")
    for chip in ["m1", "m2"]:
        code, findings = fuzz(program, known, "popcount", chip, pair)
        if code != 98 or not any("bit_count" in ops(f) for f in findings):
            failed.append(f"a fault of {chip}: exit code {code}, {[f['signature'] for f in findings]}")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
