#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The report in a browser: Chromium opens it at 400 and 1,400 pixels, light and dark, and prints it. No error on the
console, nothing wider than the window, the figures are the JSON's, and search, status and order do what they say.
Skipped (77) where there is no Chromium.

Usage: browser.py AGX_RUNNER"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from folder import InFolder
from report_page import Page

RUNNER = sys.argv[1]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# What a row shows, in the browser's order, and how wide the page is: added to a copy of the page.
PROBE = """<script>
var shown = Array.prototype.filter.call(document.querySelectorAll("details.row"), function (row) {
  return row.offsetParent !== null;
}).map(function (row) { return row.querySelector(".name").textContent; });
var probe = JSON.stringify({shown: shown, width: document.documentElement.scrollWidth, window: window.innerWidth,
  dark: matchMedia("(prefers-color-scheme: dark)").matches, form: !document.getElementById("controls").hidden});
document.documentElement.setAttribute("data-probe", probe);
parent.postMessage(probe, "*");
</script></body>"""
# Chromium's windows are 500 pixels wide at least: a narrower page is a frame.
FRAME = '<!DOCTYPE html><script>addEventListener("message", function (event) {' \
        'document.documentElement.setAttribute("data-probe", event.data); });</script>' \
        '<iframe src="copy.html" style="width:%dpx;height:900px;border:0"></iframe>'""


class Browser(InFolder):
    def setUp(self):
        super().setUp()
        self.run_file, self.page = self.folder / "run.json", self.folder / "page.html"
        subprocess.run([RUNNER, "run", "--device", "virtual:m1", "float/fadd32", "example", "int/iadd32", "--format", "json",
                        "-o", self.run_file], check=True, capture_output=True, timeout=200)
        run = json.loads(self.run_file.read_text())
        run["results"][0].update(status="fail", reason="planted")
        self.run_file.write_text(json.dumps(run))
        self.results = run["results"]
        subprocess.run([RUNNER, "report", self.run_file, "-o", self.page], check=True, timeout=300)

    def chromium(self, *arguments, width=1400, dark=False):
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               "--enable-logging=stderr",
                               f"--user-data-dir={self.folder / 'profile'}", f"--window-size={width},900",
                               f"--blink-settings=preferredColorScheme={0 if dark else 1}", *map(str, arguments)],
                              capture_output=True, text=True, timeout=200)
        self.assertNotRegex(done.stderr, r":CONSOLE[:(]")
        return done.stdout

    def open(self, hash="", **how):
        copy = self.folder / "copy.html"
        copy.write_text(self.page.read_text().replace("</body>", PROBE))
        page = Page(self.chromium("--dump-dom", copy.as_uri() + hash, **how))
        self.assertIsNotNone(page.probe)
        return page, page.probe

    def look(self, probe, dark):
        self.assertLessEqual(probe["width"], probe["window"])
        self.assertEqual(probe["dark"], dark)
        self.assertTrue(probe["form"])
        self.assertEqual(probe["shown"], [one["name"] for one in self.results])

    def test_wide(self):
        for dark in False, True:
            page, probe = self.open(width=1400, dark=dark)
            self.assertGreater(probe["window"], 1300)
            self.look(probe, dark)
            for row, one in zip(page.rows, self.results, strict=True):
                self.assertEqual(row.get("value"), one["value"])

    def test_phone(self):
        frame = self.folder / "frame.html"
        frame.write_text(FRAME % 400)
        for dark in False, True:
            self.open(dark=dark)  # writes the copy
            probe = Page(self.chromium("--dump-dom", "--virtual-time-budget=5000", frame.as_uri(), dark=dark)).probe
            self.assertIsNotNone(probe)
            self.assertEqual(probe["window"], 400)
            self.look(probe, dark)

    def test_controls(self):
        names = [one["name"] for one in self.results]
        self.assertEqual(self.open("#search=fadd32%20lat")[1]["shown"],
                         [name for name in names if "fadd32" in name and "lat" in name])
        self.assertEqual(self.open("#status=fail")[1]["shown"], names[:1])
        self.assertEqual(self.open("#search=nothing")[1]["shown"], [])
        self.assertEqual(self.open("#sort=name")[1]["shown"], sorted(names))
        values = {one["name"]: one["value"] for one in self.results}
        shown = self.open("#sort=value&status=pass")[1]["shown"]
        self.assertEqual(shown, sorted(shown, key=lambda name: values[name] is None or -values[name]))
        self.assertGreater(len(shown), 3)

    def test_print(self):
        pdf = self.folder / "page.pdf"
        self.chromium(f"--print-to-pdf={pdf}", self.page.as_uri())
        self.assertEqual(pdf.read_bytes()[:5], b"%PDF-")


def starts():
    """Whether there is a Chromium that can run here at all."""
    try:
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom",
                               "about:blank"], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and "<body>" in done.stdout


if __name__ == "__main__":
    if CHROMIUM is None or not starts():
        print("there is no Chromium that starts (ci/packages.txt, use: pictures)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
