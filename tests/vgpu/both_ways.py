#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs by the interpreter and as host code: all memory must be the same, byte for byte.

  both_ways.py AGX_RUNNER [--part PART]... [-j N] [--seconds N] [--units FROM:TO] [--level LEVEL]... [--seed N]
               [--each N] [PATTERN...]

Parts, each of which ends with a line of what was tried and what was different:
  instructions  the tests of tests/vgpu that compile what they run, at each level that the host has
  catalogue     (default) the figures that the patterns select, by default all but tests of the uAPI and of faults
  piglit        Piglit's OpenCL programs and compute shaders below --piglit
  llama         llama.cpp's test-backend-ops through the driver of --mesa, in groups of up to 64 cases of an operation
  random        10,000 random programs of `fuzz --language nir`, by fifties

Jobs of catalogue, piglit and llama are saved on a device with jit=off, and replayed with jit=on at each --level (the
host's best one by default). --units: these alone of the part's units (a few figures, files or programs, or a group of
cases). --seconds: none is begun after that time. --seed draws the order of units; each operation of llama.cpp has
a group before any has two. --each: so many figures of each group, drawn at random. Products of 2048 and more, which
take hours, run only if a pattern selects them; those of 1024 are not drawn. So do figures whose memory depends on the
order of simdgroups (RACES).
Invariant: it fails where something differs or does not end, and where no job had host code.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# Results that depend on the order of threadgroups are the same then.
DEVICE = "virtual:m1,timing=off,order=fixed,jit="
# Tests of tests/vgpu that compare compiled code with functions of the host or with the interpreter, at all levels.
COMPARE = ["cross", "float", "flow", "formats", "images", "int", "jit", "loops", "memory", "regions", "texels"]
PRODUCTS = "matrix/gemm-.*-(%s)/"
# Threads race for a pixel with records of their own, so that memory shows in which order the simdgroups of a threadgroup
# ran: one instruction of each in turn in the interpreter, whole loops in compiled code. Any order is right.
RACES = "atomic/u(min|max)64-emulated(-few)?/"
LIMIT = 1500  # seconds of one command


def run(words, **more):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              check=False, timeout=LIMIT, **more)
    except subprocess.TimeoutExpired:
        return 124, f"{' '.join(words)[:200]}: no end in {LIMIT} s\n"
    return done.returncode, done.stdout


class Tally:
    """What became of the units of a part."""

    def __init__(self, part, units, what, code):
        self.part, self.units, self.what, self.begun, self.other = part, units, what, 0, 0
        self.counts, self.start = collections.Counter({"with host code": code} if code else {}), time.monotonic()

    def add(self, counts, wrong, text):
        self.counts.update(counts)
        self.begun += 1
        if wrong:
            self.other += wrong
            print(text, flush=True)

    def end(self):
        counted = "".join(f", {self.counts[name]} {name}" for name in self.counts)
        print(f"{self.part}: {self.begun} of {self.units} {self.what}{counted}; {self.other} different; "
              f"{time.monotonic() - self.start:.0f} s", flush=True)
        return self.other == 0 and self.begun > 0 and self.counts["with host code"] > 0


def in_parallel(options, part, what, units, work, code=0):
    """Calls work(unit) for each of --units that can begin in time. code: jobs that were seen to have host code."""

    def begin(unit):
        return work(unit) if time.monotonic() - tally.start < options.seconds else None

    first, last = (int(number) if number else None for number in options.units.split(":"))
    units = units[first:last]
    tally = Tally(part, len(units), what, code)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(begin, unit) for unit in units]):
            if done.result():
                tally.add(*done.result())
    return tally.end()


def compare(options, words, fine):
    """Runs words(device) with a device that saves jobs, and replays these. fine: exit codes that are no failure."""
    folder = tempfile.mkdtemp(dir=options.scratch)
    try:
        code, text = run(words(f"{DEVICE}off,record={folder}"))
        if code not in fine:
            return collections.Counter(), 1, f"exit code {code} of {' '.join(words('...'))[:300]}\n{text[-2000:]}"
        jobs = len(glob.glob(folder + "/*.agxjob"))
        counts, wrong, shown = collections.Counter(jobs=jobs), 0, []
        for level in options.level if jobs else []:
            _, text = run([options.runner, "replay", "--timeout", "300", "-d", f"{DEVICE}on{level}", folder])
            same = [line for line in text.splitlines() if ".agxjob: " in line and "the same memory" in line]
            compiled = [int(count) for count in re.findall(r"(\d+) instructions compiled", "\n".join(same))]
            counts.update({"replays": len(same), "with host code": len(compiled)})
            counts["compiled instructions"] += sum(compiled)
            if len(same) != jobs:
                wrong += jobs - len(same)
                shown += [line for line in text.splitlines() if line not in same]
        return counts, wrong, f"{' '.join(words('...'))[:300]}\n" + "\n".join(shown)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def instructions(options):
    tests = os.path.join(os.path.dirname(options.runner), "../tests/vgpu")
    programs = [f"{tests}/exec/exec_{name}" for name in COMPARE] + [f"{tests}/jit/jit_flow"] + sorted(
        path for path in glob.glob(tests + "/exec/exec_powers_*") if os.access(path, os.X_OK) and os.path.isfile(path))

    def work(program):
        code, text = run([program])
        counted = re.search(r"^(\d+) launches, (\d+) of them with host code", text, re.M)
        counts = {"launches": int(counted[1]), "with host code": int(counted[2])} if counted else {}
        return counts, code not in (0, 77), f"exit code {code} of {program}\n{text[-2000:]}"

    return in_parallel(options, "instructions", "tests", programs, work)


