#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ci/compare-mesa with two stand-ins for agx-runner, which write prepared results: one verdict of all parts stands first, and
what was not run is in it. mesa.py AGX_RUNNER SOURCE_ROOT"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from folder import InFolder

RUNNER, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
OK, FAILED, ABORTED = 0, 98, 112
SIGNATURE = "nir_opt_algebraic: isub"
STAND_IN = """#!/usr/bin/env python3
import json, os, pathlib, sys
FOLDER, RUNNER, SIGNATURE = pathlib.Path(@FOLDER@), @RUNNER@, @SIGNATURE@
words = sys.argv[1:]
made = FOLDER / (words[0] + ".json")
(FOLDER / (words[0] + ".words")).write_text(" ".join(words))
if words[0] in ("compare", "report"):
    os.execv(RUNNER, [RUNNER, *words])
if words[0] == "fuzz" and "--time" not in words:
    right = not (FOLDER / "wrong").exists()
    for word in words:
        if word.endswith(".fuzz"):
            print(f"{word}: {'right' if right else 'wrong'}", file=sys.stderr)
    sys.exit(0)
if words[0] == "fuzz":
    found = json.loads(made.read_text())["findings"]
    corpus = pathlib.Path(words[words.index("--corpus") + 1])
    corpus.mkdir(parents=True)
    for finding in found:
        (corpus / "1.fuzz").write_text("# " + finding["signature"] + "\\n")
if made.exists():
    pathlib.Path(words[words.index("-o") + 1]).write_text(made.read_text())
sys.exit(int((FOLDER / (words[0] + ".code")).read_text()) if (FOLDER / (words[0] + ".code")).exists() else 0)
"""


def run(results, chip="m1", path="virtual:m1"):
    return {"schema": 2, "device": {"name": "x", "kind": "virtual", "chip": chip, "path": path, "cores": 8},
            "environment": {"mesa": "1", "program": "/a/agx-runner", "time": "2026-11-21T03:00:00Z"}, "results": results}


def row(name, value=10.0, **more):
    return dict({"name": name, "status": "pass", "unit": "cycles", "value": value, "low": value, "high": value, "samples": [value] * 15,
                 "check": "pass"}, **more)


def program(name, cycles=100):
    counts = {"instructions": 10, "bytes": 80, "half_registers": 8, "occupancy": 96, "scratch_bytes": 0, "uniform_halves": 4, "loops": 0}
    return {"name": name, "status": "pass", "program_hash": f"{cycles:016x}", "program": dict(counts, predicted_cycles=cycles,
                                                                                              predicted_latency=cycles)}


def fuzz(findings=()):
    return {"programs": 4000, "seconds": 1, "findings": list(findings)}


