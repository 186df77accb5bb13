# SPDX-License-Identifier: MIT
"""sweep gemm: each cell is a row of the table, with the program that `run` measures and the figure that it finds; the
plot says that a model made it; a finished sweep is resumed without running a cell again.

Usage: gemm.py AGX_RUNNER"""
import csv
import json
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from folder import InFolder

RUNNER = sys.argv.pop(1)


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
        text = " ".join(xml.etree.ElementTree.parse(plot).getroot().itertext())
        for word in ("virtual (modelled)", "local", "ALU ceiling"):
            self.assertIn(word, text)
        again = subprocess.run([RUNNER, "sweep", "--resume", kept], capture_output=True, text=True, timeout=250)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(list(csv.DictReader(again.stdout.splitlines())), rows)

    def test_mistakes(self):
        for words, message in ((("frobnicate",), "'frobnicate' is no form"), (("e4m3", "local"), "no cell has all")):
            done = run("sweep", "gemm", *words)
            self.assertEqual((done.returncode, done.stdout), (79, ""))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
