#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that compiler/compat follows a Mesa that has changed, on copies of the one that is built.

  changed.py SOURCES BUILD [PATCH...]           a copy for each patch; without one: for each patch of this folder
  changed.py SOURCES BUILD --tree TARGET        a source tree in TARGET, whose Mesa has all patches

A patch of this folder gives the copy one later form. For each copy choose.py must choose that form and
no other; the files of ours that use it must compile with the chosen forms, and must not with the old
ones. A copy that has neither form of a section must be refused with its name. The patches leave Mesa's own files as they are: own-callers.patch defines MESA_OWN_CALLERS for
these. So the tree of --tree builds, and its programs run.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
OWN = 'own-callers'


def patches():
    return sorted(path.stem for path in HERE.glob('*.patch') if path.stem != OWN)


def run(words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)


def need(done, what):
    if done.returncode != 0:
        sys.exit(f'{what}: {(done.stderr or done.stdout).strip()[-2000:]}')


def copy_mesa(mesa, to, names):
    """A copy whose files are links to the same content; patch replaces the files that it changes."""
    need(run(['cp', '-al', mesa, to]), 'copy of Mesa')
    for name in names:
        need(run(['patch', '-p1', '-s', '--no-backup-if-mismatch', '-i', HERE / f'{name}.patch'], cwd=to), f'{name}.patch')


def compiler_of(words):
    """The words of a command that name the compiler: newer Mesons write ccache with its path."""
    return words[:1 + (pathlib.Path(words[0]).name == 'ccache')]


class Tree:
    """A source tree of ours and its build."""

    def __init__(self, sources, build):
        self.sources = sources
        self.build = build
        self.mesa = sources / 'subprojects' / re.search(r'(?m)^directory = (.*)$', (
            sources / 'subprojects' / 'mesa.wrap').read_text())[1]
        self.commands = {os.path.relpath(build / entry['file'], sources): shlex.split(entry['command'])
                         for entry in json.loads((build / 'compile_commands.json').read_text())
                         if 'BENCH_WITH_NIR' in entry['command'] or 'libcompiler.a.p' in entry['command']}

    def users(self, functions):
        """The files that call one of the functions."""
        uses = re.compile(r'\b(' + '|'.join(functions) + r')\b')
        return [name for name in self.commands if uses.search((self.sources / name).read_text())]

    def compile(self, name, mesa, headers):
        """Compiles a file of ours with another Mesa, whose generated headers and chosen forms are in `headers`."""
        words = [word.replace(f'../subprojects/{self.mesa.name}/', f'{mesa}/') for word in self.commands[name]]
        words = words[:words.index('-MD')] + ['-fsyntax-only', '-Werror', '-c', str(self.sources / name)]
        first = len(compiler_of(words))
        words[first:first] = [f'-I{headers}', f'-I{headers}/compiler/compat/generated']
        return run(words[first - 1:], cwd=self.build)

    def choose(self, mesa, to):
        """Runs choose.py for a Mesa, with the compiler and the arguments of the build."""
        words = self.commands['compiler/backend.c']
        compiler = compiler_of(words) + [word for word in words if word.startswith('-D')]
        return run([sys.executable, self.sources / 'compiler/compat/choose.py', '--mesa', mesa, '--build', to, '--']
                   + compiler)


def functions_of(sources, section):
    text = (sources / 'compiler/compat/compat.h').read_text()
    body = text[text.index(f'#if COMPAT_{section} == COMPAT_OLD'):]
    return re.findall(r'\b(compat_\w+)\(', body[:body.index('#elif')])


def check(tree, name, folder):
    """The faults that one patch shows."""
    section = name.upper().replace('-', '_')
    mesa, new, old = folder / name, folder / f'{name}.new', folder / f'{name}.old'
    copy_mesa(tree.mesa, mesa, [name])
    done = tree.choose(mesa, new)
    need(done, f'choose.py with {name}.patch')
    chosen = dict(line.split() for line in done.stdout.splitlines())
    wrong = [f'{name}: COMPAT_{other} is {form}' for other, form in chosen.items() if (form == 'new') != (other == section)]
    if section not in chosen:
        return [f'{name}: compat.h has no section COMPAT_{section}']
    shutil.copytree(new, old)
    config = old / 'compiler/compat/compat_config.h'
    config.write_text(config.read_text().replace('COMPAT_NEW', 'COMPAT_OLD'))
    users = tree.users(functions_of(tree.sources, section))
    if not users and section != 'LINES':
        wrong.append(f'{name}: no file uses COMPAT_{section}')
    for user in users:
        done = tree.compile(user, mesa, new)
        if done.returncode != 0:
            wrong.append(f'{name}: {user} does not compile:\n{done.stderr[:1500]}')
        if tree.compile(user, mesa, old).returncode == 0:
            wrong.append(f'{name}: {user} compiles with the old form, too')
    print(f'{name}: COMPAT_{section} new; {", ".join(users) or "meson.build"}')
    return wrong


def check_neither(tree, folder):
    """A Mesa whose nir_copy_prop() has a third name, and one whose generator of a header has moved."""
    wrong = []
    for changed, old, new, said in [
            ('src/compiler/nir/nir.h', 'bool nir_copy_prop(', 'bool nir_third_copy_prop(', 'COMPAT_COPY_PROP of compiler/compat'),
            ('src/compiler/nir/nir.h', '#include "nir_opcodes.h"', '#include "nir_moved.h"', 'nir_moved.h')]:
        mesa = folder / 'neither'
        copy_mesa(tree.mesa, mesa, [])
        text = (mesa / changed).read_text().replace(old, new)
        (mesa / changed).unlink()
        (mesa / changed).write_text(text)
        done = tree.choose(mesa, folder / 'neither.new')
        if done.returncode == 0 or said not in done.stderr:
            wrong.append(f'choose.py names no {said}: {done.stderr}')
        shutil.rmtree(mesa)
    return wrong


def make_tree(tree, target):
    """A source tree whose Mesa has all patches."""
    listed = run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=tree.sources)
    need(listed, 'git')
    target.mkdir(parents=True)
    for name in listed.stdout.splitlines():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree.sources / name, target / name, follow_symlinks=False)
    copy_mesa(tree.mesa, target / 'subprojects' / tree.mesa.name, [OWN] + patches())
    print(f'{target}: meson setup, then ninja compiler/program/agx-compile')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('sources', type=pathlib.Path)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('patch', nargs='*', help='names of patches of this folder, without .patch')
    parser.add_argument('--tree', type=pathlib.Path, help='make a source tree there')
    args = parser.parse_args()
    tree = Tree(args.sources.resolve(), args.build.resolve())
    if args.tree is not None:
        make_tree(tree, args.tree)
        return
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix='compat-', dir=tree.build) as folder:
        wrong = [line for name in args.patch or patches() for line in check(tree, name, pathlib.Path(folder))]
        wrong += check_neither(tree, pathlib.Path(folder))
    if wrong:
        sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main()
