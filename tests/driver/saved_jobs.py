#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Saved jobs (.agxjob) as inputs of replay, disasm, explain and exec.  saved_jobs.py AGX_RUNNER

The jobs are saved from kernels below. A replay tells the device no sizes of buffers, as Mesa's drivers do not. Invariant: a
job of a correct kernel gets no report of the checks, and one of a kernel with a planted fault gets the report of that fault.
"""
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

RUNNER = sys.argv[1]
SOURCE = """
kernel void scale(global uint *out, global const uint *in, constant uint *w, uint n) {
   uint i = get_global_id(0);
   out[i] = in[i] * w[3] + n;
}
kernel void far(global uint *out, global const uint *in, constant uint *w, uint n) {
   uint i = get_global_id(0);
   out[i] = in[i + n] * w[3];
}
kernel void hoisted(global uint *out, global const uint *in, constant uint *w, uint n) {
   uint i = get_global_id(0);
   out[i] = in[i] * w[n];
}
kernel void unused(global uint *out, global const uint *in, constant uint *w, uint n) {
   uint i = get_global_id(0);
   out[i] = n < 64 ? in[i] * w[n] : 5;
}
kernel void endless(global volatile uint *flag) {
   while (flag[0] == 0) {
   }
}
kernel void race(global uint *out, global const uint *in, local uint *t, uint n) {
   uint i = get_local_id(0);
   t[i] = in[i];
   out[i] = t[i ^ n];
}
kernel void ordered(global uint *out, global const uint *in, local uint *t, uint n) {
   uint i = get_local_id(0);
   t[i] = in[i];
   barrier(CLK_LOCAL_MEM_FENCE);
   out[i] = t[i ^ n];
}
kernel void unset(global uint *out, global const uint *in, local uint *t, uint n) {
   uint i = get_local_id(0);
   if (i < n) t[i] = in[i];
   barrier(CLK_LOCAL_MEM_FENCE);
   out[i] = t[i];
}
"""
FAR = 10000000  # words: no buffer is bound there
# Kernel, its last argument, and what the checks say of it (None: nothing).
CASES = [
    ("scale", 7, None),
    ("far", 0, None),
    ("far", FAR, "bounds: a read at 0x"),
    ("hoisted", 5, None),
    ("hoisted", FAR, "undefined: r1 is stored, and depends on a value that nothing wrote (the preamble reads 4 bytes at 0x"),
    ("unused", FAR, None),
    ("race", 33, "races: a read of threadgroup memory at 0x84, which thread 33 of the threadgroup has written"),
    ("race", 0, None),
    ("ordered", 33, None),
    ("unset", 64, None),
    ("unset", 60, "undefined: "),
]


def run(*words):
    done = subprocess.run([RUNNER, *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def check(condition, *what):
    if not condition:
        print("FAIL:", *what)
        sys.exit(1)


def save(work, source, kernel, last):
    """The path of the job of one launch of that kernel."""
    folder = os.path.join(work, f"{kernel}-{last}")
    if os.path.exists(folder):
        return glob.glob(folder + "/*.agxjob")[0]
    memory = ["--local", "2=256"] if kernel in ("race", "ordered", "unset") else ["-b", "2=u32[64]:iota"]
    code, out, err = run("exec", "-d", f"virtual:m1,record={folder}", source, "--kernel", kernel, "--grid", "64", "--group", "64",
                         "-b", "0=u32[64]", "-b", "1=u32[64]:iota", *memory, "-a", f"3={last}")
    paths = glob.glob(folder + "/*.agxjob")
    # A read of unmapped memory fails the command, but its job is saved.
    check(len(paths) == 1 and (code == 0 or last == FAR), kernel, last, code, out, err)
    return paths[0]


def findings(work, source):
    for kernel, last, wanted in CASES:
        job = save(work, source, kernel, last)
        for device, on in ("virtual:m1,check=all", True), ("virtual:m1", False):
            code, out, err = run("replay", "-d", device, job)
            check("the same memory" in out, kernel, last, out, err)
            if on and wanted:
                check(code == 98 and wanted in err and f"{job}: 1 finding of the device's checks, above" in err, kernel, last, code, err)
            else:
                check(code == 0 and err == "", kernel, last, device, code, err)


def programs(work, source):
    """The program and the buffers of a job are those of the kernel that exec ran."""
    job = save(work, source, "scale", 7)
    code, listing, err = run("disasm", job)
    check(code == 0 and err == "" and listing.startswith("kernel 0x"), code, listing, err)
    compiled = run("compile", source, "--kernel", "scale")[1]
    wanted = [line.split(":", 1)[1] for line in compiled.splitlines() if re.match(r" +[0-9a-f]+: ", line) and "trap" not in line]
    seen = [line.split(":", 1)[1] for line in listing.splitlines() if re.match(r" +[0-9a-f]+: ", line)]
    check(len(seen) > 8 and seen == wanted, "the code is not that which was compiled:", listing, compiled)
    address = listing.split()[1]
    check(run("disasm", "--kernel", address, job)[0] == 0, "--kernel", address)
    code, _, err = run("disasm", "--kernel", "0x99", job)
    check(code == 79 and "no program at '0x99'" in err and address in err, code, err)
    code, _, err = run("disasm", "--program", job)
    check(code == 79 and ".agx cannot express" in err, code, err)

    code, out, err = run("exec", job)
    answers = " ".join(str(3 * i + 7) for i in range(8))
    check(code == 0 and err == "" and f": {answers}\n" in out, code, out, err)
    check(re.search(r"^buffer \d+ at 0x[0-9a-f]+, u32\[4096\]: \d+ bytes changed, from byte 0 to 252$", out, re.M), out)
    check(out.count("\nbuffer ") == 1, "one buffer is written:", out)
    number = re.search(r"^buffer (\d+)", out, re.M).group(1)
    dump = os.path.join(work, "dump")
    code, out, err = run("exec", job, "--print", number, "--dump", f"{number}={dump}")
    with open(dump, "rb") as file:
        words = struct.unpack("<64I", file.read()[:256])
    check(code == 0 and words == tuple(3 * i + 7 for i in range(64)) and len(out.splitlines()) > 512, code, err, words)
    for option in ("--grid", "5"), ("--arg", "0=1"), ("--buf", "0=u32[4]"), ("--repeat", "2"):
        for command in ("exec", "explain") if option[0] != "--repeat" else ("exec",):
            code, _, err = run(command, job, *option)
            check(code == 79 and f"{option[0]} cannot be combined with it" in err, command, code, err)
    code, _, err = run("exec", job, "--print", "99")
    check(code == 79 and "--print 99: the job has " in err, code, err)
    code, out, err = run("exec", "--check", save(work, source, "race", 33))
    check(code == 98 and "races: a read of threadgroup memory at 0x84" in err and "\nbuffer " in out, code, out, err)

    code, out, err = run("explain", job)
    check(code == 0 and err == "" and out.startswith(f"program {address}: launch 1 of 1, grid 64,1,1 in threadgroups of 64,1,1; "), code, out, err)
    check("imadd" in out and "100.0 % of the job's cycles (modelled)" in out, out)
    code, out, err = run("explain", "--format", "json", job)
    check(code == 0 and json.loads(out)["kernel"] == address, code, out, err)


def endless(work, source):
    """A job that was given up: exec says why and where, disasm lists the program, explain has no time for it."""
    folder = os.path.join(work, "endless")
    device = "virtual:m1,budget=100000"
    code, _, err = run("exec", "-d", f"{device},record={folder}", source, "--kernel", "endless", "--grid", "64", "-b", "0=u32[64]:0")
    check(code in (98, 112), code, err)
    job = glob.glob(folder + "/*.agxjob")[0]
    code, out, err = run("exec", "-d", device, job)
    check(code == 98 and "the job ended with ETIMEDOUT" in err and "run at main + 0x" in err and "no buffer was changed" in out, code, out, err)
    code, out, err = run("disasm", job)
    check(code == 0 and "kernel 0x" in out and "the job ends with ETIMEDOUT" in err, code, out, err)
    code, out, err = run("explain", "-d", device, job)
    check(code == 98 and "its launch ended with a fault" in err, code, out, err)


def damaged(work, source):
    """What is no saved job, or part of one, is refused with the place, by each command."""
    job = save(work, source, "scale", 7)
    with open(job, "rb") as file:
        data = file.read()
    bad = os.path.join(os.path.dirname(job), "bad.agxjob")
    cases = [(data[:length], f"it is truncated at byte {length}") for length in (8, 20, 300, len(data) // 2, len(data) - 1)]
    cases += [(b"", "it is no saved job: byte 0 "), (data[:5], "it is no saved job: byte 0 "), (b"GARBAGE" * 100, "it is no saved job: byte 0 ")]
    cases.append((data[:8] + b"\x63" + data[9:], "unknown kind 99; the record is at byte 8"))
    for content, wanted in cases:
        with open(bad, "wb") as file:
            file.write(content)
        for command in "disasm", "explain", "exec", "replay":
            code, out, err = run(command, bad)
            check(code == 79 and out == "" and f"{bad}: " in err and wanted in err, command, len(content), code, out, err)
    os.rename(bad, bad[:-7] + ".bin")  # by its first bytes alone
    code, _, err = run("disasm", bad[:-7] + ".bin")
    check(code == 79 and "unknown kind 99" in err, code, err)


def main(work):
    source = os.path.join(work, "kernels.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    findings(work, source)
    programs(work, source)
    endless(work, source)
    damaged(work, source)
    print("pass")


with tempfile.TemporaryDirectory() as folder:
    main(folder)
