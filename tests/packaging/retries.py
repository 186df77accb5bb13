#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/run-tests runs failed tests again, and counts right.

Usage: retries.py SOURCE_ROOT

It runs on a project of its own: `good` passes, `second` fails once and then passes, `third` fails twice, `bad` always
fails, `skips` fails once and is then skipped. Each test counts its runs in a file.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Name: exit codes of the first, second, ... run; the last one goes on.
PLAN = {"good": [0], "second": [1, 0], "third": [1, 1, 0], "bad": [1], "skips": [1, 77], "odd [x]": [1, 0]}
SCRIPT = """import pathlib, sys
count = pathlib.Path(sys.argv[1])
done = len(count.read_text()) if count.exists() else 0
count.write_text("." * (done + 1))
codes = [int(code) for code in sys.argv[2:]]
sys.exit(codes[min(done, len(codes) - 1)])
"""


def project(folder):
    """Writes the Meson project of PLAN."""
    lines = ["project('retries')", "python = find_program('python3')"]
    for name, codes in PLAN.items():
        words = ", ".join(f"'{code}'" for code in codes)
        lines.append(f"test('{name}', python, suite : 'some', args : [files('count.py'), '{folder}/{name}.count', {words}])")
    (folder / "count.py").write_text(SCRIPT)
    (folder / "meson.build").write_text("\n".join(lines) + "\n")


def run_tests(runner, meson, folder, retries, *words):
    """Runs all tests anew. Returns exit code, output, number of runs of each test, and the results."""
    for name in PLAN:
        (folder / f"{name}.count").unlink(missing_ok=True)
    done = subprocess.run([runner, meson, folder / "build", *words], env={**os.environ, "TEST_RETRIES": str(retries)}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    runs = {name: len((folder / f"{name}.count").read_text()) for name in PLAN if (folder / f"{name}.count").exists()}
    log = folder / "build/meson-logs/results.json"
    results = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return done.returncode, done.stdout, runs, {re.split(" / |:", test["name"])[-1]: test for test in results}


def summary(runner, *logs):
    """Exit code and lines of --summary."""
    done = subprocess.run([runner, "--summary", *logs], text=True, stdout=subprocess.PIPE, check=False)
    lines = done.stdout.splitlines()
    return done.returncode, sorted(lines[:-1]) + lines[-1:] # tests end in any order


def main():
    source = pathlib.Path(sys.argv[1])
    runner = source / "ci/run-tests"
    meson = subprocess.run([source / "ci/setup.sh", "--meson"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        project(folder)
        subprocess.run([meson, "setup", folder / "build", folder], check=True, stdout=subprocess.DEVNULL)
        log = folder / "build/meson-logs/results.json"

        code, out, runs, results = run_tests(runner, meson, folder, 2)
        assert code == 98, (code, out)
        assert runs == {"good": 1, "second": 2, "third": 3, "bad": 3, "skips": 3, "odd [x]": 2}, runs
        assert {name: test.get("flaky") for name, test in results.items() if test["result"] == "OK"} == \
            {"good": None, "second": 2, "third": 3, "odd [x]": 2}, results
        assert results["bad"]["result"] == "FAIL" and results["skips"]["result"] == "FAIL", results
        assert "flaky: third: FAIL, then passed at attempt 3 of 3" in out, out
        assert summary(runner, log) == (98, ["failed: bad", "failed: skips", "flaky: odd [x]", "flaky: second",
                                             "flaky: third", "4 passed, 2 failed"]), summary(runner, log)

        code, out, runs, results = run_tests(runner, meson, folder, 0)
        assert code == 98 and set(runs.values()) == {1} and sum(test["result"] == "FAIL" for test in results.values()) == 5, (code, runs)

        code, out, runs, results = run_tests(runner, meson, folder, 2, "good", "third")
        assert code == 0 and runs == {"good": 1, "third": 3}, (code, runs)
        assert summary(runner, log) == (0, ["flaky: third", "2 passed, 0 failed"])

        code, out, _, _ = run_tests(runner, meson, folder, 2, "nothing of this name")
        assert code == 98, out
        assert summary(runner, folder / "no-such.json")[0] == 98 # a log that is missing
    print("retries: counted right")


main()
