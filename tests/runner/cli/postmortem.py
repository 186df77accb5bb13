#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The post-mortem of a job that does not end, or faults, in each command that runs jobs: places, source lines and values.
The lines and values expected are those of hang.cl. Words: AGX_RUNNER SOURCE_ROOT."""
import re

from case import FAILED, ROOT, RUNNER, Case, main, run

HANG = ROOT / "tests" / "runner" / "cli" / "hang.cl"
DEVICE = "virtual:m1,budget=200000"
NODE = "/dev/dri/renderD128"
LOCK = (HANG, "--kernel", "lock", "--buf", "0=i32[1]:0", "--buf", "1=i32[1]:0", "--grid", "32")


def line_of(text):
    lines = HANG.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


class Postmortem(Case):
    def in_order(self, text, *expected):
        at = 0
        for pattern in expected:
            found = re.compile(pattern).search(text, at)
            self.assertIsNotNone(found, f"{pattern}\n{text}")
            at = found.end()

    def lock(self, text, source):
        """One lane has the lock and waits for the 31 that spin."""
        self.in_order(text, r"0 of 1 threadgroups of the program at 0x[0-9a-f]+ had ended",
                      r"threadgroup 0,0,0, simdgroup 0: lanes 1-31 are active", r"in the loop from main \+ 0x[0-9a-f]+" + source,
                      r"a lane leaves it when r\d+ == 0: main \+ .*" + source.replace("; ", "; ~?"),
                      r"r\d+ = 1 in each active lane; the same in each pass", r"it comes from 0x[0-9a-f]+", r"atomic .*xchg",
                      "lane 0 left it or took another way")

    def test_exec(self):
        error = self.expect(FAILED, "exec", *LOCK, "-d", DEVICE).stderr
        self.lock(error, f"; hang.cl:{line_of('atomic_xchg(mutex, 1)')}")
        self.assertIn("byte 0 of buffer 1 (mutex)", error)

    def test_explain(self):
        self.lock(self.expect(FAILED, "explain", *LOCK, "-d", DEVICE).stderr, f"; hang.cl:{line_of('atomic_xchg(mutex, 1)')}")

    def test_barrier(self):
        error = self.expect(FAILED, "exec", HANG, "--kernel", "flag", "--buf", "0=i32[128]", "--buf", "1=i32[4]:0", "--grid",
                            "128", "--group", "128", "-d", DEVICE).stderr
        self.in_order(error, "simdgroups 2-3: all lanes are active", f"hang.cl:{line_of('ready[2]')}",
                      r"a lane leaves it when r\d+ != 0", r"byte 8 of buffer 1 \(ready\)", "simdgroups 0-1: all lanes are active",
                      f"wait at .*barrier; ~?hang.cl:{line_of('barrier(')}",
                      "simdgroups 0-1 of this threadgroup wait at a barrier that simdgroups 2-3 did not reach: they still run")

    def test_fault(self):
        """The 17th pass reads behind the 64 Ki words."""
        error = self.expect(FAILED, "exec", HANG, "--kernel", "sum", "--buf", "0=i32[65536]:1", "--arg", "1=17", "--grid", "32",
                            "-d", DEVICE + ",strict").stderr
        self.in_order(error, "faulted at main .*load", f"hang.cl:{line_of('out[k * 4096')}", "address = 0x", "in the loop from main")
        first = int(re.search(r"address = (0x[0-9a-f]+) in lane 0", error).group(1), 16)
        self.assertEqual(first % (65536 * 4), 0)

    def test_progress(self):
        """A launch that is larger than its budget: the counter is seen to change."""
        error = self.expect(FAILED, "exec", HANG, "--kernel", "sum", "--buf", "0=i32[65536]:1", "--arg", "1=2000000000", "--grid",
                            "32", "-d", DEVICE).stderr
        self.in_order(error, r"a lane leaves it when (r\d+ >= u\d+|u\d+ <= r\d+)", "other values in earlier passes")
        self.assertRegex(error, r"u\d+ = 2000000000 in each active lane; the same in each pass")

    def test_run(self):
        done = run("run", "float/fadd32/latency", "-d", "virtual:m1,budget=2000")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr, r"float/fadd32/latency: \d+ of \d+ threadgroups of the program at 0x[0-9a-f]+ had ended")

    def test_with_device_and_replay(self):
        trace = self.folder / "trace"
        done = run("with-device", "-d", DEVICE, "--trace", trace, "--", RUNNER, "exec", *LOCK, "-d", NODE)
        if "libagx-vgpu.so" in done.stderr:
            self.skipTest("no preloaded library was built")
        report = done.stderr[done.stderr.index("last fault"):]
        self.lock(report, "")
        replayed = run("replay", "-d", DEVICE, trace)
        self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)
        self.lock(replayed.stdout, "")


main()
