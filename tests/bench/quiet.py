#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The figures of results/vgpu-speed.md, for a machine that does nothing else: some four minutes.

Usage: quiet.py BUILD [PIGLIT_DIR]

Runs vgpu-vs-pocl five times and prints the median of each column; the speed of one chain on up to 16 host threads; and,
with Piglit's folder, the processor time of its kernels with blocks compiled and without. Invariant: it prints only what
the programs print, or medians of it, and ends with an error when one of them fails.
"""
import os
import re
import resource
import statistics
import subprocess
import sys

RUNS, ROUNDS, PIGLIT_RUNS = 5, 9, 3


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compare(build):
    columns = {}
    for _ in range(RUNS):
        for line in run(f"{build}/tests/bench/vgpu-vs-pocl", "-n", str(ROUNDS)).splitlines()[2:]:
            kernel, figures = line.split()[0], [float(word) for word in re.findall(r" (\d+\.\d+)", line)]
            kernel += " (memcpy)" if "memcpy" in line else ""
            columns.setdefault(kernel, []).append(figures)
    print(f"vgpu-vs-pocl -n {ROUNDS}, medians of {RUNS} runs: G a second here and there, ratios as it prints them "
          "(wall, by CPU, best, promised; memcpy: by CPU, best)")
    for kernel, runs in columns.items():
        print(f"{kernel:22}" + "".join(f" {statistics.median(values):8.2f}" for values in zip(*runs)), flush=True)


def processor_time(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def piglit(build, folder):
    times = {"off": [], "auto": []}
    for turn in range(PIGLIT_RUNS + 1): # the first fills the compilation cache
        for mode, values in times.items():
            values += [processor_time(f"{build}/agx_runner/agx-runner", "piglit", "-d", f"virtual:m1,timing=off,jit={mode}",
                                      "--expect", f"{os.path.dirname(__file__)}/../../ci/piglit", folder)][:turn]
    for mode, values in times.items():
        print(f"piglit, jit={mode}: {statistics.median(values):.2f} s of processor time")


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
compare(sys.argv[1])
for jit in "off", "auto":
    for text in run(f"{sys.argv[1]}/tests/vgpu/exec/vgpu-speed", "16", jit, "ffma chain").splitlines():
        if "threads 16" in text or "times as fast" in text:
            print(f"jit={jit}: {text}", flush=True)
if len(sys.argv) == 3:
    piglit(sys.argv[1], sys.argv[2])
