#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the tests of mesa_rules_tests.cpp, each in a process of its own, and compares what fails with fails.txt.

Usage: run.py PROGRAM FAILS

A test that fails and does not stand in FAILS is an error, and so is one that stands there and passes: the pinned Mesa has
changed, and docs/mesa-bugs.md must follow.
"""
import subprocess
import sys

program, listed = sys.argv[1:]
with open(listed) as file:
    expected = {line.strip() for line in file if line.strip() and not line.startswith("#")}
names = []
for line in subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout.splitlines():
    if line.startswith("  "):
        names.append(suite + line.strip())
    elif line.endswith("."):
        suite = line
failed, output = set(), {}
for name in names:
    run = subprocess.run([program, "--gtest_filter=" + name], capture_output=True, text=True, timeout=60)
    output[name] = run.stdout + run.stderr
    if run.returncode:
        failed.add(name)
for name in sorted(failed - expected):
    print(output[name], f"{name} fails", sep="\n")
for name in sorted(expected - failed):
    print(f"{name} passes now: take it out of {listed}" if name in names else f"{listed} names {name}, which does not exist")
print(f"{len(names)} tests of rules, {len(names) - len(failed)} pass, {len(failed & expected)} fail as expected")
sys.exit(failed != expected or not names)
