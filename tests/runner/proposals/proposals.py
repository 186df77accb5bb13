# SPDX-License-Identifier: MIT
"""Better sequences for operations that Mesa's code is slow at (results/mesa-against-apple.md): each .agx file computes what
Mesa's code for the .cl file of its name computes, and what Python computes, on all pairs of edge values and on random
ones; the device's checks find nothing, and the model says that it is faster.

Usage: proposals.py AGX_RUNNER"""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

RUNNER = sys.argv.pop(1)
HERE = pathlib.Path(__file__).parent
RANDOM = 4096
EDGES = {bits: sorted({value % 2**bits for power in (0, 1, 7, 15, 16, 31, 32, 33, 63) for value in
                       (2**power - 1, 2**power, 2**power + 1, -(2**power))} | {0}) for bits in (32, 64)}
CASES = {  # operands in bits, the answer
    "add_32_32": ((32, 32), lambda a, b: a + b),
    "mad_32_32_64": ((32, 32, 64), lambda a, b, c: (a * b + c) % 2**64),
    "mul_hi_64": ((64, 64), lambda a, b: a * b >> 64),
}


def operands(bits):
    """Tuples: all pairs of edge values of the first two, with each edge value of a third in turn; then random ones."""
    draw = random.Random(1)
    third = EDGES[bits[2]] if len(bits) > 2 else [0]
    tuples = [(a, b, third[(i * len(EDGES[bits[1]]) + k) % len(third)])[:len(bits)]
              for i, a in enumerate(EDGES[bits[0]]) for k, b in enumerate(EDGES[bits[1]])]
    count = RANDOM + -len(tuples) % 32  # a multiple of the threadgroup
    return tuples + [tuple(draw.getrandbits(width) for width in bits) for _ in range(count)]


class Proposals(unittest.TestCase):
    def run_it(self, *arguments):
        done = subprocess.run([RUNNER, *map(str, arguments)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def answers(self, path, bits, tuples):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            words = ["--buf", f"0=u64[{len(tuples)}]", "--dump", f"0={out}", "--grid", len(tuples), "--group", 32]
            for i, width in enumerate(bits):
                file = pathlib.Path(folder) / f"in{i}"
                file.write_bytes(struct.pack(f"<{len(tuples)}{'Q' if width == 64 else 'I'}", *(one[i] for one in tuples)))
                words += ["--buf", f"{i + 1}=u{width}[{len(tuples)}]:@{file}"]
            self.run_it("exec", "--device", "virtual:m1", "--check", path, *words)
            return list(struct.unpack(f"<{len(tuples)}Q", out.read_bytes()))

    def stats(self, path):
        """Instructions, and the modelled cycles of the fast and the complex pipe."""
        (result,) = json.loads(self.run_it("corpus", "--json", path))["results"]
        pipes = dict(re.findall(r"(fast|complex) pipe +([\d.]+) cycles each", self.run_it("compile", "--predict", path)))
        return result["program"]["instructions"], float(pipes["fast"]), float(pipes.get("complex", 0))

    def test_all_are_here(self):
        self.assertEqual({path.stem for path in HERE.glob("*.agx")}, set(CASES))

    def check(self, name):
        bits, answer = CASES[name]
        tuples = operands(bits)
        expected = [answer(*one) for one in tuples]
        self.assertEqual(self.answers(HERE / f"{name}.cl", bits, tuples), expected)
        self.assertEqual(self.answers(HERE / f"{name}.agx", bits, tuples), expected)
        mesa, ours = self.stats(HERE / f"{name}.cl"), self.stats(HERE / f"{name}.agx")
        print(f"{name}: instructions, fast and complex pipe: Mesa {mesa}, here {ours}")
        self.assertLess(ours[0], mesa[0])
        self.assertLess(sum(ours[1:]), sum(mesa[1:]) - 1)
        self.assertLessEqual(ours[2], mesa[2])

    def test_add(self):
        self.check("add_32_32")

    def test_mad(self):
        self.check("mad_32_32_64")

    def test_mul_hi(self):
        self.check("mul_hi_64")


if __name__ == "__main__":
    unittest.main()
