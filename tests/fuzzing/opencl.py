#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz --language opencl finds faults of the pinned Mesa and its front end from a fixed seed, shrinks them to a
kernel of few operations, and writes Piglit tests that fail as the report says. It finds crashes of the compiler, too.

Usage: opencl.py AGX_RUNNER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

COUNT = "60"
# What is blamed, and a part of the shape: from docs/mesa-bugs.md (F1, 1 and 2), not from the fuzzer.
EXPECTED = [("nir_opt_constant_folding", "add_sat"), ("agx_optimizer_forward", "ushort"), ("front end", "get_global_id")]

# Kernels that crash the compiler, and where: 11 and 8 of docs/mesa-bugs.md.
CRASHES = [("sampler.cl", "the SPIR-V translator"), ("division.cl", "Mesa's NIR passes")]


def crashes(program, name, where):
    """Whether the kernel of that file crashes the compiler there."""
    path = pathlib.Path(__file__).parent / "crashing" / name
    run = subprocess.run([program, "piglit", "--jobs", "1", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    print(run.stdout)
    return run.returncode == 98 and f"crashed in {where}" in run.stdout


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
        files = [path for path in sorted(pathlib.Path(folder).glob("*.cl")) if "AGX_MESA_DEBUG" not in path.read_text("utf-8")]
        few = [finding for finding in findings if "AGX_MESA_DEBUG" in finding["program"]]  # these need the switch
        run = subprocess.run([program, "piglit", "--jobs", "1", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             check=False)
        if len(files) + len(few) < len(wrong) or run.returncode != 98 or "pass" in run.stdout.split("fail")[0]:
            print(f"the findings as Piglit tests: exit code {run.returncode}\n{run.stdout[-1500:]}{run.stderr[-500:]}")
            failed += 1
        # PoCL need not be asked of what is known.
        known = pathlib.Path(folder, "known.txt")
        known.write_text("wrong: *\n", encoding="utf-8")
        subprocess.run([program, "fuzz", "--language", "opencl", "--seed", "4711", "--first", str(wrong[0]["index"]), "--count", "1",
                        "--known", known, "-f", "json", "-o", report], stderr=subprocess.DEVNULL, check=False)
        again = json.loads(report.read_text(encoding="utf-8"))["findings"]
        if wrong[0]["pocl"] == "" or [f["pocl"] for f in again if f["known"]] != ["not asked: the finding is known"]:
            print(f"PoCL: {wrong[0]['pocl']} of a new finding, {[f['pocl'] for f in again]} of a known one")
            failed += 1
    for name, where in CRASHES:
        if not crashes(program, name, where):
            print(f"{name}: no crash in {where}")
            failed += 1
    print(f"{len(findings)} findings, {len(files)} Piglit tests\n{run.stdout[-400:]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
