#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ci/apps-results: rows, what a page of before keeps, and the cases that all devices have run. Usage: results_page.py SCRIPT"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


def run_of(mesa, chip, results):
    return {"environment": {"mesa": mesa.split(":")[0], "mesa_name": mesa}, "device": {"chip": chip},
            "results": [{"name": name, "status": status, "seconds": 2, "reason": reason} for name, status, reason in results]}


class ResultsPage(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)

    def page(self, *words):
        done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def file(self, name, text):
        path = pathlib.Path(self.work.name, name)
        path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        return path

    def test_pages(self):
        whole = self.file("whole.json", run_of("26.2", "m1", [("blas@a", "pass", ""), ("blas@b", "fail", "is wrong"), ("blas@c", "skip", "not here")]))
        before = self.page(whole)
        self.assertIn("| blas | 26.2 | m1 | 3 | 3 | 1 | 1 | 1 | 6 / - |", before.splitlines())
        self.assertNotIn("The same cases", before)
        slices = [self.file(f"{i}.json", run_of(*of, [("blas@a", "pass", ""), ("blas@b", "fail", "still")]))
                  for i, of in enumerate((("26.2", "m1"), ("26.2", "m2-max"), ("26.2:software", "m1")))]
        lines = self.page("--keep", self.file("page.md", before), *slices).splitlines()
        self.assertIn("| blas | 26.2 | m1 | 3 | 3 | 1 | 1 | 1 | 6 / - |", lines)  # has more cases than the slice
        self.assertIn("| blas | 26.2 | m2-max | 2 | 2 | 1 | 1 | 0 | 4 / 4 (2) |", lines)
        self.assertIn("| blas | 2 | 1 of 2, 4 s | 1 of 2, 4 s | 1 of 2, 4 s |", lines)
        self.assertIn("- blas, 26.2, m1: fail: `b`: is wrong", lines)
        self.assertIn("- blas, 26.2, m2-max: fail: `b`: still", lines)
        self.assertIn("- blas, 26.2, m1: skip: `c`: not here", lines)
        other = self.file("other.json", run_of("26.2", "m1", [("web@a", "pass", "")]))
        both = [other, self.file("max.json", run_of("26.2", "m2-max", [("web@a", "pass", "")]))]
        kept = self.page("--keep", self.file("page.md", "\n".join(lines)), *both)
        self.assertIn("| blas | 2 | 1 of 2, 4 s | 1 of 2, 4 s | 1 of 2, 4 s |", kept, "the table of the same cases is kept without the processor's")
        again = self.page("--keep", self.file("page.md", "\n".join(lines)), other).splitlines()
        self.assertEqual([line for line in again if line not in lines], ["| web | 26.2 | m1 | 1 | 1 | 1 | 0 | 0 | 2 / - |"])
        self.assertEqual([line for line in lines if line not in again], [])

    def test_causes_are_those_of_the_expectations(self):
        wrong = self.file("wrong.json", run_of("26.2.6-1", "m1", [("tfjs@image@transform(image)", "fail", "is -0.9"), ("tfjs@image@other(image)", "fail", "is 7")]))
        page = self.page(wrong)
        self.assertRegex(page, r"(?m)^- tfjs, 26.2.6-1, m1: fail: `image@transform\(image\)`: is -0.9 \*TensorFlow.js: .*\*$")
        self.assertRegex(page, r"(?m)^- tfjs, 26.2.6-1, m1: fail: `image@other\(image\)`: is 7$")
        before = self.file("before.md", page.replace(" *TensorFlow.js: ", "\n*"))  # a page that has no cause
        self.assertIn("TensorFlow.js: ", self.page("--keep", before, self.file("other.json", run_of("26.2.6-1", "m1", [("web@a", "pass", "")]))))

    def test_operations(self):
        first = self.file("all.json", run_of("26.2", "m1", [("llama.cpp@ADD@0@ADD(a)", "pass", ""), ("llama.cpp@ADD@0@ADD(b)", "skip", ""),
                                                            ("llama.cpp@ADD@1", "timeout", ""), ("llama.cpp@MUL@0@MUL(a)", "fail", "")]))
        second = self.file("longer.json", run_of("26.2", "m1", [("llama.cpp@ADD@1@ADD(c)", "pass", "")]))
        for run in first, second:
            text = json.loads(run.read_text(encoding="utf-8"))
            text["device"]["path"] = "virtual:m1"
            run.write_text(json.dumps(text), encoding="utf-8")
        self.assertIn("| ADD | 1 | 1 | 0 | 1 | 1 |", self.page("--operations", first).splitlines())
        lines = self.page("--operations", first, second).splitlines()
        self.assertIn("| ADD | 2 | 2 | 0 | 1 | 0 |", lines)
        self.assertIn("| all 2 | 3 | 2 | 1 | 1 | 0 |", lines)


if __name__ == "__main__":
    SCRIPT = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
