#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The page of explain --format html: its figures are the JSON's, it holds no script and names no other file, and Chromium
shows it at 400 and 1,400 pixels, light and dark, with no error and nothing wider than the window, and prints it. So it does
the report that takes in two such pages. Without Chromium only the figures are compared.

Usage: explain_page.py AGX_RUNNER"""
import json
import re
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


# Four independent chains, each addition directly behind the exclusive or that it needs.
CHAINS = """kernel void chains(global uint *a, uint k)
{
   uint id = get_global_id(0), w = a[id], x = w + 1, y = w + 2, z = w + 3;
   for (int i = 0; i < 64; i++) {
      w = (w ^ k) + i; w = (w ^ k) + i;
      x = (x ^ k) + i; x = (x ^ k) + i;
      y = (y ^ k) + i; y = (y ^ k) + i;
      z = (z ^ k) + i; z = (z ^ k) + i;
   }
   a[id] = w ^ x ^ y ^ z;
}
"""


class Figures(Page):
    """Rows of instructions and what stands beside them."""

    def __init__(self, text):
        self.times, self.gains, self.cycles, self.pictures, self.better = {}, [], None, 0, None
        self.lines, self.line_times, self.address, self.number = {}, {}, None, None
        super().__init__(text)

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        named = dict(attributes)
        if "data-time" in named:
            self.address = int(named["data-address"])
            self.times[self.address] = float(named["data-time"])
        if "data-line" in named:
            self.lines[self.address] = int(named["data-line"])
        if re.fullmatch("L[0-9]+", named.get("id", "")):
            self.number = int(named["id"][1:])
        if "data-line-time" in named:
            self.line_times[self.number] = float(named["data-line-time"])
        if "data-gain" in named:
            self.gains.append(float(named["data-gain"]))
        self.cycles = float(named["data-cycles"]) if "data-cycles" in named else self.cycles
        self.better = float(named["data-better"]) if "data-better" in named else self.better
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
        self.assertTrue(all(re.match("#[iL]", address) and address[1:] in page.ids for address in page.addresses))
        text = "".join(page.words)
        for line in KERNEL.splitlines():
            self.assertIn(line, text)

    def test_lines(self):
        """Each statement of the kernel that one instruction alone comes from; the time of a line is that of its rows."""
        page, told = Figures(self.page.read_text()), json.loads(self.explain("json"))
        rows, statements = told["instructions"], KERNEL.splitlines()
        for name, part in (("exp2", "native_exp2"), ("load", "a[id + j]"), ("store", "b[id] = s"), ("while", "for (int"),
                           ("jmp_any", "for (int")):
            for row in (row for row in rows if row["instruction"].split()[0] == name):
                self.assertIn(part, statements[row["line"] - 1], row)
                self.assertEqual(row["line_inferred"], name in ("while", "jmp_any"), row)
                self.assertTrue(row["file"].endswith("/sums.cl"))
        self.assertEqual(page.lines, {row["address"]: row["line"] for row in rows if "line" in row})
        for line, part in page.line_times.items():
            time = sum(page.times[row["address"]] for row in rows if row.get("line") == line)
            self.assertAlmostEqual(part, time / told["simdgroup_cycles"], places=4)
        self.assertGreater(page.line_times[6], 0.4)
        text, trace = self.explain("text", "--timeline", "2"), self.folder / "trace.json"
        self.assertRegex(text, r"(?m)^ +~? +6 +[0-9.]+ %  +s \+= native_exp2")
        self.assertRegex(text, r"(?m) 6  exp2 ")
        self.assertRegex(text, r"(?m)\| exp2 .*; line 6$")
        self.explain("text", "--trace", trace)
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertEqual({event["args"]["line"] for event in events if event["name"].startswith("exp2")}, {"6"})

    def test_assembly_has_no_lines(self):
        assembly = self.folder / "sums.agx"
        subprocess.run([RUNNER, "compile", self.kernel, "-o", assembly], check=True, timeout=300)
        self.kernel = assembly
        self.assertNotIn("line", {key for row in json.loads(self.explain("json"))["instructions"] for key in row})
        self.assertEqual(Figures(self.explain("html")).lines, {})

    def report(self, *pages, code=0):
        run, to = self.folder / "run.json", self.folder / "report.html"
        subprocess.run([RUNNER, "run", "--device", "virtual:m1", "example", "--format", "json", "-o", run], check=True,
                       capture_output=True, timeout=200)
        done = subprocess.run([RUNNER, "report", run, "-o", to, *(word for page in pages for word in ("--explained", page))],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return to.read_text() if code == 0 else done.stderr

    def test_report(self):
        """Two kernels in a report: a table with their figures, each row a link to the kernel's part, no id twice."""
        other = self.folder / "other.html"
        other.write_text(self.explain_chains("html"))
        chains, page = json.loads(self.explain_chains("json")), Page(self.report(self.page, other))
        self.kernel.write_text(KERNEL)
        sums, words = json.loads(self.explain("json")), "".join(page.words)
        for told, where in (sums, "#k1"), (chains, "#k2"):
            first = told["findings"][0]
            self.assertIn(f"{told['kernel']}{told['device']}{told['cycles']:.0f}{first['name']}, "
                          f"{'at most ' if first['gain_is'] == 'at most' else ''}{100 * first['gain']:.1f} % less time", words)
            self.assertIn(where, page.addresses)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertTrue(all(address[1:] in page.ids for address in page.addresses if address.startswith("#")))
        self.assertEqual(page.scripts, 1)  # the report's own
        for line in (KERNEL + CHAINS).splitlines() + ["A better order", "Time by instruction", "Timeline of the hottest"]:
            self.assertIn(line, words)

    def test_report_refuses(self):
        page = self.page.read_text()
        for bad in ("<script>alert(1)</script>", "<p onclick=\"alert(1)\">x</p>", "<a href=\"http://example.org\">x</a>",
                    "<p style=\"background:url(x)\">x</p>", "<img src=\"x\">", "</section>", "<p>", "<p class=x>x</p>",
                    "<!-- x -->", "<style>p{}</style>", "<a href=\"javascript:alert(1)\">x</a>"):
            self.page.write_text(page.replace("<h2>Busy", bad + "<h2>Busy"))
            self.assertIn("page.html: not a page of", self.report(self.page, code=79), bad)
        self.page.write_text(page[:len(page) // 2])
        self.report(self.page, code=79)
        self.page.write_text("nothing")
        self.report(self.page, code=79)

    def explain_chains(self, format, kernel=CHAINS):
        self.kernel.write_text(kernel)
        return subprocess.run([RUNNER, "explain", self.kernel, "--device", "virtual:m1", "--buf", "0=u32[4096]:random",
                               "--arg", "1=5", "--grid", "4096", "--format", format, "--schedule",
                               self.folder / "better.agx"],
                              check=True, capture_output=True, text=True, timeout=200).stdout

    def test_better_order(self):
        """The order stands on the page and in the JSON; the program that was written takes the time that they name."""
        page, order = Figures(self.explain_chains("html")), json.loads(self.explain_chains("json"))["better_order"]
        self.assertAlmostEqual(page.better, order["time_ns"], places=2)
        self.assertLess(order["time_ns"], order["time_before_ns"])
        for line in order["text"].splitlines():
            self.assertIn(line, "".join(page.words))
        self.assertIn("jmp_any", order["text"])
        self.kernel.write_text(KERNEL)
        once = Figures(self.explain("html"))
        self.assertIsNone(once.better)
        self.assertNotIn("A better order", "".join(once.words))

    def test_no_better_order(self):
        kernel = "kernel void none(global uint *a, uint k)\n{\n}\n"
        page, told = Figures(self.explain_chains("html", kernel)), json.loads(self.explain_chains("json", kernel))
        self.assertIsNone(page.better)
        self.assertIn("No order was found that makes the launch faster.", "".join(page.words))
        self.assertIsNone(told["better_order"])

    def test_hostile_source(self):
        self.kernel.write_text(KERNEL + "// <script>alert(1)</script> & \"\n")
        self.explain("html", "-o", self.page)
        self.assertEqual(Figures(self.page.read_text()).scripts, 0)

    @unittest.skipUnless(browser.CHROMIUM and browser.starts(), "there is no Chromium that starts")
    def test_browser(self):
        copy, frame, pdf = self.folder / "copy.html", self.folder / "frame.html", self.folder / "page.pdf"
        probe = browser.PROBE.replace("form: !document.getElementById(\"controls\").hidden", "form: true, "
                                      "code: document.querySelector(\"td.code\").getBoundingClientRect().left")
        other = self.folder / "other.html"
        other.write_text(self.explain_chains("html"))
        self.show(copy, frame, other.read_text().replace("</body>", probe))
        self.chromium(f"--print-to-pdf={pdf}", copy.as_uri())
        self.assertEqual(pdf.read_bytes()[:5], b"%PDF-")
        report = self.report(self.page, other).replace("<details class=\"explained\"", "<details open class=\"explained\"")
        self.show(copy, frame, report.replace("</body>", browser.PROBE))

    def show(self, copy, frame, page):
        copy.write_text(page)
        for width in 400, 1400:
            frame.write_text(browser.FRAME % width)
            for dark in False, True:
                seen = Page(self.chromium("--dump-dom", "--virtual-time-budget=5000", frame.as_uri(), dark=dark,
                                          width=width + 100)).probe
                self.assertEqual((seen["window"], seen["dark"]), (width, dark))
                self.assertLessEqual(seen["width"], width)
                self.assertLess(seen.get("code", 0), width - 100)  # the instruction begins on the screen


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
