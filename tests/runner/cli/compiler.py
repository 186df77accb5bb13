# SPDX-License-Identifier: MIT
"""agx-runner and agx-compile: which one compiles, and what a wrong one is told.

compiler.py AGX_RUNNER SOURCE_ROOT AGX_COMPILE [TEST...]"""
import os
import pathlib
import re
import subprocess
import sys

COMPILE = pathlib.Path(sys.argv.pop(3)).resolve()

from case import FAILED, INVALID, OK, ROOT, RUNNER, SAXPY, Case, main  # pylint: disable=wrong-import-position

with open(ROOT / "compiler/api/protocol.h", encoding="utf-8") as file:
    PROTOCOL = re.search(r"#define COMPILER_PROTOCOL (\d+)", file.read())[1]

# Sends a hello on the socket that --serve names, and stays.
SPEAKS = """#!/usr/bin/python3
import socket, struct, sys, time
with socket.socket(fileno=int(sys.argv[2])) as other:
    other.send({hello})
    time.sleep(100)
"""


class Compiler(Case):
    def script(self, text):
        path = self.file("compile", text)
        path.chmod(0o755)
        return path

    def test_no_mesa(self):
        """The program that measures contains nothing of Mesa, clang or LLVM, and no linker wrap."""
        names = subprocess.run(["nm", RUNNER], capture_output=True, text=True, check=True).stdout
        found = [line for line in names.splitlines() if line.split()[-1].startswith(
            ("nir_", "agx_compile", "agx_nir", "spirv_to_nir", "clc_", "glsl_", "__wrap_", "__real_", "LLVM", "_ZN4llvm", "_ZN5clang"))]
        self.assertEqual(found, [])
        self.assertNotRegex(subprocess.run(["ldd", RUNNER], capture_output=True, text=True, check=True).stdout, "(?i)llvm|clang|spirv")

    def test_choice(self):
        for words, environment in ([["--compiler", COMPILE], {}], [[], {"AGX_RUNNER_COMPILER": str(COMPILE)}]):
            self.expect(OK, "compile", *words, SAXPY, environment={**os.environ, **environment})

    def test_no_compiler(self):
        """What needs no compiler works without one."""
        none = {**os.environ, "AGX_RUNNER_COMPILER": "/nonexistent/agx-compile"}
        self.expect(FAILED, "compile", SAXPY, environment=none, message="AGX_RUNNER_COMPILER=/nonexistent/agx-compile: No such file")
        for words in (["--version"], ["list"], ["devices"], ["run", "memory/chase-4k", "-d", "virtual:m1"]):
            self.expect(OK, *words, environment=none)

    def test_wrong(self):
        """Each is told apart from the others, and soon."""
        self.expect(INVALID, "compile", "--compiler", "/nonexistent", SAXPY, message="--compiler: /nonexistent: No such file")
        self.expect(INVALID, "compile", "--compiler", "/etc/passwd", SAXPY, message="not a program that can be run")
        other = "struct.pack('8sI', b'agx-comp', 999) + bytes(2000)"
        short = f"struct.pack('8sI', b'agx-comp', {PROTOCOL})"
        for text, message in (("#!/bin/sh\nexit 3\n", "ended with exit code 3 when it was started: is it an agx-compile"),
                              ("#!/bin/sh\nkill -SEGV $$\n", "killed by signal 11"),
                              ("#!/nonexistent\n", "cannot be started: No such file"),
                              (SPEAKS.format(hello="b'hello'"), "is no agx-compile"),
                              (SPEAKS.format(hello=other), "speaks protocol 999"),
                              (SPEAKS.format(hello=short), "was built for another machine")):
            self.expect(INVALID, "compile", "--compiler", self.script(text), SAXPY, message="--compiler: .*" + message)
        self.expect(FAILED, "compile", SAXPY, environment={**os.environ, "AGX_RUNNER_COMPILER": str(self.script("#!/bin/sh\nexit 3\n"))},
                    message="ended with exit code 3 when it was started")

    def test_every_command_that_compiles(self):
        """All of them have --compiler: another compiler is used, and a wrong one is told at once."""
        wrong = self.script("#!/bin/sh\nexit 3\n")
        used = self.file("used", f"#!/bin/sh\ntouch {self.folder}/mark\nexec {COMPILE} \"$@\"\n")
        used.chmod(0o755)
        self.expect(OK, "run", "float/fadd32/latency", "-f", "json", "-o", self.folder / "run.json")
        for words in (["run", "example/saxpy"], ["describe", "example/saxpy"], ["compile", SAXPY], ["disasm", SAXPY], ["explain", "--schedules", SAXPY],
                      ["corpus", SAXPY], ["sweep", "layout"], ["report", self.folder / "run.json", "-o", self.folder / "page.html"]):
            with self.subTest(command=words[0]):
                self.expect(INVALID, *words, "--compiler", wrong, message="--compiler: .*ended with exit code 3")
                (self.folder / "mark").unlink(missing_ok=True)
                self.expect(OK, *words, "--compiler", used)
                self.assertTrue((self.folder / "mark").exists())
        for command in "survey", "calibrate", "exec", "piglit":
            self.assertIn("--compiler PROGRAM", self.expect(OK, command, "--help").stdout)

    def test_debug_switches(self):
        """Mesa ignores a word of AGX_MESA_DEBUG that it does not know."""
        for words, message in (("nosched, noopt", None), ("noopt,nosch", r"AGX_MESA_DEBUG: Mesa's AGX compiler has no switch 'nosch'; it has .*nosched")):
            done = subprocess.run([RUNNER, "compile", SAXPY], env={**os.environ, "AGX_MESA_DEBUG": words}, capture_output=True, text=True, check=True)
            if message:
                self.assertRegex(done.stderr, message)
            else:
                self.assertEqual(done.stderr, "")

    def test_by_hand(self):
        done = subprocess.run([COMPILE, SAXPY], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "kernel saxpy: 66 bytes\n"))
        done = subprocess.run([COMPILE, "--kernel", "none", SAXPY], capture_output=True, text=True)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("no kernel is called 'none'", done.stderr)
        for words in ([], ["--serve", "x"], ["--serve", "77"], [SAXPY, SAXPY], ["--nonsense"]):
            self.assertEqual(subprocess.run([COMPILE, *words], capture_output=True).returncode, INVALID)
        self.assertRegex(subprocess.run([COMPILE, "--version"], capture_output=True, text=True).stdout, r"^agx-compile .* \(Mesa .*\)")


if __name__ == "__main__":
    main()
