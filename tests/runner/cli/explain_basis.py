# SPDX-License-Identifier: MIT
"""explain and compile --predict: what findings rest on, and the error bands, which this reads in results/correlation.csv by
itself.

Usage: explain_basis.py AGX_RUNNER SOURCE_ROOT"""
import csv
import json
import unittest

from case import OK, Case, ROOT, SAXPY, main

KERNEL = """__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void k(__global float *x, __global float *y,
                                                                  __local float *t) {
   int i = get_global_id(0), l = get_local_id(0);
   float v = x[i * 8];
   for (int n = 0; n < 64; n++) {
      t[l] = v;
      barrier(CLK_LOCAL_MEM_FENCE);
      v = v * t[(l + n) & 255] + 1.0f;
      barrier(CLK_LOCAL_MEM_FENCE);
   }
   y[i] = v;
}
"""


def band(group):
    with open(ROOT / "results/correlation.csv", encoding="utf-8") as file:
        rows = {row["role"]: row for row in csv.DictReader(file) if row["group"] == group}
    return rows.get("blind") or rows.get("seen") or rows["fitted"]


class Basis(Case):
    def findings(self, device):
        done = self.expect(OK, "explain", "--device", device, "--format", "json", "--buf", "0=f32[65536]:1", "--buf",
                           "1=f32[8192]:0", "--local", "2=1024", "-g", "8192", self.file("k.cl", KERNEL))
        report = json.loads(done.stdout)
        return {finding["name"]: finding for finding in report["findings"]}, report

    def test_basis(self):
        """Nothing is published about barriers; a file of parameters makes the value a measured one."""
        findings, report = self.findings("virtual:m1")
        self.assertEqual(findings["barriers"]["basis"], "assumed")
        self.assertEqual(findings["scattered accesses"]["basis"], "published")
        self.assertRegex(findings["scattered accesses"]["basis_text"], r"memory.csv, l2_bandwidth: 384 GB/s")
        self.assertIn(f"{float(band('bandwidth')['median']):.1f} %", findings["scattered accesses"]["basis_text"])
        self.assertEqual(findings["too few threadgroups"]["basis"], "counted")
        expected = band(report["error_of"])
        self.assertAlmostEqual(report["error_median_percent"], float(expected["median"]))
        self.assertAlmostEqual(report["error_ninetieth_percent"], float(expected["ninetieth"]))
        params = self.file("m1.params", "# of a survey\ncore/barrier 1500\n")
        findings, _ = self.findings(f"virtual:m1,params={params}")
        self.assertEqual(findings["barriers"]["basis"], "measured")
        self.assertEqual(findings["scattered accesses"]["basis"], "published")

    def test_prediction(self):
        text = self.expect(OK, "compile", "--predict", SAXPY).stdout
        self.assertIn(f"the model errs in bandwidth by {float(band('bandwidth')['median']):.1f} % (median)", text)


if __name__ == "__main__":
    main()
