#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/mesa-twins: what counts as a test of an access, the differences of two programs, and an answer that is another.

  mesa_twins.py SCRIPT
"""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

FAKE = """#!/usr/bin/python3
import json, sys
words = sys.argv[1:]
glsl = any(word.endswith(".comp") for word in words)
if words[0] == "mesas":
    print("linked           25.0.7         -                        linked compiler")
elif words[0] == "compile":
    print(DRIVER if glsl else LINKED)
elif "json" in words:
    print(json.dumps({"buffers": [{"values": [1, 2 if glsl and "WRONG" in " ".join(words) else 3]}]}))
else:
    print("mesa    there: A GPU, driver D")
"""
LINKED = "kernel twin\n  main 20 bytes, 6 half registers, 42 uniform halves\n\nmain:\n       0:  72011004                  mov      r0, thread_in_grid_x\n"\
         "       4:  0e01402659000000          iadd     r0, r0.sx, u9.sx\n       8:  8800                      stop\n       a:  0800          trap\n"
DRIVER = "kernel main\n  main 20 bytes, 8 half registers, 160 uniform halves\n\npreamble:\n     100:  8800                      stop\n\nmain:\n"\
         "       0:  72050000                  mov      r1, threadgroup_in_grid_x\n      18:  0e09032064001000          iadd     r2, 3, r1.sx, lsl 2\n"\
         "      24:  522844c21802              if       r2, u70, 1, ult\n      34:  420a00000000              else     0.0, 0.0, 1, feq\n"\
         "      3a:  620d00000000              ldimm    r3, 0\n      40:  520e00000000              pop_exec 1\n"\
         "      44:  1e05420600440601          imadd    r1, r1.sx, 64, r2.sx\n      86:  8800                      stop\n"


class MesaTwins(unittest.TestCase):
    def call(self, wrong):
        with tempfile.TemporaryDirectory() as work:
            runner = pathlib.Path(work, "runner")
            runner.write_text(FAKE.replace("DRIVER", repr(DRIVER)).replace("LINKED", repr(LINKED)).replace("WRONG", wrong), encoding="utf-8")
            runner.chmod(0o755)
            return subprocess.run([SCRIPT, runner, "there"], capture_output=True, text=True, check=False)

    def test_page(self):
        done = self.call("nothing is wrong")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| fill | 3 / 8 | 3 / 3 | 0 / 1 | 6 / 8 | 42 / 160 | -1 iadd, +1 imadd |", done.stdout)
        self.assertIn("- fill: thread_in_grid_x / threadgroup_in_grid_x", done.stdout)
        self.assertIn("all equal, bit for bit", done.stdout)

    def test_another_answer(self):
        done = self.call("/bytes.comp")
        self.assertEqual(done.returncode, 98, done.stderr)
        self.assertIn("different: bytes.", done.stdout)

    def test_each_pair_is_there(self):
        loader = importlib.machinery.SourceFileLoader("mesa_twins_script", SCRIPT)
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(module)
        files = sorted(f"{name}.{kind}" for name in module.LAUNCHES for kind in ("cl", "comp"))
        self.assertEqual(sorted(path.name for path in module.TWINS.iterdir()), files)


if __name__ == "__main__":
    SCRIPT = sys.argv[1]
    sys.dont_write_bytecode = True
    unittest.main(argv=sys.argv[:1])
