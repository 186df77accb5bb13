#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""agx-runner fuzz that is interrupted writes the report of what it tried, and leaves no process behind: by SIGTERM to the
parent, and by SIGINT to all its processes, as a terminal sends it.

Usage: interrupted.py AGX_RUNNER
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time


def programs_tried(program, send, seconds):
    """Starts fuzz, interrupts it after so long. The number of programs in its report."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        run = subprocess.Popen([program, "fuzz", "--language", "nir", "--seed", "3", "--count", "10000000", "--jobs", "2", "-f", "json",
                                "-o", path], stderr=subprocess.PIPE, text=True, start_new_session=True)
        time.sleep(seconds)
        send(run.pid)
        errors = run.communicate(timeout=200)[1]
        assert "interrupted" in errors, errors[-1000:]
        assert run.returncode == 112, f"exit code {run.returncode}: {errors[-1000:]}"
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return report["programs"]
        raise AssertionError("processes are left")


def main():
    program = sys.argv[1]
    for send in (lambda pid: os.kill(pid, signal.SIGTERM), lambda pid: os.killpg(pid, signal.SIGINT)):
        for seconds in 2, 8, 32, 128: # until it has tried a program: how soon that is depends on the machine
            count = programs_tried(program, send, seconds)
            if count:
                break
        assert 0 < count < 10000000
    print("2 reports")


main()
