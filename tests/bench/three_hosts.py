#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The kernels of vgpu_vs_pocl.cl on hosts with AVX2, with AVX-512 and on aarch64, before and after a change: one table.

  three_hosts.py [--before BUILD] [--after BUILD] [--before-aarch64 BUILD] [--after-aarch64 BUILD] [--root FOLDER]
                 [--compiler PROGRAM] [--plugin LIBRARY] [-r RUNS] [-n ROUNDS] [-w SECONDS] [-l LONG]
                 [KERNEL...]

AVX2 and AVX-512: the speed as a share of PoCL's by processor time (vgpu-vs-pocl), the median of RUNS runs in which the
programs of both builds take turns. A run before them, with a warm-up of LONG seconds of processor time, is not counted:
code is kept. The others warm up for SECONDS.
memcpy: the share of the C library's memcpy() that stream_copy reaches.

aarch64: the host's instructions for an instruction of 32 lanes, compiled code as by default (kernel-counts under
qemu-aarch64). A program launches its kernel until nothing has been compiled for LONG seconds of processor time, counts
launches then, and is run until two runs in a row agree. The notes on the error output say how many instructions were
compiled: with 0 the figure is the interpreter's, and LONG was too short for LLVM under qemu.

A column whose program or tool is missing is "-". Compiled code is kept in a folder of this run. docs/vgpu-speed.md
says how to build what is needed.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

from qemu import count

KERNELS = ("fma_chain", "integer_hash", "fma_constant", "hash_constant", "stream_copy", "stream_triad", "reduction",
           "histogram_global", "histogram_local")
LEVELS = {"x86-64-v3": ("AVX2", "avx2"), "x86-64-v4": ("AVX-512", "avx512vl")} # and the flag of /proc/cpuinfo
NO_POCL = 77
MOST = 6 # runs until two agree
SAME = 0.01


def host_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(re.search(r"^flags\s*:(.*)", file.read(), re.MULTILINE)[1].split())


def beside_pocl(program, level, kernel, words, environment):
    """The ratio by processor time, and that of memcpy; None: no PoCL."""
    done = subprocess.run([program, "-k", kernel, "-d", f"virtual:m1,timing=off,level={level}", *words],
                          capture_output=True, text=True, check=False, env=environment)
    if done.returncode == NO_POCL:
        return None
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(kernel + " ")]
    if done.returncode != 0 or not rows:
        sys.exit(f"{program} -k {kernel}: exit status {done.returncode}: {done.stderr}{done.stdout}")
    return float(rows[0][4]), float(rows[1][3]) if len(rows) > 1 else None


def x86_cells(programs, kernel, args, environment):
    """Of each level before and after, the ratio and that of memcpy, as text."""
    cells = []
    for level in LEVELS:
        found = {}
        for run in range(args.runs + 1): # the first one compiles
            words = ["-n", "1", "-w", str(args.long)] if run == 0 else ["-n", str(args.rounds), "-w", str(args.warm_up)]
            for program in programs:
                if program is None or LEVELS[level][1] not in host_flags():
                    continue
                ratios = beside_pocl(program, level, kernel, words, environment)
                if ratios is not None and run > 0:
                    found.setdefault(program, []).append(ratios)
        for program in programs:
            ratios = list(zip(*found.get(program, []))) or [[None], [None]]
            cells.append(["-" if values[0] is None else f"{statistics.median(values):.2f}" for values in ratios])
    return cells


def on_aarch64(program, kernel, args, environment):
    """The host's instructions for one of 32 lanes, as text."""
    last = None
    for _ in range(MOST):
        counts, text = count.run(args.plugin, args.root, [program, "-w", str(args.long), kernel], environment)
        found = re.match(r"(\d+) simdgroup instructions, (\d+) compiled before, (\d+) meanwhile", text)
        if not found or len(counts) != 3:
            sys.exit(f"{program} {kernel} says: {text}")
        each = (counts[1] - counts[0]) / int(found[1])
        print(f"{program} {kernel}: {each:.2f}; {text.strip()}", file=sys.stderr, flush=True)
        if last is not None and abs(each - last) <= SAME * each and int(found[3]) == 0:
            return f"{each:.1f}"
        last = each
    return "not steady"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--before", "--after", "--before-aarch64", "--after-aarch64"):
        parser.add_argument(name, metavar="BUILD")
    parser.add_argument("--root", default=".cache/aarch64/root")
    parser.add_argument("--compiler", default="build/compiler/program/agx-compile")
    parser.add_argument("--plugin", default=os.path.join("build", count.PLUGIN))
    parser.add_argument("-r", dest="runs", type=int, default=3)
    parser.add_argument("-n", dest="rounds", type=int, default=5)
    parser.add_argument("-w", dest="warm_up", type=float, default=1)
    parser.add_argument("-l", dest="long", type=float, default=8)
    parser.add_argument("kernels", nargs="*")
    args = parser.parse_intermixed_args()

    def programs(name, builds):
        paths = [build and os.path.join(build, "tests", "bench", name) for build in builds]
        return [path if path and os.path.exists(path) else None for path in paths]

    x86 = programs("vgpu-vs-pocl", (args.before, args.after))
    aarch64 = programs("kernel-counts", (args.before_aarch64, args.after_aarch64))
    titles = [f"{host}, {when}" for host in (*(host for host, _ in LEVELS.values()), "aarch64 (NEON)")
              for when in ("before", "after")]
    print("| kernel | " + " | ".join(titles) + " |\n|---|" + "--:|" * len(titles), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "AGX_RUNNER_COMPILER": os.path.abspath(args.compiler)}
        for kernel in args.kernels or KERNELS:
            cells = x86_cells(x86, kernel, args, environment)
            counts = [on_aarch64(program, kernel, args, environment) if program and count.usable(args.plugin) else "-"
                      for program in aarch64]
            print(f"| {kernel} | " + " | ".join([cell[0] for cell in cells] + counts) + " |", flush=True)
            if any(cell[1] != "-" for cell in cells):
                print(f"| {kernel} beside memcpy | " + " | ".join([cell[1] for cell in cells] + ["-"] * len(counts)) + " |",
                      flush=True)
    return 0


sys.exit(main())
