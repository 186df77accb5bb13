#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/mesa-corpus with an agx-runner that answers what this test says, on a corpus of two packages: what is compiled, and the sums.

  mesa_corpus.py SCRIPT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SETS = """# a comment | of | four | words
one | k | *.cl | inc_*.cl | -I {dir} -DN=1
two | . | *.cl | |
three | k | a.cl+b.cl | | -DLEFT_OUT
"""
# Writes instructions by the Mesa's name and the file's, and refuses one file with the older Mesa.
FAKE = """#!/usr/bin/python3
import json, sys
words = sys.argv[1:]
mesa, out, path = words[words.index("--mesa") + 1], words[words.index("-o") + 1], words[-1]
name = path.rsplit("/", 1)[1]
open(sys.argv[0] + ".log", "a").write(" ".join([mesa, name, *(word for word in words if word.startswith("--options="))]) + "\\n")
if (mesa, name) == ("old", "c.cl"):
    sys.exit(98)
count = {"a.cl": 10, "b.cl": 20, "c.cl": 30}[name] + (-1 if mesa == "new" and name == "a.cl" else 4 if mesa == "new" else 0)
program = {"instructions": count, "half_registers": 8, "predicted_cycles": 2 * count}
json.dump({"environment": {"mesa": mesa + "-1"}, "results": [{"name": name + "/k", "program": program}, {"name": "refused", "program": None}]},
          open(out, "w"))
"""


class MesaCorpus(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.root = pathlib.Path(work.name)
        (self.root / "ci").mkdir()
        shutil.copy(SCRIPT, self.root / "ci" / "mesa-corpus")
        (self.root / "ci" / "corpus.txt").write_text(SETS, encoding="utf-8")
        for name in "one/k/a.cl", "one/k/inc_x.cl", "one/k/deeper/b.cl", "two/c.cl", "three/k/a.cl", "three/k/b.cl":
            path = self.root / ".cache" / "corpus" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self.runner = self.root / "runner"
        self.runner.write_text(FAKE, encoding="utf-8")
        self.runner.chmod(0o755)

    def call(self, code, *words):
        done = subprocess.run([sys.executable, self.root / "ci" / "mesa-corpus", *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_page(self):
        text = self.call(0, self.runner, "old", "new")
        self.assertIn("## old-1 to new-1", text)
        self.assertIn("2 kernels with both; 0 only with the first one, 1 only with the second one.", text)
        # 10 and 20 instructions become 9 and 24; registers stay; cycles are twice the instructions
        self.assertIn("| one | 2 | 30 | 33 | 1 | 1 | 16 | 16 | 0 | 0 | 60 | 66 | 1 | 1 |", text)
        self.assertIn("| all | 2 | 30 | 33 | 1 | 1 | 16 | 16 | 0 | 0 | 60 | 66 | 1 | 1 |", text)
        self.assertIn("Most helped by cycles: a.cl/k 20 to 18; b.cl/k 40 to 48.", text)
        self.assertIn("Most hurt by cycles: b.cl/k 40 to 48; a.cl/k 20 to 18.", text)
        folder = self.root / ".cache" / "corpus" / "one" / "k"
        compiled = pathlib.Path(f"{self.runner}.log").read_text(encoding="utf-8").splitlines()
        self.assertEqual(sorted(compiled), sorted(f"{mesa} {line}" for mesa in ("old", "new") for line in
                                                  (f"a.cl --options=-I {folder} -DN=1", f"b.cl --options=-I {folder} -DN=1", "c.cl --options=")))

    def test_few_files(self):
        self.call(0, "--files", "1", self.runner, "old", "new")
        compiled = pathlib.Path(f"{self.runner}.log").read_text(encoding="utf-8").splitlines()
        self.assertEqual([line.split()[1] for line in compiled], ["a.cl", "c.cl"] * 2)

    def test_use(self):
        self.call(79, self.runner, "old")
        self.call(79, "--files", "0", self.runner, "old", "new")
        shutil.rmtree(self.root / ".cache")
        self.call(98, self.runner, "old", "new")


if __name__ == "__main__":
    SCRIPT = sys.argv.pop(1)
    unittest.main()
