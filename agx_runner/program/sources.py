#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The kernels' source files as C: a figure is traced to them.

sources.py SOURCE_ROOT OUTPUT.c - runs with every build, and writes only what has changed."""
import pathlib
import sys

root, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def literal(text):
    """Lines of C strings; bytes that are not ASCII as octal digits."""
    lines = []
    for line in text.splitlines(keepends=True):
        out = ""
        for byte in line.encode():
            char = chr(byte)
            out += {"\n": "\\n", '"': '\\"', "\\": "\\\\", "?": "\\?"}.get(
                char, char if 32 <= byte < 127 else f"\\{byte:03o}")
        lines.append(f'   "{out}"')
    return "\n".join(lines) or '   ""'


text = ['#include "agx_runner/program/sources.h"', "",
        "const struct source_file source_files[] = {"]
kernels = sorted(path for path in (root / "nir_kernels").rglob("*") if path.suffix in (".agx", ".c", ".cl", ".clh", ".h"))
for path in kernels:
    text += [f'{{"{path.name}",', literal(path.read_text()) + "},"]
text += ["};", f"const unsigned source_file_count = {len(kernels)};", ""]
whole = "\n".join(text)
if not output.exists() or output.read_text() != whole:
    output.write_text(whole)
