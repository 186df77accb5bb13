#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a figure must be traced to, as C: the commits of agx-runner and of Mesa, and the kernels' source files.

sources.py SOURCE_ROOT OUTPUT.c - runs with every build, and writes only what has changed."""
import pathlib
import subprocess
import sys

root, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def commit(folder):
    """(commit, is it changed?) of a checkout; a folder inside somebody else's checkout is none."""
    def git(*words):
        return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout
    try:
        if pathlib.Path(git("rev-parse", "--show-toplevel").strip()).resolve() != folder.resolve():
            return "unknown", False
        return (git("rev-parse", "--short=12", "HEAD").strip(),
                git("status", "--porcelain", "--untracked-files=no") != "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown", False


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


def mesa_folder():
    wrap = (root / "subprojects" / "mesa.wrap").read_text()
    name = next(line.split("=")[1].strip() for line in wrap.splitlines() if line.startswith("directory"))
    return root / "subprojects" / name


ours, ours_dirty = commit(root)
mesa, mesa_dirty = commit(mesa_folder())
text = ['#include "agx_runner/program/sources.h"', "",
        f'const struct sources_commit sources_agx_runner = {{"{ours}", {str(ours_dirty).lower()}}};',
        f'const struct sources_commit sources_mesa = {{"{mesa}", {str(mesa_dirty).lower()}}};',
        "const struct source_file source_files[] = {"]
kernels = sorted(path for path in (root / "nir_kernels").rglob("*") if path.suffix in (".agx", ".c", ".cl", ".clh", ".h"))
for path in kernels:
    text += [f'{{"{path.name}",', literal(path.read_text()) + "},"]
text += ["};", f"const unsigned source_file_count = {len(kernels)};", ""]
whole = "\n".join(text)
if not output.exists() or output.read_text() != whole:
    output.write_text(whole)
