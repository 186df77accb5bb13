# SPDX-License-Identifier: MIT
"""Writes the paths of Piglit's OpenCL C program tests, one a line: piglit_list.py SOURCE_ROOT OUTPUT.

ci/setup.sh takes them out of Debian's package into .cache/piglit; else an installed Piglit serves. Empty without.
"""
import glob
import sys

paths = []
for root in [f"{sys.argv[1]}/.cache/piglit"] + sorted(glob.glob("/usr/lib*/piglit") + glob.glob("/usr/lib/*/piglit")):
    if not paths:
        for folder in ("tests/cl/program/execute", "generated_tests/cl"):
            paths += sorted(glob.glob(f"{root}/{folder}/**/*.cl", recursive=True))
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.writelines(path + "\n" for path in paths)
