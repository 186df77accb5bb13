#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""No instruction's bitcode takes the lanes one by one: clang does so where a function has a loop over the elements of a
vector, and compiled code is then slower than the interpreter, for which gcc makes vector instructions of the loop.

Usage: bitcode_lanes.py LLVM_DIS BITCODE...
"""
import re
import subprocess
import sys

FEW = 4 # elements that a function may take for itself

failed = seen = 0
for path in sys.argv[2:]:
    text = subprocess.run([sys.argv[1], path, "-o", "-"], check=True, capture_output=True, text=True).stdout
    for name, body in re.findall(r"^define [^\n]*@(vgpu_body_\w+)\((.*?)^}", text, re.MULTILINE | re.DOTALL):
        seen += 1
        taken = re.findall(r"= extractelement .*, i\d+ (\S+)", body)
        if len(taken) > FEW or any(index.startswith("%") for index in taken):
            print(f"{path}: {name} takes {len(taken)} elements of vectors one by one: write it with the host's vector instructions")
            failed = 1
sys.exit(98 if failed or seen < 100 else 0)
