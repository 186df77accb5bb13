#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/explain-application with an agx-runner that answers what this test says: programs by time, what bounds each, the sum.

  explain_application.py SCRIPT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Three jobs of two programs; the fourth is a job that explain does not take.
FAKE = """#!/usr/bin/python3
import json, sys
words = sys.argv[1:]
if words[0] == "with-device":
    for name in JOBS:
        open(words[words.index("--trace") + 1] + "/" + name + ".agxjob", "w")
    print("app (1): 4 commands, 2 programs, 4 launches, 3100 cycles (modelled), 0 faults", file=sys.stderr)
    sys.exit(words[-1] == "fails")
name = words[-1].rsplit("/", 1)[-1].split(".")[0]
if name == "bad":
    sys.exit("no launch")
cycles = {"1": 1000, "2": 2000, "3": 500}[name]
print(json.dumps({"cycles": cycles, "half_registers": 40, "active_lanes": 0.5, "busy": {"DRAM": 0.9 if name != "3" else 0.1, "fast pipe": 0.4},
                  "findings": [{"name": "idle cores", "gain": 0.99}, {"name": "memory latency", "gain": 0.25}],
                  "instructions": [{"instruction": "mov" if name != "3" else "stop"}]}))
"""


class ExplainApplication(unittest.TestCase):
    def call(self, jobs, program):
        with tempfile.TemporaryDirectory() as work:
            runner = pathlib.Path(work, "runner")
            runner.write_text(FAKE.replace("JOBS", repr(jobs)), encoding="utf-8")
            runner.chmod(0o755)
            return subprocess.run([SCRIPT, runner, program], capture_output=True, text=True, check=False)

    def test_table(self):
        done = self.call(["1", "2", "3"], "app")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")][1:]
        self.assertEqual([[row[0], *row[2:]] for row in rows[:2]], [["| 1", "2", "3000", "85.7%", "DRAM", "90%", "memory latency, 25%", "40", "50% |"],
                                                         ["| 2", "1", "500", "14.3%", "fast pipe", "40%", "memory latency, 25%", "40", "50% |"]])
        self.assertIn("| | sum | 3 | 3500 | 100 % | | | | | |", done.stdout.splitlines())
        self.assertIn("2 programs, 4 launches, 3100 cycles; 3 launches explained,", done.stdout.splitlines())

    def test_failures(self):
        done = self.call(["1", "bad"], "app")
        self.assertEqual(done.returncode, 98)
        self.assertIn("bad.agxjob: ['no launch']", done.stderr)
        self.assertEqual(self.call(["1"], "fails").returncode, 1)


if __name__ == "__main__":
    SCRIPT = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
