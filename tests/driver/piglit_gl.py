#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/piglit-gl with a Mesa and tests that are shell scripts: each kind of result, expectations, journal, JUnit.

  piglit_gl.py PIGLIT_GL
"""
import gzip
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

COMMAND = os.path.abspath(sys.argv.pop(1))
# What a test does on the virtual GPU; with llvmpipe all but one pass.
TESTS = {"right": 'echo \'PIGLIT: {"result": "pass" }\'', "wrong": 'echo it differs; echo \'PIGLIT: {"result": "fail" }\'',
         "refused": 'echo \'PIGLIT: {"result": "pass" }\'; echo "  fault, 2 times: bad command: no such block"',
         "finding": 'echo \'PIGLIT: {"result": "pass" }\'; echo "  check: r3 is stored"; echo "    at main + 0x8: st_tile r3"',
         "crash": "kill -SEGV $$", "timeout": "while :; do :; done", "lacks": 'echo \'PIGLIT: {"result": "skip" }\'',
         "none": "touch \"$RAN\"", "reference": "touch \"$RAN\""}
RESULTS = {"right": "right", "wrong": "wrong", "refused": "refused", "finding": "finding", "crash": "crash", "timeout": "timeout", "lacks": "driver lacks it"}


def write(path, text, mode=0o755):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


class PiglitGL(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.ran = os.path.join(self.folder, "ran")
        piglit = os.path.join(self.folder, "mesa/root/usr/lib/x/piglit")
        for name, text in TESTS.items():
            passes = "exit 1" if name == "reference" else "echo 'PIGLIT: {\"result\": \"pass\" }'; exit"
            write(f"{piglit}/bin/{name}", f"#!/bin/bash\n[ \"${{AGX_MESA_SOFTWARE:-}}\" != 1 ] || {{ {passes}; }}\n{text}\n")
        write(f"{self.folder}/mesa/run", '#!/bin/bash\nexec "$@"\n')
        write(f"{self.folder}/mesa/packages", "libgl1-mesa-dri test-of-piglit-gl 0\n")
        write(f"{self.folder}/runner", '#!/bin/bash\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
        nodes = "".join(f"""<Test type="gl" name="spec@group@{name}"><option name="command" value="['{name}']" />"""
                        + ("""<option name="require_platforms" value="['glx']" />""" if name == "none" else "") + "</Test>" for name in TESTS)
        os.makedirs(piglit + "/tests")
        for name in ("quick_gl", "quick_shader"):
            with gzip.open(f"{piglit}/tests/{name}.xml.gz", "wt") as file:
                file.write(f"<PiglitTestList>{nodes if name == 'quick_gl' else ''}</PiglitTestList>")

    def run_it(self, code, *words):
        done = subprocess.run([COMMAND, "--mesa", self.folder + "/mesa", "--runner", self.folder + "/runner", "--timeout", "1", "--cache", self.folder,
                               *words], capture_output=True, text=True, timeout=100, env={**os.environ, "RAN": self.ran}, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_results(self):
        junit, journal, table = (os.path.join(self.folder, name) for name in ("junit.xml", "journal", "table.md"))
        out = self.run_it(98, "--expect", "", "--junit", junit, "--journal", journal, "--write", table)
        self.assertIn("8 tests, 7 pass with llvmpipe: 1 right, 1 wrong, 1 refused, 1 crash, 1 timeout, 1 driver lacks it, 1 finding; 16.7 %", out)
        self.assertIn("refused: spec@group@refused: bad command: no such block", out)
        self.assertIn("wrong: spec@group@wrong: it differs", out)
        self.assertIn("finding: spec@group@finding: r3 is stored     at main + 0x8: st_tile r3", out)
        self.assertFalse(os.path.exists(self.ran), "a test of another platform, or one that llvmpipe fails, was run")
        suite = ElementTree.parse(junit).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), len(suite.findall("testcase/skipped"))), ("7", "5", 1))
        with open(table, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("**16.7 %**", text)
        self.assertRegex(text, r"\| spec@group +\| +7 \| +1 \| +1 \| +1 \| +1 \| +1 \| +1 \| +1 \|")
        # A second run takes what the journal has.
        write(f"{self.folder}/runner", "#!/bin/bash\nexit 1\n")
        self.assertIn("1 right, 1 wrong, 1 refused", self.run_it(98, "--expect", "", "--journal", journal))

    def test_expectations(self):
        expect = os.path.join(self.folder, "expect")
        write(expect + "/fails.txt", "# known\nspec@group@wrong,Fail\nspec@group@refused,Fail\nspec@group@timeout,Fail\nspec@group@finding,Fail\n")
        write(expect + "/flakes.txt", "spec@group@cra.*\n")
        write(expect + "/skips.txt", "")
        self.run_it(0, "--expect", expect)
        write(expect + "/fails.txt", "spec@group@wrong,Fail\nspec@group@refused,Fail\nspec@group@right,Fail\n")
        write(expect + "/skips.txt", "timeout\n")
        self.assertIn("unexpected pass: spec@group@right", self.run_it(98, "--expect", expect))

    def test_refusals(self):
        self.run_it(79, "spec@group@no_such_test")
        self.run_it(79, "--no-such-option")
        os.remove(self.folder + "/mesa/root/usr/lib/x/piglit/tests/quick_gl.xml.gz")
        self.assertIn("ci/mesa-get --piglit", self.run_it(77))


unittest.main()
