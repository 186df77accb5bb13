#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""planted.py ends a run of fuzz soon after its first new finding, and not at one that is known; a run that finds nothing new goes
on to its end; a run without a report is said so; a run ends when planted.py is killed.

Usage: planted_round.py
"""
import pathlib
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import planted  # pylint: disable=wrong-import-position

# In place of fuzz: prints findings, waits, and writes its report as it is interrupted or ends.
STUB = """import json, pathlib, signal, sys, time
def end(*_):
    if REPORT:
        pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text(json.dumps({"programs": 1 if _ else 2}))
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
for line in LINES:
    print(line, file=sys.stderr, flush=True)
time.sleep(SECONDS)
end()
"""


def run(folder, lines, report=True, seconds=1):
    """Programs of the stub's report (1: it was interrupted, 2: it went on to its end), and the seconds that it took."""
    runner = pathlib.Path(folder, "a/agx-runner")
    runner.parent.mkdir(exist_ok=True)
    runner.write_text(f"#!/usr/bin/python3\nLINES, REPORT, SECONDS = {lines!r}, {report}, {seconds}\n" + STUB, encoding="utf-8")
    runner.chmod(0o755)
    started = time.monotonic()
    result, _ = planted.fuzz_round(runner, 1, 60, "nir")
    return result and result["programs"], time.monotonic() - started


def main():
    """Exit status: 0 when all is as above."""
    planted.LEAST_SECONDS = 0.2
    new = ["wrong answer: a pass", "   verdict: x", "   program 3; signature wrong: a pass: iadd"]
    with tempfile.TemporaryDirectory() as folder:
        programs, seconds = run(folder, new)
        assert programs == 1 and seconds >= 0.2, (programs, seconds)
        assert run(folder, ["known " + new[0]] + new[1:])[0] == 2
        assert run(folder, ["known " + new[0], ">  ac:  0509 load r1", *new[1:]])[0] == 2
        assert run(folder, ["known " + new[0]] + new[1:] + new)[0] == 1
        assert run(folder, [])[0] == 2
        assert run(folder, new, report=False)[0] is None
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(1))
        signal.setitimer(signal.ITIMER_REAL, 0.5)  # planted.py is killed
        started = time.monotonic()
        try:
            run(folder, [], seconds=20)
        except SystemExit:
            pass
        assert time.monotonic() - started < 10
    return 0


if __name__ == "__main__":
    sys.exit(main())
