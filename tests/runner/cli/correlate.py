# SPDX-License-Identifier: MIT
"""correlate: every published figure is a row, factors follow from the tables of the figures, which this reads by itself,
and blind figures do not get worse.

Usage: correlate.py AGX_RUNNER SOURCE_ROOT"""
import csv
import json
import math
import pathlib
import shutil
import subprocess
import sys
import unittest

from case import FAILED, INVALID, OK, Case, ROOT, main, run

RECORD = ROOT / "results/correlation.csv"
REFERENCE = ROOT / "results/reference"


def rows_of(table):
    with open(REFERENCE / f"{table}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# These kernels are in OpenCL C. clang's versions make different code of them (LLVM 22's errors are larger by up to 1.8 points), so
# the record, which was made with LLVM 15, does not judge them.
CLANG_GROUP = "changes of kernels"


class Whole(Case):
    def record(self):
        """The recorded errors without CLANG_GROUP's. Those of all groups together may grow by one point, since they hold it."""
        with open(RECORD, encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["group"] != CLANG_GROUP]
        path = self.file("record.csv", "")
        with open(path, "w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            table.writeheader()
            for row in rows:
                if row["group"] == "all":
                    row.update({key: float(row[key]) + 1 for key in ("median", "ninetieth", "worst")})
                table.writerow(row)
        return path

    def test_all(self):
        """One run: nothing is missing, and the blind figures are as good as recorded."""
        done = run("correlate", "--format", "json", "--check", self.record())
        self.assertEqual(done.returncode, OK, done.stderr)
        report = json.loads(done.stdout)
        figures = report["figures"]
        judged = [figure for figure in figures if figure["factor"] is not None]
        self.assertGreaterEqual(len(judged), 300)
        self.assertGreaterEqual(sum(figure["role"] == "blind" for figure in judged), 60)
        for figure in figures:
            self.assertTrue(figure["factor"] is not None or figure["role"] == "not asked", figure)
            self.assertTrue(figure["factor"] is not None or figure["note"], figure)
        errors = [abs(math.log(figure["factor"])) for figure in judged]
        self.assertEqual(errors, sorted(errors, reverse=True), "misses are not first")
        self.published(judged)
        self.summaries(report, judged)

    def published(self, judged):
        """The rows of three tables against the tables themselves."""
        found = {(figure["table"], figure["row"], figure["figure"]): figure for figure in judged}
        for row in rows_of("instr"):
            figure = found.get(("instr", f"{row['section']}/{row['name']}", "throughput"))
            if figure is not None and row["throughput_qualifier"] == "":
                self.assertAlmostEqual(figure["factor"], figure["model"] / float(row["throughput"]), places=5)
        for row in rows_of("ilp_occupancy"):
            key = f"{row['instr_class']} ilp {row['ilp']} simds {row['simds_per_core']}"
            figure = found["ilp_occupancy", key, "cycles_f32"]
            self.assertAlmostEqual(figure["factor"], figure["model"] / float(row["cycles_f32"]), places=5)
        for row in rows_of("mixed_a"):
            figure = found["mixed_a", row["sequence"], "throughput_cycles"]
            self.assertAlmostEqual(figure["factor"], figure["model"] / float(row["throughput_cycles"]), places=5)
        within = found["memory", "dram_latency, M1 Max", "value"]  # an upper bound of 350 ns
        self.assertTrue(within["factor"] == 1 and within["model"] < 350, within)

    def summaries(self, report, judged):
        blind = sorted(100 * abs(figure["factor"] - 1) for figure in judged if figure["role"] == "blind")
        summary = next(s for s in report["summaries"] if s["group"] == "all" and s["role"] == "blind")
        self.assertEqual(summary["figures"], len(blind))
        self.assertAlmostEqual(summary["worst_percent"], blind[-1], places=4)
        self.assertAlmostEqual(summary["median_percent"], blind[len(blind) // 2], places=4)


class Parts(Case):
    def test_check(self):
        """A record that is better than the model fails, and says what got worse."""
        worse = self.file("worse.csv", "role,figures,median,ninetieth,worst,group\nblind,7,1.00,1.00,1.00,barriers\n")
        self.expect(FAILED, "correlate", "barriers", "--check", worse, message="barriers: the largest error of blind")
        same = self.file("same.csv", "role,figures,median,ninetieth,worst,group\nblind,7,99,99,99,barriers\n")
        self.expect(OK, "correlate", "barriers", "--check", same)
        empty = self.file("empty.csv", "role,figures\n")
        self.expect(INVALID, "correlate", "barriers", "--check", empty, message="no line of blind figures")

    def test_refused(self):
        self.expect(INVALID, "correlate", "no-such-group", message="no figure that can be asked matches")
        self.expect(INVALID, "correlate", "--write-docs", self.folder, "mixes", message="leave 'mixes' out")

    def test_csv(self):
        done = self.expect(OK, "correlate", "threads by registers", "--format", "csv")
        for row in csv.DictReader(done.stdout.splitlines()):
            self.assertEqual(row["group"], "threads by registers")
            self.assertEqual(float(row["factor"]), 1, row)

    def test_nothing_left_out(self):
        """A published figure of which asked.csv says nothing fails the build, and so does a line without a figure."""
        folder = self.folder / "reference"
        shutil.copytree(REFERENCE, folder)
        script = [sys.executable, "-B", ROOT / "agx_runner/correlate/figures.py", folder, self.folder / "figures.c"]
        self.assertEqual(subprocess.run(script, capture_output=True).returncode, 0)
        with open(folder / "memory.csv", "a", encoding="utf-8") as file:
            file.write("brand_new,M1,3,ns,by hand,someone,L\n")
        done = subprocess.run(script, capture_output=True, text=True)
        self.assertIn("nothing is said about memory.csv: 'brand_new, M1'", done.stderr)
        shutil.copy(REFERENCE / "memory.csv", folder / "memory.csv")
        with open(folder / "asked.csv", "a", encoding="utf-8") as file:
            file.write("memory,memory,\"old, M1\",value,,,,,gone\n")
        done = subprocess.run(script, capture_output=True, text=True)
        self.assertIn("memory.csv has no 'old, M1'", done.stderr)


if __name__ == "__main__":
    main()
