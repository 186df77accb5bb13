#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes files as a C table of strings, struct bench_file of nir_kernels/source_text.h: embed_text.py OUTPUT FILE..."""
import pathlib
import sys


def literal(line):
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'      "{escaped}\\n"'


def main(output, *files):
    text = ['/* Made by nir_kernels/embed_text.py. */\n#include "nir_kernels/source_text.h"\n',
            "const struct bench_file bench_files[] = {"]
    for path in map(pathlib.Path, files):
        lines = path.read_text(encoding="utf-8").splitlines()
        text.append(f'   {{"{path.name}",\n' + "\n".join(map(literal, lines)) + "},")
    text.append(f"}};\nconst size_t bench_file_count = {len(files)};\n")
    pathlib.Path(output).write_text("\n".join(text), encoding="utf-8")


main(*sys.argv[1:])
