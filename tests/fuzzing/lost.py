#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz whose workers are killed, or stopped, tries all programs that were asked for, reports each worker that was lost
with the program that it had, and exits with 98, whatever else it finds.

Usage: lost.py AGX_RUNNER
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

COUNT = 120


def children(pid):
    """Processes that a process has started, the oldest first."""
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except FileNotFoundError:
        return []


def worked(pid):
    """Ticks of processor time that a process has used; 0: it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
    except FileNotFoundError:
        return 0


def run(program, hit, words):
    """Exit code, report and messages of a run. hit: signals, each for a worker that has worked for a while."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        known = pathlib.Path(folder, "known.txt")
        known.write_text("wrong: *\ncrash: *\n", encoding="ascii")
        with open(os.path.join(folder, "messages"), "w+", encoding="utf-8") as messages:
            with subprocess.Popen([program, "fuzz", "--language", "nir", "--seed", "7", "--idle-timeout", "2", "--known", known, "-f",
                                   "json", "-o", path, *words], stderr=messages, start_new_session=True) as fuzz:
                were_hit = []
                while fuzz.poll() is None and len(were_hit) < len(hit):
                    # A process that looks into a program waits for others; only a worker works so long.
                    for pid in [pid for pid in children(fuzz.pid) if pid not in were_hit and worked(pid) > 30][:1]:
                        os.kill(pid, hit[len(were_hit)])
                        were_hit.append(pid)
                    time.sleep(0.02)
                assert len(were_hit) == len(hit), "the run ended before its workers were hit"
                code = fuzz.wait()
            messages.seek(0)
            with open(path, encoding="utf-8") as file:
                return code, json.load(file), messages.read()


def main():
    """Exit status: 0 when all is as above."""
    program = sys.argv[1]
    code, report, messages = run(program, [signal.SIGKILL, signal.SIGSTOP], ["--count", str(COUNT), "--jobs", "2"])
    lost = {f["kind"]: f for f in report["findings"] if f["kind"] in ("hang", "killed process")}
    assert code == 98, (code, messages[-2000:])
    assert report["programs"] == COUNT, report["programs"]
    assert set(lost) == {"hang", "killed process"}, [f["signature"] for f in report["findings"]]
    assert lost["killed process"]["blamed"].startswith("killed by SIGKILL in the "), lost["killed process"]["blamed"]
    assert lost["hang"]["blamed"].startswith("stopped or asleep in the "), lost["hang"]["blamed"]
    for finding in lost.values():
        assert 0 <= finding["index"] < COUNT, finding
        assert finding["program"] or finding["blamed"].endswith(" in the generator"), finding  # which has not made it yet
        print(f"program {finding['index']}: {finding['blamed']}; verdict {finding['verdict']}")
    # One worker alone: the run goes on without it.
    code, report, messages = run(program, [signal.SIGKILL], ["--count", "60", "--jobs", "1"])
    assert code == 98 and report["programs"] == 60, (code, report["programs"], messages[-2000:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
