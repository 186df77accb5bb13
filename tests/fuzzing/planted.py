#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does agx-runner fuzz find faults that were put into Mesa on purpose? Builds agx-runner with a copy of Mesa, changes one
line of the copy, builds again, fuzzes until something is found that ci/fuzz-known.txt does not list and that the unchanged
Mesa gets right, puts the line back, and goes on with the next. Prints a Markdown table. This is a trial to run by hand (each fault takes a build), not a test.

Usage: tests/fuzzing/planted.py WORK [--seconds N] [--seed N] [NAME...]

WORK       folder for the copy of this tree and of Mesa, and the build; kept, so that a second run builds little. It is made what
           the tree is, by content, so that a run that was killed leaves nothing behind
--seconds  most time for each fault, without its build [default: 60]
--prepare  make WORK and build it, and stop
NAME       faults of planted_faults.py, in this order [default: all]

The table goes to standard output a line for each fault as it ends; progress with times goes to standard error.

Exit: 0 all were found, 98 some were not, 79 invalid use.
"""
import argparse
import filecmp
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from planted_faults import FAULTS, OPENCL

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXIT_OK, EXIT_INVALID, EXIT_FAILED = 0, 79, 98


def same(a, b):
    """Whether two paths hold the same: bytes, or what a link names."""
    if a.is_symlink() or b.is_symlink():
        return a.is_symlink() and b.is_symlink() and os.readlink(a) == os.readlink(b)
    return b.is_file() and filecmp.cmp(a, b, shallow=False)


def mirror(names, source, target):
    """Makes the files of `target` what those of `source` are, by content. A file that changes gets a new time, so that ninja
    builds what is made of it, and a new inode, because it may be a hard link. The names of those that changed."""
    changed = []
    for name in names:
        file, copy = source / name, target / name
        if not same(file, copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.unlink(missing_ok=True)
            shutil.copy(file, copy, follow_symlinks=False)
            changed.append(name)
    return changed


def prepare(work):
    """The copies and the build; the ways to Mesa and to agx-runner. A fault that a killed run left in Mesa is taken out."""
    source, name = work / "src", next(line.split("=")[1].strip() for line in
                                      (ROOT / "subprojects/mesa.wrap").read_text().splitlines()
                                      if line.startswith("directory"))
    mesa, original = source / "subprojects" / name, (ROOT / "subprojects" / name).resolve()
    files = subprocess.run(["ci/files"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().rstrip("\0").split("\0")
    mirror(files, ROOT, source)
    for file in mirror([str(path.relative_to(original)) for path in original.rglob("*") if path.is_file() or path.is_symlink()],
                       original, mesa) if mesa.exists() else []:
        print(f"planted: {file} was not the tree's, and is now", file=sys.stderr)
    if not mesa.exists():
        shutil.copytree(original, mesa, symlinks=True)
    cache = source / ".cache"
    if not cache.exists():
        cache.unlink(missing_ok=True)  # a link to a tree that is gone
        (ROOT / ".cache").mkdir(exist_ok=True)
        cache.symlink_to(ROOT / ".cache")
    build = source / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(["ci/setup.sh", "--use", "build"], cwd=source, check=True, env=dict(os.environ, BUILD_DIR=str(build)))
    return mesa, build / "agx_runner/agx-runner"


def make(runner):
    """Builds agx-runner; None, or what ninja says."""
    build = runner.parents[1]
    run = subprocess.run(["ninja", "-C", str(build), "-j", str(os.cpu_count()), "agx_runner/agx-runner", "compiler/program/agx-compile", "fuzz/agx-fuzz"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return run.stdout[-2000:] if run.returncode != 0 else None


def is_right(runner, folder, signature):
    """Whether an agx-runner gets the kept program of a finding right."""
    for program in folder.glob("*.fuzz"):
        if f"# {signature}" in program.read_text(errors="replace").splitlines():
            run = subprocess.run([runner, "fuzz", "-f", "json", "-o", "/dev/null", program], stderr=subprocess.PIPE, text=True,
                                 errors="replace", check=False)
            return f"{program}: right" in run.stderr.splitlines()
    for kernel in folder.glob("*.cl"):
        text = kernel.read_text(errors="replace")
        if f"name: {signature}" in text.splitlines():
            switch = re.search(r"It fails with AGX_MESA_DEBUG=(\w+)", text)
            run = subprocess.run([runner, "piglit", "--check", kernel], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                                 env=dict(os.environ, AGX_MESA_DEBUG=switch[1]) if switch else None)
            return run.returncode == EXIT_OK
    return False


# A run goes on for so many seconds at least: a smaller program may show the fault, too.
LEAST_SECONDS = 5


def interrupt_at_news(run):
    """Reads what fuzz prints, and interrupts it when it has a finding that is not known. It writes its report then. By SIGTERM,
    because a shell's background ignores SIGINT."""
    started, known, interrupted = time.monotonic(), True, None
    for line in run.stderr:
        if not line.startswith((" ", ">")):  # > marks an instruction of a finding
            known = line.startswith("known ")
        elif line.startswith("   program ") and "; signature " in line and not known and interrupted is None:
            wait = max(LEAST_SECONDS - (time.monotonic() - started), 0)
            interrupted = threading.Timer(wait, run.send_signal, [signal.SIGTERM])
            interrupted.start()
    run.wait()
    if interrupted is not None:
        interrupted.cancel()


