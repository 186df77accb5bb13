#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""run, when things go wrong: faults, crashes, kills, full disks.

survive.py AGX_RUNNER [TEST...]
Environment: KILLS (how often the runner is killed, default 12), HITS (tests hit by each kind of fault, default 6; of
those that cost a second each, 2)."""
import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from folder import InFolder

RUNNER = str(pathlib.Path(sys.argv[1]).resolve())
KILLS, HITS = int(os.environ.get("KILLS", 12)), int(os.environ.get("HITS", 6))
SLOW_HITS = int(os.environ.get("HITS", 2))
OK, SKIPPED, INVALID, FAILED, ABORTED, LOST = 0, 77, 79, 98, 112, 113
SOME = ["float/fadd32", "uapi/vm", "uapi/queue", "uapi/object"]
NAME = "float/fadd32/latency"


def arguments(*words, device="virtual:m1,threads=1"):
    return [RUNNER, "run", "-d", device, "-f", "json", *map(str, words)]


def run(*words, **keywords):
    return subprocess.run(arguments(*words, **keywords), capture_output=True, text=True, timeout=250)


def resume(folder, *words):
    return subprocess.run([RUNNER, "run", "--resume", str(folder), "-f", "json", *words], capture_output=True, text=True,
                          timeout=250)


def report(text):
    """All but when it was, how long it took and how it was asked for."""
    data = json.loads(text)
    for key in "time", "command_line":
        del data["environment"][key]
    for result in data["results"]:
        assert result.pop("seconds") > 0
    return data


def statuses(text):
    return {result["name"]: (result["status"], result["reason"]) for result in json.loads(text)["results"]}


def finished(folder):
    """How often the journal has a whole result of each test."""
    path = folder / "journal"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return collections.Counter(int(line.split()[1]) for line in lines if re.match(rb"result \d+ \d+ {.*}$", line))


class Case(InFolder):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "results"

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


class Faults(Case):
    KINDS = {
        "timeout": ("fail", "ETIMEDOUT"), "fault": ("fail", "EIO"), "firmware-death": ("fail", "ENODEV"),
        "crash": ("crash", "killed by signal 11"), "errno:EMFILE:GEM_CREATE": ("fail", "EMFILE"),
        "alloc": ("fail", "ENOMEM"), "hang": ("timeout", "no report for 1 s"),
        "stall": ("timeout", "no report for 1 s"),
    }
    SLOW = "hang", "stall"

    def test_exactly_the_hit_ones(self):
        """Of 200 tests, those that a fault hits are reported, in the right way, and no others."""
        chance = random.Random(1)
        # Tests that look at their first job's fence: those that say so when every such job fails.
        all_hit = statuses(run("uapi", "--reruns", 0, device="virtual:m1,threads=1,inject=fault@1/uapi/*").stdout)
        looking = sorted(name for name, (status, reason) in all_hit.items()
                         if status == "fail" and "EIO" in reason)
        others = sorted(name for name, (status, _) in all_hit.items() if status == "pass")
        self.assertGreater(len(looking), 50)
        for kind, (status, message) in self.KINDS.items():
            hit = set(chance.sample(looking, SLOW_HITS if kind in self.SLOW else HITS))
            chosen = sorted(hit) + chance.sample(sorted(set(looking) - hit) + others, 200 - len(hit))
            device = "virtual:m1,threads=1," + ",".join(f"inject={kind}@1/{name}" for name in sorted(hit))
            with self.subTest(kind=kind):
                done = run(*chosen, "--reruns", 0, "--idle-timeout", 1 if kind in self.SLOW else 60, device=device)
                self.assertEqual(done.returncode, FAILED, done.stderr)
                found = statuses(done.stdout)
                self.assertEqual(len(found), 200)
                bad = {name for name, (found_status, _) in found.items() if found_status not in ("pass", "warn")}
                self.assertEqual(bad, hit)
                for name in hit:
                    self.assertEqual(found[name][0], status, found[name])
                    self.assertIn(message, found[name][1])

    def test_benchmark(self):
        """A metric that is hit does not take the other one with it."""
        for kind, wanted, message in (("timeout", "fail", "ETIMEDOUT"), ("crash", "crash", "signal 11"),
                                      ("hang", "hang", "time limit"), ("alloc", "fail", "ENOMEM")):
            done = run("float/fadd32", "--reruns", 0, "--timeout", 2,
                       device=f"virtual:m1,threads=1,inject={kind}@2/{NAME}")
            found = statuses(done.stdout)
            self.assertEqual(found["float/fadd32/throughput"][0], "pass")
            self.assertEqual(found[NAME][0], wanted)
            self.assertIn(message, found[NAME][1])

    def test_by_chance_but_seeded(self):
        device = "virtual:m1,threads=1,inject=fault@20%/uapi/*,seed={}"
        first, again, other = (run("uapi/bind", "--reruns", 0, device=device.format(seed)).stdout for seed in (1, 1, 2))
        self.assertEqual(statuses(first), statuses(again))
        self.assertNotEqual(statuses(first), statuses(other))
        self.assertTrue(any(status == "fail" for status, _ in statuses(first).values()))

    def test_bad_rules(self):
        for rule in ("boom@1", "timeout", "timeout@0", "timeout@101%", "errno:ENOSUCH:SUBMIT@1", "errno:EIO:OPEN@1"):
            done = run("float/fadd32", device=f"virtual:m1,inject={rule}")
            self.assertEqual(done.returncode, INVALID, done.stderr)
            self.assertIn("option inject", done.stderr)

    def test_lost_device(self):
        """The GPU no longer works after a failure: an exit code of its own; after a reboot the run goes on."""
        state = f"inject=fault@1/{NAME},inject=firmware-death@1/check"
        done = run(*SOME, "--results", self.results, device=f"virtual:m1,threads=1,{state}")
        self.assertEqual(done.returncode, LOST, done.stderr)
        self.assertIn(f"no longer works after {NAME}", done.stderr)
        found = statuses(done.stdout)
        self.assertEqual(found[NAME][0], "hang")
        self.assertEqual(len(found), 2)
        again = resume(self.results)
        self.assertEqual(again.returncode, FAILED, again.stderr)
        self.assertGreater(len(statuses(again.stdout)), 30)

    def test_limits(self):
        stall = f"virtual:m1,threads=1,inject=stall@1/{NAME}*"
        done = run("float/fadd32", "--test-timeout", 2, "--reruns", 0, device=stall)
        self.assertEqual(statuses(done.stdout)[NAME], ("timeout", "no end after 2 s"))
        done = run("float/fadd32", "--run-timeout", 3, device=stall)
        self.assertEqual(done.returncode, ABORTED)
        self.assertIn("the run exceeded its limit of 3 s", done.stderr)

    def test_fault_group(self):
        found = statuses(run("fault", device="virtual:m1,threads=1,budget=1000000").stdout)
        self.assertEqual({status for status, _ in found.values()}, {"pass"})
        self.assertRegex(found["fault/endless"][1], "^ETIMEDOUT: job .*did not end")
        self.assertRegex(found["fault/code-garbage"][1], "^EIO: job .*unknown instruction")


class Expectations(Case):
    ALWAYS = f"virtual:m1,threads=1,inject=fault@1/{NAME}*"
    ONCE = f"virtual:m1,threads=1,inject=fault@1/{NAME}"

    def test_failures_can_be_checked_in(self):
        done = run("float/fadd32", "--results", self.results, device=self.ALWAYS)
        self.assertEqual((done.returncode, statuses(done.stdout)[NAME][0]), (FAILED, "fail"))
        failures = self.results / "failures.csv"
        self.assertEqual(failures.read_text(), f"{NAME},Fail\n")
        again = run("float/fadd32", "--fails", failures, "--results", self.folder / "again", device=self.ALWAYS)
        self.assertEqual((again.returncode, statuses(again.stdout)[NAME][0]), (OK, "expected-fail"))
        self.assertEqual((self.folder / "again" / "failures.csv").read_text(), f"{NAME},Fail\n")
        passes = run("float/fadd32", "--fails", failures)
        self.assertEqual((passes.returncode, statuses(passes.stdout)[NAME][0]), (FAILED, "unexpected-pass"))
        other = run("float/fadd32", "--fails", self.file("fails", f"{NAME},Crash\n"), device=self.ALWAYS)
        self.assertEqual((other.returncode, statuses(other.stdout)[NAME][0]), (FAILED, "fail"))

    def test_flakes(self):
        done = run("float/fadd32", "--results", self.results, device=self.ONCE)
        self.assertEqual((done.returncode, statuses(done.stdout)[NAME][0]), (OK, "flake"))
        self.assertEqual((self.results / "failures.csv").read_text(), "")
        done = run("float/fadd32", "--reruns", 0, device=self.ONCE)
        self.assertEqual((done.returncode, statuses(done.stdout)[NAME][0]), (FAILED, "fail"))
        done = run("float/fadd32", "--flakes", self.file("flakes", "latency$\n"), device=self.ALWAYS)
        self.assertEqual((done.returncode, statuses(done.stdout)[NAME][0]), (OK, "known-flake"))

    def test_skips(self):
        done = run("float/fadd32", "--skips", self.file("skips", "# why\nlatency$\n"), device=self.ALWAYS)
        self.assertEqual((done.returncode, statuses(done.stdout)[NAME][0]), (OK, "skip"))

    def test_mistakes(self):
        done = run("float/fadd32", "--fails", self.file("fails", f"{NAME},Nice\n"))
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("fails:1: expected", done.stderr)
        self.assertEqual(run("float/fadd32", "--skips", self.folder / "none").returncode, INVALID)


class Canceled(Case):
    """Another client's fault ended the job: the test is run again, up to three times."""

    def test_always(self):
        done = run("float/fadd32", "--reruns", 0, "--results", self.results,
                   device=f"virtual:m1,threads=1,inject=errno:ECANCELED:SUBMIT@1/{NAME}")
        self.assertEqual((done.returncode, statuses(done.stdout)[NAME][0]), (FAILED, "fail"))
        journal = (self.results / "journal").read_text()
        self.assertEqual(journal.count(f"begin 1 1 {NAME}"), 4)
        self.assertEqual(len(re.findall("^result 1 ", journal, re.M)), 1)


