#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Benchmarks of the catalogue by the interpreter and as host code: all memory must be the same, byte for byte.

  both_ways.py AGX_RUNNER [--each N] [--seed N] [PATTERN...]

The jobs of the figures that the patterns select (all by default, but for tests of the uAPI and of faults) are saved on
a device with jit=off, and replayed on one with jit=on. --each: so many of each group, drawn at random, instead of all;
matrix products of 1024 and more, which take minutes, are not drawn.
Invariant: it fails when no job had host code.
"""
import argparse
import collections
import fnmatch
import random
import re
import subprocess
import sys
import tempfile

DEVICE = "virtual:m1,timing=off,order=fixed,jit="  # results that depend on the order are the same then


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def figures(runner, patterns):
    code, text = run(runner, "list")
    names = [line.split()[0] for line in text.splitlines() if re.match(r"\w+/\S+ ", line)]
    if code or not names:
        sys.exit(f"{runner} list: exit code {code}\n{text}")
    wanted = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    return wanted if patterns else [name for name in names if not name.startswith(("uapi/", "fault/"))]


def draw(names, each, seed):
    groups, chance = collections.defaultdict(list), random.Random(seed)
    for name in names:
        groups[name.split("/")[0]].append(name)
    return [name for group in groups.values() for name in chance.sample(group, min(each, len(group)))]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("runner")
    parser.add_argument("--each", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    names = figures(options.runner, options.patterns)
    if options.each:
        names = draw([name for name in names if not re.search(r"/gemm-.*-(1024|2048|4096)/", name)], options.each, options.seed)
    print(f"{len(names)} figures: {' '.join(names) if options.each else ''}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        code, text = run(options.runner, "run", "--full", "--timeout", "300", "-d", f"{DEVICE}off,record={folder}",
                         *names)
        if code not in (0, 77):  # 77: answers alone, no figure
            sys.exit(f"the run ended with exit code {code}\n{text}")
        code, text = run(options.runner, "replay", "--timeout", "300", "-d", f"{DEVICE}on", folder)
    lines = [line for line in text.splitlines() if ".agxjob: " in line]
    same = [line for line in lines if "the same memory" in line]
    compiled = [int(count) for count in re.findall(r"(\d+) instructions compiled", "\n".join(same))]
    print(f"{len(lines)} jobs, {len(same)} the same both ways; {len(compiled)} with host code, {sum(compiled)} instructions")
    other = [line for line in text.splitlines() if line not in same]
    print("\n".join(other))
    sys.exit(1 if code or other or not compiled else 0)


main()
