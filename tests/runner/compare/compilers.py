#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""run --compiler A --compiler B: two compilers in turns, compared. compilers.py AGX_RUNNER AGX_COMPILE"""
import json
import pathlib
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
import unittest

from folder import InFolder

RUNNER, COMPILE = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
OK, INVALID, FAILED, ABORTED = 0, 79, 98, 112
NAME = "float/fadd32/latency"

# An agx-compile that names another commit of Mesa: compiler_hello ends with mesa_commit[48] and extensions[1024].
SAYS = """#!/usr/bin/python3
import os, socket, subprocess, sys
here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
with subprocess.Popen(["{compile}", "--serve", str(there.fileno())], pass_fds=[there.fileno()]) as child:
    hello = here.recv(1 << 16)
    here.close(), there.close()
    child.kill()
with socket.socket(fileno=os.dup(int(sys.argv[2]))) as caller:
    caller.send(hello[:-1072] + b"0123456789ab".ljust(48, b"\\0") + hello[-1024:])
os.set_inheritable(int(sys.argv[2]), True)
os.execv("{compile}", ["{compile}", *sys.argv[1:]])
"""


class Compilers(InFolder):
    def other(self, before="", name="other"):
        """Another agx-compile: a script that does something before it becomes the real one."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{before}\nexec {COMPILE} \"$@\"\n")
        path.chmod(0o755)
        return path

    def start(self, *words, device="virtual:m1", **how):
        return subprocess.Popen([RUNNER, "run", *(["-d", device] if device else []), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **how)

    def run_it(self, *words, code=OK, message=None, **how):
        done = self.start(*words, **how)
        out, errors = done.communicate(timeout=300)
        self.assertEqual(done.returncode, code, out + errors)
        if message:
            self.assertRegex(errors, message)
        return out

    def pair(self, *words, other=None, **how):
        return self.run_it("--compiler", COMPILE, "--compiler", other or self.other(), *words, **how)

    def test_same_compiler(self):
        """A clock that drifts and steps hits both."""
        text = self.pair("float/fadd32", "--fail-on", "worse", "--fail-on", "missing", "--store", self.folder / "runs.db",
                         device="virtual:m1,clock=wander")
        self.assertIn("no difference found", text)
        self.assertIn(f"compiler {COMPILE}", text)
        stored = subprocess.run([RUNNER, "compare", "--store", self.folder / "runs.db", "1", "2"], capture_output=True, text=True, check=True)
        self.assertIn("no difference found", stored.stdout)

    def test_another_compiler(self):
        other = self.other("export AGX_MESA_DEBUG=noopt")
        text = self.pair("float/fadd32", "example/saxpy", "--fail-on", "hurt", other=other, code=FAILED, message="--fail-on: .*")
        self.assertRegex(text, "float/fadd32/\\S+  \\[benchmarks\\]\n.*other code.*instructions")
        # The command for the difference prints two programs that differ.
        command = re.search(r"\$ (diff -u <\(.*--compiler .*--compiler .*\))", text)[1]
        shown = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        self.assertEqual((shown.returncode, shown.stderr), (1, ""), shown.stdout)
        self.assertIn("\n+", shown.stdout)
        target = self.folder / "out.md"
        self.assertEqual(self.pair("float/fadd32", "-f", "markdown", "-o", target, other=other), "")
        self.assertIn("| float/fadd32/latency | benchmarks | ", target.read_text())
        self.assertNotIn("broken", target.read_text())

    def test_turns(self):
        """A, B, B, A for what shares a process: what drifts evenly is then the same to both. The samples of a compiler's turns are
        put together, and its figure is their median."""
        kept, store, other = self.folder / "kept", self.folder / "runs.db", self.other("export AGX_MESA_DEBUG=noopt")
        text = self.pair(NAME, "int/iadd32/latency", "--samples", "9", "--results", kept, "--store", store, "-f", "json",
                         other=other, device="virtual:m1,jitter=2%")
        journal = [line.split(" ", 3) for line in (kept / "journal").read_text().splitlines()]
        results = [json.loads(words[3]) for words in journal if words[0] == "result"]
        self.assertEqual([result["name"] for result in results], 4 * [NAME] + 4 * ["int/iadd32/latency"])
        turns = results[:4]
        codes = [turn["program_hash"] for turn in turns]
        self.assertEqual((codes[0], codes[1]), (codes[3], codes[2]))
        self.assertNotEqual(codes[0], codes[1])
        pair, = json.loads(text)["pairs"]
        self.assertEqual([row["name"] for row in pair["rows"]], [NAME, "int/iadd32/latency"])
        with sqlite3.connect(store) as database:
            stored = [json.loads(line) for line, in database.execute("select line from result where name = ? order by run", (NAME,))]
        for one, (first, second) in zip(stored, ((0, 3), (1, 2))):
            self.assertEqual(one["samples"], turns[first]["samples"] + turns[second]["samples"])
            self.assertAlmostEqual(one["value"], statistics.median(one["samples"]))
        self.assertEqual(len(stored), 2)

    def test_commits(self):
        """Each result says which Mesa its compiler contains: what the compiler itself says, not what this build was made of."""
        other = self.folder / "says"
        other.write_text(SAYS.format(compile=COMPILE))
        other.chmod(0o755)
        pair, = json.loads(self.pair(NAME, "-f", "json", other=other))["pairs"]
        self.assertEqual(pair["b"]["mesa_commit"], "0123456789ab")
        self.assertNotEqual(pair["a"]["mesa_commit"], "0123456789ab")
        run = json.loads(self.run_it(NAME, "--compiler", other, "-f", "json"))
        self.assertEqual(run["environment"]["mesa_commit"], "0123456789ab")

    def test_mixes(self):
        self.assertIn("no difference found", self.pair("--mix", "FADD32*2;IADD32*1"))

    def test_what_goes_wrong(self):
        for script, message in (("kill -9 $$", r"other: killed by signal 9 \(Killed\) when it was started"),
                                ("exit 98", "other: ended with exit code 98 when it was started"),
                                ("sleep 1000", "other: does not answer: is it an agx-compile"),
                                ("kill -STOP $$", "other: does not answer")):
            with self.subTest(script=script):
                began = time.monotonic()
                self.pair(NAME, other=self.other(script), code=INVALID, message="--compiler: .*" + message)
                self.assertLess(time.monotonic() - began, 60)
        self.pair(NAME, other=self.folder / "none", code=INVALID, message="none: No such file")
        self.pair(NAME, other=self.folder, code=INVALID, message="not a program that can be run")
        for words, message in ((("-f", "junit"), "not 'junit'"), (("--compiler", COMPILE), "one too many"),
                               (("--fail-on", "wors"), "--fail-on takes"), (("--power",), "--power cannot be combined")):
            self.pair(NAME, *words, code=INVALID, message=message)
        self.run_it(NAME, "--fail-on", "worse", code=INVALID, message="two --compiler")

    def test_interrupted(self):
        """Nothing is left running, nothing is compared; the run goes on with both compilers when it is resumed."""
        waiting = self.start("float/f*", "--compiler", COMPILE, "--compiler", self.other(), "--results", self.folder / "kept")
        journal = self.folder / "kept" / "journal"
        while not (journal.exists() and "\nresult" in journal.read_text()):
            time.sleep(0.01)
        waiting.send_signal(signal.SIGINT)
        out, errors = waiting.communicate(timeout=300)
        self.assertEqual((waiting.returncode, out), (ABORTED, ""))
        self.assertRegex(errors, "stopped after .* interrupted")
        self.assertEqual([line for line in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
                          if str(self.folder) in line and "defunct" not in line], [])
        again = re.search(r"agx-runner run (--resume \S+) continues it", errors)[1].split()
        self.assertIn("no difference found", self.run_it(*again, device=None))
        self.assertNotEqual(re.findall("^interrupted", journal.read_text(), re.M), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
