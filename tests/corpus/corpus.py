#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles OpenCL kernels of Debian's packages (ci/corpus.txt, unpacked by ci/fetch-corpus) and counts what comes of them.

  corpus.py [OPTION...] AGX_RUNNER CORPUS_FOLDER

Each file ends as one of: compiled; unsupported, with the reason; refused, with the compiler's message; crash (the
compiler crashed or exceeded its limit, and agx-runner said so); died (agx-runner itself did). The test fails when
agx-runner died, and when a crash is not in known.txt with its cause.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import random
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CRASH = re.compile(r"the compiler (crashed in|reached the limit of) ")


def read_sets(path):
    """The lines of corpus.txt: (package, folder, globs, globs to leave out, options)."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                package, folder, globs, without, options = (field.strip() for field in line.split("|", 4))
                yield package, folder, globs.split(), without.split(), options


def join_files(to, package, where, parts, options):
    """Several files as one: (name, path, options). Lines with #include are left out, as silx and pyFAI do."""
    parts = [os.path.join(where, part) for part in parts.split("+") if part]
    name = "+".join(os.path.basename(part) for part in parts)
    os.makedirs(to, exist_ok=True)
    path = os.path.join(to, name)
    with open(path, "wb") as out:
        for part in parts:
            with open(part, "rb") as file:
                out.writelines(line for line in file if not line.startswith(b"#include "))
            out.write(b"\n")
    return f"{package}/{name}", path, options


def find_files(corpus, sets):
    """(name, path, options) of each kernel file; a package that was not fetched is named once."""
    absent = set()
    for package, folder, globs, without, options in sets:
        where = os.path.join(corpus, package, folder)
        if not os.path.isdir(where):
            if package not in absent:
                print(f"{package}: not fetched")
            absent.add(package)
            continue
        entries = [os.path.relpath(os.path.join(parent, name), where) for parent, _, names in os.walk(where) for name in names]
        options = options.replace("{dir}", where).replace("{corpus}", corpus)
        for joined in (glob for glob in globs if "+" in glob):
            if not all(os.path.exists(os.path.join(where, part.replace("{corpus}", corpus))) for part in joined.split("+") if part):
                print(f"{package}: this version has not all of {joined}")
                continue
            yield join_files(os.path.join(corpus, package, ".joined"), package, where, joined.replace("{corpus}", corpus), options)
        for entry in sorted(entries):
            if any(fnmatch.fnmatch(entry, glob) for glob in globs) and not any(fnmatch.fnmatch(entry, other) for other in without):
                yield f"{package}/{entry}", os.path.join(where, entry), options


def read_known(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.strip().split(": ", 1) for line in file if line.strip() and not line.startswith("#"))


def judge(code, text):
    """(how it ended, why)"""
    lines = [line for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if code == 0:
        return "compiled", ""
    if code == 77:
        reasons = [line.split("unsupported: ", 1)[1] for line in lines if "unsupported: " in line]
        return "unsupported", reasons[0] if reasons else last
    if code < 0 or code not in (77, 79, 98):
        return "died", f"agx-runner ended with {code}: {last}"
    for line in lines:
        if CRASH.search(line):
            return "crash", line
    return "refused", next((line for line in lines if "error" in line), last)


def compile_file(arguments, item):
    name, path, options = item
    command = [arguments.agx_runner, "compile", "--stats", "--compile-timeout", str(arguments.seconds),
               "--options", options, path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    kernels = sum(line.startswith(b"kernel ") for line in done.stdout.splitlines())
    return name, *judge(done.returncode, done.stderr.decode(errors="replace")), kernels


def read_results(path):
    """The results of an earlier run, by file: a run that was ended goes on where it stopped."""
    if path is None or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.endswith("\n")]
    return {name: (name, end, why, int(kernels)) for name, end, kernels, _, why in rows}


def compile_and_note(arguments, item):
    """As compile_file. The result is appended to the file of results at once, with the seconds that it took."""
    start = time.monotonic()
    name, end, why, kernels = compile_file(arguments, item)
    if arguments.results is not None:
        line = "\t".join([name, end, str(kernels), f"{time.monotonic() - start:.0f}", " ".join(why.split())])
        with open(arguments.results, "a", encoding="utf-8") as file:
            file.write(line + "\n")
    return name, end, why, kernels


def report(results, known):
    """Prints the counts by package. Returns what must not be."""
    wrong = []
    for package in sorted({name.split("/")[0] for name, *_ in results}):
        mine = [result for result in results if result[0].startswith(package + "/")]
        ends = collections.Counter(end for _, end, _, _ in mine)
        kernels = sum(result[3] for result in mine)
        counts = ", ".join(f"{ends[end]} {end}" for end in ("compiled", "unsupported", "refused", "crash", "died")
                           if ends[end])
        print(f"{package}: {len(mine)} files: {counts} ({100 * ends['compiled'] / len(mine):.1f} % compiled); {kernels} kernels")
        for (end, why), count in collections.Counter((end, why) for _, end, why, _ in mine if end == "unsupported").items():
            print(f"    {end}: {count} x {why}")
        for name, end, why, _ in mine:
            if end in ("refused", "crash", "died"):
                cause = known.get(name)
                print(f"    {end}: {name}: {why}" + (f" [known: {cause}]" if cause else ""))
                if end == "died" or (end == "crash" and cause is None):
                    wrong.append(f"{name}: {end}: {why}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", default=os.path.join(HERE, "../../ci/corpus.txt"))
    parser.add_argument("--known", default=os.path.join(HERE, "known.txt"))
    parser.add_argument("--sample", type=int, metavar="N", help="at most N files of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--match", default="*", help="glob on package/file")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=int, default=120, help="processor time a file")
    parser.add_argument("--results", metavar="FILE",
                        help="append each file's result as it comes; files that stand there are not compiled again")
    parser.add_argument("agx_runner")
    parser.add_argument("corpus")
    arguments = parser.parse_args()
    arguments.corpus = os.path.abspath(arguments.corpus)

    by_package = collections.defaultdict(list)
    for item in find_files(arguments.corpus, read_sets(arguments.list)):
        if fnmatch.fnmatch(item[0], arguments.match):
            by_package[item[0].split("/")[0]].append(item)
    items = []
    for files in by_package.values():
        if arguments.sample is not None and arguments.sample < len(files):
            files = random.Random(arguments.seed).sample(files, arguments.sample)
        items += files
    if not items:
        print("no kernel to compile: ci/setup.sh --use test fetches them")
        return 77
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        earlier = read_results(arguments.results)
        fresh = pool.map(lambda item: compile_and_note(arguments, item), [item for item in items if item[0] not in earlier])
        results = sorted([*fresh, *(earlier[item[0]] for item in items if item[0] in earlier)])
    wrong = report(results, read_known(arguments.known))
    for line in wrong:
        print(f"unexpected: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
