#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commit of a folder, as a C function: its 12 digits, "+changes" behind them when files differ from it; "unknown"
when the folder is no checkout.

commit.py FUNCTION FOLDER OUTPUT.c   runs with every build, and writes only what has changed. FOLDER may be a Meson wrap
                                     file, and is then the subproject's folder."""
import pathlib
import subprocess
import sys


def git(folder, *words):
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout


def commit(folder):
    """A folder inside somebody else's checkout is none."""
    try:
        if pathlib.Path(git(folder, "rev-parse", "--show-toplevel").strip()).resolve() != folder.resolve():
            return "unknown"
        changed = git(folder, "status", "--porcelain", "--untracked-files=no") != ""
        return git(folder, "rev-parse", "--short=12", "HEAD").strip() + ("+changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def subproject(wrap):
    name = next(line.split("=")[1].strip() for line in wrap.read_text().splitlines() if line.startswith("directory"))
    return wrap.parent / name


def main():
    function, folder, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    text = commit(subproject(folder) if folder.suffix == ".wrap" else folder)
    whole = f'const char *{function}(void);\nconst char *{function}(void)\n{{\n   return "{text}";\n}}\n'
    if not output.exists() or output.read_text() != whole:
        output.write_text(whole)


if __name__ == "__main__":
    main()
