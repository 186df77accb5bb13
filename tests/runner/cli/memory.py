# SPDX-License-Identifier: MIT
"""memory/: what the benchmarks say of a virtual device follows the parameters that the device was given, which the
benchmarks do not know. The parameters are drawn at random.

Usage: memory.py AGX_RUNNER"""
import json
import math
import random
import subprocess
import sys
import unittest

from folder import InFolder

RUNNER = sys.argv.pop(1)
KIB = 1024


def measure(device, *names):
    done = subprocess.run([RUNNER, "run", "--device", device, "--format", "json", *[f"memory/{n}" for n in names]],
                          capture_output=True, text=True, timeout=250)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return {r["name"].split("/")[1]: r["value"] for r in json.loads(done.stdout)["results"]}


class Memory(InFolder):
    def device(self, **values):
        with open("params", "w", encoding="ascii") as file:
            for name, value in values.items():
                file.write(f"{name.replace('__', '/').replace('_', '-')} {value}\n")
        return "virtual:m1,params=params"

    def near(self, value, expected, share, what):
        self.assertLess(abs(value / expected - 1), share, f"{what}: {value}, expected {expected}")

    def test_latencies(self):
        """Rings below, between and above the caches' sizes."""
        for seed in range(2):
            draw = random.Random(seed)
            l1, l2, slc, dram = (draw.randint(15, 60), draw.randint(80, 200), draw.randint(220, 500),
                                 draw.randint(520, 900))
            device = self.device(latency__load=l1, memory__l1_bytes=16 * KIB, memory__l2_bytes=256 * KIB,
                                 memory__slc_bytes=2048 * KIB, memory__l2_latency=l2, memory__slc_latency=slc,
                                 memory__dram_latency=dram)
            found = measure(device, "chase-1k", "chase-16k", "chase-64k", "chase-256k", "chase-1m", "chase-2m",
                            "chase-4m", "chase-64m")
            for name, expected in (("1k", l1), ("16k", l1), ("64k", l2), ("256k", l2), ("1m", slc), ("2m", slc),
                                   ("4m", dram), ("64m", dram)):
                self.near(found["chase-" + name], expected, 0.05, f"seed {seed}, chase-{name}")

    def test_banks(self):
        """A core reads a word of each bank a cycle: lanes that share one take turns."""
        strides = (2, 4, 8, 16, 32)
        for banks in (16, 32):
            device = self.device(memory__local_banks=banks)
            found = measure(device, *[f"local-stride-{s}" for s in strides])
            for stride in strides:
                distinct = min(32, banks // math.gcd(banks, stride))
                self.near(found[f"local-stride-{stride}"], distinct, 0.05, f"{banks} banks, {stride} words")

    def test_copy(self):
        """The memory's bandwidth: nominal times what is reached of it."""
        draw = random.Random(5)
        bytes_a_cycle, efficiency = draw.randint(3, 8), draw.randint(60, 95)
        device = self.device(memory__dram_bandwidth=bytes_a_cycle, memory__dram_efficiency=efficiency)
        expected = bytes_a_cycle * efficiency / 100 * 8 * 1.278
        self.near(measure(device, "copy-1")["copy-1"], expected, 0.05, "copy")


if __name__ == "__main__":
    unittest.main()
