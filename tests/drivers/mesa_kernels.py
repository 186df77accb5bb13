#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/mesa-kernels with an agx-runner that answers what this test says: the table, its sums, and the exit status.

  mesa_kernels.py SCRIPT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

# What `corpus` says of each Mesa: instructions, half registers and cycles of its kernels.
CORPORA = {
    "linked": ("25.0.7", {"a": (10, 4, 20)}),
    "old": ("26.1.6", {"a": (12, 4, 24), "b": (7, 6, 9)}),
    "new": ("26.2.6", {"a": (11, 4, 25.5), "b": (7, 8, 9), "c": (1, 2, 3)}),
}
FAKE = """#!/usr/bin/python3
import json, sys
words, answers = sys.argv[1:], json.load(open(sys.argv[0] + ".json"))
if words[0] == "corpus":
    mesa = words[words.index("--mesa") + 1]
    if mesa in answers["corpora"]:
        open(words[words.index("-o") + 1], "w").write(json.dumps(answers["corpora"][mesa]))
    else:
        sys.exit("no such Mesa")
elif words[0] == "compare":
    print(answers["compare"])
else:
    said = answers[words[0]].get(words[words.index("--mesa") + 1], {}).get(words[words.index("--kernel") + 1])
    if said is not None:
        sys.exit(said)
"""


def corpus(version, kernels):
    names = ("instructions", "half_registers", "predicted_cycles")
    return {"environment": {"mesa": version},
            "results": [{"name": name, "file": name + ".cl", "program": dict(zip(names, figures))} for name, figures in kernels.items()]
            + [{"name": "refused", "file": "refused.cl", "program": None},
               {"name": "assembly", "file": "x.agx", "program": dict(zip(names, (1, 1, 1)))}]}


class MesaKernels(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.runner = pathlib.Path(self.work.name, "runner")
        self.runner.write_text(FAKE, encoding="utf-8")
        self.runner.chmod(0o755)

    def call(self, compare, *mesas, explain=None, check=None):
        answers = {"corpora": {mesa: corpus(*known) for mesa, known in CORPORA.items()}, "compare": compare, "explain": explain or {},
                   "exec": check or {}}
        pathlib.Path(f"{self.runner}.json").write_text(json.dumps(answers), encoding="utf-8")
        return subprocess.run([SCRIPT, self.runner, *mesas], capture_output=True, text=True, check=False)

    def test_table(self):
        done = self.call("  2 on both sides, answers checked of 1", "linked", "old", "new")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("| kernel | 25.0.7 linked | 26.1.6 | 26.2.6 |", lines)
        self.assertIn("| a | 10 / 4 / 20 | 12 / 4 / 24 | 11 / 4 / 25.5 |", lines)
        self.assertIn("| b |  | 7 / 6 / 9 | 7 / 8 / 9 |", lines)  # a Mesa that does not take a kernel has an empty cell
        self.assertIn("| c |  |  | 1 / 2 / 3 |", lines)
        self.assertNotIn("refused", done.stdout)
        self.assertIn("3 kernels. Answers of 26.1.6 and 26.2.6: 2 kernels with both, 1 launched with both, all equal.", lines)
        self.assertIn("- instructions, 26.1.6 to 26.2.6: 1 fewer, 0 more, of 2; sums 19 and 18", lines)
        self.assertIn("- half registers, 26.1.6 to 26.2.6: 0 fewer, 1 more, of 2; sums 10 and 12", lines)

    def test_explained_and_checked(self):
        equal = "  2 on both sides, answers checked of 2"
        done = self.call(equal, "linked", "old", "new", explain={"new": {"c": "no job"}},
                         check={"new": {"a": "3 accesses\n  check: a read at 0x30, where no buffer is bound\nagx-runner: a: 1 finding"},
                                "old": {"a": "  check: a read at 0x70, where no buffer is bound", "b": "agx-runner: --generate: b: a struct"}})
        self.assertEqual(done.returncode, 98)
        lines = done.stdout.splitlines()
        self.assertIn("- 26.1.6: `explain`: 2 of 2 explained. `exec --check`: 1 launched, no finding in 0", lines)
        self.assertIn("- 26.2.6: `explain`: 2 of 3 explained. `exec --check`: 3 launched, no finding in 2", lines)
        self.assertIn("  - `c` is not explained: no job", lines)
        self.assertIn("Kernels with a finding of some Mesas alone: 0.", lines)
        self.assertIn("- a read, where no buffer is bound: `a`", lines)

    def test_a_finding_of_one_mesa(self):
        done = self.call("  2 on both sides, answers checked of 2", "old", "new", check={"new": {"a": "  check: a read at 0x30, wrong"}})
        self.assertEqual(done.returncode, 98)
        self.assertIn("- `a`: 26.1.6: nothing; 26.2.6: a read, wrong", done.stdout.splitlines())

    def test_different_answers(self):
        done = self.call("  2 on both sides, answers checked of 2\n  wrong answers: a, argument 0", "old", "new")
        self.assertEqual(done.returncode, 98)
        self.assertIn("2 launched with both, 1 different.", done.stdout)

    def test_failures(self):
        self.assertEqual(self.call("", "old", "new").returncode, 1)
        self.assertIn("gave no result", self.call("", "old", "new").stderr)
        self.assertIn("missing compiles none of the kernels", self.call("", "missing").stderr)
        self.assertEqual(self.call("").returncode, 79)


if __name__ == "__main__":
    SCRIPT = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
