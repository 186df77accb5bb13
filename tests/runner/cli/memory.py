# SPDX-License-Identifier: MIT
"""memory/ and sweep memory: what they say of a virtual device follows the parameters that the device was given, which
they do not know. The parameters are drawn at random.

Usage: memory.py AGX_RUNNER"""
import csv
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

    def fit(self, device):
        """Levels as (bytes or None, cycles)."""
        done = subprocess.run([RUNNER, "sweep", "memory", "--device", device, "--fit", "-o", "points.csv"],
                              capture_output=True, text=True, timeout=250)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open("points.csv", encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        self.assertEqual([int(points[0]["bytes"]), int(points[-1]["bytes"])], [KIB, 32 * KIB * KIB])
        self.assertTrue(all(p["kind"] == "virtual (modelled)" for p in points))
        rows = [line.split() for line in done.stdout.splitlines()[1:] if not line.startswith("virtual")]
        return [(None if r[1] == "more" else int(r[1]), float(r[2])) for r in rows]

    def check_levels(self, found, expected, what):
        self.assertEqual([bytes_ for bytes_, _ in found], [bytes_ for bytes_, _ in expected], what)
        for (_, cycles), (_, wanted) in zip(found, expected):
            self.near(cycles, wanted, 0.05, what)

    def test_fit(self):
        """The levels of the M1 as the rows of vgpu/timing/memory/memory_rows.h have them."""
        self.check_levels(self.fit("virtual:m1"), [(8 * KIB, 23), (768 * KIB, 98), (8192 * KIB, 340), (None, 397)], "m1")

    def test_fit_blind(self):
        """Levels of parameters that are drawn at random."""
        for seed in range(3):
            draw = random.Random(100 + seed)
            ways = [draw.choice([2, 4, 8, 16]) for _ in range(3)]
            l1 = draw.randint(2, 15) * 2 * KIB
            l2 = draw.randint(4, 15) * 32 * KIB
            slc = draw.randint(4, 15) * 512 * KIB
            cycles = draw.randint(15, 60), draw.randint(80, 200), draw.randint(220, 500), draw.randint(550, 900)
            device = self.device(latency__load=cycles[0], memory__l1_bytes=l1, memory__l1_ways=ways[0],
                                 memory__l2_bytes=l2, memory__l2_ways=ways[1], memory__slc_bytes=slc,
                                 memory__slc_ways=ways[2], memory__l2_latency=cycles[1],
                                 memory__slc_latency=cycles[2], memory__dram_latency=cycles[3])
            self.check_levels(self.fit(device), list(zip((l1, l2, slc, None), cycles)), f"seed {seed}, ways {ways}")


if __name__ == "__main__":
    unittest.main()