class Mesa(InFolder):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        (self.root / "ci").mkdir(parents=True)
        for name in "compare-mesa", "compare-fuzz":
            shutil.copy(ROOT / "ci" / name, self.root / "ci" / name)
        self.set_up("exit 1")
        test = {"name": "t@1", "status": "pass", "check": "pass", "file": "/p/t.cl"}
        for side in "base", "head":
            self.results(side, run=run([row("g/a/throughput"), row("g/b/throughput")]),
                         corpus=run([program("k.cl/k"), program("l.cl/l")], "", "none: kernels were compiled, not run"),
                         piglit=dict(run([test])), fuzz=fuzz())
            path = self.folder / side / "agx-runner"
            path.write_text(STAND_IN.replace("@FOLDER@", repr(str(path.parent))).replace("@RUNNER@", repr(str(RUNNER)))
                            .replace("@SIGNATURE@", repr(SIGNATURE)))
            path.chmod(0o755)

    def set_up(self, script):
        """What stands for ci/setup.sh."""
        path = self.root / "ci" / "setup.sh"
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def results(self, side, **results):
        (self.folder / side).mkdir(exist_ok=True)
        for name, content in results.items():
            (self.folder / side / f"{name}.json").write_text(json.dumps(content))

    def compare(self, *options, code=OK):
        """The lines of the verdict, and all that was printed."""
        done = subprocess.run([self.root / "ci" / "compare-mesa", "--work", self.folder / "work", *options,
                               self.folder / "base" / "agx-runner", self.folder / "head" / "agx-runner"],
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == ABORTED:
            return [], done
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "Verdict:")
        verdict = [line.strip() for line in lines[1:lines.index("")]]
        self.assertTrue((self.folder / "work" / "compare.md").read_text().startswith(f"**Verdict**\n\n- {verdict[0][:18]}"))
        self.assertEqual(json.loads((self.folder / "work" / "compare.json").read_text())["verdict"].splitlines(), verdict)
        return verdict, done

    def test_a_swapped_operand(self):
        """The rule that the fuzzer names is the first that is said, before the answers that it made wrong."""
        self.results("head", run=run([row("g/a/throughput", check="fail", status="fail"), row("g/b/throughput")]), fuzz=fuzz([{"kind": "wrong answer", "rule": "rule: nir_opt_algebraic (NIR): isub a, b => b - a", "right": "0x1", "wrong": "0x2",
                                         "blamed": "nir_opt_algebraic", "signature": SIGNATURE, "program": "r0 = 1\nr1 = r0 - 2\n"}]))
        (self.folder / "head" / "wrong").touch()
        verdict, done = self.compare(code=FAILED)
        self.assertEqual(verdict[0], "wrong answers: rule nir_opt_algebraic (NIR): isub a, b => b - a, found by fuzzing; "
                                     "g/a/throughput, found by benchmarks")
        self.assertIn("right 0x1, wrong 0x2; shown by 1 program, for instance:", done.stdout)
        self.assertRegex(done.stdout, rf"\\| r1 = r0 - 2\n +\$ {self.folder}/head/agx-runner fuzz {self.folder}/work/head-fuzz/1.fuzz\n")
        self.assertNotIn("cannot tell:", done.stdout)

    def test_kernels(self):
        """The code of which kernels is compared. That some of them do not compile by themselves is not worth a word."""
        (self.root / ".cache" / "piglit").mkdir(parents=True)
        (self.folder / "base" / "corpus.code").write_text("98")
        tree = f"{self.root}/nir_kernels {self.root}/tests"
        for options, names in (((), f"{tree} {self.root}/.cache/piglit"), (("--no-piglit",), tree), (("--kernels", self.folder), str(self.folder))):
            # Without its tests Piglit counts as absent: --piglit names a folder with one.
            (self.folder / "one.cl").touch()
            _, done = self.compare(*options, *(() if "--no-piglit" in options else ("--piglit", self.folder)))
            self.assertTrue((self.folder / "base" / "corpus.words").read_text().endswith("corpus.json " + names))
            self.assertNotIn("ended with", done.stderr)

    def test_two_compilers(self):
        """Sides that are agx-compile programs: this tree's agx-runner runs with each, and so does the fuzzer beside it."""
        build, log = self.folder / "build" / "agx_runner", self.folder / "log"
        build.mkdir(parents=True)
        (build / "agx-runner").write_text(f"""#!/bin/sh
echo "$1 $AGX_RUNNER_COMPILER $AGX_RUNNER_FUZZ" >>{log}
case $AGX_RUNNER_COMPILER in *base*) exec {self.folder}/base/agx-runner "$@";; *) exec {self.folder}/head/agx-runner "$@";; esac
""")
        (build / "agx-runner").chmod(0o755)
        for side in "base", "head":
            for name, text in ("agx-compile", "echo agx-compile 1"), ("agx-fuzz", ""):
                path = self.folder / side / name
                path.write_text(f"#!/bin/sh\n{text}\n")
                path.chmod(0o755)
        done = subprocess.run([self.root / "ci" / "compare-mesa", "--work", self.folder / "work", "--no-piglit", "--fuzz", "1",
                               self.folder / "base" / "agx-compile", self.folder / "head" / "agx-compile"],
                              capture_output=True, text=True, timeout=100, env=dict(os.environ, BUILD_DIR=str(self.folder / "build")))
        self.assertEqual(done.returncode, OK, done.stdout + done.stderr)
        called = log.read_text().splitlines()
        for side in "base", "head":
            for command in "run", "corpus", "fuzz":
                self.assertIn(f"{command} {self.folder}/{side}/agx-compile {self.folder}/{side}/agx-fuzz", called)

    def test_nothing(self):
        """What was not run is said, and the tests that cannot be fetched among it."""
        verdict, _ = self.compare("--fuzz", "0")
        self.assertEqual(verdict[0], "no difference found in what was run")
        for text in (f"OpenCL program tests (Piglit is not in {self.root}/.cache/piglit, and could not be fetched: give --piglit DIR)",
                     "the fuzzer (--fuzz 0)", "the Vulkan driver (without --driver)", "most of the catalogue's benchmarks (without --full)",
                     "2 compiled kernels, whose answers were not checked"):
            self.assertIn(text, verdict[1])
        self.compare("--fuzz", "0", "--fail-on", "missing", code=FAILED)

    def test_tests_are_fetched(self):
        self.set_up('[ "$*" = --piglit ] && mkdir -p "$(dirname "$0")/../.cache/piglit" && touch "$(dirname "$0")/../.cache/piglit/t.cl"')
        verdict, done = self.compare("--fuzz", "0")
        self.assertNotIn("OpenCL program tests", verdict[1])
        self.assertIn("Compared: program tests", done.stdout)
        self.results("head", piglit=run([{"name": "t@1", "status": "fail", "check": "fail", "reason": "got 3", "file": "/p/t.cl"}]))
        verdict, done = self.compare("--fuzz", "0", code=FAILED)
        self.assertEqual(verdict[0], "wrong answers: t@1, found by program tests")
        (self.folder / "head" / "piglit.json").unlink()
        verdict, done = self.compare("--fuzz", "0", code=FAILED)
        self.assertIn("OpenCL program tests (agx-runner piglit wrote no results", verdict[1])

    def test_slower_and_bigger(self):
        self.results("head", run=run([row("g/a/throughput", 11), row("g/b/throughput")]),
                     corpus=run([program("k.cl/k"), program("l.cl/l", 130)], "", "none: kernels were compiled, not run"))
        verdict, done = self.compare("--fuzz", "0", code=FAILED)
        self.assertEqual(verdict[0], "slower: 2, the most by 30.00 %: l.cl/l")
        self.assertLess(done.stdout.index("l.cl/l  [compiled kernels]"), done.stdout.index("g/a/throughput  [benchmarks]"))

    def test_interrupted(self):
        (self.folder / "head" / "run.code").write_text(str(ABORTED))
        self.compare("--fuzz", "0", code=ABORTED)

    def test_a_fuzzer_that_fails(self):
        (self.folder / "head" / "fuzz.code").write_text("1")
        verdict, _ = self.compare(code=FAILED)
        self.assertIn("the fuzzer (it ended with 98)", verdict[1])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