class Piglit(Case):
    """The same runner under Piglit's tests."""
    FILES = pathlib.Path(__file__).parents[2] / "piglit" / "data"

    def piglit(self, *words, device="virtual:m1"):
        return subprocess.run([RUNNER, "piglit", "-d", device, "-f", "json", *map(str, words)], capture_output=True,
                              text=True, timeout=300)

    def test_kill(self):
        wanted = self.piglit(self.FILES)
        self.assertEqual(wanted.returncode, FAILED, wanted.stderr)
        chance = random.Random(3)
        for i in range(max(KILLS // 2, 1)):
            self.results = self.folder / f"results-{i}"
            process = subprocess.Popen([RUNNER, "piglit", "-d", "virtual:m1", "-j", "3", "--results", self.results,
                                        self.FILES], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, 1))
            process.kill()
            process.wait()
            with self.subTest(kill=i):
                again = self.piglit("--resume", self.results)
                if again.returncode == INVALID:
                    self.assertRegex(again.stderr, "start it again|holds no run|No such file")
                    continue
                # Kept runs have the tests' output.
                found = report(again.stdout)["results"]
                for result in found:
                    result.pop("output", None)
                self.assertEqual(found, report(wanted.stdout)["results"])

    def test_lost_device(self):
        done = self.piglit(self.FILES / "separate.program_test", self.FILES / "wrong.cl", "-j", 1, "--reruns", 0,
                           device="virtual:m1,inject=fault@1,inject=firmware-death@1/check")
        self.assertEqual(done.returncode, LOST, done.stderr)
        self.assertEqual(json.loads(done.stdout)["results"][-1]["status"], "hang")

    def test_another_command(self):
        self.assertEqual(run("float/fadd32/latency", "--results", self.results).returncode, OK)
        done = self.piglit("--resume", self.results)
        self.assertEqual(done.returncode, INVALID)
        self.assertIn("holds a run of 'run'", done.stderr)


class Resume(Case):
    def undisturbed(self):
        start = time.monotonic()
        done = run(*SOME)
        self.assertEqual(done.returncode, OK, done.stderr)
        return report(done.stdout), time.monotonic() - start

    def check_resumed(self, wanted):
        """Nothing that was finished is lost or run twice, and the report is the undisturbed run's."""
        before = finished(self.results)
        done = resume(self.results)
        if not before and done.returncode == INVALID:
            self.assertRegex(done.stderr, "start it again|holds no run|No such file")
            return
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(report(done.stdout), wanted)
        after = finished(self.results)
        self.assertEqual(set(after.values()), {1})
        self.assertEqual(len(after), len(wanted["results"]))
        begun = [int(line.split()[1]) for line in (self.results / "journal").read_text().splitlines()
                 if line.startswith("begin ")]
        self.assertTrue(all(begun.count(index) == 1 for index in before))

    def test_kill(self):
        wanted, seconds = self.undisturbed()
        chance = random.Random(2)
        for i in range(KILLS):
            self.results = self.folder / f"results-{i}"
            with self.subTest(kill=i):
                process = subprocess.Popen(arguments(*SOME, "--results", self.results), stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                time.sleep(chance.uniform(0, 1.5 * seconds))
                process.kill()
                process.wait()
                self.check_resumed(wanted)

    def test_full_disk(self):
        """On a file system of its own that is full in the middle, and has room again later."""
        mount = self.folder / "small"
        mount.mkdir()
        if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(mount)],
                          capture_output=True).returncode != 0:
            self.skipTest("no file system may be mounted here")
        wanted, _ = self.undisturbed()
        for kilobytes in (4, 8, 20, 32):
            script = f"""mount -t tmpfs -o size={kilobytes}k none {mount}
                {" ".join(arguments(*SOME, "--results", mount / "r"))} >{self.folder}/out 2>{self.folder}/err
                echo $? >{self.folder}/code; cp -r {mount}/r {self.folder}/results-{kilobytes}"""
            subprocess.run(["unshare", "-rm", "sh", "-c", script], check=True, timeout=250)
            self.results = self.folder / f"results-{kilobytes}"
            code, errors = int((self.folder / "code").read_text()), (self.folder / "err").read_text()
            with self.subTest(kilobytes=kilobytes):
                self.assertEqual(code, FAILED, errors)
                self.assertIn("No space left on device", errors)
                self.check_resumed(wanted)

    def test_full_from_the_start(self):
        self.results.mkdir()
        (self.results / "journal").symlink_to("/dev/full")
        done = run(*SOME, "--results", self.results)
        self.assertEqual(done.returncode, INVALID)  # something is there already
        self.assertIn("holds a run already", done.stderr)

    def test_interrupt(self):
        wanted, _ = self.undisturbed()
        process = subprocess.Popen(arguments(*SOME, "--results", self.results), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while len(finished(self.results)) < 5:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, ABORTED, errors)
        self.assertIn("--resume", errors)
        self.assertGreaterEqual(len(json.loads(out)["results"]), 5)
        self.assertTrue((self.results / "results.json").exists())
        self.check_resumed(wanted)

    def test_twice_in_the_same_test(self):
        """A test that two runs ended in is given up."""
        for begins, status in ((1, "pass"), (2, "incomplete")):
            self.results = self.folder / f"begun-{begins}"
            process = subprocess.Popen(arguments(*SOME, "--results", self.results), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while len(finished(self.results)) < 1:
                time.sleep(0.01)
            process.kill()
            process.wait()
            with (self.results / "journal").open("rb+") as journal:
                text = journal.read()
                # The worker may have begun the second test before the runner had the first one's result.
                cuts = [text.find(b"\nresult 0 ") + 1, text.find(b"\nbegin 1 ") + 1]
                journal.truncate(min(cut for cut in cuts if cut))
                journal.seek(0, os.SEEK_END)
                journal.write(f"result 0 1 {json.dumps({'name': 'float/fadd32/throughput', 'status': 'skip'})}\n".encode())
                journal.write((f"begin 1 1 {NAME}\n" * begins).encode() + b"begin 1 1 fl")
            done = resume(self.results)
            self.assertEqual(done.returncode, OK if begins == 1 else FAILED, done.stderr)
            self.assertEqual(statuses(done.stdout)[NAME][0], status)
            if begins == 1:
                self.assertIn(f"{NAME}: incomplete", done.stderr)
            else:
                self.assertIn(f"{NAME},Incomplete\n", (self.results / "failures.csv").read_text())

    def test_journal(self):
        """Nothing is written, and so no disk waited for, between a test's begin and its result."""
        self.assertEqual(run(NAME, "uapi/vm/range-empty", "--results", self.results).returncode, OK)
        words = [line.split()[0] for line in (self.results / "journal").read_text().splitlines()]
        self.assertEqual(words, ["run", "directory"] + 2 * ["begin", "result"])

    def test_mistakes(self):
        self.assertEqual(resume(self.folder).returncode, INVALID)
        self.assertEqual(resume(self.folder / "none").returncode, INVALID)
        self.assertEqual(run("float/fadd32", "--results", self.results).returncode, OK)
        again = run("float/fadd32", "--results", self.results)
        self.assertEqual(again.returncode, INVALID)
        self.assertIn("holds a run already", again.stderr)
        self.assertEqual(resume(self.results, "float").returncode, INVALID)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
