#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the interpreter costs on three kinds of hosts: a table of vgpu-speed's loops, of an instruction of 32 lanes each.

  host_counts.py [--x86 VGPU_SPEED] [--aarch64 VGPU_SPEED --root FOLDER --plugin LIBRARY] [KERNEL...]

The host's instructions are counted, on AVX2 by valgrind and on aarch64 by qemu's plugin, so that other work on the
machine does not matter; each figure is the difference of a launch with many passes of the loop and one with few. On
AVX-512, which valgrind does not know, the table has the time instead, and the same of AVX2. A column whose program or
tool is missing is "-". ci/cross.sh makes build-aarch64/tests/vgpu/exec/vgpu-speed and .cache/aarch64/root.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

from qemu import count

KERNELS = ("ffma chain", "integer hash", "hfma chain", "64-bit add", "shuffle", "f32 reduction", "integer scan", "f32 scan",
           "local atomic", "load")
FEW, MANY = 1, 5 # passes of the loop
TIMES = re.compile(r"^(.{14}) (\S+) +threads 1 timing off .*? ([\d.]+) ns an operation")


def operations(text):
    found = re.search(r"(\d+) operations", text)
    return int(found[1]) if found else sys.exit(f"vgpu-speed says: {text}")


def valgrind(program, words):
    """Instructions of a run, and operations."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *words, "x86-64-v3"],
                          capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return (int(found[1]) if found else sys.exit(done.stderr)), operations(done.stdout)


def qemu(plugin, program, words, root):
    counts, text = count.run(plugin, root, [program, *words, "plain"])
    return counts[-1], operations(text)


def per_operation(counted, kernel):
    """counted(words): of a run."""
    (few, of_few), (many, of_many) = (counted(["count", kernel, str(turns)]) for turns in (FEW, MANY))
    return f"{(many - few) / (of_many - of_few):.1f}"


def times(program, kernel):
    """ns an operation, by level."""
    text = subprocess.run([program, "1", "off", kernel], capture_output=True, text=True, check=False).stdout
    found = {}
    for match in map(TIMES.match, text.splitlines()):
        if match and match[1].strip() == kernel:
            found.setdefault(match[2], match[3])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--x86")
    parser.add_argument("--aarch64")
    parser.add_argument("--root", default=".cache/aarch64/root")
    parser.add_argument("--plugin", default=os.path.join("build", count.PLUGIN))
    parser.add_argument("kernels", nargs="*")
    args = parser.parse_intermixed_args()
    print("| 32 lanes of | aarch64 (NEON), instructions | AVX2, instructions | AVX2, ns | AVX-512, ns |\n|---|--:|--:|--:|--:|")
    for kernel in args.kernels or KERNELS:
        row = ["-"] * 4
        if args.aarch64 and count.usable(args.plugin):
            row[0] = per_operation(lambda words: qemu(args.plugin, args.aarch64, words, args.root), kernel)
        if args.x86 and shutil.which("valgrind"):
            row[1] = per_operation(lambda words: valgrind(args.x86, words), kernel)
        if args.x86:
            by_level = times(args.x86, kernel)
            row[2:] = [by_level.get(level, "-") for level in ("x86-64-v3", "x86-64-v4")]
        print(f"| {kernel} | " + " | ".join(row) + " |", flush=True)
    return 0


sys.exit(main())
