#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks kernels of a corpus by what the compiler's order of instructions loses (agx-runner explain --schedules, modelled),
and prints the worst with their code: the compiler's order beside the better one that was found and proven.

  schedules.py [OPTION...] AGX_RUNNER CORPUS_FOLDER

The files are a seeded sample of each package of ci/corpus.txt that was fetched there, and of a folder of Piglit's. A
result is kept as it comes (--results), so that a run that was ended goes on where it stopped.
"""
import argparse
import collections
import fnmatch
import json
import os
import random
import subprocess
import sys

import corpus

HERE = os.path.dirname(os.path.abspath(__file__))


def explain(arguments, path, options, *words):
    command = [arguments.agx_runner, "explain", "--schedules", "--compile-timeout", str(arguments.seconds)]
    command += ["--options", options] if options else []
    try:
        done = subprocess.run([*command, *words, path], capture_output=True, text=True, check=False,
                              timeout=arguments.seconds * 10)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def choose(arguments):
    """(name, path, options) of the sampled files."""
    by_package = collections.defaultdict(list)
    for item in corpus.find_files(arguments.corpus, corpus.read_sets(arguments.list)):
        if fnmatch.fnmatch(item[0], arguments.match):
            by_package[item[0].split("/")[0]].append(item)
    if arguments.piglit:
        for parent, _, names in os.walk(arguments.piglit):
            for name in sorted(names):
                if name.endswith(".cl"):
                    path = os.path.join(parent, name)
                    by_package["piglit"].append(("piglit/" + os.path.relpath(path, arguments.piglit), path, ""))
    chosen = []
    for _, files in sorted(by_package.items()):
        files.sort()
        chosen += random.Random(arguments.seed).sample(files, min(arguments.sample, len(files)))
    random.Random(arguments.seed).shuffle(chosen)
    return chosen


def read_results(path):
    if path is None or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {one["name"]: one["kernels"] for one in map(json.loads, file)}


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def print_table(rows):
    """By package, then for all: the median, the 90th percentile and the most of both losses."""
    packages = sorted({name.split("/")[0] for name, _ in rows})
    print("package | files | kernels | full occupancy: median, 90 %, most | alone: median, 90 %, most")
    for package in [*packages, None]:
        mine = [(name, one) for name, one in rows if package in (None, name.split("/")[0])]
        parts = [package or "all", str(len({name for name, _ in mine})), str(len(mine))]
        for key in "loses", "loses_alone":
            values = [one[key] for _, one in mine]
            parts.append(", ".join(f"{100 * value:.1f} %" for value in (quantile(values, 0.5), quantile(values, 0.9), max(values))))
        print(" | ".join(parts))


def distinct(rows):
    """Without kernels that stand in several joined files: the same name with the same losses."""
    return list({(one["kernel"], one["loses"], one["loses_alone"]): (name, one) for name, one in reversed(rows)}.values())[::-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", default=os.path.join(HERE, "../../ci/corpus.txt"))
    parser.add_argument("--piglit", metavar="DIR", help="a folder of Piglit's OpenCL C files (.cache/piglit)")
    parser.add_argument("--match", default="*", help="glob on package/file, of the corpus")
    parser.add_argument("--sample", type=int, default=12, metavar="N", help="at most N files of each package")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--seconds", type=int, default=60, help="processor time of the compiler for a kernel")
    parser.add_argument("--worst", type=int, default=10, help="so many are printed with their code")
    parser.add_argument("--results", metavar="FILE", help="append each file's kernels; files that stand there are not run again")
    parser.add_argument("agx_runner")
    parser.add_argument("corpus")
    arguments = parser.parse_args()
    arguments.corpus = os.path.abspath(arguments.corpus)

    chosen, results = choose(arguments), read_results(arguments.results)
    for name, path, options in chosen:
        if name in results:
            continue
        text = explain(arguments, path, options, "--format", "json")
        results[name] = json.loads(text)["kernels"] if text else []
        if arguments.results:
            with open(arguments.results, "a", encoding="utf-8") as file:
                file.write(json.dumps({"name": name, "kernels": results[name]}) + "\n")
    rows = [(name, one) for name, _, _ in chosen for one in results[name]]
    if not rows:
        print("no kernel was searched: ci/setup.sh --use test fetches the corpus")
        return 77
    print_table(rows)
    where = {name: (path, options) for name, path, options in chosen}
    rows.sort(key=lambda row: -row[1]["loses"])
    for name, one in distinct(rows)[:arguments.worst]:
        print(f"\n==== {name}: {one['kernel']}: {100 * one['loses']:.1f} % at full occupancy, "
              f"{100 * one['loses_alone']:.1f} % alone (modelled)")
        print(explain(arguments, *where[name], "--kernel", one["kernel"]) or "it could not be searched again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
