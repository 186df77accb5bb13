#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What shells are told is what --help says. completion.py AGX_RUNNER"""
import re
import shlex
import shutil
import subprocess
import sys
import unittest

RUNNER = sys.argv[1]


def call(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """As bash would: the last word is being typed."""
        script = call(RUNNER, "completion", "bash").stdout
        asked = " ".join(f"'{word}'" for word in words)
        done = call("bash", "-c", f"{script}\nCOMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; _agx_runner\n"
                                  'printf "%s\\n" "${COMPREPLY[@]}"')
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_commands(self):
        commands = re.findall(r"^  ([a-z-]+)", call(RUNNER, "--help").stdout, re.M)
        self.assertEqual(set(self.complete("agx-runner", "")), set(commands) | {"--help", "--version"})
        self.assertEqual(self.complete("agx-runner", "descr"), ["describe"])

    def test_options(self):
        for command in "run", "compare", "exec", "piglit", "report":
            text = call(RUNNER, command, "--help").stdout
            options = set(re.findall(r"^ +(?:-., )?(--[a-z-]+)", text, re.M))
            self.assertEqual({word for word in self.complete("agx-runner", command, "--")}, options)
        self.assertEqual(self.complete("agx-runner", "run", "--format", "ju"), ["junit"])
        self.assertEqual(self.complete("agx-runner", "compare", "-f", "m"), ["markdown"])
        self.assertEqual(self.complete("agx-runner", "run", "--samples", ""), [])
        self.assertIn("/etc/passwd", self.complete("agx-runner", "run", "--compiler", "/etc/pass"))

    def test_zsh(self):
        script = call(RUNNER, "completion", "zsh").stdout
        self.assertTrue(script.startswith("#compdef agx-runner\n"))
        shlex.split(script, comments=True)  # raises where a quote is left open
        self.assertIn("--fail-on=[", script)
        if shutil.which("zsh"):
            done = subprocess.run(["zsh", "-n"], input=script, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_other_shells(self):
        self.assertEqual(call(RUNNER, "completion", "fish").returncode, 79)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
