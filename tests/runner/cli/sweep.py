# SPDX-License-Identifier: MIT
"""sweep ilp: every point is there, the published cells stand where the published table has them, and it can be drawn.
The points run in worker processes: a sweep that was killed is resumed, and a point that fails costs that point only.

Usage: sweep.py AGX_RUNNER REFERENCE.csv"""
import csv
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

from drawing import check_dark, check_paper
from folder import InFolder

RUNNER, REFERENCE = sys.argv.pop(1), sys.argv.pop(1)
SIMDS = ["1", "2", "4", "8", "16", "24", "48", "88", "96"]
REGISTERS = {"104", "128", "160", "208", "256"}


def sweep(*arguments):
    return subprocess.run([RUNNER, "sweep", "ilp", "--device", "virtual:m1", *arguments], capture_output=True, text=True,
                          timeout=250)


class Sweep(InFolder):
    def setUp(self):
        super().setUp()
        self.table, self.plot = (self.folder / name for name in ("ilp.csv", "ilp.svg"))

    def check_drawing(self):
        drawing = xml.etree.ElementTree.parse(self.plot).getroot()
        text = " ".join(drawing.itertext())
        self.assertIn("virtual (modelled)", text)
        self.assertIn("FADD32", text)
        self.assertNotIn("FFMA", text)
        check_paper(self, self.plot.read_text())
        check_dark(self, self.plot.read_text())

    def test_one_kernel(self):
        plots = shutil.which("gnuplot") is not None
        done = sweep("fadd32", "-o", self.table, *(["--plot", self.plot] if plots else []))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("virtual, modelled", done.stdout)
        with open(self.table, newline="", encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        with open(REFERENCE, newline="", encoding="utf-8") as file:
            published = {(row["ilp"], row["simds_per_core"]): row["cycles_f32"] for row in csv.DictReader(file)
                         if "FADD" in row["instr_class"]}
        self.assertEqual({(p["instruction"], p["bits"], p["kind"], p["status"]) for p in points},
                         {("FADD", "32", "virtual (modelled)", "pass")})
        for ilp in "1234":
            row = [p for p in points if p["ilp"] == ilp]
            by_memory = {p["simds_per_core"]: p for p in row if p["occupancy_by"] == "threadgroup memory"}
            self.assertEqual(list(by_memory), SIMDS)
            self.assertEqual({p["half_registers"] for p in row if p["occupancy_by"] == "registers"}, REGISTERS)
            for simds, point in by_memory.items():
                wanted = published.pop((ilp, simds), None)
                self.assertEqual(point["published"], "" if wanted is None else f"{float(wanted):.4g}")
                self.assertLessEqual(float(point["low"]), float(point["cycles"]))
            cycles = [float(by_memory[simds]["cycles"]) for simds in SIMDS]
            for fewer, more in zip(cycles, cycles[1:]):
                self.assertLessEqual(more, fewer * 1.02)
            full = by_memory["88"]
            self.assertAlmostEqual(float(full["cycles"]) / float(full["published"]), 1, delta=0.05)
        self.assertEqual(published, {})
        if plots:
            self.check_drawing()

    def results_of(self, process, kept, count):
        """Waits until the journal of the sweep has so many results."""
        journal = kept / "journal"
        while not journal.exists() or len(re.findall(r"^result ", journal.read_text(), re.MULTILINE)) < count:
            self.assertIsNone(process.poll(), "the sweep ended before it was stopped")
            time.sleep(0.01)

    def test_interrupted(self):
        """What was measured until then is written."""
        kept = self.folder / "kept"
        with subprocess.Popen([RUNNER, "sweep", "ilp", "--device", "virtual:m1", "-o", self.table, "--results", kept],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            self.results_of(process, kept, 3)
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
        self.assertEqual(process.returncode, 112, said)
        count = int(re.search(r"stopped after (\d+) of \d+ results", said).group(1))
        self.assertGreaterEqual(count, 3)
        with open(self.table, newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.DictReader(file))), count)

    def sweep(self, *words, device="virtual:m1"):
        """Of FADD32; the code and what was said. The table is self.table."""
        done = subprocess.run([RUNNER, "sweep", *words, "-o", self.table, *(["-d", device] if device else [])],
                              capture_output=True, text=True, timeout=250)
        return done.returncode, done.stderr

    def points(self):
        with open(self.table, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_killed_and_resumed(self):
        """The table is that of a sweep that nobody disturbed, and no finished point is measured twice. Caches start cold:
        the figures of warm ones depend a little on what ran before."""
        self.assertEqual(self.sweep("ilp", "fadd32", device="virtual:m1,caches=cold")[0], 0)
        wanted, chance = self.table.read_text(), random.Random(4)
        for i in range(2):
            kept = self.folder / f"kept-{i}"
            self.table.unlink()
            with subprocess.Popen([RUNNER, "sweep", "ilp", "fadd32", "-d", "virtual:m1,caches=cold", "--results", kept],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                self.results_of(process, kept, chance.randint(3, 50))
                process.kill()
            before = re.findall(r"^result (\d+) ", (kept / "journal").read_text(), re.MULTILINE)
            code, said = self.sweep("--resume", kept, device=None)
            self.assertEqual(code, 0, said)
            self.assertEqual(self.table.read_text(), wanted)
            begun = re.findall(r"^begin (\d+) ", (kept / "journal").read_text(), re.MULTILINE)
            self.assertTrue(all(begun.count(unit) == 1 for unit in before))
            self.assertGreaterEqual(len(before), 3)

    def test_failures(self):
        """A crash costs one point. A dead GPU ends the sweep, and its table is written."""
        name = "FADD32/ilp-2/simds-8"
        crash = f"virtual:m1,inject=crash@1/{name}"
        code, said = self.sweep("ilp", "fadd32", "--reruns", "0", device=crash)
        self.assertEqual(code, 98, said)
        self.assertIn(f"{name}: crash", said)
        bad = [p for p in self.points() if p["status"] != "pass"]
        self.assertEqual([(p["ilp"], p["simds_per_core"], p["status"], p["cycles"]) for p in bad],
                         [("2", "8", "crash", "")])
        self.assertEqual(len(self.points()), 56)
        code, said = self.sweep("ilp", "fadd32", device=f"{crash},inject=firmware-death@1/check")
        self.assertEqual(code, 113, said)
        self.assertEqual([(p["ilp"], p["simds_per_core"]) for p in self.points() if p["status"] == "hang"],
                         [("2", "8")])
        self.assertEqual(len(self.points()), 14 + 4)

    def test_limit(self):
        code, said = self.sweep("ilp", "--run-timeout", "0.5")
        self.assertEqual(code, 112, said)
        self.assertIn("stopped after", said)

    def test_unknown(self):
        done = sweep("FSUB64")
        self.assertEqual(done.returncode, 79)
        self.assertIn("FSUB64", done.stderr)


if __name__ == "__main__":
    unittest.main()
