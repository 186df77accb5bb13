#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz FILE blames the pass that the file names ("# blamed: PASS"). Where the file names them it says the wrong rule of Mesa's
tables ("# rule: RULE"), and marks the wrong instructions ("# marked: NAME..."). Most files were once blamed on another pass.

Usage: blamed.py AGX_RUNNER FILE...
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def find(program, path):
    """What is found."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        subprocess.run([program, "fuzz", "-f", "json", "-o", report, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        return json.loads(report.read_text(encoding="utf-8"))["findings"]


def named(text, word):
    """What a file names."""
    return [line.removeprefix(f"# {word}: ") for line in text.splitlines() if line.startswith(f"# {word}: ")]


def marked(findings):
    """The names of the instructions that are marked as wrong: a line has the mark, address, bytes, instruction."""
    return [" ".join(line.split()[3] for line in finding["marked"]) for finding in findings if "wrong instruction" in finding["marks"]]


def main():
    """Exit status: 0 when each is."""
    program, failed = sys.argv[1], 0
    for path in sys.argv[2:]:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        expected, rules, marks = named(text, "blamed"), named(text, "rule"), named(text, "marked")
        findings = find(program, path)
        found = [finding["blamed"] for finding in findings]
        said = [finding["rule"].removeprefix("rule: ") for finding in findings if finding["rule"]]
        if said != rules:
            print(f"{path}: the rule is {said}, expected {rules}")
            failed += 1
        if not expected or found != expected or (marks and marked(findings) != marks):
            print(f"{path}: blamed on {found}, expected {expected}; marked {marked(findings)}, expected {marks}")
            failed += 1
    print(f"{len(sys.argv) - 2} programs")
    return 1 if failed or len(sys.argv) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
