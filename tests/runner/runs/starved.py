#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Limits on a virtual device count its work: a process that gets no processor for longer than each limit loses nothing.

starved.py AGX_RUNNER
What a busy host does to a process is done to it here with SIGSTOP, so the test does not depend on the host's load."""
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import unittest

from folder import InFolder

RUNNER = str(pathlib.Path(sys.argv[1]).resolve())
OK, FAILED = 0, 98
ROUNDS, STOPPED, RUNNING = 6, 2.5, 0.1  # seconds; each stop is longer than the limits of LIMIT below
LIMIT = 2  # seconds of work: to open the device takes a slow host half of it
SOURCE = """
kernel void mix(global uint *out, uint n)
{
   uint x = get_global_id(0);
   for (uint i = 0; i < n; i++)
      x = x * 1664525u + 1013904223u;
   out[get_global_id(0)] = x;
}
kernel void endless(global volatile uint *out)
{
   while (out[0] == 0)
      out[1]++;
}
"""


def below(process):
    """The processes below this one."""
    found = []
    for path in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(word) for word in path.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *below(child)]
    return found


def send(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def starve(arguments, itself):
    """Runs it, and takes its processors away again and again. itself: its own process too, not only those below."""
    with subprocess.Popen([RUNNER, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(ROUNDS):
            time.sleep(RUNNING)
            processes = below(process.pid) + [process.pid] * itself
            while not processes and process.poll() is None:
                processes = below(process.pid)
            if process.poll() is not None:
                break
            send(processes, signal.SIGSTOP)
            time.sleep(STOPPED)
            send(processes, signal.SIGCONT)
        output, errors = process.communicate()
    return process.returncode, output, errors


class Starved(InFolder):
    def setUp(self):
        super().setUp()
        self.kernel = self.folder / "kernel.cl"
        self.kernel.write_text(SOURCE)

    def test_job(self):
        """A right job of some 0.7 of the limit's instructions."""
        out = self.folder / "out"
        n = 400000
        code, _, errors = starve(["exec", self.kernel, "--kernel", "mix", "-d", "virtual:m1", "--timeout", 1, "--buf", "0=u32[512]",
                                  "--arg", f"1={n}", "--grid", 512, "--group", 64, "--dump", f"0={out}"], True)
        self.assertEqual(code, OK, errors)
        factor, addend = 1, 0
        for _ in range(n):
            factor, addend = factor * 1664525 % 2**32, (addend * 1664525 + 1013904223) % 2**32
        self.assertEqual(list(struct.unpack("<512I", out.read_bytes())), [(i * factor + addend) % 2**32 for i in range(512)])

    def test_endless(self):
        """10 s are 2^28 instructions, others in proportion; budget= goes before."""
        for options, device, limit in ((["--timeout", 0.5], "virtual:m1", 13421772), (["--timeout", 0.5], "virtual:m1,budget=1000", 1000)):
            done = subprocess.run([RUNNER, "exec", self.kernel, "--kernel", "endless", "-d", device, *map(str, options), "--buf",
                                   "0=u32[2]", "--grid", "1", "--group", "1"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, FAILED)
            self.assertIn(f"did not end within {limit} simdgroup instructions", done.stderr)

    def test_process(self):
        """A worker that is not heard of for longer than --idle-timeout, and takes longer than --test-timeout."""
        code, output, errors = starve(["run", "-d", "virtual:m1", "float/f[am]*32/*", "--timeout", 1, "--test-timeout", LIMIT, "--idle-timeout",
                                       LIMIT, "--reruns", 0, "--format", "csv"], False)
        self.assertEqual(code, OK, output + errors)

    def test_sleeping(self):
        """A worker that sleeps for ever meets its limit all the same."""
        done = subprocess.run([RUNNER, "run", "-d", "virtual:m1,inject=stall@1/float/fadd32/latency", "float/fadd32/latency", "--reruns", "0",
                               "--idle-timeout", "1"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("no report for 1 s", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
