#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Adds the group of docs/adding-a-benchmark.md to a copy of nir_kernels/: adding_group.py SOURCE_ROOT BUILD_ROOT

Invariant: two places name a group, its file and a line of nir_kernels/meson.build. With both, Meson compiles the file and the
catalogue refers to its group, last in order. With the file alone, neither happens."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
FILE = "nir_kernels/alu/rotate_agx.c"
OBJECT = "nir_kernels/libbench.a.p/alu_rotate_agx.c.o"
CATALOGUE = "nir_kernels/libbench.a.p/catalogue.c.o"
# What nir_kernels/meson.build needs of the tree. Generated headers of other rooms come from the real build.
PROJECT = f"""project('made-up', 'c', default_options : ['c_std=gnu11', 'warning_level=2', 'werror=true'])
root = include_directories('.')
our_args = ['-D_GNU_SOURCE', '-Wno-missing-field-initializers', '-idirafter', '{ROOT}', '-idirafter', '{BUILD}']
idep_compiler_api = declare_dependency()
idep_compiler_client = declare_dependency()
dep_m = dependency('', required : false)
compiler_cl_command = ['true', '@INPUT@']
compiler_embed_command = ['true']
subdir('nir_kernels')
"""


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def symbols(path):
    """Names of an object file's symbols, by nm's letter for them."""
    return {(letter, name) for letter, name in re.findall(r"^\s*[0-9a-f]*\s+(\w) (\w+)$", call("nm", path), re.M)}


def build(tree, name):
    """Configures and compiles the catalogue: the folder, and the targets that Meson made."""
    folder = tree / name
    call(call(ROOT / "ci/setup.sh", "--meson").strip(), "setup", folder, tree)
    call("ninja", "-C", folder, CATALOGUE)
    return folder, call("ninja", "-C", folder, "-t", "targets", "all")


def main():
    manual = (ROOT / "docs/adding-a-benchmark.md").read_text(encoding="utf-8")
    _, after = manual.split("## A new group\n")
    text = re.search(r"^```c\n(.*?)^```$", after, re.M | re.S).group(1)
    line = re.search(r"^```meson\n([^\n]*\n)```$", after, re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        shutil.copytree(ROOT / "nir_kernels", tree / "nir_kernels")
        (tree / "meson.build").write_text(PROJECT)
        (tree / FILE).write_text(text)
        at, targets = build(tree, "file-alone")
        assert OBJECT not in targets, "the file alone is compiled"
        assert ("U", "bench_rotate_agx") not in symbols(at / CATALOGUE), "the file alone is in the catalogue"

        rows = tree / "nir_kernels/meson.build"
        head, count = re.subn(r"(?m)^(bench_groups = \[\n(?:  \[.*\],\n)*)", lambda found: found.group(1) + line,
                              rows.read_text())
        assert count == 1, f"{rows}: no list bench_groups"
        rows.write_text(head)
        at, targets = build(tree, "both")
        assert OBJECT in targets, "the file is not compiled"
        call("ninja", "-C", at, OBJECT)
        assert ("U", "bench_rotate_agx") in symbols(at / CATALOGUE), "the group is not in the catalogue"
        defined = {name for letter, name in symbols(at / OBJECT) if letter in "DRdr"}
        assert "bench_rotate_agx" in defined, f"the file does not define its group: {defined}"
        listed = re.findall(r"GROUP\((\w+), (\w+)\)", (at / "nir_kernels/group_list.h").read_text())
        assert listed[-1] == ("rotate_agx", "false"), f"the group is not the last one: {listed}"
    print("2 places: a file and a line")


main()
