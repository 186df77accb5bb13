# SPDX-License-Identifier: MIT
"""Counts the instructions of aarch64 programs by qemu's user mode and the plugin count.c."""
import os
import shutil
import subprocess
import sys
import tempfile

PLUGIN = os.path.join("tests", "bench", "libqemu-count.so") # in a build folder


def usable(plugin):
    return shutil.which("qemu-aarch64") is not None and os.path.exists(plugin)


def run(plugin, root, words, environment=None):
    """The counts at the program's marks and at its end, and its output. root: the folder with its libraries."""
    with tempfile.NamedTemporaryFile() as counts:
        done = subprocess.run(["qemu-aarch64", "-L", root, "-plugin", f"{plugin},out={counts.name}", *words],
                              capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr}")
        return [int(line) for line in counts.read().split()], done.stdout
