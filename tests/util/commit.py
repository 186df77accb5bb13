#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""util/commit.py: what it says of checkouts, changed ones, folders inside a checkout, and wrap files. commit.py COMMIT_PY"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
NOBODY = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
          "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        (self.tree / "inside").mkdir(parents=True)
        (self.tree / "file").write_text("one")
        for words in (["init", "-q"], ["add", "file"], ["commit", "-q", "-m", "one"]):
            self.git(*words)
        self.digits = self.git("rev-parse", "HEAD")[:12]

    def git(self, *words):
        return subprocess.run(["git", "-C", self.tree, *words], env=NOBODY, capture_output=True, text=True, check=True).stdout

    def said(self, folder):
        output = self.folder / "out.c"
        subprocess.run([sys.executable, SCRIPT, "the_commit", folder, output], check=True)
        return re.search('const char \\*the_commit\\(void\\)\n{\n   return "(.*)";\n}', output.read_text())[1]

    def test_checkout(self):
        self.assertEqual(self.said(self.tree), self.digits)
        (self.tree / "new").write_text("a file that git does not know")
        self.assertEqual(self.said(self.tree), self.digits)
        (self.tree / "file").write_text("two")
        self.assertEqual(self.said(self.tree), self.digits + "+changes")
        self.git("commit", "-q", "-a", "-m", "two")
        self.assertRegex(self.said(self.tree), f"^(?!{self.digits})[0-9a-f]{{12}}$")

    def test_no_checkout(self):
        self.assertEqual(self.said(self.tree / "inside"), "unknown")
        self.assertEqual(self.said(self.folder / "nothing"), "unknown")

    def test_wrap(self):
        """The wrap names the folder beside it, which may be a link, as in ci/compare-mesa's trees."""
        wrap = self.folder / "mesa.wrap"
        wrap.write_text("[wrap-file]\ndirectory = mesa-1\n")
        (self.folder / "mesa-1").symlink_to(self.tree)
        self.assertEqual(self.said(wrap), self.digits)

    def test_unchanged(self):
        """A build in which no commit has changed compiles nothing anew."""
        self.said(self.tree)
        os.utime(self.folder / "out.c", ns=(1, 1))
        self.said(self.tree)
        self.assertEqual((self.folder / "out.c").stat().st_mtime_ns, 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
