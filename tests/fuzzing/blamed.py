#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz FILE blames the pass that the file names ("# blamed: PASS"). Each file was once blamed on another one.

Usage: blamed.py AGX_RUNNER FILE...
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def blamed(program, path):
    """The passes that are blamed for a program."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        subprocess.run([program, "fuzz", "-f", "json", "-o", report, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        return [finding["blamed"] for finding in json.loads(report.read_text(encoding="utf-8"))["findings"]]


def main():
    """Exit status: 0 when each is."""
    program, failed = sys.argv[1], 0
    for path in sys.argv[2:]:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        expected = [line.removeprefix("# blamed: ") for line in text.splitlines() if line.startswith("# blamed: ")]
        found = blamed(program, path)
        if not expected or found != expected:
            print(f"{path}: blamed on {found}, expected {expected}")
            failed += 1
    print(f"{len(sys.argv) - 2} programs")
    return 1 if failed or len(sys.argv) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
