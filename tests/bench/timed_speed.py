#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How fast timed launches are simulated: medians of several rounds of vgpu-speed. It prints, for each kernel, the
processor time of an operation of 32 lanes on one host thread, the simdgroup instructions a second, how many times as fast
two host threads are, and eight are projected to be from their processor time: with equal cores simulated once, and with
every core simulated. With the vgpu-speed of another version it prints the ratio of both versions' speeds, too. Run it on a quiet machine: two threads need two idle processors.

Usage: timed_speed.py VGPU_SPEED [VGPU_SPEED_OF_ANOTHER_VERSION] [--rounds N]
"""
import argparse
import re
import statistics
import subprocess
import sys

KERNELS = ("ffma chain", "ffma, uneven", "integer hash", "load", "load, uneven", "copy 4 words")
# A line of one run, and the line that compares two numbers of threads.
RUN = re.compile(r"^(.{14}) \S+ +threads (\d+) timing on .*?([\d.]+) ns an operation of 32 lanes, +([\d.]+) M simdgroup")
RATIO = re.compile(r"^(.{14}) timing on: ([\d.]+) times as fast on 2 threads")
PROJECTED = re.compile(r"^(.{14}) timing on, (equal|every) .* threads ([\d.]+) times as fast as one ")


def read(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()


def measure(program, kernel):
    """ns an operation and M instructions a second of one thread, the ratio of two threads, the projected ones of 8: equal cores once, every core."""
    first, ratio, projected = None, None, {}
    for line in read([program, "2", "off", *([kernel] if kernel else [])]):
        if (match := RUN.match(line)) and match[1].strip() == kernel and match[2] == "1" and first is None:
            first = float(match[3]), float(match[4])
        if (match := RATIO.match(line)) and match[1].strip() == kernel:
            ratio = float(match[2])
        if (match := PROJECTED.match(line)) and match[1].strip() == kernel:
            projected[match[2]] = float(match[3])
    if first is None or ratio is None or len(projected) != 2:
        sys.exit(f"{program}: prints no figures of '{kernel}'")
    return *first, ratio, projected["equal"], projected["every"]


def measure_other(program):
    """ns an operation of one thread, by kernel. Old versions run all kernels."""
    found = {}
    for line in read([program, "1"]):
        if (match := RUN.match(line)) and match[2] == "1":
            found.setdefault(match[1].strip(), float(match[3]))
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].strip())
    parser.add_argument("program")
    parser.add_argument("other", nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ours, others = {kernel: [] for kernel in KERNELS}, {kernel: [] for kernel in KERNELS}
    for _ in range(options.rounds):
        for kernel in KERNELS:
            ours[kernel].append(measure(options.program, kernel))
        for kernel, value in (measure_other(options.other) if options.other else {}).items():
            others.setdefault(kernel, []).append(value)
    print(f"medians of {options.rounds} rounds, timing on, processor time of one host thread\n"
          f"{'kernel':14} {'ns/operation':>12} {'M insns/s':>10} {'2 threads':>10} {'8, equal once':>14} {'8, every':>9} {'other, ns':>10} {'speed, of other':>16}")
    for kernel, rounds in ours.items():
        ns, rate, ratio, equal, every = (statistics.median(values) for values in zip(*rounds))
        other = statistics.median(others[kernel]) if others[kernel] else None
        compared = f" {other:10.2f} {other / ns:16.2f}" if other else ""
        print(f"{kernel:14} {ns:12.2f} {rate:10.1f} {ratio:10.2f} {equal:14.1f} {every:9.1f}{compared}")


main()
