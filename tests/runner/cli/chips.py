# SPDX-License-Identifier: MIT
"""What differs between the chips is told to the kernels: atomics want bit 45 on some and must not have it on others
(spec/uapi.md section 6), 64-bit ones exist on few; a core's figures are the same on all of a family.

Usage: chips.py AGX_RUNNER"""
import json
import subprocess
import sys
import unittest

RUNNER = sys.argv.pop(1)
ATOMICS_64 = {"m1": False, "m1-pro": False, "m1-max": False, "m1-ultra": False,
              "m2": True, "m2-pro": True, "m2-max": True, "m2-ultra": False}
ATOMICS = ["atomic/add-own/latency", "atomic/xchg-simd/latency", "atomic/cmpxchg-one-return/latency",
           "atomic/sub-random-1KiB/latency", "atomic/local-add-own/latency", "atomic/umax64-emulated/check"]
PER_CORE = ["float/fadd32/throughput", "float/fadd32/latency", "simd/shuffle32/throughput"]
NATIVE_64 = ["atomic/umax64/check", "atomic/umax64-own/latency"]


def run(chip):
    done = subprocess.run([RUNNER, "run", "--device", f"virtual:{chip}", "--timeout", "100", "--format", "json", *ATOMICS,
                           *PER_CORE, *NATIVE_64], capture_output=True, text=True, timeout=250)
    return done.returncode, {result["name"]: result for result in json.loads(done.stdout)["results"]}


class Chips(unittest.TestCase):
    def test_all(self):
        figures = {}
        for chip, atomics_64 in ATOMICS_64.items():
            with self.subTest(chip=chip):
                code, results = run(chip)
                self.assertEqual(code, 0, results)
                for name in ATOMICS + PER_CORE:
                    self.assertEqual(results[name]["status"], "pass", results[name])
                for name in NATIVE_64:
                    self.assertEqual(results[name]["status"], "pass" if atomics_64 else "skip", results[name])
                    self.assertEqual("absent on G13" in results[name]["reason"], chip.startswith("m1"))
                for name in PER_CORE:
                    value = results[name]["value"]  # 8 us, half of which are loads and stores of inputs
                    self.assertAlmostEqual(value / figures.setdefault(name, value), 1, delta=0.01, msg=name)


if __name__ == "__main__":
    unittest.main()
