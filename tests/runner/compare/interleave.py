#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""run --interleave: two builds in turns. interleave.py AGX_RUNNER"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

from folder import InFolder

RUNNER = str(pathlib.Path(sys.argv[1]).resolve())
OK, INVALID, FAILED, ABORTED = 0, 79, 98, 112
NAME = "float/fadd32/latency"


class Interleave(InFolder):
    def setUp(self):
        super().setUp()
        (self.folder / "tmp").mkdir()

    def other(self, script):
        """A build of agx-runner, by its behaviour."""
        path = self.folder / "other"
        path.write_text(f"#!/bin/sh\necho \"$@\" >>{self.folder}/calls\n{script.replace('RUNNER', RUNNER)}\n")
        path.chmod(0o755)
        return path

    def run_it(self, *words, code=OK, message=None, device="virtual:m1"):
        done = subprocess.run([RUNNER, "run", "-d", device, *map(str, words)], capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, TMPDIR=str(self.folder / "tmp")))
        self.assertEqual(done.returncode, code, done.stderr)
        if message:
            self.assertRegex(done.stderr, message)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [], "nothing is left behind")
        return done.stdout

    def test_same_build(self):
        """A clock that drifts and steps hits both."""
        text = self.run_it("float/fadd32", "--interleave", self.other('exec RUNNER "$@"'), "--fail-on", "worse",
                           "--fail-on", "missing", "--store", self.folder / "runs.db", device="virtual:m1,clock=wander")
        self.assertIn("no difference found", text)
        self.assertEqual(len((self.folder / "calls").read_text().splitlines()), 2)
        stored = subprocess.run([RUNNER, "compare", "--store", self.folder / "runs.db", "1", "2"], capture_output=True,
                                text=True)
        self.assertIn("no difference found", stored.stdout)

    def test_options_are_passed_on(self):
        """Each option of run that concerns measuring reaches the other build, also those that nobody has thought of here."""
        here = {"full", "hazardous", "mix", "format", "interleave", "fail-on", "store", "results", "resume", "run-timeout",
                "output", "help", "version", "device", "power", "compiler"}
        empty = self.folder / "empty"
        empty.write_text("")
        values = {"N": "11", "SECONDS": "77", "MIB": "2048", "FILE": str(empty), "SOURCE": "infer", "CYCLES": "1.02"}
        # --ilp and --simds need --mix, which is passed on as what is measured.
        special = {"ilp": "2", "simds": "8"}
        text = subprocess.run([RUNNER, "run", "--help"], capture_output=True, text=True, check=True).stdout
        words = []
        for name, metavar in re.findall(r"^  (?:-.,|   ) --([a-z-]+)(?: (\S+))?", text, re.M):
            if name not in here:
                words.append(f"--{name}={special.get(name) or values[metavar]}" if metavar else f"--{name}")
        self.assertGreater(len(words), 8)
        self.run_it("--mix", "FADD32*2", *words, "--interleave", self.other('exec RUNNER "$@"'))
        for call in (self.folder / "calls").read_text().splitlines():
            if " run " in f" {call} ":
                self.assertEqual([word for word in words if word not in call.split()], [], call)

    def test_order_of_turns(self):
        """A, B, B, A for each benchmark: what drifts evenly is then the same to both. Every turn reads the file of skips,
        which is a pipe here, and B says besides when it begins."""
        skips, order = self.folder / "skips", self.folder / "order"
        os.mkfifo(skips)

        def serve():
            while True:
                writer = os.open(skips, os.O_WRONLY)  # returns when a turn opens the other end
                os.mkfifo(self.folder / "next")
                os.rename(self.folder / "next", skips)  # for the next one
                with order.open("a") as file:
                    file.write("turn\n")
                os.write(writer, b"# none\n")
                os.close(writer)
        threading.Thread(target=serve, daemon=True).start()
        self.run_it(NAME, "int/iadd32/latency", "--skips", skips, "--interleave",
                    self.other(f'echo of B: >>{order}\nexec RUNNER "$@"'))
        a, b = ["turn"], ["of B:", "turn"]
        self.assertEqual(order.read_text().splitlines(), 2 * (a + b + b + a))

    def test_samples_are_pooled(self):
        """A build whose second turn is twice as slow: its median is between."""
        slow = self.other(f"""if [ $(wc -l <{self.folder}/calls) = 2 ]; then
RUNNER "$@"; for file; do :; done
python3 - "$file" <<'EOT'
import json, sys
run = json.load(open(sys.argv[1]))
for one in run["results"]:
    one["samples"] = [2 * sample for sample in one["samples"]]
    one["value"] *= 2
json.dump(run, open(sys.argv[1], "w"))
EOT
else exec RUNNER "$@"; fi""")
        row, = json.loads(self.run_it(NAME, "--interleave", slow, "--format", "json"))["pairs"][0]["rows"]
        self.assertAlmostEqual(row["ratio"], 1.5, 3)

    def test_another_compiler(self):
        other = self.other('AGX_MESA_DEBUG=noopt exec RUNNER "$@"')
        text = self.run_it("float/fadd32", "example/saxpy", "--interleave", other, "--fail-on", "hurt", code=FAILED,
                           message="--fail-on: .*")
        self.assertIn("AGX_MESA_DEBUG=noopt", text)
        self.assertRegex(text, "example/saxpy/\\S+  \\[benchmarks\\]\n.*other code.*instructions")
        target = self.folder / "out.md"
        self.assertEqual(self.run_it("float/fadd32", "--interleave", other, "-f", "markdown", "-o", target), "")
        self.assertIn("| float/fadd32/latency | benchmarks | ", target.read_text())
        self.assertNotIn("broken", target.read_text())

    def test_a_slower_one(self):
        other = self.other('RUNNER "$@"; code=$?; for file; do :; done\n'
                           'python3 -c \'import json, sys\nrun = json.load(open(sys.argv[1]))\n'
                           'for one in run["results"]: one["samples"] = [1.04 * s for s in one["samples"]]\n'
                           'json.dump(run, open(sys.argv[1], "w"))\' "$file"; exit $code')
        text = self.run_it(NAME, "--interleave", other, "--fail-on", "worse:3%", code=FAILED, message="slower by 4.00 %")
        self.assertIn("slower: 1, the most by 4.00 %", text)

    def test_a_benchmark_that_one_lacks(self):
        """A build's own words do not matter: `list` refuses what it does not have."""
        other = self.other('case $* in *fmul32*) echo "agx-runner: nichts passt zu \'x\'" >&2; exit 79 ;; esac; exec RUNNER "$@"')
        self.assertIn("missing in B", self.run_it(NAME, "float/fmul32/latency", "--interleave", other))
        self.run_it("float/fmul32/latency", "--interleave", other, code=INVALID, message="knows none of these benchmarks")

    def test_mixes(self):
        self.assertIn("no difference found", self.run_it("--mix", "FADD32*2;IADD32*1", "--interleave", RUNNER))

    def test_what_goes_wrong(self):
        for script, code, message in (
                ("kill -9 $$", FAILED, r"other: killed by signal 9 \(Killed\) in float/fadd32/latency"),
                ("echo 'agx-runner: no permission' >&2; exit 98", FAILED, "other: .*exit code 98: no permission"),
                ("exit 0", FAILED, "is it an agx-runner"),
                ("echo \"agx-runner: run: unknown option '--clock'\" >&2; exit 79", INVALID, "unknown option '--clock'"),
                ("case $1 in list) exit 0 ;; esac; echo 'agx-runner: no benchmark matches it' >&2; exit 79", INVALID,
                 "exit code 79: no benchmark matches it"),
                ("for file; do :; done; echo '{\"schema\": 99}' >$file", INVALID, "other: its results: .*99"),
                ("for file; do :; done; echo nonsense >$file", INVALID, "other: its results: ")):
            with self.subTest(script=script):
                self.run_it(NAME, "--interleave", self.other(script), code=code, message=message)
        self.run_it(NAME, "--interleave", self.folder / "none", code=INVALID, message="none: No such file")
        self.run_it(NAME, "--interleave", self.folder, code=INVALID, message="not a program that can be run")
        for words, message in ((("-f", "junit"), "not 'junit'"), (("--results", "x"), "--results cannot be given"),
                               (("--resume", "x"), "--resume"), (("--fail-on", "wors"), "--fail-on takes"),
                               (("--skips", "x" * 600), "more than 511 characters")):
            self.run_it(NAME, "--interleave", RUNNER, *words, code=INVALID, message=message)
        self.run_it(NAME, "--fail-on", "worse", code=INVALID, message="--interleave")
        self.run_it(NAME, "--interleave", self.other("sleep 60"), "--run-timeout", "2", code=ABORTED, message="out of time")
        # Also where this build itself is ended in the midst of its turn.
        self.run_it("float/f*", "--interleave", RUNNER, "--run-timeout", "0.3", code=ABORTED, message="out of time")

    def test_interrupted(self):
        waiting = subprocess.Popen([RUNNER, "run", "-d", "virtual:m1", NAME, "--interleave",
                                    self.other("echo $$ >pid; exec sleep 60")], cwd=self.folder, stderr=subprocess.PIPE,
                                   text=True, env=dict(os.environ, TMPDIR=str(self.folder / "tmp")))
        pid = self.folder / "pid"
        while not (pid.exists() and pid.read_text().strip()):
            time.sleep(0.01)
        waiting.send_signal(signal.SIGINT)
        self.assertIn("stopped: Interrupt", waiting.communicate(timeout=300)[1])
        self.assertEqual(waiting.returncode, ABORTED)
        self.assertFalse(os.path.exists(f"/proc/{pid.read_text().strip()}"), "the other one is gone, too")
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
