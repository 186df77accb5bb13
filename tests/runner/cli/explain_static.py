# SPDX-License-Identifier: MIT
"""explain --static: the cycles of kernels whose loops have known counts are those of the launch's simulation, folders are
walked, and loop counts that make no sense are refused.

Usage: explain_static.py AGX_RUNNER"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUNNER = sys.argv.pop(1)
THREADS = 8 * 96 * 32  # virtual:m1 at full occupancy
SIMDS = 96 // 4        # of a scheduler
BODIES = {
    "tiny": "x = x * 1.5f + y;",
    "fast": "x = x * 1.5f + y; y = y * 1.25f + x;" * 16,
    "complex": "x = native_exp2(x) * 0.5f; y = native_rsqrt(y + 1.5f);" * 4,
    "integer": "x = as_float(as_int(x) * as_int(y) + 7); y = as_float(as_int(y) * 5 ^ as_int(x));" * 8,
}
KERNEL = """kernel void {name}(global float *out, int outer, int inner)
{{
   float x = get_global_id(0), y = x + 1;
   for (int i = 0; i < outer; i++)
      for (int j = 0; j < inner; j++) {{ {body} }}
   out[get_global_id(0)] = x + y;
}}
"""


class Static(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, body in BODIES.items():
            (self.folder / f"{name}.cl").write_text(KERNEL.format(name=name, body=body))

    def explain(self, *arguments, code=0):
        done = subprocess.run([RUNNER, "explain", *map(str, arguments)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def static(self, *arguments):
        told = json.loads(self.explain(*arguments, "--format", "json"))
        self.assertIs(told["modelled"], True)
        return {kernel["kernel"]: kernel for kernel in told["kernels"]}

    def test_simulation(self):
        kernels = self.static("--static", "3,40", self.folder)
        self.assertEqual(set(kernels), set(BODIES))
        for name, kernel in kernels.items():
            path = self.folder / f"{name}.cl"
            run = json.loads(self.explain(path, "--device", "virtual:m1", "--buf", f"0=f32[{THREADS}]", "--arg", "1=3", "--arg",
                                          "2=40", "--grid", THREADS, "--format", "json"))
            self.assertAlmostEqual(kernel["cycles"] * SIMDS / run["cycles"], 1, delta=0.1, msg=name)
            self.assertAlmostEqual(sum(block["cycles"] for block in kernel["blocks"]) / kernel["cycles"], 1, places=6)

    def test_counts(self):
        path = self.folder / "fast.cl"
        few, many, deeper = (self.static("--static", counts, path)["fast"] for counts in ("1", "1,10", "10"))
        self.assertEqual({block["executions"] for block in few["blocks"]}, {1})
        self.assertEqual({(block["loops"], block["executions"]) for block in many["blocks"]}, {(0, 1), (1, 1), (2, 10)})
        self.assertEqual({(block["loops"], block["executions"]) for block in deeper["blocks"]}, {(0, 1), (1, 10), (2, 100)})

    def test_text(self):
        text = self.explain("--static", "4", self.folder)
        self.assertIn("modelled", text)
        self.assertEqual(text.count("cycles of a scheduler for each simdgroup"), len(BODIES))

    def test_refusals(self):
        path = self.folder / "fast.cl"
        for counts in ("0", "x", "1,", "1,,2", "-1", "1,2,3,4,5,6,7,8,9", "99999999999"):
            self.assertIn("loop counts", self.explain("--static", counts, path, code=79))
        self.assertIn("runs no kernel", self.explain("--static", "1", path, "--timeline", "2", code=79))
        self.assertIn("formats text and json", self.explain("--static", "1", path, "--format", "html", code=79))


unittest.main()
