# SPDX-License-Identifier: MIT
"""What the tests of the command line share. Their words: AGX_RUNNER SOURCE_ROOT [TEST...]"""
import os
import pathlib
import subprocess
import sys
import unittest

from folder import InFolder

RUNNER, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
VIRTUAL = "virtual, modelled: not a measurement of hardware"
OK, SKIPPED, INVALID, FAILED, ABORTED = 0, 77, 79, 98, 112
SAXPY = str(ROOT / "nir_kernels" / "saxpy.cl")


def run(*arguments, environment=None, **keywords):
    return subprocess.run([RUNNER, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, **(environment or {})), **keywords)


class Case(InFolder):
    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def expect(self, code, *arguments, message=None, **keywords):
        """Runs, compares the exit code, and looks for `message` in what goes to stderr."""
        result = run(*arguments, **keywords)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stderr}")
        if code != OK:
            self.assertRegex(result.stderr, "agx-runner: |error: |unsupported: ")
        if message is not None:
            self.assertRegex(result.stderr, message)
        return result


def main():
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]])
