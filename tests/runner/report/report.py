#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The HTML page: valid, alone in the world, and its numbers are the JSON's. report.py AGX_RUNNER"""
import base64
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from drawing import check_paper
from folder import InFolder
from report_page import Page

RUNNER = sys.argv[1]
OCCUPANCY = pathlib.Path(__file__).parents[3] / "results/reference/occupancy_registers.csv"
NASTY = "<script>alert(1)</script>\"'&\x01|</pre></details>\ufffe"


class Report(InFolder):
    def call(self, *arguments, **environment):
        done = subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=280,
                              env=dict(os.environ, **environment))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def look(self, path):
        raw = path.read_text()
        if shutil.which("tidy"):
            checked = subprocess.run(["tidy", "-q", "-e", "-utf8", path], capture_output=True, text=True)
            self.assertNotIn("Error", checked.stderr)
            self.assertIn(checked.returncode, (0, 1), checked.stderr)
        page = Page(raw)
        self.assertEqual(page.scripts, 1)  # the page's own; none came from the data
        self.assertTrue(raw.rstrip().endswith("</script>\n</body>\n</html>"))
        for address in page.addresses:
            self.assertRegex(address, r"^(#|data:image/svg\+xml;base64,)")
            if address.startswith("#"):
                self.assertIn(address[1:], page.ids)
        self.assertNotRegex(raw, r"(?i)url\(|@import|<link|<iframe|<object|<embed")
        self.assertEqual(len(page.ids), len(set(page.ids)))
        return page, raw

    def same_dots(self, page, results):
        """The picture of all rows: one dot for each published figure that is no bound."""
        wanted = [(one["value"] / one["reference"]["value"] - 1) * 100 for one in results
                  if one["value"] and one["reference"] and one["reference"]["value"] and not one["reference"]["qualifier"]]
        self.assertEqual(len(page.dots), len(wanted))
        for dot, difference in zip(page.dots, wanted):
            self.assertAlmostEqual(dot, difference, places=6)

    def same_numbers(self, page, results):
        self.assertEqual(len(page.rows), len(results))
        self.same_dots(page, results)
        for row, one in zip(page.rows, results):
            for key in "value", "low", "high":
                self.assertEqual(row.get(key), one[key], one["name"])
            reference = one["reference"] and one["reference"]["value"]
            self.assertEqual(row.get("reference"), reference, one["name"])
            if reference and one["value"]:
                wanted = (one["value"] / reference - 1) * 100
                self.assertAlmostEqual(row["difference"], wanted, delta=0.0501 if abs(wanted) < 0.05 else 1e-4)

    def test_a_run(self):
        path, to = self.folder / "run.json", self.folder / "run.html"
        self.call("run", "--device", "virtual:m1", "float/fadd32", "example", "int/bitwise32", "--format", "json", "-o", path)
        self.call("report", path, "-o", to)
        page, raw = self.look(to)
        results = json.loads(path.read_text())["results"]
        self.same_numbers(page, results)
        words = "".join(page.words)
        for text in ("virtual, modelled: not a measurement of hardware", "machine code, with each instruction's cycles",
                     "nir_kernels/saxpy.cl", "kernel void saxpy", results[0]["program_hash"], "fadd"):
            self.assertIn(text, words)
        self.assertRegex(raw, r"Difference from the published figure[^<]*virtual, modelled: not a measurement of hardware")

    def test_html_straight_from_run(self):
        to = self.folder / "run.html"
        self.call("run", "--device", "virtual:m1", "float/fadd32", "--format", "html", "-o", to)
        self.assertEqual(len(self.look(to)[0].rows), 3)

    def hostile(self):
        return {"schema": 2, "device": {"name": NASTY, "kind": "hardware", "chip": NASTY[:12], "path": NASTY, "cores": 8},
                "environment": {"mesa": NASTY, "host": NASTY, "time": NASTY[:20], "command_line": NASTY, "kernel": NASTY},
                "results": [{"name": "group/" + NASTY, "status": "pass", "reason": NASTY, "unit": NASTY[:12], "value": 2,
                             "low": 1.5, "high": 2.5, "samples": [1.5, 2, 2.5], "check": "pass",
                             "reference": {"value": 4, "qualifier": "<=", "source": NASTY},
                             "codegen": {"instruction": NASTY[:20], "expected": 1, "found": 1}},
                            {"name": NASTY, "status": "hang", "reason": NASTY, "value": None, "low": None, "high": None,
                             "samples": [], "reference": None}]}

    def test_hostile_file(self):
        path, to = self.folder / "run.json", self.folder / "run.html"
        path.write_text(json.dumps(self.hostile()))
        self.call("report", path, "-o", to)
        page, raw = self.look(to)
        self.same_numbers(page, self.hostile()["results"])
        self.assertNotIn("<script>alert", raw)
        self.assertNotIn("modelled", raw.split("class=\"overview\"")[-1].split("</figure>")[0])
        self.assertIn("<script>alert(1)</script>", "".join(page.words))
        self.assertNotRegex(raw, "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe]")

    def test_history(self):
        path, to, store = self.folder / "run.json", self.folder / "run.html", self.folder / "runs.db"
        for i in range(8):
            run = self.hostile()
            run["results"][0]["value"] = 2 if i < 5 else 3
            path.write_text(json.dumps(run))
            self.call("import", "--store", store, path)
        self.call("report", "--store", store, "-o", to)
        page, raw = self.look(to)
        self.assertIn("1 of 2 series changed their level", raw)
        self.same_numbers(page, run["results"])
        if shutil.which("gnuplot"):
            self.assertGreaterEqual(raw.count("data:image/svg+xml"), 2)

    def test_sweep(self):
        """What the sweep itself writes: its curves are there, and are said to be modelled."""
        path, to, sweep = self.folder / "run.json", self.folder / "run.html", self.folder / "sweep.csv"
        path.write_text(json.dumps(self.hostile()))
        self.call("sweep", "ilp", "fadd32", "--device", "virtual:m1", "-o", sweep)
        self.call("report", path, "--sweep", sweep, "-o", to)
        page, raw = self.look(to)
        part = raw[raw.index("<h2>Parallel chains and occupancy"):]
        part = part[:part.index("<h2>", 4)]
        self.assertIn("virtual, modelled: not a measurement of hardware", part)
        if shutil.which("gnuplot"):
            self.assertIn("FADD, 32 bits", part)
        sweep.write_text(sweep.read_text().replace("virtual (modelled)", "hardware"))
        self.call("report", path, "--sweep", sweep, "-o", to)
        self.assertNotIn("modelled", to.read_text().split("Parallel chains")[1].split("<h2>")[0])
        sweep.write_text("name,value\n")
        self.assertEqual(subprocess.run([RUNNER, "report", path, "--sweep", sweep], capture_output=True).returncode, 79)

    def test_gemm_small_floats(self):
        """A row a kernel and size; a cell that failed is not shown, and a ratio only beside the f16 figure."""
        path, to = self.folder / "small.json", self.folder / "small.html"
        names = ["matrix/gemm-%s-%s/dispatch" % pair for pair in
                 (("mixed", "direct-64"), ("e4m3", "direct-64"), ("e5m2", "direct-64"), ("e4m3", "direct-33x65x97"),
                  ("e5m2", "direct-33x65x97"), ("mixed", "local-64"), ("e4m3", "local-64"))]
        self.call("run", "--device", "virtual:m1", *names, "--format", "json", "-o", path)
        run = json.loads(path.read_text())
        by_name = {result["name"]: result for result in run["results"]}
        by_name[names[3]].update(status="fail", reason="made to")
        for name, value in zip(names, (2, 1.5, 3, 1, 0.25, 4, 3)):
            by_name[name]["value"] = value
        path.write_text(json.dumps(run))
        self.call("report", path, "-o", to)
        page, raw = self.look(to)
        table = raw[raw.index("<h3>8-bit floats</h3>"):]
        table = table[:table.index("</table>")]
        rows = [[cell.split(">")[1] for cell in row.split("<td")[1:]] for row in table.split("<tr>")[2:]]
        cells = [[cell.split("<")[0] for cell in row] for row in rows]
        self.assertEqual(cells, [["local", "64", "4.000", "3.000 (0.75 x)", "not run"],
                                 ["direct", "64", "2.000", "1.500 (0.75 x)", "3.000 (1.50 x)"],
                                 ["direct", "33x65x97", "not run", "not run", "0.250"]])

    def drawn_layout(self, raw):
        """Row, column and text of the picture's squares."""
        part = raw[raw.index("<h2>Layout of a matrix operand"):]
        part = part[part.index("<svg"):part.index("</svg>") + len("</svg>")]
        elements = list(xml.etree.ElementTree.fromstring(part))
        cells = [(float(box.get("y")), float(box.get("x")), text.text) for box, text in zip(elements, elements[1:])
                 if box.tag.endswith("rect") and box.get("x")]
        top, left = min(cell[0] for cell in cells), min(cell[1] for cell in cells)
        size = (max(cell[0] for cell in cells) - top) / 7
        self.assertIn("virtual, modelled", part)
        return {(round((y - top) / size), round((x - left) / size)): text for y, x, text in cells}

    def test_layout(self):
        """The picture is of the map that the run found, published or not; a text that is no map is not drawn."""
        path, to = self.folder / "layout.json", self.folder / "layout.html"
        self.call("run", "--device", "virtual:m1", "matrix/layout", "matrix/gemm-e4m3-direct-64/dispatch", "--format", "json",
                  "-o", path)
        run = json.loads(path.read_text())
        result, = (result for result in run["results"] if result["name"] == "matrix/layout/check")
        self.call("report", path, "-o", to)
        page, raw = self.look(to)
        # docs/spec/isa.md 4.8: row = bit 4, then bits 2 and 1 of the lane; column = bit 3, bit 0, and the register.
        wanted = {((lane >> 4 & 1) * 4 + (lane >> 1 & 3), (lane >> 3 & 1) * 4 + (lane & 1) * 2 + register):
                  f"{lane}.{register}" for lane in range(32) for register in range(2)}
        self.assertEqual(self.drawn_layout(raw), wanted)
        self.assertIn("It is the published map", raw)
        self.assertIn("<h3>8-bit floats</h3>", raw)
        # Another device might hold element i, j where this one holds j, i.
        found = result["finding"].split(" ")
        result["finding"] = " ".join(found[i % 8 * 8 + i // 8] for i in range(64))
        path.write_text(json.dumps(run))
        self.call("report", path, "-o", to)
        page, raw = self.look(to)
        self.assertEqual(self.drawn_layout(raw), {(column, row): text for (row, column), text in wanted.items()})
        self.assertIn("It is <strong>not</strong> the published map", raw)
        for text in (" ".join(found[:63]), " ".join(found + ["0.0"]), " ".join(found[:63] + ["0.0"]), "<script>", "32.0"):
            result["finding"] = text
            path.write_text(json.dumps(run))
            self.call("report", path, "-o", to)
            self.assertNotIn("Layout of a matrix operand", self.look(to)[1])

    def test_gemm(self):
        """The table has what was run, by size and kernel; a row that failed is no cell."""
        path, to = self.folder / "run.json", self.folder / "run.html"
        self.call("run", "--device", "virtual:m1", "matrix/gemm-f32-tiled-64/dispatch", "matrix/gemm-f32-direct-64/dispatch",
                  "matrix/gemm-f32-direct-33x65x97/dispatch", "--format", "json", "-o", path)
        run = json.loads(path.read_text())
        by_name = {result["name"]: result for result in run["results"]}
        by_name["matrix/gemm-f32-direct-33x65x97/dispatch"].update(status="fail", reason="made to")
        path.write_text(json.dumps(run))
        self.call("report", path, "-o", to)
        page, raw = self.look(to)
        part = raw[raw.index("<h2>GEMM"):]
        part = part[:part.index("<h2>", 4)]
        self.assertIn("virtual, modelled: not a measurement of hardware", part)
        row = part[part.index("<tr><td>64</td>"):].split("</tr>")[0].split("<td")
        self.assertIn("not run", row[2])
        self.assertIn("%.3f (" % by_name["matrix/gemm-f32-tiled-64/dispatch"]["value"], row[3])
        self.assertIn("%.3f (" % by_name["matrix/gemm-f32-direct-64/dispatch"]["value"], row[5])
        self.assertEqual(part[part.index("<tr><td>33x65x97"):].split("</tr>")[0].count("not run"), 4)
        if shutil.which("gnuplot"):
            self.assertEqual(part.count("data:image/svg+xml"), 1)
        # Beside it each kernel's tile, occupancy, bound and bytes.
        kernels = part[part.index("<h3>Kernels"):]
        rows = {row.split("</td>")[0]: [cell.split(">", 1)[1] for cell in row.split("<td")[1:]]
                for row in kernels.split("<tr><td>")[1:]}
        self.assertEqual(sorted(rows), ["gemm-f32-direct-64", "gemm-f32-tiled-64"])
        for name, tile, loaded in (("gemm-f32-direct-64", "32x32", 4 * 8 * 8 * 64 * 4),
                                   ("gemm-f32-tiled-64", "64x64", 5 * 2048 * 4)):
            cells = [cell.split("</td>")[0] for cell in rows[name]]
            self.assertEqual(cells[1], tile)
            # A core holds three times the threads that the source gives for the registers, or fewer.
            least = min(int(row["max_threads"]) for row in csv.DictReader(OCCUPANCY.read_text().splitlines())
                        if not row["registers_min"] or int(row["registers_min"]) <= int(cells[2]) + 7)
            self.assertTrue(4 <= int(cells[3]) <= 3 * least / 32, (name, cells, least))
            self.assertIn(cells[4], ("fast pipe", "issue", "threadgroup memory", "device memory", "dependency chain",
                                     "occupancy"))
            self.assertIn("fast pipe", cells[5])
            self.assertEqual([int(cells[6]), int(cells[7])], [loaded, 3 * 64 * 64 * 4])

    def test_code_is_the_measured_code(self):
        """Also where the compiler's options differ: folded atomics, and atomics of a chip with two dies."""
        path, to = self.folder / "run.json", self.folder / "run.html"
        for device in "virtual:m1", "virtual:m2-ultra":
            self.call("run", "--device", device, "--timeout", "100", "atomic/local-add-folded-return/latency", "atomic/add-own/latency",
                      "--format", "json", "-o", path)
            self.assertEqual(len(json.loads(path.read_text())["results"]), 2)
            self.call("report", path, "-o", to)
            page, raw = self.look(to)
            self.assertTrue("machine code, with each instruction" in raw, device)
            self.assertFalse("other machine code" in raw, device)

    def test_without_gnuplot(self):
        path, to = self.folder / "run.json", self.folder / "run.html"
        path.write_text(json.dumps(self.hostile()))
        self.call("report", path, "-o", to, PATH="/nowhere")
        page, raw = self.look(to)
        self.assertIn("gnuplot is not installed", raw)

    def test_failures_stand_first(self):
        """Then what differs from a published figure of the same code. A published figure of other code is no measure: such
        rows stand apart, and are marked wherever their difference is shown."""
        def row(name, code, value, **more):
            return dict({"name": name, "status": "pass", "unit": "cycles", "value": value, "low": value, "high": value, "samples": [value],
                         "reference": {"value": 10, "qualifier": "", "source": "s", "code": code}}, **more)
        run = dict(self.hostile(), results=[
            row("g/same/x", "same instruction", 11), row("g/sequence/x", "same sequence", 12), row("g/other/x", "other sequence", 90),
            row("g/unknown/x", "unknown sequence", 80), {"name": "g/bad/x", "status": "fail", "reason": "wrong answer"}])
        path, to = self.folder / "run.json", self.folder / "run.html"
        path.write_text(json.dumps(run))
        self.call("report", path, "-o", to)
        page, raw = self.look(to)
        summary = raw[raw.index("<body>"):raw.index("<h2>All results")]
        order = [summary.index(text) for text in ("<h2>Failures", "g/bad/x", "class=\"overview\"", "2 figures have a published counterpart of the same code",
                                                 "<li>g/sequence/x", "<li>g/same/x", "2 more have a published counterpart of other code",
                                                 "<li>g/other/x", "<li>g/unknown/x")]
        self.assertEqual(order, sorted(order))
        self.assertEqual(summary.count("(published of other instructions)"), 1)
        self.assertEqual(summary.count("(published of instructions that are not known)"), 1)
        self.assertEqual([re.search("circle class=\"(\\w+)\"", dot)[1] for dot in summary.split("<circle")[1:] for dot in ["circle" + dot]],
                         ["far", "far", "other", "other"])
        rows = raw[raw.index("<h2>All results"):]
        self.assertRegex(rows, r">\(<span class=\"difference\" data-value=\"800\">")
        self.assertNotRegex(rows, r">\(<span class=\"difference\" data-value=\"10\">")

    def test_plots_have_a_background(self):
        path, to = self.folder / "run.json", self.folder / "run.html"
        path.write_text(json.dumps(self.hostile()))
        self.call("report", path, "-o", to)
        plots = re.findall("data:image/svg\\+xml;base64,([^\"]+)", to.read_text())
        self.assertTrue(plots or not shutil.which("gnuplot"))
        for plot in plots:
            check_paper(self, base64.b64decode(plot).decode())

    def test_nothing(self):
        path, to = self.folder / "run.json", self.folder / "run.html"
        path.write_text(json.dumps(dict(self.hostile(), results=[])))
        self.call("report", path, "-o", to)
        self.assertEqual(self.look(to)[0].rows, [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
