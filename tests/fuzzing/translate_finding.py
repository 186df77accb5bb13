#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz FILE translates a finding in NIR to OpenCL C where that fails, too, and says why not where it does not.

Usage: translate_finding.py AGX_RUNNER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

CONSTANT, INPUT, ALU, OUTPUT, SET, GET, LOOP, ENDLOOP = 1, 2, 4, 5, 6, 7, 11, 12
LANES = 64


class Program:
    """A .fuzz file: nodes, and inputs of which all lanes hold the same."""

    def __init__(self):
        self.lines, self.inputs, self.outputs = [], [], 0

    def node(self, kind, bits, *sources, op="-", slot=0, value=0):
        """Adds a node, and returns its number."""
        four = [f"{source}.0" for source in sources] + ["0.0"] * (4 - len(sources))
        self.lines.append(f"node {kind} {bits} 1 1 {op} {slot} {value:#x} {' '.join(four)}")
        return len(self.lines) - 1

    def input(self, bits, value):
        """A node that reads a value."""
        self.inputs.append(value)
        return self.node(INPUT, bits, slot=len(self.inputs) - 1)

    def op(self, name, bits, *sources):
        """A node of an op of NIR."""
        return self.node(ALU, bits, *sources, op=name)

    def store(self, bits, source):
        """Stores a value."""
        self.node(OUTPUT, bits, source, slot=self.outputs)
        self.outputs += 1

    def text(self):
        """The file."""
        inputs = [f"input {i} " + " ".join([f"{value:#x}"] * LANES) for i, value in enumerate(self.inputs)]
        return "\n".join([*self.lines, *inputs, *[f"variable {i} 32" for i in range(2)], ""])


def saturation(program):
    """F1."""
    program.store(8, program.op("uadd_sat", 8, program.node(CONSTANT, 8, value=0x80), program.node(CONSTANT, 8, value=0x81)))


def product(program):
    """F2."""
    program.store(64, program.op("imul", 64, program.op("i2i64", 64, program.input(16, 0x8000)), program.input(64, 3)))


def folded_sum(program):
    """F1: nir_opt_algebraic makes a saturating addition of it. In OpenCL C it is folded before; of arguments it is F3."""
    numbers = [program.node(CONSTANT, 16, value=value) for value in (0xff00, 0x200)]
    total = program.op("iadd", 16, *numbers)
    program.store(16, program.op("bcsel", 16, program.op("ult", 1, total, numbers[0]), program.node(CONSTANT, 16, value=0xffff), total))


def narrowed(program):
    """F17."""
    trips, first = program.input(32, 0), program.node(CONSTANT, 32, value=1)
    program.node(SET, 0, first, slot=0)
    program.node(LOOP, 0, trips)
    program.node(SET, 0, program.op("f2i32", 32, program.input(16, 0)), slot=0)
    program.node(ENDLOOP, 0)
    program.store(32, program.node(GET, 32, slot=0))


def reversed_field(program):
    """3, of which a part has no function in OpenCL C."""
    shifted = program.op("ushr", 32, program.input(32, 0x80000000), program.input(32, 63))
    program.store(32, program.op("bitfield_reverse", 32, program.op("iand", 32, shifted, program.node(CONSTANT, 32, value=1))))


def highest_bit(program):
    """F7: OpenCL C has no op that becomes ifind_msb."""
    program.store(32, program.op("ifind_msb", 32, program.op("f2i32", 32, program.input(32, 0xc3000000))))


SAME = "the same in OpenCL C:"
# A program, what the report says, and what the kernel holds.
ROWS = [
    (saturation, SAME, "add_sat((uchar)128, (uchar)129)"),
    (product, SAME, "((ulong)(long)in0[0] * in1[0])"),
    (folded_sum, "OpenCL C fails, too, but who is to blame is another: agx_optimizer_forward (AGX backend)", ""),
    (narrowed, SAME, "for (int "),
    (reversed_field, "cannot be translated to OpenCL C: op bitfield_reverse", ""),
    (highest_bit, "OpenCL C does not show it", ""),
]


def check(runner, folder, row):
    """The complaints about a row."""
    make, line, part = row
    program = Program()
    make(program)
    path = pathlib.Path(folder, f"{make.__name__}.fuzz")
    path.write_text(program.text(), encoding="utf-8")
    report, corpus = pathlib.Path(folder, "report.json"), pathlib.Path(folder, f"{make.__name__}.corpus")
    run = subprocess.run([runner, "fuzz", path, "-f", "json", "-o", report, "--corpus", corpus], stderr=subprocess.PIPE, text=True,
                         check=False)
    findings = json.loads(report.read_text(encoding="utf-8"))["findings"] if report.exists() else []
    if run.returncode != 98 or len(findings) != 1:
        return [f"exit code {run.returncode}, {len(findings)} findings\n{run.stderr[-1000:]}"]
    finding, kernels = findings[0], list(corpus.glob("*.cl"))
    wrong = []
    if finding["in_opencl"] != line or part not in finding["opencl_test"] or (finding["opencl_test"] != "") != (part != ""):
        wrong.append(f"{finding['blamed']}: {finding['in_opencl']}\n{finding['opencl_test']}")
    if len(kernels) != (1 if part else 0) or len(list(corpus.glob("*.fuzz"))) != 1:
        wrong.append(f"the corpus holds {list(corpus.iterdir())}")
    if kernels:
        tried = subprocess.run([runner, "piglit", *kernels], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if tried.returncode != 98 or "fail" not in tried.stdout:
            wrong.append(f"its test gives exit code {tried.returncode}\n{tried.stdout[-1000:]}")
    return wrong


def main():
    """Exit status: 0 when all is translated as it should be."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            for complaint in check(sys.argv[1], folder, row):
                print(f"{row[0].__name__}: {complaint}")
                failed += 1
    print(f"{len(ROWS)} programs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
