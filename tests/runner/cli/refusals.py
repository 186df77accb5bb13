# SPDX-License-Identifier: MIT
"""Each refusal names who lacks what, and where, in one line: AGX_RUNNER SOURCE_ROOT TABLE [TEST...]

refusals.txt is the table: a file, its name and the options that `compile` gets; then the exit code and each line that goes
to stderr. A line that starts with "~" is a regular expression. "0 or CODE" is for what a newer libclc or clang has.
With --print in the place of the test's name the table is printed as it would have to be.
"""
import re
import shlex
import struct
import subprocess
import sys
import tempfile

TABLE = sys.argv.pop(3)

from case import Case, FAILED, RUNNER, SKIPPED, main  # noqa: E402

TAKES = "OpenCL C, SPIR-V of OpenCL kernels, and AGX assembly in files called .agx"


def words(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def spirv(model):
    """A module of Vulkan with one entry point "main" of this execution model, and an empty function."""
    return words(0x07230203, 0x00010000, 0, 5, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1, 5 << 16 | 15, model, 1,
                 int.from_bytes(b"main", "little"), 0) + (
        words(3 << 16 | 16, 1, 7) if model == 4 else words(6 << 16 | 16, 1, 17, 1, 1, 1)) + words(
            2 << 16 | 19, 2, 3 << 16 | 33, 3, 2, 5 << 16 | 54, 2, 1, 0, 3, 2 << 16 | 248, 4, 1 << 16 | 253, 1 << 16 | 56)


# name, content, exit code, line
BINARIES = [
    ("empty.cl", b"", FAILED, "empty.cl: error: the file is empty"),
    ("elf.cl", b"\x7fELF\2\1\1" + bytes(60), FAILED,
     f"elf.cl: error: this is an ELF file (a program or library of this machine); agx-runner takes {TAKES}"),
    ("kernel.bc", b"BC\xc0\xde" + bytes(60), SKIPPED,
     f"kernel.bc: unsupported: agx-runner does not compile LLVM bitcode; it takes {TAKES}"),
    ("default.metallib", b"MTLB" + bytes(60), SKIPPED,
     f"default.metallib: unsupported: agx-runner does not compile a Metal library; it takes {TAKES}"),
    ("wide.cl", "kernel void k(void) { }".encode("utf-16"), FAILED,
     f"wide.cl: error: this is text in UTF-16, where UTF-8 is expected; agx-runner takes {TAKES}"),
    ("packed.cl", b"\x1f\x8b\x08" + bytes(20), FAILED,
     f"packed.cl: error: this is a compressed file (gzip); agx-runner takes {TAKES}"),
    ("zeros.cl", bytes(100), FAILED,
     "zeros.cl: error: neither OpenCL C (it holds zero bytes) nor SPIR-V (its first word is not 0x07230203)"),
    ("text.spv", b"kernel void k(void) { }", FAILED,
     "text.spv: error: not SPIR-V, as the file's name says: its first word is not 0x07230203"),
    ("short.spv", spirv(5)[:12], FAILED,
     "short.spv: error: 12 bytes are not SPIR-V: that is a header of 20 bytes and whole words"),
    ("odd.spv", spirv(5)[:-1], FAILED,
     f"odd.spv: error: {len(spirv(5)) - 1} bytes are not SPIR-V: that is a header of 20 bytes and whole words"),
    ("cut.spv", spirv(5)[:48], FAILED, "~cut.spv: error: not valid SPIR-V: .*OpEntryPoint.*"),
    ("vulkan.spv", spirv(5), SKIPPED,
     "vulkan.spv: unsupported: agx-runner takes SPIR-V of OpenCL kernels, and this is Vulkan's or OpenGL's: its entry point "
     "main is a compute shader"),
    ("fragment.spv", spirv(4), SKIPPED,
     "fragment.spv: unsupported: agx-runner takes SPIR-V of OpenCL kernels, and this is Vulkan's or OpenGL's: its entry point "
     "main is a fragment shader"),
]


def read_table():
    """[(name, options, source, codes, lines)]"""
    with open(TABLE, encoding="utf-8") as file:
        for part in re.split(r"^== ", file.read(), flags=re.M)[1:]:
            head, rest = part.split("\n", 1)
            source, answer = re.split(r"^--.*\n", rest, maxsplit=1, flags=re.M)
            codes = re.search(r"^--(.*)$", rest, flags=re.M)[1]
            name, _, options = head.partition(" ")
            yield name, options, source, [int(code) for code in codes.split(" or ") if code.strip()], answer.splitlines()


def compile_file(folder, name, options):
    done = subprocess.run([RUNNER, "compile", "--no-cache", *shlex.split(options), name], cwd=folder, capture_output=True,
                          text=True, timeout=300, check=False)
    return done.returncode, done.stderr.splitlines()


class Refusals(Case):
    def check(self, name, code, lines, codes, wanted):
        text = "\n".join(lines)
        self.assertIn(code, codes, f"{name}: {text}")
        if code == 0:
            return
        self.assertEqual(len(lines), len(wanted), f"{name}: {text}")
        for line, expected in zip(lines, wanted):
            if expected.startswith("~"):
                self.assertRegex(line, "^" + expected[1:] + "$", name)
            else:
                self.assertEqual(line, expected, name)

    def test_sources(self):
        for name, options, source, codes, wanted in read_table():
            self.file(name, source)
            with self.subTest(name=name, options=options):
                self.check(name, *compile_file(self.folder, name, options), codes, wanted)

    def test_other_files(self):
        for name, content, code, line in BINARIES:
            self.file(name, content)
            with self.subTest(name=name):
                self.check(name, *compile_file(self.folder, name, ""), [code], [line])

    def test_standard_input(self):
        """A kernel from standard input is read; what is wrong in it has a place, too."""
        for source, code in (("kernel void k(global int *o) { o[0] = 1; }\n", 0),
                             ("kernel void k(global int *o) { printf(\"x\"); }\n", SKIPPED)):
            done = subprocess.run([RUNNER, "compile", "-"], input=source, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr, "<stdin>:1:32: kernel k: unsupported: agx-runner has no printf in kernels\n")


def print_table():
    with tempfile.TemporaryDirectory() as folder:
        for name, options, source, codes, _ in read_table():
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(source)
            code, lines = compile_file(folder, name, options)
            shown = " or ".join(map(str, codes)) if code in codes else code
            print(f"== {name} {options}".rstrip() + f"\n{source}-- {shown}", *lines, sep="\n")


if __name__ == "__main__":
    if sys.argv[3:] == ["--print"]:
        print_table()
    else:
        main()
