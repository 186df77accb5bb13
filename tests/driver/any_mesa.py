#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--mesa: the newest Mesa's own OpenCL and Vulkan drivers as the compiler of compile, disasm, corpus, exec and explain.

  any_mesa.py [--suite SUITE | --mesa WHICH] AGX_RUNNER [TEST...]

Fetches Debian's Mesa of that suite (ci/mesa-get; sid), or takes the one that WHICH names. The expected values are those of the languages' rules, computed here. A program
that compile takes out of the driver's job must give them, too, when agx-runner itself launches it: so each uniform is what it
is said to be.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KERNELS = HERE / "mesa" / "kernels.cl"
SHADER = str(HERE / "mesa" / "{}.comp")
SAXPY = ROOT / "nir_kernels" / "saxpy.cl"
OK, SKIPPED, INVALID, FAILED, ABORTED = 0, 77, 79, 98, 112
MASK, MASK64 = 0xffffffff, 0xffffffffffffffff


def words(*floats):
    return [struct.unpack("<I", struct.pack("<f", value))[0] for value in floats]


def of_stack(i, n):
    return sum(k * k + i for k in [(k * 13 + i) % 80 for k in range(n)]) & MASK


# Kernel: options of the launch, the buffer to look at, its values; whether the program needs nothing that is the driver's own.
LAUNCHES = {
    "values": (["--buf", "out=u32[8]", "--arg", "c=-3", "--arg", "s=65535", "--arg", "i=-100000", "--arg", "l=0x123456789abcdef0",
                "--arg", "v=1.5,2,3,-0.25", "--arg", "w=7,8,9", "--grid", "1"], "out",
               [-3 & MASK, 65535, -100000 & MASK, 0x12345678, 0x9abcdef0, *words(1.5, -0.25), 9], True),
    "sizes": (["--buf", "out=u32[24]", "--grid", "12,2", "--group", "4,1"], "out",
              [3 + 20 + 1200 + 20000 + 4000000 + 20000000 + 100000000 * (x // 4) for _ in range(2) for x in range(12)], False),
    "tables": (["--buf", "out=u32[8]", "--buf", "given=u32[8]:iota", "--grid", "8"], "out",
               [(5, 60, 700, 8000)[i & 3] + i for i in range(8)], False),
    "locals": (["--buf", "out=u32[64]", "--local", "first=128", "--local", "second=64", "--grid", "64", "--group", "32"], "out",
               [6 * (31 - i % 32) for i in range(64)], True),
    "required": (["--buf", "out=u32[64]", "--grid", "32,2"], "out",
                 [x % 16 + 100 * y + 1000 * (x // 16) for y in range(2) for x in range(32)], True),
    "atomics": (["--buf", "sum=u32[1]:5", "--buf", "in=u32[100]:iota", "--grid", "100", "--group", "50"], "sum", [5 + 4950], True),
    "stack": (["--buf", "out=u32[40]", "--arg", "n=100", "--grid", "40"], "out", [of_stack(i, 100) for i in range(40)], True),
    "narrow": (["--buf", "out=u8[33]", "--buf", "in=u16[33]:iota", "--grid", "33", "--group", "11"], "out", [i >> 3 for i in range(33)],
               True),
    "wide": (["--buf", "out=u64[3]", "--buf", "in=u64[3]:1,0x8000000000000001,0xffffffffffffffff", "--grid", "3"], "out",
             [(x * 0x100000001 + (x >> 7)) & MASK64 for x in (1, 0x8000000000000001, MASK64)], True),
    "missing": (["--buf", "out=u32[4]", "--buf", "maybe=null", "--grid", "4"], "out", [42] * 4, True),
    "unread": (["--buf", "out=u32[4]", "--arg", "first=5", "--buf", "never=u32[1]", "--arg", "last=12", "--grid", "4"], "out", [7] * 4,
               True),
}


SUBGROUPS = [[sum(range(32)), sum(range(32, 64))]] * 2
# Shader: options of the launch, the buffers to look at and their values.
SHADERS = {
    "inputs": (["--buf", "0.1=f32[64]", "--buf", "0.2=f32[72]:iota", "--buf", "1.0=f32[4]:1,10,3,4", "--push", "f32:2.0,u32:3", "--spec", "3=100",
                "--spec", "4=0.5", "--grid", "64"], {"0.1": [2 * (x + 3) * 10 * 0.5 + 100 for x in range(64)]}),
    "group": (["--buf", "0.0=u32[133]", "--spec", "1=32", "--grid", "64,2"],
              {"0.0": [(63 - x % 64) ** 2 for x in range(128)] + [x for two in SUBGROUPS for x in two] + [2 * sum(range(64))]}),
    "types": (["--buf", "0.0=u8[16]:iota", "--buf", "0.1=f16[16]:iota", "--buf", "0.2=i64[16]:iota", "--push", "i64:-0x123456789,i16:-4,i8:-1",
               "--grid", "16"], {"0.0": [(3 * x - 1) & 255 for x in range(16)], "0.1": [x * 0.5 - 4 for x in range(16)],
                                 "0.2": [-0x123456789 * x for x in range(16)]}),
}


class AnyMesa(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)

    def run_it(self, code, *arguments, message=None):
        done = subprocess.run([RUNNER, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        if message is not None:
            self.assertRegex(done.stderr, message)
        return done

    def values(self, buffer, *arguments):
        result = json.loads(self.run_it(OK, "exec", *arguments, "--print", buffer, "-f", "json").stdout)
        return result["buffers"][0]["values"]

    def test_each_kernel_runs_through_the_driver(self):
        for kernel, (launch, buffer, expected, _) in LAUNCHES.items():
            with self.subTest(kernel):
                self.assertEqual(self.values(buffer, "--mesa", MESA, "--check", KERNELS, "--kernel", kernel, *launch), expected)

    def test_each_program_is_complete(self):
        for kernel, (launch, buffer, expected, alone) in LAUNCHES.items():
            with self.subTest(kernel):
                program, again = pathlib.Path(self.work.name, "k.agx"), pathlib.Path(self.work.name, "again.agx")
                done = self.run_it(OK, "compile", "--mesa", MESA, KERNELS, "--kernel", kernel, "-o", program)
                self.assertEqual("driver's own" in done.stderr, not alone, done.stderr)
                self.run_it(OK, "asm", program, "-o", again)
                self.assertEqual(program.read_bytes(), again.read_bytes())
                if alone:
                    self.assertEqual(self.values(buffer, program, *launch), expected)

    def test_files_of_the_catalogue(self):
        for mesa in MESA, "linked":
            result = self.values("1", "--mesa", mesa, SAXPY, "--buf", "0=f32[100]:iota", "--buf", "1=f32[100]:1", "--arg", "2=3.5", "--grid",
                                 "100", "--group", "20")
            self.assertEqual(result, [3.5 * i + 1 for i in range(100)])

    def test_each_shader_runs_through_the_driver(self):
        for shader, (launch, expected) in SHADERS.items():
            spirv = pathlib.Path(self.work.name, shader + ".spv")
            subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", "-o", spirv, SHADER.format(shader)], check=True)
            for file in SHADER.format(shader), spirv:
                with self.subTest(file=file):
                    result = json.loads(self.run_it(OK, "exec", "--mesa", MESA, "--check", file, *launch, "-f", "json").stdout)
                    values = {buffer["name"]: buffer["values"] for buffer in result["buffers"]}
                    self.assertEqual({name: values[name] for name in expected}, expected)

    def test_shaders_are_shown(self):
        text = self.run_it(OK, "compile", "--mesa", MESA, SHADER.format("inputs"), "--spec", "3=100").stdout
        self.assertRegex(text, r"(?m)^  threadgroup of 32 x 1 x 1 required$")
        self.assertRegex(text, r"(?m)^  argument 1: read-only buffer, 8 bytes at \d+, In 0.2$")
        self.assertRegex(text, r"(?m)^  argument 3: value, 8 bytes at \d+, push$")
        self.assertRegex(text, r"(?m)^ .*ffma ")
        text = self.run_it(OK, "explain", "--mesa", MESA, SHADER.format("inputs"), *SHADERS["inputs"][0]).stdout
        self.assertRegex(text, r"(?m)^lines   none of the source: ")
        self.assertRegex(text, r"(?m)^kernel  main, Mesa .*Honeykrisp")

    def test_generated_arguments(self):
        for file, name in (SAXPY, "saxpy"), (SHADER.format("group"), "main"):
            done = self.run_it(OK, "exec", "--mesa", MESA, "--check", "--generate", file, message=f"{name}: no findings in")
            self.assertRegex(done.stdout, rf"(?m)^kernel  {name}, grid (256,1,1 in threadgroups of 64|4,2,1 in threadgroups of 1),")
            self.assertRegex(self.run_it(OK, "explain", "--mesa", MESA, "--generate", file).stdout, rf"(?m)^kernel  {name}: \d+ cycles")
        self.run_it(INVALID, "exec", "--mesa", MESA, "--generate", SAXPY, "--grid", "64", message="--grid cannot be combined with it")
        self.run_it(INVALID, "exec", "--generate", SAXPY, message="--generate: a Mesa's driver launches generated arguments: give --mesa")
        path = pathlib.Path(self.work.name, "struct.cl")
        path.write_text("struct two { int a, b; };\nkernel void k(global int *out, struct two two) { *out = two.a; }\n", encoding="utf-8")
        self.run_it(INVALID, "exec", "--mesa", MESA, "--generate", path, message="no argument is made for a struct by value")

    def test_refusals_of_shaders(self):
        inputs, launch = SHADER.format("inputs"), SHADERS["inputs"][0]
        self.run_it(INVALID, "exec", "--mesa", MESA, inputs, "--grid", "64", message="argument 0 of main is missing: Out 0.1")
        self.run_it(INVALID, "compile", "--mesa", MESA, inputs, "--spec", "9=1", message="the shader has no specialization constant 9")
        self.run_it(INVALID, "compile", "--mesa", MESA, inputs, "--spec", "9", message="--spec 9: expected ID=NUMBER")
        self.run_it(INVALID, "compile", "--mesa", MESA, SAXPY, "--spec", "3=1", message="saxpy.cl has no specialization constants")
        self.run_it(INVALID, "exec", "--mesa", MESA, inputs, *launch[:-1], "63", message="63 is no multiple of the 32")
        self.run_it(SKIPPED, "compile", inputs, message="a Mesa's Vulkan driver compiles GLSL: give --mesa")
        self.run_it(INVALID, "compile", SAXPY, "--spec", "1=2", message="--spec 1=2: specialization constants go to a Mesa's Vulkan driver")
        path = pathlib.Path(self.work.name, "atomic.comp")
        path.write_text("#version 450\n#extension GL_EXT_shader_atomic_float : require\nlayout(binding = 0) buffer B { double d; };\n"
                        "void main()\n{\n   atomicAdd(d, 1.0lf);\n}\n", encoding="utf-8")
        self.run_it(FAILED, "compile", "--mesa", MESA, path, message="needs the capability Float64, which the driver does not offer")
        path = pathlib.Path(self.work.name, "bad.comp")
        path.write_text("#version 450\nvoid main()\n{\n   nothing = 1;\n}\n", encoding="utf-8")
        self.run_it(FAILED, "compile", "--mesa", MESA, path, message=re.escape(str(path)) + ":4: 'nothing' : undeclared")

    def test_modules_with_debug_information(self):
        module = pathlib.Path(RUNNER).parent.parent / "nir_kernels" / "saxpy.spv"
        self.assertIn(b"OpenCL.DebugInfo.100", module.read_bytes())
        result = self.values("1", "--mesa", MESA, module, "--buf", "0=f32[8]:iota", "--buf", "1=f32[8]:1", "--arg", "2=2", "--grid", "8")
        self.assertEqual(result, [2 * i + 1 for i in range(8)])

    def test_the_variable_names_a_mesa(self):
        os.environ["AGX_RUNNER_MESA"] = MESA
        try:
            done = self.run_it(OK, "exec", SAXPY, "--buf", "0=f32[4]:iota", "--buf", "1=f32[4]:1", "--arg", "2=2", "--grid", "4")
        finally:
            del os.environ["AGX_RUNNER_MESA"]
        self.assertRegex(done.stdout, r"(?m)^mesa    .*: Apple M1 .*driver \d+\.\d+")

    def test_listings(self):
        for command in "compile", "disasm":
            text = self.run_it(OK, command, "--mesa", MESA, SAXPY).stdout
            self.assertRegex(text, r"(?m)^kernel saxpy$")
            self.assertRegex(text, r"(?m)^  argument 2: value, 4 bytes at \d+, float a$")
            self.assertRegex(text, r"(?m)^ .*ffma ")

    def test_explain(self):
        text = self.run_it(OK, "explain", "--mesa", MESA, SAXPY, "--buf", "0=f32[4096]:iota", "--buf", "1=f32[4096]:1", "--arg", "2=2", "--grid",
                           "4096").stdout
        self.assertRegex(text, r"(?m)^kernel  saxpy, Mesa ")
        self.assertRegex(text, r"(?m)^kernel  saxpy: \d+ cycles ")
        self.assertRegex(text, r"(?m)^ *[0-9a-f]{4} .* ffma ")
        self.assertIn("100.0 % of the job's cycles (modelled)", text)
        text = self.run_it(OK, "explain", "--mesa", MESA, "--static", "100", SAXPY).stdout
        self.assertRegex(text, r"saxpy")

    def piglit(self, code, *files):
        done = self.run_it(code, "piglit", "--mesa", MESA, "--format", "json", *files)
        return {result["name"].split("@")[-1]: result["status"] for result in json.loads(done.stdout)["results"]}

    def test_piglit(self):
        results = self.piglit(OK, ROOT / "tests" / "driver" / "mesa" / "right.cl")
        self.assertEqual(results, {"sum": "pass", "value and offset": "pass", "no buffer": "pass", "local": "pass"})
        results = self.piglit(FAILED, ROOT / "tests" / "driver" / "mesa" / "wrong.cl")
        self.assertEqual(results, {"right": "pass", "wrong": "fail"})
        path = pathlib.Path(self.work.name, "build.cl")
        path.write_text("/*!\n[config]\nname: a\nclc_version_min: 10\n\n[test]\nname: none\nkernel_name: f\nglobal_size: 1 0 0\n!*/\n"
                        "kernel void f() { nothing(); }\n", encoding="utf-8")
        self.assertEqual(self.piglit(FAILED, path), {"none": "fail"})

    def test_with_device(self):
        done = self.run_it(OK, "with-device", "--mesa", MESA, "--", "clinfo", message=r"agx-runner: with-device virtual:m1")
        self.assertRegex(done.stdout, r"Device Name +Apple M1")
        self.run_it(INVALID, "with-device", "--mesa", "linked", "true", message="the linked compiler has no drivers")
        self.run_it(INVALID, "with-device", "--mesa", "nowhere", "true", message="there is no such folder")

    def test_corpus(self):
        files = {}
        for mesa in MESA, "linked":
            files[mesa] = pathlib.Path(self.work.name, "linked.json" if mesa == "linked" else "driver.json")
            self.run_it(OK, "corpus", "--mesa", mesa, "--json", "-o", files[mesa], SAXPY, KERNELS)
        names = [{result["name"] for result in json.loads(path.read_text(encoding="utf-8"))["results"]} for path in files.values()]
        self.assertEqual(*names)
        self.assertEqual(len(names[0]), 14)
        text = self.run_it(OK, "compare", *files.values(), "--fail-on", "missing").stdout
        self.assertRegex(text, "helped|hurt")

    def test_run(self):
        done = self.run_it(OK, "run", "--mesa", MESA, "--samples", "10", "--format", "json", "example/saxpy", "kernel/stream-add",
                           "kernel/transpose-tiled", "int/imul64", "int/iadd32/latency")
        text = done.stdout
        results = {result["name"]: result for result in json.loads(text)["results"]}
        # The answers are the host's, and the code check counts the instructions that the catalogue asks for.
        for name in "example/saxpy/rate", "kernel/stream-add/dispatch", "int/imul64/throughput", "int/imul64/latency":
            self.assertEqual((results[name]["status"], results[name]["check"]), ("pass", "pass"), name)
        self.assertIn("the driver's own", results["kernel/transpose-tiled/dispatch"]["reason"])
        self.assertIn("built in NIR", results["int/iadd32/latency"]["reason"])
        self.assertRegex(text, r'"mesa": ?"2[6-9]\.')
        self.run_it(INVALID, "run", "--mesa", "nowhere", "example/saxpy", message="--mesa nowhere: there is no such folder")
        self.run_it(INVALID, "run", "--mesa", MESA, "--compiler", "x", "example/saxpy", message="--mesa and --compiler cannot be combined|x")
        alone = shutil.copy(RUNNER, self.work.name)  # without the hosts
        done = subprocess.run([alone, "run", "--mesa", MESA, "example/saxpy"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, FAILED, done.stdout)
        self.assertRegex(done.stderr, "agx-opencl-host is not where agx-runner was installed")
        done = subprocess.run([alone, "piglit", "--mesa", MESA, "ci/piglit/mesa-bugs"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        self.assertRegex(done.stderr, "agx-opencl-host is not where agx-runner was installed")

    def test_compare(self):
        text = self.run_it(OK, "compare", "--mesa", "linked", "--mesa", MESA, SAXPY, KERNELS).stdout
        self.assertRegex(text, r"(?m)^  14 on both sides")
        self.assertRegex(text, r"(?m)^  A .*Mesa 25\.\d.*\n  B .*Mesa 2[6-9]")
        self.assertRegex(text, r"(?m)^  instructions .* \d+ +\d+$")
        self.assertIn("AGX_RUNNER_MESA=", text)
        self.assertNotIn("AGX_RUNNER_MESA=linked", text)
        text = self.run_it(OK, "compare", "--mesa", MESA, "--mesa", MESA, SAXPY).stdout
        self.assertRegex(text, r"(?m)^  1 on both sides.* 0 with other code")
        self.run_it(INVALID, "compare", "--mesa", MESA, SAXPY, message="--mesa is given twice")

    def test_fuzz(self):
        kernels, found, count = pathlib.Path(self.work.name, "kernels"), pathlib.Path(self.work.name, "found"), 12
        kernels.mkdir()
        done = subprocess.run([RUNNER, "fuzz", "--mesa", MESA, "--count", str(count), "-j", "2", "--corpus", found], capture_output=True, text=True,
                              timeout=300, check=False)
        summary = re.search(r"(?m)^Mesa (\S+): 12 kernels in OpenCL C, (\d+) findings, (\d+) refused by the driver$", done.stdout)
        self.assertIsNotNone(summary, done.stdout + done.stderr)
        self.assertEqual(done.returncode, FAILED if int(summary[2]) else OK)
        numbers = {int(number) for number in re.findall(rf"(?m)^\w.*: Mesa {re.escape(summary[1])}, seed 1, program (\d+): ", done.stdout)}
        self.assertEqual(len(numbers), int(summary[2]))
        self.assertEqual({path.name for path in found.glob("*")}, {f"mesa-{summary[1]}-seed-1-{number}.cl" for number in numbers})
        # Each kernel alone, in a process of its own, has the same verdict.
        self.run_it(OK, "fuzz", "--count", count, "--write", kernels)
        failed = set()
        for path in kernels.glob("*.cl"):
            done = subprocess.run([RUNNER, "piglit", "--mesa", MESA, "--format", "json", path], capture_output=True, text=True, timeout=300,
                                  check=False)
            failed |= set() if json.loads(done.stdout)["results"][0]["status"] == "pass" else {int(path.stem)}
        self.assertLessEqual(numbers, failed)
        self.assertEqual(len(failed - numbers), int(summary[3]))
        self.run_it(INVALID, "fuzz", "--mesa", MESA, "--language", "nir", message="takes generated kernels in OpenCL C or GLSL, or scenes")
        self.run_it(INVALID, "fuzz", "--write", kernels, message="needs --count")

    def fuzz_glsl(self, fuzzer, *options):
        """The summary of shaders, and the numbers of those with findings."""
        done = subprocess.run([RUNNER, "fuzz", "--mesa", MESA, "--language", "glsl", *options], capture_output=True, text=True, timeout=300,
                              check=False, env={**os.environ, **fuzzer})
        summary = re.search(r"(?m)^Mesa \S+: (\d+) kernels in GLSL, (\d+) findings, (\d+) refused by the driver$", done.stdout)
        self.assertIsNotNone(summary, done.stdout + done.stderr)
        self.assertEqual(done.returncode, FAILED if int(summary[2]) else OK)
        return [int(number) for number in summary.groups()], re.findall(r"(?m)^wrong answer: .* program (\d+): ", done.stdout)

    def test_fuzz_glsl(self):
        # The answers are the evaluator's of OpenCL C. These shaders have no known fault of Mesa.
        self.assertEqual(self.fuzz_glsl({}, "--count", "6"), ([6, 0, 0], []))
        # A printer that writes another operation is noticed: of these two one stores what it should not.
        fake = pathlib.Path(self.work.name, "fuzzer")
        fake.write_text(f"""#!/bin/sh
{shlex.quote(str(pathlib.Path(RUNNER).resolve().parent.parent / 'fuzz' / 'agx-fuzz'))} "$@" || exit
while [ "$1" != --write ]; do shift; done
sed -i 's/^   out2\\[i\\] = \\(v[0-9]*\\);/   out2[i] = ~\\1;/' "$2/1.comp"
""", encoding="utf-8")
        fake.chmod(0o755)
        self.assertEqual(self.fuzz_glsl({"AGX_RUNNER_FUZZ": str(fake)}, "--count", "2"), ([2, 1, 0], ["1"]))
        self.run_it(INVALID, "fuzz", "--language", "glsl", "--count", "1", message="--language glsl needs --mesa WHICH")

    def fuzz_draw(self, *options):
        """How many of the scenes are found, and what is printed."""
        done = subprocess.run([RUNNER, "fuzz", "--mesa", MESA, "--language", "draw", *options], capture_output=True, text=True, timeout=300, check=False)
        summary = re.search(r"(?m)^Mesa \S+: (\d+) scenes, (\d+) findings, 0 refused by the driver$", done.stdout)
        self.assertIsNotNone(summary, done.stdout + done.stderr)
        self.assertEqual(done.returncode, FAILED if int(summary[2]) else OK)
        return int(summary[2]), done.stdout

    def test_fuzz_draw(self):
        # The reference is llvmpipe. These scenes have no known fault of either.
        self.assertEqual(self.fuzz_draw("--count", "5")[0], 0)
        # Culling the other way round is noticed, and the smaller scene still draws: also by a clear inside a scissor, which the driver draws.
        found, text = self.fuzz_draw("--count", "8", "--device", "virtual:m1,plant=cull^3")
        self.assertGreater(found, 0, text)
        number = re.search(r"program (\d+): ", text)[1]
        found, text = self.fuzz_draw("--first", number, "--count", "1", "--shrink", "--device", "virtual:m1,plant=cull^3")
        lines = re.findall(r"(?m)^    (.*)$", text.split("smaller", 1)[1])
        words = {line.split()[0] for line in lines}
        self.assertTrue("draw" in words or ("Scissor" in words and any(word.startswith("ClearBuffer") for word in words)), text)
        self.run_it(OK, "fuzz", "--language", "draw", "--first", number, "--count", "1", "--write", self.work.name)
        self.assertLess(len(lines), len(pathlib.Path(self.work.name, number + ".scene").read_text(encoding="utf-8").splitlines()))
        # Scenes that are known: by their names.
        scenes = sorted(str(path) for path in (HERE / "scenes").glob("*.scene"))
        done = subprocess.run([RUNNER, "fuzz", "--mesa", MESA, "--language", "draw", *scenes], capture_output=True, text=True, timeout=300, check=False)
        wrong = [line.split(": ")[0] for line in done.stdout.splitlines()[:-1]]
        self.assertEqual(wrong, [scene for scene in scenes if "/wrong-" in scene], done.stdout + done.stderr)
        self.run_it(INVALID, "fuzz", "--language", "draw", "--count", "1", message="--language draw needs --mesa WHICH")

    def test_killed_fuzz_leaves_nothing(self):
        folder = pathlib.Path(self.work.name, "killed")
        folder.mkdir()
        with subprocess.Popen([RUNNER, "fuzz", "--mesa", MESA, "--language", "glsl", "--time", "60"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(folder)}) as fuzz:
            while fuzz.poll() is None and not list(folder.glob("*/*.comp")):
                time.sleep(0.05)
            time.sleep(0.3)
            fuzz.terminate()
        self.assertEqual(fuzz.returncode, ABORTED)
        self.assertEqual(list(folder.rglob("*")), [])

    def test_host_that_does_not_end(self):
        host = pathlib.Path(self.work.name, "host")
        subprocess.run(["cc", "-x", "c", "-", "-o", host], input="#include <signal.h>\nint main(void)\n{\n   return raise(SIGXCPU);\n}\n",
                       text=True, check=True)
        done = subprocess.run([RUNNER, "compile", "--mesa", MESA, SAXPY], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "AGX_RUNNER_OPENCL_HOST": str(host)})
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn("did not end within the processor time that its host may use", done.stderr)

    def test_findings_are_shrunk(self):
        # Kernel 34 has sign(-0.0) of many lanes (docs/mesa-bugs.md F6); a Mesa without that fault has nothing to shrink.
        found = pathlib.Path(self.work.name, "shrunk")
        done = subprocess.run([RUNNER, "fuzz", "--mesa", MESA, "--first", "34", "--count", "1", "--corpus", found, "--shrink"],
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == OK:
            self.skipTest("this Mesa passes the kernel")
        text = next(found.glob("*.cl")).read_text(encoding="utf-8")
        self.assertLess(len(text), 1000)
        self.assertIn(text.split("!*/")[1].split(";")[0].strip(), done.stdout.replace("\n    ", "\n"))
        again = subprocess.run([RUNNER, "piglit", "--mesa", MESA, "--format", "json", found], capture_output=True, text=True, timeout=300,
                               check=False)
        reason = re.search(r"smaller, (argument .*):$", done.stdout, re.MULTILINE)[1]
        self.assertIn(reason, again.stdout)
        self.run_it(INVALID, "fuzz", "--shrink", message="--shrink needs --mesa, or --write")

    def scripts(self, code, mesa, *paths):
        """Status and reason of each test of shaders, by its file's name."""
        done = subprocess.run([RUNNER, "piglit", "--mesa", mesa, "--device", "virtual:m1,timing=off", "-f", "json", *paths],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return {pathlib.Path(result["file"]).name: (result["status"], result.get("reason", "")) for result in json.loads(done.stdout)["results"]}

    def test_scripts(self):
        for mesa in MESA, MESA + ":software":
            found = self.scripts(OK, mesa, HERE / "scripts")
            self.assertEqual(set(found.values()), {("pass", "")}, found)
            self.assertEqual(set(found), {path.name for path in (HERE / "scripts").iterdir()})

    def test_changed_scripts(self):
        changes = [
            ("sums.amber", "EQ 1101 1115", "EQ 1101 1116", "fail", ":35: sums, byte 4: 1115, expected EQ 1116"),
            ("sums.amber", "2102 2120", "2102 2121", "fail", ":38: buffers sums and same differ"),
            ("sums.amber", "TOLERANCE 1%", "TOLERANCE 0.0001", "fail", ":39: scales, byte 4: 0.5, expected EQ 0.500999987"),
            ("sums.amber", "RUN pipeline 2", "CLEAR pipeline\nRUN pipeline 2", "skip", ":34: 'CLEAR' is not understood"),
            ("sums.amber", "uint i =", "uint i = nothing +", "fail", ":12: 'nothing' : undeclared identifier"),
            ("sums.amber", "IDX 16 GE", "IDX 32 GE", "skip", ":36: 8 bytes at 32 do not lie in sums, which has 32"),
            ("buffers.shader_test", "== 3550", "== 3551", "fail", ":52: ssbo 5, byte 4: 3550, expected EQ 3551"),
            ("buffers.shader_test", "== 12\n", "== 11\n", "fail", ":47: atomic counters 0, byte 0: 12, expected EQ 11"),
            ("buffers.shader_test", "uniform uint more 1000", "", "fail", ":44: ssbo 5, byte 0: 312, expected EQ 1212"),
            ("buffers.shader_test", "uint i =", "uint i = nothing +", "fail", ":19:11: error: `nothing' undeclared"),
            ("buffers.shader_test", "binding = 2)", "binding = 1)", "skip", ":34: the shader's argument 'Scales' is not given by the test"),
            ("buffers.shader_test", "GL_ARB_gpu_shader_int64\n\n", "GL_NOT_THERE\n\n", "skip", ": the driver does not offer GL_NOT_THERE"),
            ("texture.shader_test", "0.25 1.0 0.0\n", "0.25 0.75 0.0\n", "fail",
             ":33: texture 3, texel 0,0: 0.251 1 0 1, component 1 is expected to be 0.75"),
            ("links.shader_test", "link error", "link success", "fail", ":10:2: error: "),
            ("links.shader_test", "int number", "vec4 number", "fail", ":14: the driver compiles the shader, which the test does not expect"),
            ("layout.vk_shader_test", "0 == 21 2 4", "0 == 21 2 5", "fail", ":30: buffer 0.3, byte 8: 4, expected EQ 5"),
            ("layout.vk_shader_test", "~= 3.52", "== 3.52", "fail", ":27: buffer 0.3, byte 8: 3.5, expected EQ 3.51999998"),
        ]
        folder, wanted = pathlib.Path(self.work.name, "scripts"), {}
        folder.mkdir()
        for i, (name, old, new, status, reason) in enumerate(changes):
            text, path = (HERE / "scripts" / name).read_text(encoding="utf-8"), folder / f"{i}{pathlib.Path(name).suffix}"
            self.assertIn(old, text)
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
            wanted[path.name] = status, str(path) + reason
        found = self.scripts(FAILED, MESA, folder)
        for name, (status, reason) in wanted.items():
            with self.subTest(name):
                self.assertEqual(found[name][0], status, found[name])
                self.assertTrue(found[name][1].startswith(reason), found[name])

    def test_scripts_need_a_driver(self):
        done = subprocess.run([RUNNER, "piglit", "--device", "virtual:m1,timing=off", HERE / "scripts" / "sums.amber"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertIn("a test of shaders runs through a driver: choose one with --mesa", done.stdout)

    def test_answers_are_compared(self):
        # The same Mesa with a feature more, which a kernel sees: its answer is another one, and saxpy's is not.
        other, kernel = pathlib.Path(self.work.name, "other"), pathlib.Path(self.work.name, "feature.cl")
        root, run = (pathlib.Path(MESA) if "/" in MESA else ROOT / ".cache" / "drivers" / MESA).resolve(), other / "run"
        other.mkdir()
        for path in root.iterdir():
            if path.name != "run":
                (other / path.name).symlink_to(path)
        run.write_text(f'#!/bin/sh\nexport RUSTICL_FEATURES=fp64\nexec "{root}/run" "$@"\n', encoding="utf-8")
        run.chmod(0o755)
        kernel.write_text("kernel void feature(global int *out)\n{\n#ifdef cl_khr_fp64\n   out[get_global_id(0)] = 1;\n#else\n"
                          "   out[get_global_id(0)] = 2;\n#endif\n}\n", encoding="utf-8")
        done = self.run_it(FAILED, "compare", "--mesa", MESA, "--mesa", other, "--fail-on", "answers", kernel, SAXPY, SHADER.format("inputs"))
        self.assertRegex(done.stdout, r"(?m)^  wrong answers: feature.cl/feature, ")
        self.assertRegex(done.stdout, r"argument out, word 0: 0x00000002 before, 0x00000001 now")
        self.assertRegex(done.stdout, r"(?m)^  3 on both sides, answers checked of 3;")
        text = self.run_it(OK, "compare", "--mesa", MESA, "--mesa", MESA, "--fail-on", "answers", KERNELS).stdout
        self.assertRegex(text, r"(?m)^  13 on both sides, answers checked of 13;")

    def test_folders_have_shaders(self):
        folder = pathlib.Path(self.work.name, "both")
        folder.mkdir()
        shutil.copy(SAXPY, folder)
        shutil.copy(SHADER.format("inputs"), folder)
        text = self.run_it(OK, "compare", "--mesa", MESA, "--mesa", MESA, "--fail-on", "answers", folder).stdout
        self.assertRegex(text, r"(?m)^  2 on both sides, answers checked of 2; 2 programs, 0 with other code")
        data = json.loads(self.run_it(OK, "corpus", "--json", folder).stdout)  # the linked compiler takes no GLSL
        self.assertEqual([result["name"] for result in data["results"]], ["saxpy.cl/saxpy"])

    def test_source_lines_are_lost(self):
        # What the driver itself shows of a shader has no lines, of a module that has them. A driver whose listing has one, as
        # nir_print.c writes it, is told from it: here a line is put behind the listing. explain reads the listing and does not show it.
        source, module = pathlib.Path(self.work.name, "lines.comp"), pathlib.Path(self.work.name, "lines.spv")
        source.write_text("#version 450\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer B { uint b[]; };\nvoid main()\n{\n"
                          "   b[gl_GlobalInvocationID.x] *= 3u;\n}\n", encoding="utf-8")
        subprocess.run(["glslangValidator", "-V", "-gVS", "--quiet", "--target-env", "vulkan1.3", "-S", "comp", "-o", module, source], check=True)
        self.assertIn(b"lines.comp", module.read_bytes())
        launch = [module, "--buf", "0.0=u32[32]:iota", "--grid", "32"]
        done = subprocess.run([RUNNER, "exec", "--mesa", MESA, *launch], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "AGX_MESA_DEBUG": "shaders"})
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn("@load_preamble", done.stdout)
        self.assertNotIn("lines.comp", done.stdout + done.stderr)
        self.assertRegex(self.run_it(OK, "explain", "--mesa", MESA, *launch).stdout, r"\Akernel  .*\nlines   none of the source: ")
        mesa = pathlib.Path(MESA) if pathlib.Path(MESA).is_dir() else pathlib.Path(".cache/drivers", MESA)
        for said, lost in ("32 %4 = @load_global  // 0x1c lines.comp:6:4", False), ("// 0x1c", True), ("lines.comp:6:4", True):
            other = pathlib.Path(self.work.name, f"says-{len(said)}")
            other.mkdir()
            for entry in mesa.resolve().iterdir():
                if entry.name != "run":
                    (other / entry.name).symlink_to(entry)
            (other / "run").write_text(f"#!/bin/sh\n# AGX_MESA_SOFTWARE\n{(mesa / 'run').resolve()} \"$@\"\nstatus=$?\necho '{said}'\nexit $status\n")
            (other / "run").chmod(0o755)
            self.assertEqual("lines   none" in self.run_it(OK, "explain", "--mesa", other, *launch).stdout, lost, said)

    def test_refusals_name_file_and_line(self):
        path = pathlib.Path(self.work.name, "bad.cl")
        path.write_text("kernel void f(global int *p)\n{\n   p[0] = nothing;\n}\n", encoding="utf-8")
        place = re.escape(str(path)) + ":3:11: error: .*'nothing'"
        self.run_it(FAILED, "compile", "--mesa", MESA, path, message=place)
        self.run_it(FAILED, "exec", "--mesa", MESA, path, "--buf", "0=i32[1]", "--grid", "1", message=place)
        self.run_it(INVALID, "compile", "--mesa", MESA, KERNELS, "--kernel", "none", message="no kernel 'none'")
        self.run_it(INVALID, "exec", "--mesa", MESA, KERNELS, "--grid", "1", message="choose one with --kernel")
        self.run_it(INVALID, "exec", "--mesa", MESA, SAXPY, "--grid", "1", message="argument 0 of saxpy is missing: float")
        launch = ["--buf", "0=f32[10]", "--buf", "1=f32[10]", "--arg", "2=1", "--grid", "10", "--group", "4"]
        self.run_it(FAILED, "exec", "--mesa", MESA, SAXPY, *launch, message="CL_INVALID_WORK_GROUP_SIZE: the grid must be a multiple")
        self.run_it(INVALID, "compile", "--mesa", "nowhere", SAXPY, message="--mesa nowhere: there is no such folder")

    def test_faults_and_findings(self):
        launch = ["--buf", "out=u32[1]", "--arg", "n=0xffffffff", "--grid", "1", "--device", "virtual:m1,budget=100000"]
        done = self.run_it(FAILED, "exec", "--mesa", MESA, KERNELS, "--kernel", "endless", *launch, message="did not end within 100000")
        self.assertIn("runs at main + 0x", done.stderr)
        launch = ["--buf", "out=u32[64]", "--local", "shared=256", "--grid", "64", "--group", "64"]
        self.run_it(FAILED, "exec", "--mesa", MESA, "--check", KERNELS, "--kernel", "race", *launch,
                    message="check: a read of threadgroup memory .*, which thread 63 of the threadgroup has written: no barrier")

    def test_nothing_is_left(self):
        before = set(os.listdir(tempfile.gettempdir()))
        self.run_it(OK, "compile", "--mesa", MESA, SAXPY)
        left = {name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith("agx-runner")}
        self.assertEqual(left, set())


def arguments(text):
    """The Mesa, agx-runner, and the names of tests, of the command line."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--suite", default="sid")
    parser.add_argument("--mesa")
    parser.add_argument("runner")
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    mesa = given.mesa
    if not mesa and not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        print("skipped: only Debian's packages have a newer Mesa, and this is no Debian")
        sys.exit(77)
    if not mesa:
        got = subprocess.run([ROOT / "ci/mesa-get", given.suite], stdout=subprocess.PIPE, text=True, check=False)
        if got.returncode != 0:
            print(f"FAIL: Mesa of {given.suite} could not be had")
            sys.exit(1)
        mesa = got.stdout.strip()
    return mesa, os.path.abspath(given.runner), given.tests


if __name__ == "__main__":
    MESA, RUNNER, names = arguments(__doc__)
    unittest.main(argv=[sys.argv[0], *names])
