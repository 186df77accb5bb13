#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compiles sources to one file of LLVM bitcode, and writes the assembly file that embeds it and its functions' names.

Usage: bitcode.py CLANG LLVM_LINK LLVM_NM SUFFIX OUT.bc OUT.S DEPFILE -- CLANG_OPTIONS... -- SOURCE.c...

Invariant: the bitcode does not depend on where the tree lies (no debug information, no paths). ccache is used where the
machine has it, as meson uses it for the rest of the build.
"""
import os
import shutil
import subprocess
import sys
import tempfile

clang, link, nm, suffix, bitcode, assembly, depfile = sys.argv[1:8]
rest = sys.argv[9:]
options, sources = rest[:rest.index("--")], rest[rest.index("--") + 1:]
compiler = ["ccache", clang] if shutil.which("ccache") else [clang]
with tempfile.TemporaryDirectory() as folder:
    parts, needed = [], set()
    for index, source in enumerate(sources):
        part = os.path.join(folder, f"{index}.bc")
        subprocess.run([*compiler, *options, "-MD", "-MF", part + ".d", "-MT", "x", "-emit-llvm", "-c", source, "-o", part],
                       check=True)
        with open(part + ".d", encoding="utf-8") as file:
            needed.update(file.read().replace("\\\n", " ").split()[1:])
        parts.append(part)
    subprocess.run([link, *parts, "-o", bitcode], check=True)
listed = subprocess.run([nm, "--defined-only", bitcode], check=True, capture_output=True, text=True).stdout
names = sorted({line.split()[-1] for line in listed.splitlines() if len(line.split()) == 3}, key=str.encode)
with open(assembly, "w", encoding="utf-8") as file:
    file.write(f'''/* Made by vgpu/jit/bitcode.py. */
    .section .rodata
    .balign 16
    .globl vgpu_bitcode_{suffix}
    .hidden vgpu_bitcode_{suffix}
vgpu_bitcode_{suffix}:
    .incbin "{os.path.abspath(bitcode)}"
    .globl vgpu_bitcode_{suffix}_end
    .hidden vgpu_bitcode_{suffix}_end
vgpu_bitcode_{suffix}_end:
    .byte 0
    .globl vgpu_bitcode_{suffix}_names
    .hidden vgpu_bitcode_{suffix}_names
vgpu_bitcode_{suffix}_names:
''' + "".join(f'    .asciz "{name}"\n' for name in names) + f'''    .globl vgpu_bitcode_{suffix}_names_end
    .hidden vgpu_bitcode_{suffix}_names_end
vgpu_bitcode_{suffix}_names_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
''')
with open(depfile, "w", encoding="utf-8") as file:
    file.write(f"{bitcode} {assembly}: {' '.join(sorted(needed))}\n")
