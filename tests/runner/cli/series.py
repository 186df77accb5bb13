# SPDX-License-Identifier: MIT
"""sweep bandwidth, atomics and launch: each point is a row of the table with the figure that `run` finds; the plot says
that a model made it; a finished sweep is resumed without running a point again; a point without a figure says why.

Usage: series.py AGX_RUNNER"""
import csv
import json
import math
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from drawing import check_dark, check_paper
from folder import InFolder

RUNNER = sys.argv.pop(1)


def run(*arguments):
    return subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=250)


class Series(InFolder):
    def test_bandwidth(self):
        table, plot, kept = (self.folder / name for name in ("table.csv", "plot.svg", "kept"))
        done = run("sweep", "bandwidth", "local-stride", "core-stride", "-d", "virtual:m1", "-o", table, "--plot", plot,
                   "--results", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        with table.open() as file:
            rows = list(csv.DictReader(file))
        values = {(row["series"], int(row["x"])): float(row["value"]) for row in rows}
        self.assertEqual({(row["kind"], row["status"], row["unit"]) for row in rows},
                         {("virtual (modelled)", "pass", "word/cycle/core")})
        # 32 banks of a word: lanes whose words share a bank take turns.
        for stride in (1, 2, 3, 4, 8, 16, 32, 33):
            value = values.pop(("local-stride", stride))
            self.assertLess(abs(value / (32 / math.gcd(stride, 32)) - 1), 0.05, f"stride {stride}: {value}")
        results = json.loads(run("run", "memory/core-stride-*", "-d", "virtual:m1", "--format", "json").stdout)["results"]
        self.assertEqual(len(results), len(values))
        for result in results:
            at = int(result["name"].split("/")[1].split("-")[-1])
            self.assertLess(abs(values[("core-stride", at)] / result["value"] - 1), 0.01, result["name"])
        check_paper(self, plot.read_text())
        check_dark(self, plot.read_text())
        text = " ".join(xml.etree.ElementTree.parse(plot).getroot().itertext())
        for word in ("virtual (modelled)", "local-stride", "core-stride", "words from lane to lane"):
            self.assertIn(word, text)
        again = run("sweep", "--resume", kept)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(list(csv.DictReader(again.stdout.splitlines())), rows)

    def test_variants_and_sizes(self):
        done = run("sweep", "atomics", "local-add-words", "-d", "virtual:m1")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual(sorted((row["series"], int(row["x"])) for row in rows),
                         sorted((name, 1 << i) for name in ("local-add-words", "local-add-words return") for i in range(6)))
        listed = run("list", "memory/core-read-*").stdout.split()
        self.assertIn("memory/core-read-512k/rate", listed)

    def test_launch(self):
        done = run("sweep", "launch", "gap", "-d", "virtual:m1")
        self.assertEqual(done.returncode, 77, done.stderr)  # all are skipped
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual({(row["value"], row["status"]) for row in rows}, {("", "skip")})
        self.assertTrue(all("dvfs=command" in row["reason"] for row in rows))
        with open(self.folder / "params", "w", encoding="ascii") as file:
            file.write("command/concurrent-bit-1 11\ncommand/concurrent-bit-20 23\n")
        done = run("sweep", "launch", "side-by-side-bit", "-d", f"virtual:m1,dvfs=command,params={self.folder / 'params'}")
        values = {int(row["x"]): float(row["value"]) for row in csv.DictReader(done.stdout.splitlines())}
        self.assertEqual(sorted(values), list(range(21)))
        for bit, launches in ((1, 11), (20, 23), (7, 64), (8, 1)):
            self.assertLess(abs(values[bit] / launches - 1), 0.01, f"bit {bit}: {values[bit]}")

    def test_mistakes(self):
        done = run("sweep", "bandwidth", "gap", "-d", "virtual:m1")
        self.assertEqual((done.returncode, done.stdout), (79, ""))
        self.assertIn("there is no 'gap', only core-read, core-stride, local-stride, read, copy", done.stderr)

    def test_report(self):
        done = run("run", "memory/local-stride-*", "-d", "virtual:m1", "--format", "json", "-o", self.folder / "run.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("report", self.folder / "run.json", "-o", self.folder / "report.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "report.html", encoding="utf-8") as file:
            self.assertIn("Curves of benchmarks, by virtual (modelled) figures", file.read())


if __name__ == "__main__":
    unittest.main()
