#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lays the results of `agx-runner piglit --format json` beside those of another OpenCL driver under Piglit.

  piglit run cl -t '^program@' RESULTS          (for instance with PoCL installed)
  agx-runner piglit --format json -o OURS.json .../piglit/tests/cl/program .../piglit/generated_tests/cl
  ci/piglit/compare.py OURS.json RESULTS

Prints how many tests the other driver passes, how many of those we pass, skip and fail, and names the failures.
"""
import bz2
import collections
import json
import os
import sys


def read_ours(path):
    with open(path, encoding="utf-8") as file:
        return {entry["name"].lower(): entry for entry in json.load(file)["results"]}


def read_theirs(folder):
    """Piglit's results.json, packed or not. A test without subtests counts as one, as agx-runner counts."""
    packed = os.path.join(folder, "results.json.bz2")
    opener, path = (bz2.open, packed) if os.path.exists(packed) else (open, os.path.join(folder, "results.json"))
    with opener(path, "rt", encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    results = {}
    for name, test in tests.items():
        subtests = {key: value for key, value in test["subtests"].items() if key != "__type__"}
        for subtest, result in subtests.items():
            results[f"{name}@{subtest}".lower()] = result
        if not subtests:
            results[name.lower()] = test["result"]
    return results


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ours, theirs = read_ours(sys.argv[1]), read_theirs(sys.argv[2])
    passed = [name for name, result in theirs.items() if result == "pass" and name in ours]
    count = collections.Counter(ours[name]["status"] for name in passed)
    for name in passed:
        if ours[name]["status"] not in ("pass", "skip"):
            print(f"{ours[name]['status']:7} {name}: {ours[name]['reason']}")
    more = sum(1 for name, entry in ours.items() if entry["status"] == "pass" and theirs.get(name) != "pass")
    run = len(passed) - count["skip"]
    print(f"the other driver passes {len(passed)} of our tests; of these we pass {count['pass']}, "
          f"skip {count['skip']}, fail {run - count['pass']}: "
          f"{100 * count['pass'] / max(run, 1):.2f} % of those not skipped")
    print(f"we pass {more} that it does not")


if __name__ == "__main__":
    main()
