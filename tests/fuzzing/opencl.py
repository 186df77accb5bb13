#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz --language opencl finds faults of the pinned Mesa and its front end from a fixed seed, shrinks them to a
kernel of few operations, and writes Piglit tests that fail as the report says.

Usage: opencl.py AGX_RUNNER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

COUNT = "60"
# What is blamed, and a part of the shape: from docs/mesa-bugs.md (F1, 1 and F14), not from the fuzzer.
EXPECTED = [("nir_opt_constant_folding", "add_sat"), ("agx_optimizer_forward", "ushort"), ("front end", "mad_sat long")]


def main():
    """Exit status: 0 when all is found."""
    program = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        run = subprocess.run([program, "fuzz", "--language", "opencl", "--seed", "4711", "--count", COUNT, "--corpus", folder,
                              "-f", "json", "-o", report], stderr=subprocess.PIPE, text=True, check=False)
        if run.returncode != 98:
            sys.exit(f"fuzz: exit code {run.returncode}\n{run.stderr[-2000:]}")
        findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
        wrong = [finding for finding in findings if finding["kind"] == "wrong answer"]
        for blamed, part in EXPECTED:
            if not any(blamed in finding["blamed"] and part in finding["signature"] for finding in wrong):
                print(f"not found: {part}, blamed on {blamed}")
                failed += 1
        small = [finding for finding in wrong if finding["program"].count(";") <= 3]
        if len(small) * 2 < len(wrong):
            print("most findings have more than three statements")
            failed += 1
        files = sorted(pathlib.Path(folder).glob("*.cl"))
        run = subprocess.run([program, "piglit", "--jobs", "1", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             check=False)
        if len(files) < len(wrong) or run.returncode != 98 or "pass" in run.stdout.split("fail")[0]:
            print(f"the findings as Piglit tests: exit code {run.returncode}\n{run.stdout[-1500:]}{run.stderr[-500:]}")
            failed += 1
    print(f"{len(findings)} findings, {len(files)} Piglit tests\n{run.stdout[-400:]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
