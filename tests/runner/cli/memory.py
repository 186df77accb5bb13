# SPDX-License-Identifier: MIT
"""memory/ and sweep memory: what they say of a virtual device follows the parameters that the device was given, which
they do not know. The parameters are drawn at random.

Usage: memory.py AGX_RUNNER [RANDOM PARAMETER FILES]"""
import csv
import json
import math
import random
import subprocess
import sys
import unittest

from folder import InFolder

RUNNER = sys.argv.pop(1)
# 7: 16 ways, where one line of another buffer looks like the end of the L2. 9: an L2 of which a core has 8 KiB.
SEEDS = range(int(sys.argv.pop(1))) if len(sys.argv) > 1 and sys.argv[1].isdigit() else (7, 9)
CHIPS = [("m1", 8, 1), ("m2-pro", 19, 1), ("m1-max", 32, 1), ("m1-ultra", 64, 2)]  # name, cores, dies
KIB = 1024


def measure(device, *names):
    done = subprocess.run([RUNNER, "run", "--device", device, "--format", "json", "--timeout", "200", *[n if "/" in n else f"memory/{n}" for n in names]],
                          capture_output=True, text=True, timeout=250)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return {r["name"].split("/")[1]: r["value"] for r in json.loads(done.stdout)["results"]}


class Memory(InFolder):
    def device(self, **values):
        path = self.folder / "params"
        with path.open("w", encoding="ascii") as file:
            for name, value in values.items():
                file.write(f"{name.replace('__', '/').replace('_', '-')} {value}\n")
        return f"virtual:m1,params={path}"

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

    def test_kernels(self):
        """Whole kernels that the memory bounds: the bytes that they must move, at its bandwidth."""
        draw = random.Random(6)
        bytes_a_cycle, efficiency = draw.randint(3, 8), draw.randint(60, 95)
        device = self.device(memory__dram_bandwidth=bytes_a_cycle, memory__dram_efficiency=efficiency)
        expected = bytes_a_cycle * efficiency / 100 * 8 * 1.278
        found = measure(device, *[f"kernel/{name}" for name in ("stream-triad", "reduction", "transpose-naive",
                                                                    "transpose-tiled")])
        self.near(found["stream-triad"], expected, 0.05, "triad")
        self.near(found["reduction"], expected, 0.1, "reduction")
        self.assertLess(found["transpose-naive"], 0.9 * found["transpose-tiled"])
        self.assertLess(found["transpose-tiled"], 1.02 * expected)

    def fit(self, device):
        """Levels as (bytes or None, cycles)."""
        done = subprocess.run([RUNNER, "sweep", "memory", "--device", device, "--fit", "-o", self.folder / "points.csv",
                               "--timeout", "200"],
                              capture_output=True, text=True, timeout=500)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.folder / "points.csv", encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        self.assertEqual([int(points[0]["bytes"]), int(points[-1]["bytes"])], [KIB, 32 * KIB * KIB])
        self.assertTrue(all(p["kind"] == "virtual (modelled)" for p in points))
        rows = [line.split() for line in done.stdout.splitlines()[1:]]
        levels = [r for r in rows if r[0].isdigit()]
        shape = {r[0]: r for r in rows if r[0] in ("fetch", "line", "pages")}
        return ([(None if r[1] == "more" else int(r[1]), float(r[2])) for r in levels],
                [None if r[4] == "-" else float(r[4]) for r in levels], shape)

    def check_levels(self, found, expected, what):
        self.assertEqual([bytes_ for bytes_, _ in found], [bytes_ for bytes_, _ in expected], what)
        for (_, cycles), (_, wanted) in zip(found, expected):
            self.near(cycles, wanted, 0.05, what)

    def check_shape(self, bandwidths, expected, shape, what):
        """expected: bytes a cycle and core."""
        self.assertEqual(len(bandwidths), len(expected), what)
        for level, (found, wanted) in enumerate(zip(bandwidths, expected)):
            self.near(found, wanted, 0.05, f"{what}, bandwidth of level {level + 1}")
        self.near(float(shape["fetch"][1]), 32, 0.05, what)  # VGPU_SECTOR
        self.assertEqual(shape["line"][1], "128", what)  # VGPU_LINE

    def test_fit(self):
        """The levels of the M1 as the rows of vgpu/timing/memory/memory_rows.h have them."""
        levels, bandwidths, shape = self.fit("virtual:m1")
        self.check_levels(levels, [(8 * KIB, 23), (768 * KIB, 98), (8192 * KIB, 340), (None, 397)], "m1")
        self.check_shape(bandwidths, [64, 37.6, 13.1, 6.68 * 0.87], shape, "m1")

    def test_fit_blind(self):
        """Parameters that are drawn at random, of several chips."""
        for seed in SEEDS:
            draw = random.Random(100 + seed)
            chip, cores, dies = CHIPS[seed % len(CHIPS)]
            ways = [draw.choice([4, 8, 16]) for _ in range(4)]
            l1 = draw.randint(2, 5) * 2 * KIB
            l2 = max(96 * KIB, cores * l1 * 5 // 2) // (32 * KIB) * 32 * KIB + draw.randint(0, 3) * 32 * KIB  # of a die
            slc = (3 * l2 * dies // (512 * KIB) + draw.randint(1, 4)) * 512 * KIB
            cycles = draw.randint(15, 60), draw.randint(80, 200), draw.randint(220, 500), draw.randint(550, 900)
            rates = draw.randint(44, 60), draw.randint(12, 15), draw.randint(8, 11), draw.randint(3, 7)
            efficiency = draw.randint(60, 100)
            walk, pages = draw.randint(40, 200), draw.randint(2200, 3500) // 16 * 16
            device = self.device(latency__load=cycles[0], memory__l1_bytes=l1, memory__l1_ways=ways[0],
                                 memory__l2_bytes=l2 * dies, memory__l2_ways=ways[1], memory__slc_bytes=slc,
                                 memory__slc_ways=ways[2], memory__l2_latency=cycles[1],
                                 memory__slc_latency=cycles[2], memory__dram_latency=cycles[3],
                                 memory__l1_bandwidth=rates[0], memory__l2_bandwidth=rates[1],
                                 memory__slc_bandwidth=rates[2], memory__dram_bandwidth=rates[3],
                                 memory__dram_efficiency=efficiency, memory__tlb_entries=pages,
                                 memory__tlb_ways=ways[3], memory__tlb_latency=walk).replace("m1", chip, 1)
            what = f"seed {seed}, {chip}, ways {ways}"
            levels, bandwidths, shape = self.fit(device)
            self.check_levels(levels, list(zip((l1, l2, slc, None), cycles)), what)
            self.check_shape(bandwidths, [*rates[:3], rates[3] * efficiency / 100], shape, what)
            self.near(int(shape["pages"][1]), pages, 0.02, what)
            self.near(float(shape["pages"][-2]), walk, 0.05, what)


if __name__ == "__main__":
    unittest.main()
