#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No instruction's bitcode takes the lanes one by one: clang does so where a function has a loop over the elements of a
vector, and compiled code is then slower than the interpreter, for which gcc makes vector instructions of the loop.

Usage: bitcode_lanes.py LLVM_DIS BITCODE...
"""
import re
import subprocess
import sys

failed = seen = 0
for path in sys.argv[2:]:
    name = None
    text = subprocess.run([sys.argv[1], path, "-o", "-"], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        start = re.match(r"define .*@(vgpu_body_\w+)\(", line)
        if start:
            name, seen = start[1], seen + 1
        elif line == "}":
            name = None
        elif name and "= extractelement " in line:
            print(f"{path}: {name}: {line.strip()}: write it with the host's vector instructions")
            failed, name = 1, None
sys.exit(98 if failed or seen < 100 else 0)
