#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every renderer's output is read back with a reader that is not ours, and holds what the result file holds.

render.py TEST_RUNNER_RENDER JUNIT.XSD"""
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

RENDER, SCHEMA = sys.argv[1:3]
NASTY = "<b>&\"']]>\n\x01\x1f\x7f | # \\ ,\u00e4\ufffe\u2028`*_~ <script>alert(1)</script>"
STATUSES = ("pass fail skip invalid warn crash timeout hang incomplete expected-fail unexpected-pass flake "
            "known-flake").split()
BAD = {"fail", "invalid", "crash", "timeout", "hang", "incomplete", "unexpected-pass"}


def make_run():
    results = [{"name": f"group/{status}/x", "status": status, "reason": "" if status == "pass" else NASTY,
                "unit": "cycles"} for status in STATUSES]
    results[0].update(value=1.5, low=1.25, high=1.75, samples=[1.25, 1.5, 1.75], check="pass", occupancy=24,
                      reference={"value": 2, "qualifier": "<=", "source": NASTY}, program_hash="00000000000000ff",
                      seconds=0.25, program={"instructions": 12, "bytes": 96, "predicted_cycles": 3.25})
    results.append({"name": NASTY, "status": "fail", "reason": NASTY, "unit": NASTY[:8]})
    return {"schema": 2, "device": {"name": NASTY, "kind": "virtual", "chip": "m1", "path": NASTY, "cores": 8},
            "environment": {"mesa": NASTY, "host": NASTY, "time": "2026-11-21T03:00:00Z", "command_line": NASTY,
                            "seed": 7, "mesa_debug": NASTY}, "results": results}


class Render(unittest.TestCase):
    def render(self, form, run=None, raw=None):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json"
            path.write_bytes(raw or json.dumps(run or make_run()).encode())
            return subprocess.run([RENDER, form, path], capture_output=True, check=True).stdout

    def test_json(self):
        once = self.render("json")
        self.assertEqual(self.render("json", raw=once), once)
        self.assertEqual([result["status"] for result in json.loads(once)["results"]], STATUSES + ["fail"])

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.render("csv").decode(), newline="")))
        self.assertEqual([row["status"] for row in rows], STATUSES + ["fail"])
        self.assertEqual(rows[-1]["name"], NASTY)
        self.assertTrue(all(None not in row and None not in row.values() for row in rows), "as many fields as headings")
        first = rows[0]
        self.assertEqual((float(first["value"]), first["samples"], first["program_hash"], first["program_instructions"],
                          first["program_predicted_cycles"], first["kind"], first["seed"]),
                         (1.5, "3", "00000000000000ff", "12", "3.25", "virtual", "7"))
        self.assertEqual(rows[1]["value"], "")

    def test_csv_samples(self):
        rows = list(csv.DictReader(io.StringIO(self.render("csv-samples").decode(), newline="")))
        self.assertEqual([(row["name"], row["sample"], float(row["value"])) for row in rows],
                         [("group/pass/x", "1", 1.25), ("group/pass/x", "2", 1.5), ("group/pass/x", "3", 1.75)])

    def junit(self, raw):
        suite = xml.etree.ElementTree.fromstring(raw).find("testsuite")
        if shutil.which("xmllint"):
            with tempfile.NamedTemporaryFile(suffix=".xml") as file:
                file.write(raw)
                file.flush()
                checked = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", SCHEMA, file.name],
                                         capture_output=True, text=True)
                self.assertEqual(checked.returncode, 0, checked.stderr)
        return suite

    def test_junit(self):
        suite = self.junit(self.render("junit"))
        cases = suite.findall("testcase")
        kinds = [case[0].tag if len(case) and case[0].tag != "system-out" else "" for case in cases]
        by_status = dict(zip(STATUSES, kinds))
        self.assertEqual({status for status, kind in by_status.items() if kind in ("failure", "error")}, BAD)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            self.assertEqual(int(suite.get(attribute)), kinds.count(tag))
        self.assertEqual(int(suite.get("tests")), len(cases))
        message = cases[1].find("failure").get("message")
        self.assertIn("<script>alert(1)</script>", message)
        self.assertNotRegex(message, "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe]")
        self.assertEqual([float(case.get("time")) for case in cases], [0.25] + [0] * len(STATUSES))
        self.assertEqual(float(suite.get("time")), 0.25)
        self.assertIn("1.5 cycles", cases[0].find("system-out").text)

    def test_bytes_that_are_no_text(self):
        raw = json.dumps(make_run()).encode().replace(b"group/pass/x", b"group/\xff\xc0\xaf\xed\xa0\x80\xf5/x")
        self.assertIn("\ufffd", self.junit(self.render("junit", raw=raw)).find("testcase").get("name"))

        for form in "csv", "tap", "markdown", "json", "text", "html":
            self.assertIn("group/\ufffd" if form != "markdown" else "group/", self.render(form, raw=raw).decode())

    def test_tap(self):
        """A small TAP 14 reader: version, plan, points in order, directives, YAML blocks."""
        lines = self.render("tap").decode().split("\n")
        self.assertEqual(lines[0], "TAP version 14")
        self.assertEqual(lines[1], f"1..{len(STATUSES) + 1}")
        points, block = [], None
        for line in lines[2:]:
            point = re.fullmatch(r"(not )?ok (\d+) - ((?:[^#\\]|\\[#\\])*?)(?: # (SKIP|TODO)\b.*)?", line)
            if line == "  ---":
                block = []
            elif line == "  ...":
                points[-1]["block"] = dict(item.split(": ", 1) for item in block)
                block = None
            elif block is not None:
                self.assertRegex(line, r'^  [a-z]+: ("(?:[^"\\\x00-\x1f]|\\["\\]|\\x[0-9a-f]{2})*"|[-0-9.e+]+)$')
                block.append(line.strip())
            elif point:
                points.append({"ok": not point[1], "number": int(point[2]), "name": point[3], "directive": point[4]})
            else:
                self.assertRegex(line, r"^(# .*)?$")
        self.assertEqual([point["number"] for point in points], list(range(1, len(STATUSES) + 2)))
        failed = {status for status, point in zip(STATUSES, points) if not point["ok"] and point["directive"] is None}
        self.assertEqual(failed, BAD)
        self.assertEqual(points[STATUSES.index("skip")]["directive"], "SKIP")
        self.assertEqual(points[STATUSES.index("known-flake")]["directive"], "TODO")
        self.assertEqual(points[0]["block"]["value"], "1.5")

    def test_markdown(self):
        text = self.render("markdown").decode()
        tables = [line for line in text.split("\n") if line.startswith("|")]
        for line in tables:
            cells = len(re.findall(r"(?<!\\)\|", line)) - 1
            self.assertIn(cells, (3, 6), line)
        self.assertEqual(sum("**" in line for line in tables), len(BAD) + 1)
        self.assertNotIn("<script>", text)
        self.assertIn("virtual, modelled", text)

    def test_empty(self):
        run = dict(make_run(), results=[])
        self.assertEqual(self.junit(self.render("junit", run)).findall("testcase"), [])
        self.assertIn("1..0 # SKIP", self.render("tap", run).decode())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
