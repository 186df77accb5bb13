#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz with a fixed seed finds nothing that ci/fuzz-known.txt does not list; and a list without the lines of one
fault makes it new. So CI is green until something new comes, and not because nothing is looked at.

Usage: known.py AGX_RUNNER KNOWN
"""
import subprocess
import sys
import tempfile

WORDS = ["--language", "nir", "--seed", "1", "--count", "1000"]


def fuzz(program, known):
    """(exit code, report as text)."""
    run = subprocess.run([program, "fuzz", *WORDS, "--known", known], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, check=False)
    return run.returncode, run.stdout


def main():
    """Exit status: 0 when both hold."""
    program, known = sys.argv[1:]
    failed = 0
    code, text = fuzz(program, known)
    if code != 0:
        print(f"something new, exit code {code}:\n{text}")
        failed += 1
    with open(known, encoding="utf-8") as file, tempfile.NamedTemporaryFile("w", suffix=".txt") as less:
        less.writelines(line for line in file if "constant_folding" not in line)
        less.flush()
        code, text = fuzz(program, less.name)
    if code != 98 or "constant_folding" not in text:
        print(f"without its line, a fault of constant folding is still known: exit code {code}")
        failed += 1
    print(f"known: {text.splitlines()[-3] if text else 'no report'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