def fuzz_round(runner, seed, seconds, language):
    """One run, which ends soon after its first new finding; its report, and the folder of its programs. None: it ended without one."""
    report, folder = runner.parents[1] / "planted.json", runner.parents[1] / "planted-corpus"
    shutil.rmtree(folder, ignore_errors=True)
    report.unlink(missing_ok=True)
    with subprocess.Popen([runner, "fuzz", "--language", language, "--seed", str(seed), "--time", str(seconds),
                           "--known", ROOT / "ci/fuzz-known.txt", "--corpus", folder, "-f", "json", "-o", report],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace") as run:
        try:
            interrupt_at_news(run)
        except BaseException:
            run.terminate()
            raise
    if not report.exists():
        print(f"planted: fuzz --language {language} --seed {seed} ended with {run.returncode} and without a report", file=sys.stderr)
        return None, folder
    return json.loads(report.read_text(encoding="utf-8")), folder


def hunt(base, runner, seconds, seed, language):
    """Fuzzes until a run ends with a finding of the change; (seconds, such findings, programs). What is new to --known and wrong
    with the unchanged Mesa, too, ends a run, and the next has another seed."""
    started, rounds, programs = time.monotonic(), 0, 0
    while time.monotonic() - started < seconds:
        left = seconds - (time.monotonic() - started)
        result, folder = fuzz_round(runner, seed + rounds, max(left, 1), language)
        rounds += 1
        if result is None:
            continue
        programs += result["programs"]
        # Both ways: a crash may need fuzz's own heap, where neither is wrong.
        new = [finding for finding in result["findings"] if not finding["known"] and is_right(base, folder, finding["signature"])
               and not is_right(runner, folder, finding["signature"])]
        if new:
            return time.monotonic() - started, new, programs
    return time.monotonic() - started, [], programs


def row(fault, cells):
    """A line of the table."""
    print(f"| {fault[0]} | {fault[1]} | " + " | ".join(cells) + " |", flush=True)


def trial(fault, mesa, base, runner, options):
    """One fault; whether it was found."""
    started = time.monotonic()
    path, text, replacement = mesa / fault[2], fault[3], fault[4]
    before = path.read_text(encoding="utf-8")
    if before.count(text) != 1:
        row(fault, [f"not tried: the text stands there {before.count(text)} times", "", "", ""])
        return False
    path.unlink()  # it may be a hard link
    path.write_text(before.replace(text, replacement), encoding="utf-8")
    try:
        failure = make(runner)
        if failure:
            row(fault, ["not tried: does not build", "", "", ""])
            print(failure, file=sys.stderr)
            return False
        built = time.monotonic()
        took, new, programs = hunt(base, runner, options.seconds, options.seed,
                                   "opencl" if fault[0] in OPENCL else "nir")
    finally:
        path.write_text(before, encoding="utf-8")
    print(f"planted: {fault[0]}: built in {built - started:.0f} s, {'found' if new else 'NOT FOUND'} after {took:.0f} s, {programs} programs",
          file=sys.stderr, flush=True)
    if not new:
        row(fault, ["not found", f"{took:.0f} s, {programs} programs", "", ""])
        return False
    blamed = sorted({finding["blamed"] for finding in new})
    smallest = min(new, key=lambda finding: len(finding["program"].splitlines()))
    marks = sorted({", ".join(" ".join(line.split()[3:]) for line in finding["marked"]) or finding["marks"] for finding in new})
    row(fault, ["found", f"{took:.0f} s", f"{'; '.join(blamed[:3])}: `{smallest['signature'].split(': ', 2)[-1]}`", "; ".join(marks[:6])])
    return True


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    names = [fault[0] for fault in FAULTS]
    for name in options.names:
        if name not in names:
            print(f"planted: there is no fault {name}; there are {', '.join(names)}", file=sys.stderr)
            return EXIT_INVALID
    chosen = [FAULTS[names.index(name)] for name in options.names] or FAULTS
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_FAILED))  # Mesa's file is put back
    started = time.monotonic()
    mesa, runner = prepare(options.work.resolve())
    failure = make(runner)
    if failure:
        sys.exit(failure)
    base = runner.with_name("agx-runner-unchanged")
    shutil.copy2(runner, base)
    print(f"planted: prepared in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    if options.prepare:
        return EXIT_OK
    print("| fault | what is wrong | result | time | blamed | marked |\n|---|---|---|---|---|---|", flush=True)
    count = sum(trial(fault, mesa, base, runner, options) for fault in chosen)
    print(f"\n{count} of {len(chosen)} found in {time.monotonic() - started:.0f} s, builds included")
    return EXIT_OK if count == len(chosen) else EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())
