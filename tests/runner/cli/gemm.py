# SPDX-License-Identifier: MIT
"""sweep gemm: each cell is a row of the table, with the program that `run` measures and the figure that it finds; the
plot says that a model made it; a finished sweep is resumed without running a cell again.

sweep layout draws the published map. The GEMM of the manual works as printed.

Usage: gemm.py AGX_RUNNER ROOT"""
import csv
import json
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from drawing import check_dark, check_paper
from folder import InFolder

RUNNER, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments):
    return subprocess.run([RUNNER, *arguments, "--device", "virtual:m1"], capture_output=True, text=True, timeout=250)


class Gemm(InFolder):
    def test_table_and_plot(self):
        table, plot, kept = (self.folder / name for name in ("gemm.csv", "gemm.svg", "kept"))
        done = run("sweep", "gemm", "mixed", "local", "direct", "64", "33x65x97", "-o", table, "--plot", plot, "--results",
                   kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(table.open()))
        results = json.loads(run("run", "matrix/gemm-mixed-*-64", "--format", "json").stdout)["results"]
        compared = 0
        for row in rows:
            self.assertEqual((row["kind"], row["check"], row["status"]), ("virtual (modelled)", "pass", "pass"), row)
            sides = [int(side) for side in row["size"].split("x")] * (1 if "x" in row["size"] else 3)
            self.assertAlmostEqual(2e-9 * sides[0] * sides[1] * sides[2] / float(row["ms"]) / float(row["tflops"]), 1,
                                   delta=1e-3)
            self.assertGreater(float(row["bytes_loaded"]), 0)
            for result in results:
                if result["name"] == f"matrix/gemm-mixed-{row['kernel']}-{row['size']}/dispatch":
                    compared += 1
                    self.assertAlmostEqual(result["value"] / float(row["tflops"]), 1, delta=1e-3)
                    self.assertIn(row["program"], json.dumps(result))
        self.assertEqual(compared, 2)
        self.assertIn("33x65x97", [row["size"] for row in rows])
        check_paper(self, plot.read_text())
        check_dark(self, plot.read_text())
        text = " ".join(xml.etree.ElementTree.parse(plot).getroot().itertext())
        for word in ("virtual (modelled)", "local", "ALU ceiling"):
            self.assertIn(word, text)
        again = subprocess.run([RUNNER, "sweep", "--resume", kept], capture_output=True, text=True, timeout=250)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(list(csv.DictReader(again.stdout.splitlines())), rows)

    def test_shapes_of_tiles(self):
        done = run("sweep", "gemm", "mixed", "local", "tiled", "100x60x129", "nn")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual({(row["kernel"], row["tile"]) for row in rows},
                         {("local", "64x64"), ("local", "32x32"), ("local", "32x64"), ("local", "64x32"),
                          ("tiled", "64x64"), ("tiled", "32x64"), ("tiled", "128x64"), ("tiled", "64x128")})
        self.assertEqual({row["check"] for row in rows}, {"pass"})
        self.assertEqual(len({row["program"] for row in rows}), 8)
        # Tiles that cover D; 8 steps of 16 along K and one more; two bytes.
        for row in rows:
            height, width = (int(side) for side in row["tile"].split("x"))
            self.assertEqual(int(row["bytes_loaded"]), -(-100 // height) * -(-60 // width) * (height + width) * 144 * 2)

    def test_power(self):
        done = run("run", "matrix/gemm-mixed-direct-64", "--power", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("virtual:m1 has no power rails: skipped", done.stderr)
        value = json.loads(done.stdout)["results"][0]["value"]
        self.assertRegex(done.stderr, rf"comparison +{value:.3f} TFLOP/s, .*: matrix/gemm-mixed-direct-64/dispatch")

    def test_layout(self):
        plot = self.folder / "layout.svg"
        done = run("sweep", "layout", "--plot", plot)
        self.assertEqual(done.returncode, 0, done.stderr)
        elements = list(xml.etree.ElementTree.parse(plot).getroot())
        cells = [(float(box.get("x")), float(box.get("y")), text.text) for box, text in zip(elements, elements[1:])
                 if box.tag.endswith("rect") and box.get("x")]
        left, top = min(cell[0] for cell in cells), min(cell[1] for cell in cells)
        size = (max(cell[0] for cell in cells) - left) / 7
        # docs/spec/isa.md 4.8: row = bit 4, then bits 2 and 1 of the lane; column = bit 3, bit 0, and the register.
        wanted = {((lane >> 3 & 1) * 4 + (lane & 1) * 2 + register, (lane >> 4 & 1) * 4 + (lane >> 1 & 3)):
                  f"{lane}.{register}" for lane in range(32) for register in range(2)}
        self.assertEqual({(round((x - left) / size), round((y - top) / size)): text for x, y, text in cells}, wanted)
        self.assertIn("virtual, modelled", plot.read_text())

    def test_the_manual(self):
        for name in ("docs/agx-runner.1.scd", "docs/matrix.md"):
            manual = (ROOT / name).read_text().replace("\\\n", " ")
            command = re.search(r"^agx-runner (exec nir_kernels/matrix/gemm_f16.agx .*)$", manual, re.M)
            self.assertIsNotNone(command, name)
            done = subprocess.run([pathlib.Path(RUNNER).resolve(), *shlex.split(command.group(1)), "--device", "virtual:m1"],
                                  capture_output=True, text=True, timeout=250, cwd=ROOT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"\b16\b")  # 64 products of 0.5 * 0.5
            done = subprocess.run([pathlib.Path(RUNNER).resolve(), *shlex.split(command.group(1)), "--device", "virtual:m1",
                                   "--dump", f"1={self.folder / 'd.bin'}"], capture_output=True, text=True, timeout=250,
                                  cwd=ROOT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(set(struct.unpack("<4096f", (self.folder / "d.bin").read_bytes())), {16.0})

    def test_mistakes(self):
        for words, message in ((("frobnicate",), "'frobnicate' is no form"), (("e4m3", "tiled"), "no cell has all")):
            done = run("sweep", "gemm", *words)
            self.assertEqual((done.returncode, done.stdout), (79, ""))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
