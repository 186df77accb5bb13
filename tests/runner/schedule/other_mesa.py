# SPDX-License-Identifier: MIT
"""Mesa without its scheduler, and with one made worse: explain --schedules --baseline and ci/compare-mesa both say so, and
neither says it of the same Mesa twice.

Usage: other_mesa.py AGX_RUNNER WORSE_AGX_COMPILE COMPARE_MESA"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COMPARE = sys.argv.pop(3)
WORSE_COMPILE = sys.argv.pop(2)
RUNNER = sys.argv.pop(1)
WITHOUT = dict(os.environ, AGX_MESA_DEBUG="nosched")


def wide(count):
    """Loads first, uses last: without a scheduler all values are alive at a time."""
    text = f"kernel void wide{count}(global float *out, global const float *in) {{ int i = get_global_id(0); float s = 0;"
    text += "".join(f" float v{k} = in[i + {k * 64}];" for k in range(count))
    return text + "".join(f" s = s * 1.5f + v{k * 7 % count} * v{k};" for k in range(count)) + " out[i] = s; }"


def near(count):
    """Each load is beside its use: a scheduler can only make it worse."""
    text = f"kernel void near{count}(global float *out, global const float *in) {{ int i = get_global_id(0); float s = 0;"
    return text + "".join(f" s = s * 1.5f + in[i + {k * 64}];" for k in range(count)) + " out[i] = s; }"


class OtherMesa(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.worse = self.folder / "worse-agx-runner"
        self.worse.write_text(f"#!/bin/sh\nAGX_RUNNER_COMPILER='{WORSE_COMPILE}' exec '{RUNNER}' \"$@\"\n")
        self.worse.chmod(0o755)
        self.kernels = self.folder / "kernels"
        self.kernels.mkdir()
        (self.kernels / "wide.cl").write_text("\n".join(map(wide, (64, 96))))
        (self.kernels / "near.cl").write_text("\n".join(map(near, (96, 128))))
        self.base = self.folder / "base.json"
        done = subprocess.run([RUNNER, "explain", "--schedules", self.kernels, "--format", "json", "-o", self.base])
        self.assertEqual(done.returncode, 0)

    def rank(self, runner, code, *arguments, env=None):
        done = subprocess.run([runner, "explain", "--schedules", self.kernels, "--baseline", self.base, *arguments],
                              capture_output=True, text=True, timeout=200, env=env)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def change(self, done):
        found = re.search(r"4 kernels in both: (\S+) % cycles at full occupancy, (\S+) % alone; (\d+) slower", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        return float(found[1]), float(found[2]), int(found[3])

    def test_same(self):
        self.assertEqual(self.change(self.rank(RUNNER, 0)), (0, 0, 0))

    def test_without(self):
        done = self.rank(RUNNER, 98, env=WITHOUT)
        self.assertIn("worse than in the baseline (modelled)", done.stderr)
        self.assertRegex(done.stdout, r"\+[\d.]+ % +\+[\d.]+ %  wide64 \(")
        cycles, alone, slower = self.change(done)
        self.assertGreater(max(cycles, alone), 1)
        self.assertGreaterEqual(slower, 1)

    def test_worse(self):
        done = self.rank(self.worse, 98)
        self.assertGreater(max(self.change(done)[:2]), 1)
        self.assertRegex(done.stdout, r"\+[\d.]+ % +[+-][\d.]+ %  near\d+ \(")

    def test_json(self):
        done = self.rank(self.worse, 98, "--format", "json")
        self.assertEqual(len(json.loads(done.stdout)["kernels"]), 4)
        self.assertIn("4 kernels in both", done.stderr)

    def test_refusals(self):
        self.base.write_text("[1]")
        self.assertIn("expected what explain --schedules --format json wrote", self.rank(RUNNER, 79).stderr)
        self.base.write_text('{"kernels": [1, {"file": 2}]}')
        self.assertIn("none of these kernels", self.rank(RUNNER, 79).stderr)
        done = subprocess.run([RUNNER, "explain", "--baseline", self.base, self.kernels / "near.cl"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 79)
        self.assertIn("--baseline needs --schedules", done.stderr)

    def test_compare_mesa(self):
        without = self.folder / "without"
        without.write_text(f'#!/bin/sh\nAGX_MESA_DEBUG=nosched exec "{RUNNER}" "$@"\n')
        without.chmod(0o755)
        for head, code in ((RUNNER, 0), (without, 98), (self.worse, 98)):
            with self.subTest(head=head):
                done = subprocess.run([COMPARE, "--work", self.folder / "work", "--no-piglit", "--fuzz", "0", "--kernels",
                                       self.kernels, RUNNER, head, "example"], capture_output=True, text=True, timeout=200)
                self.assertEqual(done.returncode, code, done.stdout[-2000:] + done.stderr[-2000:])


unittest.main()
