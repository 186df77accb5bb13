#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Ctrl-C: each command that is interrupted ends with 112, keeps what it measured, and leaves no process behind. A row for
each command. Limits of time are generous: what they tell apart is the end of an endless job and none. Words: AGX_RUNNER
SOURCE_ROOT [TEST...]."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from case import ABORTED, ROOT, RUNNER, main

KERNELS = ROOT / "nir_kernels"
LIMIT = 60  # seconds until a process counts as one that does not end
ENDLESS = "virtual:m1,budget=1000000000000000"
HANG = ROOT / "tests" / "runner" / "cli" / "hang.cl"
LOCK = (HANG, "--kernel", "lock", "--buf", "0=i32[1]:0", "--buf", "1=i32[1]:0", "--grid", "32")

PIGLIT = """/*!
[config]
name: endless
clc_version_min: 10

[test]
name: endless
kernel_name: endless
global_size: 32 0 0
arg_out: 0 buffer int[1] 0
!*/
kernel void endless(volatile global int *o) { while (o[0] != 1) ; }
"""

# Name, words, what stderr must say (a pattern, or None). {work} is a folder with what prepare() puts there; {pipe} a pipe
# that nobody writes to, for commands that are done at once otherwise.
ROWS = [
    ("run", ["run", "float/*", "--samples", "200"], "interrupted"),
    ("run full", ["run", "memory/*", "--full"], "interrupted"),
    ("run mix", ["run", "--mix", "FADD32*4;IMUL32*2", "--samples", "10000"], "interrupted"),
    ("sweep ilp", ["sweep", "ilp", "--full"], "interrupted"),
    ("sweep gemm", ["sweep", "gemm", "--full"], "interrupted"),
    ("sweep bandwidth", ["sweep", "bandwidth", "--full"], "interrupted"),
    ("sweep memory", ["sweep", "memory", "--full", "-o", "{work}/memory.csv"], r"interrupted after \d+ of \d+ points"),
    ("exec", ["exec", *LOCK, "-d", ENDLESS], r"lanes 1-31 are active[\s\S]*a lane leaves it when r\d+ == 0"),
    ("explain", ["explain", *LOCK, "-d", ENDLESS], "a lane leaves it when"),
    ("explain schedules", ["explain", "--schedules", KERNELS, ROOT / "tests", KERNELS], "interrupted"),
    ("explain static", ["explain", "--static=1000", "{pipe}"], "interrupted"),
    ("corpus", ["corpus", KERNELS, ROOT / "tests", KERNELS, "--no-cache", "-o", "{work}/corpus.json"], "interrupted"),
    ("compile", ["compile", "{pipe}"], "interrupted"),
    ("asm", ["asm", "{pipe}"], "interrupted"),
    ("disasm", ["disasm", "{pipe}"], "interrupted"),
    ("piglit", ["piglit", "{work}/endless.cl", "-d", ENDLESS], "interrupted"),
    ("fuzz", ["fuzz", "--time", "600"], None),
    ("compare", ["compare", "{pipe}", "{pipe}"], "interrupted"),
    ("report", ["report", "{pipe}"], "interrupted"),
    ("import", ["import", "{pipe}", "--store", "{work}/store.db"], "interrupted"),
    ("survey", ["survey", "--folder", "{work}/survey", "-d", "virtual:m1"], "interrupted"),
    ("calibrate", ["calibrate", "{pipe}"], "interrupted"),
    ("with-device", ["with-device", "--", "sleep", "1000"], None),
    ("with-device job", ["with-device", "-d", ENDLESS, "--", RUNNER, "exec", *LOCK, "-d", "/dev/dri/renderD128", "--timeout", "86400"], None),
    ("replay", ["replay", "-d", ENDLESS, "--timeout", "86400", "{work}/trace"], "interrupted"),
]


