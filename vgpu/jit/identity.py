#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a header with a hash of the sources that decide which text LLVM gets for a block.

Usage: identity.py OUT.h SOURCE...

Kept code of an older version is so not taken for that of a new one (vgpu/jit/objects.c). Invariant: the hash does not
depend on where the tree lies.
"""
import hashlib
import os
import sys

digest = hashlib.sha256()
for path in sorted(sys.argv[2:], key=os.path.basename):
    with open(path, "rb") as file:
        content = file.read()
    digest.update(f"{os.path.basename(path)} {len(content)}\n".encode() + content)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(f'/* Made by vgpu/jit/identity.py. */\n#define VGPU_JIT_SOURCES "{digest.hexdigest()}"\n')
