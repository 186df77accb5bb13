#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A text file as a C string: embed.py INPUT HEADER NAME OUTPUT.c - HEADER declares `extern const char NAME[]`."""
import pathlib
import sys

source, header, name, output = sys.argv[1:]
quoted = [line.replace("\\", "\\\\").replace('"', '\\"') for line in pathlib.Path(source).read_text("ascii").splitlines()]
pathlib.Path(output).write_text(f'#include "{header}"\n\nconst char {name}[] =\n'
                                + "".join(f'   "{line}\\n"\n' for line in quoted) + "   ;\n")
