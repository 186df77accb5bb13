#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Saved jobs (.agxjob) as inputs of replay, disasm, explain and exec.  saved_jobs.py AGX_RUNNER

The jobs are saved from kernels below. A replay tells the device no sizes of buffers, as Mesa's drivers do not. Invariant: a
job of a correct kernel gets no report of the checks, and one of a kernel with a planted fault gets the report of that fault.
"""
import glob
import os
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


def main(work):
    source = os.path.join(work, "kernels.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    findings(work, source)
    print("pass")


with tempfile.TemporaryDirectory() as folder:
    main(folder)
