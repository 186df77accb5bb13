#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""disasm and explain of a saved render job, and the fault of its fragment program, with the cube of drm/examples/cube.

  frame.py AGX_RUNNER CUBE FOLDER

What disasm must print are the mnemonics of the cube's sources, in their order.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

RUNNER, CUBE, FOLDER = sys.argv[1:4]
del sys.argv[1:4]
STAGES = {"vertex": "vertex", "fragment": "fragment", "background": "background", "end-of-tile": "end"}


def source_mnemonics(stage):
    with open(os.path.join(FOLDER, STAGES[stage] + ".agx"), encoding="utf-8") as file:
        lines = [line.split("//")[0].split() for line in file.read().split("stop")[0].splitlines()]
    return [words[0] for words in lines if words and not words[0].startswith(".")] + ["stop"]


class Frame(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def job(self, programs=FOLDER):
        """The saved job of a picture that the cube draws with these programs."""
        done = subprocess.run([CUBE, f"virtual:m1,threads=1,record={self.folder}", programs, "64", "30", self.folder + "/picture.ppm"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return glob.glob(self.folder + "/*.agxjob")[0]

    def run_it(self, code, *words):
        done = subprocess.run([RUNNER, *words], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_disasm(self):
        text = self.run_it(0, "disasm", self.job())
        programs = {}
        for part in re.split(r"^kernel ", text, flags=re.M)[1:]:
            programs[part.split(":")[0]] = re.findall(r"^ *[0-9a-f]+: +[0-9a-f]+ +(\S+)", part, re.M)
        self.assertEqual(sorted(programs), sorted(STAGES))
        for stage, have in programs.items():
            self.assertEqual(have[:have.index("stop") + 1], source_mnemonics(stage), stage)

    def test_one(self):
        job = self.job()
        name = re.search(r"vertex:0x[0-9a-f]+", self.run_it(0, "disasm", job)).group()
        self.assertEqual(re.findall(r"^kernel (\S+)", self.run_it(0, "disasm", "--kernel", name, job), re.M), [name])
        self.assertIn("  " + name, self.run_it(79, "disasm", "--kernel", "0x1", job))

    def test_explain(self):
        job = self.job()
        text = self.run_it(0, "explain", job)
        for stage in STAGES:
            self.assertRegex(text, rf"(?m)^program {stage}:0x[0-9a-f]+: first launch of \d+ threads, \d+ instructions of simdgroups; cycles: not modelled$")
        self.assertIn("the frame: not modelled", text)
        self.assertRegex(text, r"program end-of-tile:0x[0-9a-f]+: first launch of 1 threads, 3 ")
        self.assertIn("no time of a render pass's programs is modelled", self.run_it(79, "explain", "--format", "json", job))

    def arithmetic(self, job):
        """Modelled cycles of the fragment program's instructions: of each simdgroup where many run, and of one alone."""
        found = re.search(r"(?m)^program fragment:.*\n  as a compute program: ([0-9.]+) cycles .*, ([0-9.]+) for one alone \(modelled;",
                          self.run_it(0, "explain", job))
        self.assertTrue(found)
        return [float(cycles) for cycles in found.groups()]

    def test_arithmetic(self):
        """A scheduler issues one instruction of 32-bit floats a cycle: results/reference has that published figure."""
        before = self.arithmetic(self.job())
        programs = self.changed("fragment", "\n   ".join(["fmul r10, r8, r9"] * 40))
        for name in glob.glob(self.folder + "/*.agx*s") + glob.glob(self.folder + "/*.agxjob"):
            os.remove(name)
        after = self.arithmetic(self.job(programs))
        self.assertAlmostEqual(after[0] - before[0], 40, delta=2)
        self.assertGreater(after[1], before[1])

    def changed(self, stage, instruction):
        """A folder of the cube's programs with this instruction in front of a stage's program."""
        programs = os.path.join(self.folder, "programs")
        shutil.copytree(FOLDER, programs, dirs_exist_ok=True)
        path = os.path.join(programs, STAGES[stage] + ".agx")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r'(\.kernel .*\n)', rf"\1   {instruction}\n", text))
        return programs

    def broken(self, stage, instruction):
        """What disasm says of the cube with this instruction in front of a stage's program."""
        return self.run_it(0, "disasm", self.job(self.changed(stage, instruction)))

    def test_fragment_fault(self):
        text = self.broken("fragment", "st_var r0, 0")
        found = re.search(r"fragment program of draw 0: pixel (\d+), (\d+) and others: .*: main \+ 0x0: st_var", text)
        self.assertTrue(found, text)
        # The cube covers the middle of the picture of 64 by 64 pixels, and no corner.
        self.assertTrue(all(4 < int(at) < 60 for at in found.groups()), text)

    def test_vertex_fault(self):
        self.assertRegex(self.broken("vertex", "pixwait 12, 0\n   st_tile r0, 0, 255, 0, i32, x"),
                         r"vertex program of draw 0: vertex 0 of instance 0 and others: .*: main \+ 0x")


unittest.main()
