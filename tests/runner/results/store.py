#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The store: what it acknowledged it keeps, whatever happens; what is no store it leaves alone. Also history.

store.py AGX_RUNNER [BIG]   with BIG (10000, say): so many results by each of two writers"""
import contextlib
import json
import os
import random
import re
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
import unittest

from folder import InFolder

RUNNER = sys.argv[1]
BIG = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
OK, INVALID, FAILED = 0, 79, 98


def result(name, value, spread=0.002, **more):
    source = random.Random(name + str(value))
    samples = [value * source.gauss(1, spread) for _ in range(9)]
    return dict({"name": name, "status": "pass", "reason": "", "unit": "cycles", "value": statistics.median(samples),
                 "low": min(samples), "high": max(samples), "samples": samples, "check": "pass",
                 "program_hash": "80000000000000aa"}, **more)


def run(results, commit="abc"):
    return {"schema": 2, "device": {"name": "x", "kind": "virtual", "chip": "m1", "path": "virtual:m1", "cores": 8},
            "environment": {"mesa": "1", "commit": commit, "command_line": "", "time": "2026-11-21T03:00:00Z"},
            "results": results}


class Store(InFolder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "runs.db"

    def write(self, name, content):
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path

    def call(self, *arguments, code=OK, message=None, **keywords):
        done = subprocess.run([RUNNER, *arguments], capture_output=True, text=True, timeout=300, **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        if message:
            self.assertRegex(done.stderr, message)
        return done.stdout

    def fill(self, *levels, spread=0.002):
        source = random.Random(5)
        paths = [self.write(f"{i}.json", run([result("g/a/latency", level * source.gauss(1, spread)),
                                              result("g/b/latency", 7)], f"commit{i}"))
                 for i, level in enumerate(levels)]
        self.call("import", "--store", self.store, *paths)

    def query(self, sql):
        with contextlib.closing(sqlite3.connect(self.store)) as database:
            return database.execute(sql).fetchall()

    def sound(self):
        self.assertEqual(self.query("PRAGMA integrity_check"), [("ok",)])

    def test_run_appends(self):
        for number in 1, 2:
            done = subprocess.run([RUNNER, "run", "float/fadd32", "--device", "virtual:m1", "--store", self.store],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertIn(f"stored as run {number}", done.stderr)
        self.assertIn("no difference found", self.call("compare", "--store", self.store, "1", "latest"))
        self.assertIn("no difference found", self.call("compare", "--store", self.store, "latest~1", "2"))
        for name in "3", "0", "latest~2", "latest~", "last", "-1", "1x":
            self.call("compare", "--store", self.store, "1", name, code=79)
        self.assertIn("float/fadd32/latency", self.call("history", "--store", self.store))
        self.assertEqual(self.query("PRAGMA journal_mode"), [("wal",)])
        self.sound()

    def test_round_trip(self):
        whole = run([result("g/a/x", 3, program={"instructions": 3}), result("g/a/x", 4, status="fail", reason="'\"")])
        path = self.write("a.json", whole)
        self.call("import", "--store", self.store, path)
        self.assertIn("nothing worse found", self.call("compare", "--store", self.store, "1", "1"))
        rows = self.query("SELECT line FROM result ORDER BY place")
        self.assertEqual([json.loads(line)["samples"] for line, in rows],
                         [[float(f"{sample:.9g}") for sample in one["samples"]] if one["status"] == "pass" else
                          [float(f"{sample:.9g}") for sample in one["samples"]] for one in whole["results"]])

    def test_change_points(self):
        self.fill(*[10] * 12, *[10.4] * 10, *[10.4] * 8, *[9] * 6)
        text = self.call("history", "--store", self.store, "g/a")
        changed = [(int(line.split()[0]), float(line.split("<- ")[1].split()[0]))
                   for line in text.splitlines() if "<- " in line]
        self.assertEqual([number for number, _ in changed], [13, 31])
        self.assertAlmostEqual(changed[0][1], 4, delta=0.4)
        self.assertAlmostEqual(changed[1][1], (9 / 10.4 - 1) * 100, delta=0.4)
        overview = self.call("history", "--store", self.store)
        self.assertRegex(overview, r"g/a/latency .* run 13: \+4\.\d %  run 31: -13\.\d %")
        self.assertRegex(overview, r"(?m)g/b/latency +virtual:m1 +36 .*cycles *$")
        self.call("history", "--store", self.store, "none/*", code=INVALID)

    def test_newest_run_shows(self):
        self.fill(*[10] * 9, 11, spread=0)
        self.assertRegex(self.call("history", "--store", self.store), r"run 10: \+10\.\d %")

    def test_no_change_in_noise(self):
        source = random.Random(3)
        self.fill(*[10 * source.gauss(1, 0.02) for _ in range(60)])
        self.assertNotIn("<-", self.call("history", "--store", self.store, "g/a"))

    def test_noise_floor(self):
        """A benchmark that jumps by 4 % from run to run is not called worse for 3 %; a calm one is."""
        def noisy(i):
            return run([result("g/noisy/x", 10 * (1.04 if i % 2 else 1), 0.0005), result("g/calm/x", 10, 0.0005)])
        for i in range(8):
            self.call("import", "--store", self.store, self.write("n.json", noisy(i)))
        last = run([result("g/noisy/x", 10.3, 0.0005), result("g/calm/x", 10.3, 0.0005)])
        self.call("import", "--store", self.store, self.write("n.json", noisy(0)), self.write("last.json", last))
        rows = json.loads(self.call("compare", "--store", self.store, "latest~1", "latest", "--format", "json"))["pairs"][0]["rows"]
        self.assertEqual([row["verdict"] for row in rows], ["same", "worse"])
        self.assertGreater(rows[0]["floor"], 0.035)

    def refused(self, content, message):
        self.store.write_bytes(content)
        path = self.write("a.json", run([result("g/a/x", 3)]))
        for command in ("import", "--store", self.store, path), ("history", "--store", self.store), \
                ("compare", "--store", self.store, "1", "1"):
            done = subprocess.run([RUNNER, *command], capture_output=True, text=True)
            self.assertIn(done.returncode, (INVALID, FAILED), done)
            self.assertRegex(done.stderr, message)
            self.assertEqual(self.store.read_bytes(), content, f"{command[0]} left it as it was")

    def test_what_is_no_store_is_left_alone(self):
        self.refused(b"precious notes\n" * 100, "not a store|not a database")
        self.store.unlink()
        self.fill(1, 2)
        good = self.store.read_bytes()
        self.refused(good[:20] + b"\xff" * 80 + good[100:], "not a store|malformed|not a database|left as it is")
        with contextlib.closing(sqlite3.connect(self.folder / "other.db")) as other:
            other.execute("CREATE TABLE precious (text)")
            other.commit()
        self.refused((self.folder / "other.db").read_bytes(), "not of agx-runner")

    def test_newer_is_left_alone(self):
        self.fill(1)
        with contextlib.closing(sqlite3.connect(self.store)) as database:
            database.execute("PRAGMA user_version = 99")
            database.execute("PRAGMA journal_mode = DELETE")
        self.refused(self.store.read_bytes(), "newer agx-runner")

    def test_damage_inside(self):
        self.fill(*range(1, 40))
        with contextlib.closing(sqlite3.connect(self.store)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
        content = bytearray(self.store.read_bytes())
        content[4096 * 3:4096 * 5] = b"\xa5" * 8192
        self.store.write_bytes(content)
        self.call("import", "--store", self.store, self.folder / "0.json", code=FAILED, message="damaged")
        self.assertEqual(self.store.read_bytes(), bytes(content))

    def test_a_store_that_cannot_be_written(self):
        """It can be read, also where SQLite's files cannot be made beside it; adding to it says why not."""
        self.fill(10, 10, 11)
        folder = self.folder / "a?b%20#c"
        folder.mkdir()
        frozen = self.store.rename(folder / "runs.db")
        frozen.chmod(0o444)
        folder.chmod(0o555)
        self.folder.chmod(0o755)
        who = {"user": 65534} if os.geteuid() == 0 else {}  # root may write everywhere
        self.assertEqual(len(self.call("history", "--store", frozen, "g/a", **who).splitlines()), 6)
        self.assertIn("A  virtual:m1", self.call("compare", "--store", frozen, "1", "2", **who))
        self.call("import", "--store", frozen, self.folder / "0.json", code=FAILED, message="cannot be written: Permission", **who)
        folder.chmod(0o755)

    def test_rows_without_a_figure(self):
        checks = run([{"name": f"g/{i}/check", "status": "pass", "check": "pass"} for i in range(2)])
        self.call("import", "--store", self.store, self.write("c.json", checks))
        text = self.call("history", "--store", self.store)
        self.assertNotIn("nan", text)
        self.assertRegex(text, r"g/0/check .* 1 +- +-")

    def test_missing(self):
        self.call("history", "--store", self.store, code=INVALID, message="No such file")
        self.assertFalse(self.store.exists())
        self.call("history", code=INVALID, message="--store is missing")
        self.call("history", "--store", self.folder, code=INVALID, message="is a file")

    def acknowledged(self, text):
        return [int(line.split()[0]) for line in text.splitlines()]

    def test_two_writers(self):
        each = 50
        path = self.write("run.json", run([result(f"g/{i}/x", 3) for i in range(each)]))
        writers = [subprocess.Popen([RUNNER, "import", "--store", self.store, *[path] * (BIG // each)],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        told = []
        for writer in writers:
            text, errors = writer.communicate(timeout=300)
            self.assertEqual(writer.returncode, OK, errors)
            told += self.acknowledged(text)
        self.assertEqual(sorted(told), list(range(1, 2 * (BIG // each) + 1)))
        self.assertEqual(self.query("SELECT count(*) FROM result"), [(2 * (BIG // each) * each,)])
        self.sound()

    def test_killed(self):
        path = self.write("run.json", run([result(f"g/{i}/x", 3) for i in range(40)]))
        told = []
        for delay in range(6):
            writer = subprocess.Popen([RUNNER, "import", "--store", self.store, *[path] * 2000], stdout=subprocess.PIPE,
                                      text=True)
            lines = [writer.stdout.readline() for _ in range(3)]
            time.sleep(0.013 * delay)
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read()
            writer.stdout.close()
            writer.wait()
            told += self.acknowledged("".join(line for line in (lines + rest.splitlines(True)) if line.endswith("\n")))
        self.sound()
        kept = {number for number, in self.query("SELECT id FROM run")}
        self.assertLessEqual(set(told), kept)
        self.assertEqual(self.query("SELECT count(*) FROM run WHERE count != (SELECT count(*) FROM result WHERE run = id)"),
                         [(0,)])

    def test_no_room(self):
        """A file may grow to 200 KB here, which to the writer is a full disk."""
        path = self.write("run.json", run([result(f"g/{i}/x", 3) for i in range(40)]))

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        done = subprocess.run([RUNNER, "import", "--store", self.store, *[path] * 50], capture_output=True, text=True,
                              preexec_fn=limit)
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr, r"runs\.db: .*(full|I/O error)")
        told = self.acknowledged(done.stdout)
        self.assertTrue(0 < len(told) < 50, told)
        self.sound()
        self.assertEqual([number for number, in self.query("SELECT id FROM run ORDER BY id")], told)
        self.call("import", "--store", self.store, path)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
