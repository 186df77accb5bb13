#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The features that the semantics' builds may use are those that vgpu/exec/levels/cpu.c asks the processor for.

cpu_levels.py CPU_LEVELS COMPILER...: the compiler's own macros for -march=x86-64-v3 and v4 are the second source.
"""
import re
import subprocess
import sys

tables, compiler = sys.argv[1], sys.argv[2:]
# Macros that say nothing of the processor's instructions.
OTHERS = re.compile(r"__BIGGEST_ALIGNMENT__|__FP_FAST_FMA.*|__EVEX\d+__|__AVX10_VER__|__tune_\w+|__TUNE_\w+")


def macros(march):
    text = subprocess.run(compiler + [f"-march={march}", "-dM", "-E", "-x", "c", "/dev/null"], check=True,
                          capture_output=True, text=True).stdout
    return {line.split()[1] for line in text.splitlines()}


asked = {3: set(), 4: set()}
for line in subprocess.run([tables], check=True, capture_output=True, text=True).stdout.splitlines():
    level, macro = line.split()
    asked[int(level)].add(macro)
base, v3, v4 = macros("x86-64"), macros("x86-64-v3"), macros("x86-64-v4")
failed = False
for level, used in ((3, v3 - base), (4, v4 - v3)):
    missing = {name for name in used - asked[level] if not OTHERS.fullmatch(name)}
    # Compilers may leave some out (clang 13 has no __CRC32__): that is no harm.
    print(f"x86-64-v{level}: {len(used)} macros, {len(asked[level])} asked for")
    if missing:
        print(f"the compiler may use, and nobody asks for: {' '.join(sorted(missing))}")
        failed = True
    if len(asked[level] & used) < len(asked[level]) - 2:
        print(f"asked for, not in the compiler: {' '.join(sorted(asked[level] - used))}")
        failed = True
sys.exit(failed)
