#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long agx-runner fuzz takes from a fresh seed to each fault that docs/mesa-bugs.md describes, how small the program
becomes, and which verdict it gets. Prints a Markdown table. CPU seconds are those of all processes of the run until the
finding was printed: they do not depend on what else the machine does. This is a trial to run by hand, not a test.

Usage: tests/fuzzing/faults.py AGX_RUNNER [--seconds N] [--seed N] [--language nir|opencl] [OPTION OF fuzz...]
"""
import argparse
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

FORWARD, FOLD, ALGEBRAIC = "agx_optimizer_forward (AGX backend): ", "nir_opt_constant_folding (NIR): ", "nir_opt_algebraic (NIR): "
PHI, LOWER = "nir_opt_phi_precision (NIR): ", "nir_lower_int64 (NIR): "
C = "OpenCL C: "
# Fault, and patterns for signatures: the first that fits counts, so that the narrower ones come first.
FAULTS = [
    ("F2", [FORWARD + p for p in ("*i2i32@32(*", "*i2i64@64(*", "*extract_i16@*", "*umul*(ishr@32(_,#)*", C + "*m[uao][ldd]*short*", C + "*div *short*")]),
    ("F3", [FORWARD + p for p in ("*uadd_sat@*", "*uadd_carry@*", C + "*mad_sat uint*", C + "*add_sat u*")]),
    ("1", [FORWARD + p for p in ("*i[lg][te]@1(*u2u32@32(*", "*i[lg][te]@1(*extract_u16@32(*", "*im[ia][nx]@32(*", "*i[drm][ioe][vdm]@32(*", "*isign@32(*",
                                 "*iabs@32(*", "*ifind_msb@32(*", C + "*ushort*")]),
    ("3", ["agx_nir_fuse_algebraic_late (NIR): *ushr@32(*", "agx_nir_fuse_algebraic_late (NIR): " + C + "*shr u*"]),
    ("F1", [FOLD + p for p in ("*add_sat@*", "*isub_sat@*", C + "*add_sat *", C + "*sub_sat *")] +
     ["front end*: " + C + "*add_sat *(#,#)*", "front end*: " + C + "*sub_sat *(#,#)*"]),
    ("F4", [ALGEBRAIC + C + "*shuffle* [hf]*(#:*", ALGEBRAIC + "*bcsel@*(_,#,#)*", ALGEBRAIC + "if@0(_) set@0(*#*) end if@0 get@*"]),
    ("F5", [ALGEBRAIC + "*fabs@*(#)*"]),
    ("F6", [ALGEBRAIC + "*fsign@*", ALGEBRAIC + C + "*sign *"]),
    ("F7", [ALGEBRAIC + "*ifind_msb@32(f2i32@32(*"]),
    ("F8", ["agx_opt_promote_constants (AGX backend): *"]),
    ("F10", [ALGEBRAIC + "*flt@1(*ffract@*", ALGEBRAIC + "*ffract@*flt@1(*"]),
    ("F9", [ALGEBRAIC + "*ffract@*"]),
    ("F11", [ALGEBRAIC + p for p in ("*f[en][qe]u@1(s[lg][te]@32(*", "*feq@1(s[lg][te]@32(*", "*fneu@1(s[lg][te]@32(*")]),
    ("F12", [FOLD + "*ffma@16(*"]),
    ("F17", [PHI + "*[iu]2f32@32(*", PHI + "*f2[iu]32@32(*", PHI + "*f2[iu]64@64(*"]),
    ("F13", [PHI + "*"]),
    ("F14", ["front end*: " + C + "*mad_sat long*"]),
    ("F15", [ALGEBRAIC + "*f2i64@64(i2f*", LOWER + "*f2i64@64(i2f16@16(*", LOWER + "*f2i64@64(i2f32@32(*"]),
    ("F16", ["*(agx_repair_ssa)*"]),
    ("11", ["*(libLLVMSPIRVLib*)*" + C + "* sampler *"]),
    ("5", ["*(*SPIRVTypeVector*)*", "*(libLLVMSPIRVLib*)*" + C + "as *"]),
    ("2", ["Vector access is out of bounds*", "front end*: " + C + "*get_*(*"]),
    ("4", ["*: " + C + "*real_div *"]),
    ("6", ["Variables can not have a function*"]),
    ("10", ["libclc has no body of convert_T*_rt?, nor has the source*"]),
    ("7", ["*(find_regs)*", "*(assign_regs_by_copying)*"]),
    ("8", ["Floating point exception in the compiler (nir_opt_constant_folding)*"]),
    ("9", ["Aborted in the compiler (agx_pack_binary): " + C + "*large *"]),
    ("F20", ["Aborted in the compiler (agx_pack_binary): " + C + "*"]),
    ("F21", ["Aborted in the compiler (agx_pack_binary): *"]),
    ("F28", [ALGEBRAIC + C + "*convert* half*(convert* [ilsc]*(*"]),
    ("F24", [ALGEBRAIC + C + "*convert* *(*convert* [fh]*([#_]:*", FOLD + C + "*convert_sat u*(convert* float*(_:*",
             "front end*: " + C + "*convert_sat *(*convert* float*(#:*"]),
    ("F22", ["nir_lower_convert_alu_types (NIR): " + C + "*convert_rt[znp] half*(*" + t + "*" for t in ("int", "long")]),
    ("F27", ["AGX instruction selection*: ubitfield_extract@32(_,*,unpack_*"]),
    ("F26", [FOLD + "*fm[ia][nx]@32(*"]),
    ("F18", [FOLD + C + "*convert*u*(#:float*", FOLD + C + "*convert*u*(#:half*", "front end*: " + C + "*convert*u*(#:*",
             "nir_lower_convert_alu_types (NIR): " + C + "*convert*u*(#:*", "nir_lower_scratch_to_var (NIR): " + C + "*convert_sat* u*(#:*"]),
    ("F19", [FOLD + C + "*convert_sat* [il]*([#_]:half*", FOLD + C + "*convert_sat* long*(convert* half*(*"]),
    ("F25", ["nir_lower_scratch_to_var (NIR): " + C + "*read *[a-z]" + n + "(*" for n in ("16", "8")]),
    ("F23", [ALGEBRAIC + C + p for p in ("*real_mul *#*", "*fma [hf]*(*#*", "*mad [hf]*(*#*")]),
    ("F20", ["nir_opt_deref (NIR): " + C + "*", "Aborted in the compiler*: " + C + "*bytes *", "Aborted in the compiler*: " + C + "*reverse *"]),
]


def fault_of(signature):
    """The fault that a signature belongs to; None: another one."""
    text = signature.split(": ", 1)[1]
    return next((name for name, patterns in FAULTS if any(fnmatch.fnmatchcase(text, p) for p in patterns)), None)


def size_of(block):
    """Ops of NIR, or lines and statements of the kernel: a line holds a declaration, a store, or a loop with what is in it."""
    lines = [line for line in block if re.search(r" = [a-z]", line) or " store" in line]
    ops = [line for line in lines if not re.search(r" = (constant|input|argument)", line)]
    start = next((i for i, line in enumerate(block) if line.startswith("kernel void k(")), None)
    if start is not None:
        body = block[start + 2:block.index("}", start)]
        outer = [line for line in body if re.match(r"   [^ }]", line)]
        return f"{len(outer)} lines, {sum(line.count(';') for line in body)} statements"
    return f"{len(ops)} ops"


def cpu_seconds(pid):
    """Of a process and its children, those that have ended included."""
    pids = [pid] + [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    ticks = 0
    for each in pids:
        try:
            ticks += sum(map(int, pathlib.Path(f"/proc/{each}/stat").read_text("ascii").rpartition(")")[2].split()[11:15]))
        except OSError:
            pass  # it has just ended
    return ticks / os.sysconf("SC_CLK_TCK")


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=4711)
    parser.add_argument("--language", default="all")
    options, more = parser.parse_known_args()
    more = more if "-o" in more else [*more, "-o", "/dev/null"]
    found, block, others = {}, [], 0
    with subprocess.Popen([options.program, "fuzz", "--language", options.language, "--seed", str(options.seed), "--time",
                           str(options.seconds), *more], stderr=subprocess.PIPE, text=True, errors="replace") as run:
        for line in run.stderr:
            block.append(line.rstrip("\n"))
            match = re.match(r"   program (\d+); signature (.*)", line)
            if not match:
                continue
            name, verdict = fault_of(match[2]), next((l for l in block if "verdict: " in l), "").strip()
            code = next((i for i, l in enumerate(block) if l.startswith("   machine code")), len(block))
            size = size_of(block[:code])
            if name is None:
                others += 1
                print(f"other: program {match[1]}: {match[2]}", file=sys.stderr, flush=True)
            elif name not in found:
                print(f"{name}: program {match[1]}, {cpu_seconds(run.pid):.0f} CPU s, {match[2]}", file=sys.stderr, flush=True)
                found[name] = [(int(match[1]), cpu_seconds(run.pid)), size, verdict.removeprefix("verdict: "),
                               match[2].split(": ", 2)[-1]]
            elif int(size.split()[0]) < int(found[name][1].split()[0]):
                found[name][1], found[name][3] = size, match[2].split(": ", 2)[-1]
            block = []
    print("| fault | found with program | CPU seconds | smallest program | verdict |  |\n|---|---|---|---|---|---|")
    for name, _ in sorted(FAULTS, key=lambda fault: (fault[0][0] == "F", int(fault[0].lstrip("F")))):
        if name in found:
            (index, cpu), size, verdict, shape = found[name]
            print(f"| {name} | {index} | {cpu:.0f} s | {size} | {verdict} | `{shape[:90]}` |")
        else:
            print(f"| {name} | not found in {options.seconds} s | | | | |")
    print(f"\n{others} findings with other signatures", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
