# SPDX-License-Identifier: MIT
"""corpus: each kernel of a folder has the statistics that `compile --stats` prints of it alone; a kernel that does not
compile is named; compare finds the kernel that became worse, wherever the two folders stand.

Usage: corpus.py AGX_RUNNER"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

RUNNER = sys.argv.pop(1)
ONE = "kernel void one(global int *p) { p[get_global_id(0)] += 1; }\n" \
      "kernel void two(global int *p) { p[get_global_id(0)] *= p[3]; }\n"
BETTER = "kernel void sum(global float *p) { p[get_global_id(0)] = p[get_global_id(0)] + 1.0f; }\n"
WORSE = "kernel void sum(global float *p) { p[get_global_id(0)] = sqrt(p[get_global_id(0)]) + 1.0f; }\n"


class Corpus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("before", BETTER), ("after", WORSE)):
            (self.folder / name / "deep").mkdir(parents=True)
            (self.folder / name / "a.cl").write_text(ONE)
            (self.folder / name / "deep" / "b.cl").write_text(text)
            (self.folder / name / "wrong.cl").write_text("kernel void")
            (self.folder / name / "notes.txt").write_text("no kernel")

    def run_it(self, *arguments, code=0):
        done = subprocess.run([RUNNER, *map(str, arguments)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_statistics(self):
        run = json.loads(self.run_it("corpus", "--json", self.folder / "before", code=98))
        results = {result["name"]: result for result in run["results"]}
        self.assertEqual(list(results), ["a.cl/one", "a.cl/two", "deep/b.cl/sum", "wrong.cl"])
        self.assertEqual(results["wrong.cl"]["status"], "fail")
        for name in ("one", "two"):
            alone = self.run_it("compile", "--stats", "--kernel", name, self.folder / "before" / "a.cl")
            counts = [int(number) for number in re.findall(r"(?m)^instructions +(\d+)$", alone)]
            self.assertEqual(results[f"a.cl/{name}"]["program"]["instructions"], sum(counts), alone)
        text = self.run_it("corpus", self.folder / "before", code=98)
        self.assertIn("all 3 kernels; 1 of 3 files", text)

    def test_compare(self):
        for name in ("before", "after"):
            self.run_it("corpus", "--json", self.folder / name, "-o", self.folder / f"{name}.json", code=98)
        text = self.run_it("compare", self.folder / "before.json", self.folder / "after.json", "--fail-on", "hurt:1%",
                           code=98)
        self.assertRegex(text, r"deep/b.cl/sum  \[compiled kernels\]\n +other code: .*instructions")
        self.assertRegex(text, r"\$ diff -u <\(\S+ compile --program --kernel sum \S+/before/deep/b.cl\) <\(\S+ compile --program --kernel sum \S+/after/deep/b.cl\)\n")
        self.assertNotIn("a.cl/one", text)
        self.run_it("compare", self.folder / "before.json", self.folder / "before.json", "--fail-on", "hurt:1%")

    def test_exit_code(self):
        """98 where a file has an error, which is named. What somebody lacks is no error."""
        done = subprocess.run([RUNNER, "corpus", self.folder / "before"], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 98)
        self.assertRegex(done.stderr, r"agx-runner: 1 of 3 files have errors: \S*wrong\.cl\n$")
        (self.folder / "before" / "wrong.cl").write_text("kernel void k(global double *o) { o[0] = 1; }\n")
        self.assertIn("the GPU has no double precision", self.run_it("corpus", self.folder / "before"))

    def test_errors(self):
        self.run_it("corpus", self.folder / "nothing", code=79)
        (self.folder / "empty").mkdir()
        self.run_it("corpus", self.folder / "empty", code=79)


if __name__ == "__main__":
    unittest.main()
