#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Where output goes, and what becomes of it when that cannot take it. output.py AGX_RUNNER SOURCE_ROOT [TEST...]"""
import json
import os
import shlex
import subprocess

from case import FAILED, INVALID, OK, RUNNER, SAXPY, Case, main

NAME = "float/fadd32/latency"
COMPILER = RUNNER.parent.parent / "compiler" / "program" / "agx-compile"


def results(run):
    """All but how long each took."""
    return [{key: value for key, value in result.items() if key != "seconds"} for result in run["results"]]


class Output(Case):
    def shell(self, words, redirection):
        """`redirection` is the shell's: how streams are closed."""
        return subprocess.run(["sh", "-c", f"exec {shlex.quote(str(RUNNER))} {words} {redirection}"], cwd=self.folder,
                              capture_output=True, text=True, timeout=300)

    def test_full_and_closed(self):
        for words in ("--version", "--help", "help", "run --help", "list", "devices", f"run {NAME}", f"describe {NAME}",
                      "completion bash", f"disasm {SAXPY}"):
            for redirection in ">/dev/full", ">&-":
                with self.subTest(words=words, redirection=redirection):
                    done = self.shell(words, redirection)
                    self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
                    self.assertIn("stdout: the output could not be written", done.stderr)

    def test_no_stream_lands_in_a_file(self):
        """The first file opened must not become standard error: what is said would be written into it."""
        before = subprocess.run([RUNNER, "run", NAME, "-f", "json"], capture_output=True, text=True).stdout
        for closed in "<&- >&- 2>&-", "2>&-", "<&- 2>&-":
            with self.subTest(closed=closed):
                target = self.folder / "out.json"
                done = self.shell(f"run {NAME} -f json -o out.json --results dir", closed)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (OK, "", ""))
                made = json.loads(target.read_text())
                self.assertEqual(results(made), results(json.loads(before)))
                for line in (self.folder / "dir" / "journal").read_text().splitlines():
                    self.assertRegex(line, "^(run|directory|begin|submit|result) ")
                subprocess.run(["rm", "-r", self.folder / "dir", target], check=True)

    def test_links_stay_links(self):
        target, link = self.file("target.json", "old"), self.folder / "link.json"
        link.symlink_to("target.json")
        self.expect(OK, "run", NAME, "-f", "json", "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(len(json.loads(target.read_text())["results"]), 1)

    def test_known_before_the_run(self):
        """A whole run is too much to lose to a name mistyped."""
        for words, message in ((("-o", "/nowhere/x"), "/nowhere/x: cannot be created"),
                               (("-o", self.folder), "Is a directory"),
                               (("--store", "/nowhere/x"), "/nowhere/x: "),
                               (("--store", self.folder), "a store is a file"),
                               (("--store", self.file("notes", "precious " * 99)), "not a store")):
            for more in (), ("--compiler", COMPILER, "--compiler", COMPILER):
                with self.subTest(words=words, more=more):
                    done = self.expect(INVALID if "a store" in message else FAILED, "run", NAME, *words, *more,
                                       message=message)
                    self.assertEqual(done.stdout, "")

    def test_json_is_utf8(self):
        """Names of files are bytes; JSON is UTF-8."""
        target = os.fsencode(self.folder) + b"/\xff\xc3\xa4\xed\xa0\x80.json"
        done = subprocess.run([RUNNER, "run", NAME, "-f", "json", "-o", target], capture_output=True)
        self.assertEqual(done.returncode, OK, done.stderr)
        with open(target, "rb") as file:
            self.assertIn("/\ufffd\u00e4\ufffd", json.loads(file.read().decode("utf-8"))["environment"]["command_line"])


if __name__ == "__main__":
    main()
