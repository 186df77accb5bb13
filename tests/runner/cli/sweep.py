# SPDX-License-Identifier: MIT
"""sweep ilp: every point is there, the published cells stand where the published table has them, and it can be drawn.

Usage: sweep.py AGX_RUNNER REFERENCE.csv"""
import csv
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

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

    def interrupt(self, seconds):
        """How many points it says it has measured when it is stopped after so long; None: it had ended."""
        with subprocess.Popen([RUNNER, "sweep", "ilp", "--device", "virtual:m1", "-o", self.table],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        stopped = re.search(r"stopped after (\d+) of \d+ points", said)
        if stopped:
            self.assertEqual(process.returncode, 112)
        return int(stopped.group(1)) if stopped else None

    def test_interrupted(self):
        """What was measured until then is written."""
        for seconds in 2, 4, 8, 1:
            count = self.interrupt(seconds)
            if count:
                break
        self.assertTrue(count)
        with open(self.table, newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.DictReader(file))), count)

    def test_unknown(self):
        done = sweep("FSUB64")
        self.assertEqual(done.returncode, 79)
        self.assertIn("FSUB64", done.stderr)


if __name__ == "__main__":
    unittest.main()
