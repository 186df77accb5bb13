# SPDX-License-Identifier: MIT
"""Error bands of `run` on a virtual device. The expected errors are those of results/correlation.csv, which correlate
computes from published figures.

Usage: bands.py AGX_RUNNER SOURCE_ROOT [TEST...]"""
import csv
import json

from case import OK, ROOT, Case, main


def errors_of(group):
    with open(ROOT / "results/correlation.csv", encoding="utf-8", newline="") as file:
        rows = {row["role"]: row for row in csv.DictReader(file) if row["group"] == group}
    return next(rows[role] for role in ("blind", "seen", "fitted") if role in rows)


class Bands(Case):
    def band(self, *words):
        """The first result of a run, which has a band."""
        done = self.expect(OK, "run", "-d", "virtual:m1-max", "--format", "json", *words)
        result = json.loads(done.stdout)["results"][0]
        return result, result["band"]

    def check_band(self, group, *words):
        result, band = self.band(*words)
        row = errors_of(group)
        self.assertEqual((band["kind"], band["role"], band["figures"]), (group, row["role"], int(row["figures"])))
        error = float(row["ninetieth"]) / 100
        self.assertAlmostEqual(band["low"] * (1 + error), result["value"], delta=result["value"] / 1000)
        if error < 1:
            self.assertAlmostEqual(band["high"] * (1 - error), result["value"], delta=result["value"] / 1000)
        else:
            self.assertIsNone(band["high"])

    def test_kinds(self):
        self.check_band("gathers", "memory/gather-16k")
        self.check_band("mixes", "--mix", "FADD32*1;IMUL32*1")
        self.check_band("chains and occupancy", "--mix", "FADD32*1", "--simds", "4")
        self.check_band("latency", "float/fadd32/latency")
        self.check_band("throughput of instructions", "float/fadd32/throughput")
        self.check_band("throughput of sequences", "float/div32/throughput")

    def test_text(self):
        """The sentence and the interval of a gather; nothing for a kind of which nothing is published."""
        text = self.expect(OK, "run", "-d", "virtual:m1-max", "memory/gather-16k", "memory/code-8k").stdout
        row = errors_of("gathers")
        self.assertRegex(text, rf"gathers: this model errs by {float(row['median']):.1f} % \(median\) and "
                               rf"{float(row['ninetieth']):.1f} % \(nine in ten\) against {row['figures']} blind figures")
        self.assertRegex(text, r"\n   memory/gather-16k/latency: [0-9.]+ to [0-9.]+ cycles\n")
        self.assertEqual(text.count("this model errs by"), 1)
        self.assertEqual(text.count("memory/code-8k"), 1)

    def test_many(self):
        text = self.expect(OK, "run", "-d", "virtual:m1", "--mix", "FADD32*1", *[word for n in range(2, 12) for word in (
            "--mix", f"FADD32*{n}")]).stdout
        self.assertIn("   and 3 more figures (JSON has the bands of all)\n", text)


main()
