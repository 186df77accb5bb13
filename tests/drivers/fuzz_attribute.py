#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/fuzz-attribute with an agx-runner that answers what this test says: entries of small kernels, and what belongs to none.

  fuzz_attribute.py SCRIPT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHADER = """wrong answer: Mesa 26.2.6-1, seed 3, program {0}: argument 0, uint[0]: expected 1 (0x1), got 2 (0x2)
  again: agx-runner fuzz --mesa sid --language glsl --seed 3 --first {0} --count 1
  smaller, argument 0, uint[0]: expected 1 (0x1), got 2 (0x2):
    layout(set = 0, binding = 0, std430) buffer B0 {{ uint out8[]; }};
    layout(set = 0, binding = 1, std430) readonly buffer B1 {{ {1} a3[]; }};

    void main()
    {{
{2}
    }}
Mesa 26.2.6-1: 1 kernels in GLSL, 1 findings, 0 refused by the driver
"""
# By the entries' own words in docs/mesa-bugs.md: the argument's type, statements, the entry.
KERNELS = {
    "1": ("int64_t", "float v1 = float(a3[0]); int64_t v2 = int64_t(v1);", "F24"),
    "2": ("uint16_t", "float16_t v1 = float16_t(a3[0]); int16_t v2 = int16_t(v1);", "F24"),
    "3": ("float16_t", "int v1 = int(a3[0]); float16_t v2 = float16_t(v1);", "F28"),
    "4": ("float", "float16_t v1 = float16_t(a3[0]); float v2 = float(v1);", "F33"),
    "5": ("vec4", "f16vec4 v1 = f16vec4(roundEven(a3[0])); float16_t v2 = (v1).x; int v3 = int(v2);", "F33"),
    "6": ("uint16_t", "uint16_t v1 = uint16_t(~a3[0]); uint v2 = uint(v1);", "F35"),
    "10": ("int16_t", "uint v1 = uint(a3[0]); int64_t v2 = int64_t(v1); int64_t v3 = int64_t(v2 * 5l);", "F2"),
    "11": ("int16_t", "uint v1 = uint(a3[0]); uint v2 = uint(uint(v1) % uint(5u));", "F2"),
    "12": ("int64_t", "uint v1 = as_uint(convert_float_rtp((half)a3[0]));", "F33"),
    "13": ("uint", "ulong4 v1 = (ulong4)(0UL); for (int j = 0; j < 32; j++) { b[j] = ((uchar *)&v1)[j]; }", "F20"),
    "14": ("short", "out8[0] = mul_hi(18446744073709551615UL, convert_ulong(a3[0]));", "F2"),
    "7": ("uint", "uint v1 = a3[0] * 3; out8[0] = v1;", ""),
    "8": ("float16_t", "float v1 = float(a3[0]); float16_t v2 = float16_t(v1);", ""),  # holds every half
    "9": ("float", "uint v1 = uint(floatBitsToUint(a3[0])); float v2 = float(v1);", ""),  # the bits, no conversion
}
FAKE = """#!/usr/bin/python3
import sys
print(open(sys.argv[0] + sys.argv[sys.argv.index("--first") + 1]).read(), end="")
"""


class FuzzAttribute(unittest.TestCase):
    def test_entries(self):
        with tempfile.TemporaryDirectory() as work:
            runner, findings, kept = (pathlib.Path(work, name) for name in ("runner", "findings", "kept"))
            runner.write_text(FAKE, encoding="utf-8")
            runner.chmod(0o755)
            texts = {number: SHADER.format(number, kind, body) for number, (kind, body, _) in KERNELS.items()}
            for number, text in texts.items():
                pathlib.Path(f"{runner}{number}").write_text(text, encoding="utf-8")
            findings.write_text("".join(texts.values()), encoding="utf-8")
            for _ in range(2):  # the second time from what is kept
                done = subprocess.run([SCRIPT, "--language", "glsl", "--keep", kept, runner, "sid", findings], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 98, done.stderr)
                said = dict(line.split(": ") for line in done.stderr.splitlines())
                self.assertEqual(said, {f"3:{number}": entry or "not known" for number, (_, _, entry) in KERNELS.items()})
                self.assertIn("| F24 | 2 | 3:1 3:2 |", done.stdout.splitlines())
                self.assertIn("    " + KERNELS["7"][1], done.stdout)
                runner.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")


if __name__ == "__main__":
    SCRIPT = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