def hears(pid):
    """Whether the process has said what SIGINT does: else it would end as by default, before main() has begun."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    masks = [int(re.search(rf"{name}:\s*([0-9a-f]+)", text).group(1), 16) for name in ("SigCgt", "SigBlk", "SigIgn")]
    return any(mask >> (signal.SIGINT - 1) & 1 for mask in masks)


def members(session):
    """The processes of a session that still live."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            state, _, _, of = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:4]
            if entry.name.isdigit() and int(of) == session and state not in "ZX":
                found.append((entry.name, (entry / "cmdline").read_text().replace("\0", " ")))
        except (OSError, ValueError):
            pass
    return found


class Interrupted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        (self.work / "endless.cl").write_text(PIGLIT)
        for name in ("pipe.cl", "pipe.agx"):
            os.mkfifo(self.work / name)

    def start(self, words):
        words = [str(word).replace("{work}", str(self.work)).replace("{pipe}", str(self.work / "pipe.cl")) for word in words]
        process = subprocess.Popen([RUNNER, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.work, start_new_session=True)
        end = time.monotonic() + LIMIT
        while process.poll() is None and not hears(process.pid) and time.monotonic() < end:
            time.sleep(0.01)
        return process

    def finish(self, process, message):
        out, error = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, ABORTED, error)
        self.assertNotIn("Traceback", error)
        if message is not None:
            self.assertRegex(error, message)
        end = time.monotonic() + LIMIT
        while members(process.pid) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(members(process.pid), [])
        return out, error

    def prepare(self, name):
        if name == "replay":
            done = subprocess.run([RUNNER, "with-device", "-d", "virtual:m1,budget=1000", "--trace", self.work / "trace", "--", RUNNER, "exec",
                                   *LOCK, "-d", "/dev/dri/renderD128"], capture_output=True, text=True, timeout=300, check=False)
            if "libagx-vgpu.so" in done.stderr:
                self.skipTest("no preloaded library was built")

    def row(self, name, words, message):
        self.prepare(name)
        for delay in (0, 1.5):
            with self.subTest(name, delay=delay):
                process = self.start(words)
                time.sleep(delay)
                if process.poll() is not None and delay:
                    self.skipTest(f"it ended by itself: {process.communicate()}")
                process.send_signal(signal.SIGINT)
                begun = time.monotonic()
                self.finish(process, message if delay else None)
                print(f"{name}: {time.monotonic() - begun:.2f} s after {delay} s", flush=True)
                self.assertEqual([file for file in self.work.iterdir() if re.search(r"\.(csv|json)\.\w{6}$", file.name)], [])

    def test_memory_keeps_points(self):
        """sweep memory writes the points that it has, which are those of a whole run."""
        process = self.start(["sweep", "memory", "--full", "-o", "{work}/memory.csv"])
        time.sleep(3)
        process.send_signal(signal.SIGTERM)
        _, error = self.finish(process, "interrupted")
        count = int(re.search(r"interrupted after (\d+) of", error).group(1))
        self.assertEqual(len((self.work / "memory.csv").read_text().splitlines()), 1 + count)

    def test_corpus_keeps_files(self):
        """A corpus that is interrupted is written with the files that were compiled."""
        whole = self.work / "whole.json"
        for delay in (1, 4, 16):
            process = self.start(["corpus", KERNELS, ROOT / "tests", KERNELS, "--no-cache", "--json", "-o", whole])
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            self.finish(process, "interrupted")
            if whole.exists():
                break
        run = json.loads(whole.read_text())
        self.assertTrue(run["results"])
        self.assertFalse([result for result in run["results"] if "signal 2" in (result.get("reason") or "")])

    def test_killed(self):
        """Worker processes end with their parent, also where they have an endless job."""
        process = self.start(["piglit", "{work}/endless.cl", "-d", ENDLESS])
        time.sleep(1.5)
        process.kill()
        process.communicate(timeout=LIMIT)
        end = time.monotonic() + LIMIT
        while members(process.pid) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(members(process.pid), [])

    def test_second(self):
        """A second signal ends a process at once, whatever it does: here with the first one's time still running."""
        process = self.start(["exec", *LOCK, "-d", ENDLESS])
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.finish(process, None)


def add(name, words, message):
    def test(self):
        self.row(name, words, message)
    setattr(Interrupted, "test_" + re.sub(r"\W", "_", name), test)


for of in ROWS:
    add(*of)
main()
