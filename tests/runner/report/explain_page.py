#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The page of explain --format html: its figures are the JSON's, it holds no script and names no other file, and Chromium
shows it at 400 and 1,400 pixels, light and dark, with no error and nothing wider than the window, and prints it. Without
Chromium only the figures are compared.

Usage: explain_page.py AGX_RUNNER"""
import json
import subprocess
import sys
import unittest

import browser
from folder import InFolder
from report_page import Page

RUNNER = sys.argv[1]
KERNEL = """kernel void sums(global const float *a, global float *b, int n)
{
   int id = get_global_id(0);
   float s = 0;
   for (int j = 0; j < n; j++)
      s += native_exp2(a[id + j] < 2 ? a[id + j] : 1) * s;
   b[id] = s;
}
"""


class Figures(Page):
    """Rows of instructions and what stands beside them."""

    def __init__(self, text):
        self.times, self.gains, self.cycles, self.pictures = {}, [], None, 0
        super().__init__(text)

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        named = dict(attributes)
        if "data-time" in named:
            self.times[int(named["data-address"])] = float(named["data-time"])
        if "data-gain" in named:
            self.gains.append(float(named["data-gain"]))
        self.cycles = float(named["data-cycles"]) if "data-cycles" in named else self.cycles
        self.pictures += named.get("class") == "time"


class ExplainPage(InFolder):
    chromium = browser.Browser.chromium

    def setUp(self):
        super().setUp()
        self.kernel, self.page = self.folder / "sums.cl", self.folder / "page.html"
        self.kernel.write_text(KERNEL)
        self.explain("html", "-o", self.page)

    def explain(self, format, *arguments):
        return subprocess.run([RUNNER, "explain", self.kernel, "--device", "virtual:m1", "--buf", "0=f32[8192]:random",
                               "--buf", "1=f32[4096]", "--arg", "2=16", "--grid", "4096", "--format", format, *arguments],
                              check=True, capture_output=True, text=True, timeout=200).stdout

    def test_figures(self):
        page, told = Figures(self.page.read_text()), json.loads(self.explain("json"))
        self.assertAlmostEqual(page.cycles, told["cycles"], places=2)
        self.assertEqual(len(page.gains), min(3, len(told["findings"])))
        for gain, finding in zip(page.gains, told["findings"]):
            self.assertAlmostEqual(gain, finding["gain"], places=5)
        self.assertEqual(set(page.times), {row["address"] for row in told["instructions"]})
        for row in told["instructions"]:
            self.assertAlmostEqual(page.times[row["address"]], row["issue"] + sum(row["stalls"].values()), places=2)
        self.assertAlmostEqual(sum(page.times.values()) / told["simdgroup_cycles"], 1, places=6)
        self.assertEqual((page.scripts, page.pictures), (0, 1))
        self.assertTrue(all(address.startswith("#i") and address[1:] in page.ids for address in page.addresses))
        text = "".join(page.words)
        for line in KERNEL.splitlines():
            self.assertIn(line, text)

    def test_hostile_source(self):
        self.kernel.write_text(KERNEL + "// <script>alert(1)</script> & \"\n")
        self.explain("html", "-o", self.page)
        self.assertEqual(Figures(self.page.read_text()).scripts, 0)

    @unittest.skipUnless(browser.CHROMIUM and browser.starts(), "there is no Chromium that starts")
    def test_browser(self):
        copy, frame, pdf = self.folder / "copy.html", self.folder / "frame.html", self.folder / "page.pdf"
        probe = browser.PROBE.replace("form: !document.getElementById(\"controls\").hidden", "form: true")
        copy.write_text(self.page.read_text().replace("</body>", probe))
        for width in 400, 1400:
            frame.write_text(browser.FRAME % width)
            for dark in False, True:
                seen = Page(self.chromium("--dump-dom", "--virtual-time-budget=5000", frame.as_uri(), dark=dark,
                                          width=width + 100)).probe
                self.assertEqual((seen["window"], seen["dark"]), (width, dark))
                self.assertLessEqual(seen["width"], width)
        self.chromium(f"--print-to-pdf={pdf}", self.page.as_uri())
        self.assertEqual(pdf.read_bytes()[:5], b"%PDF-")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
