# SPDX-License-Identifier: MIT
"""run --precision: samples are added until half of the interval is within the part that was asked for, up to 32 times
--samples; without it as many are taken as before.

Usage: precision.py AGX_RUNNER SOURCE_ROOT"""
import csv
import unittest

from case import INVALID, OK, Case, main

# Its clock steps and its timestamps are late by random times (docs/measuring.md): the samples differ.
NOISY = "virtual:m1,clock=wander,jitter=50ns,seed=1"
LATENCY = 2.21  # instr.csv, FFMA32, adjusted


class Precision(Case):
    def figure(self, *options, device=NOISY, message=None):
        done = self.expect(OK, "run", "--device", device, "--format", "csv", "--seed", "3", "float/ffma32/latency",
                           *options, message=message)
        row, = csv.DictReader(done.stdout.splitlines())
        half = (float(row["high"]) - float(row["low"])) / 2 / float(row["value"])
        return float(row["value"]), half, int(row["samples"]), done.stderr

    def test_narrower(self):
        _, half, samples, _ = self.figure()
        self.assertEqual(samples, 9)
        self.assertGreater(half, 0.004)
        value, half, samples, stderr = self.figure("--precision", "0.4%")
        self.assertLessEqual(half, 0.004)
        self.assertTrue(9 < samples < 32 * 9, samples)
        self.assertAlmostEqual(value / LATENCY, 1, delta=0.01)
        self.assertNotIn("was asked for", stderr)

    def test_bound(self):
        """What cannot be reached ends at the bound, and says so."""
        _, half, samples, _ = self.figure("--precision", "0.001%", message=r"0\.001 % was asked for \(--samples raises")
        self.assertEqual(samples, 32 * 9)
        self.assertGreater(half, 0.00001)

    def test_without_noise(self):
        """A device whose times are always the same needs no more samples."""
        _, _, samples, _ = self.figure("--precision", "0.5%", device="virtual:m1")
        self.assertEqual(samples, 9)

    def test_refused(self):
        for text in "0.5", "0%", "-1%", "60%", "much":
            self.expect(INVALID, "run", f"--precision={text}", "float/ffma32", message="takes a percentage")


if __name__ == "__main__":
    main()