def figures(options):
    code, text = run([options.runner, "list"])
    names = [line.split()[0] for line in text.splitlines() if re.match(r"\w+/\S+ ", line)]
    if code or not names:
        sys.exit(f"{options.runner} list: exit code {code}\n{text}")
    if options.patterns:
        return [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in options.patterns)]
    left_out = re.compile("uapi/|fault/|" + RACES + "|" + PRODUCTS % "2048|4096")
    return [name for name in names if not left_out.match(name)]


def draw(names, each, chance):
    groups = collections.defaultdict(list)
    for name in names:
        if not re.match(PRODUCTS % "1024|2048|4096", name):
            groups[name.split("/")[0]].append(name)
    return [name for group in groups.values() for name in chance.sample(group, min(each, len(group)))]


def pieces(names, size):
    return [names[i : i + size] for i in range(0, len(names), size)]


def catalogue(options):
    chance = random.Random(options.seed)
    names = figures(options)
    names = draw(names, options.each, chance) if options.each else names
    chance.shuffle(names)
    units = pieces(names, 4)
    return in_parallel(options, "catalogue", "fours of figures", units, lambda unit: compare(
        options, lambda device: [options.runner, "run", "--full", "--timeout", "300", "-d", device, *unit],
        (0, 77)))  # 77: answers alone, no figure


def piglit(options):
    files = sorted(path for folder in options.piglit for kind in ("cl", "program_test", "shader_test")
                   for path in glob.glob(f"{folder}/**/*.{kind}", recursive=True))
    random.Random(options.seed).shuffle(files)
    units = pieces(files, 20)
    return in_parallel(options, "piglit", "twenties of files", units, lambda unit: compare(
        options, lambda device: [options.runner, "piglit", "-j", "1", "--expect", ROOT + "/ci/piglit", "-d", device,
                                 *unit], (0, 77)))


def llama(options):
    code, text = run([options.runner, "apps", "--list", "--mesa", options.mesa, "llama.cpp"])
    names = re.findall(r"^llama\.cpp@\S+@\d+$", text, re.M)
    if code or not names:
        sys.exit(f"{options.runner} apps --list: exit code {code}\n{text}")
    random.Random(options.seed).shuffle(names)
    names.sort(key=lambda name: int(name.split("@")[2]))
    return in_parallel(options, "llama", "groups of cases", names, lambda name: compare(
        options, lambda device: [options.runner, "apps", "-j", "1", "--mesa", options.mesa, "-d", device, name], (0,)))


def random_programs(options):
    """Crashes of Mesa's compiler are findings of `fuzz`, and no difference."""
    environment = dict(os.environ, AGX_RUNNER_CACHE_MIB="0")

    def work(first):
        with tempfile.NamedTemporaryFile(dir=options.scratch) as file:
            _, text = run([options.runner, "fuzz", "--language", "nir", "--seed", str(options.seed), "--first",
                           str(first), "--count", "50", "-j", "1", "-f", "json", "-o", file.name,
                           "-d", "virtual:m1,check=off,jit=off",
                           "--against", f"virtual:m1,jit=on,check=off{options.level[0]}"],
                          env=environment, cwd=options.scratch)
            try:
                with open(file.name, encoding="utf-8") as report:
                    answer = json.load(report)
            except ValueError:
                return {}, 1, f"programs from {first} on: no report\n{text[-2000:]}"
        crashed = [found for found in answer["findings"] if "crash" in found["kind"] or "crash" in found["blamed"]]
        wrong = [found for found in answer["findings"] if found not in crashed]
        return {"programs": answer["programs"], "without an answer": answer["undetermined"],
                "places where Mesa crashes": len(crashed)}, len(wrong), json.dumps(wrong, indent=1)

    # `fuzz` does not say that a device has no compiler; one figure does.
    figure = figures(options)[0]
    code = compare(options, lambda device: [options.runner, "run", "--full", "-d", device, figure], (0, 77))[0]
    return in_parallel(options, "random", "fifties of programs", range(0, 10000, 50), work, code["with host code"])


PARTS = {"instructions": instructions, "catalogue": catalogue, "piglit": piglit, "llama": llama,
         "random": random_programs}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("runner", type=os.path.abspath)
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--level", action="append")
    parser.add_argument("--each", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--units", default="0:")
    parser.add_argument("--mesa", default="sid")
    parser.add_argument("--piglit", nargs="*", default=[f"{ROOT}/.cache/piglit", f"{ROOT}/.cache/piglit-compute"])
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_intermixed_args()
    options.level = [",level=" + level for level in options.level or []] or [""]
    with tempfile.TemporaryDirectory() as options.scratch:
        fine = [PARTS[part](options) for part in options.part or ["catalogue"]]
    sys.exit(0 if all(fine) else 1)


main()
