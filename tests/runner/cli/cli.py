#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The program as its users meet it: exit codes, messages, output.

cli.py AGX_RUNNER SOURCE_ROOT [TEST...]"""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shlex
import signal
import stat
import struct
import subprocess
import termios
import time
import unittest

from case import ABORTED, FAILED, INVALID, OK, ROOT, RUNNER, SAXPY, SKIPPED, VIRTUAL, Case, main, run


class Options(Case):
    def test_help(self):
        commands = re.findall(r"^  ([a-z-]+)", self.expect(OK, "--help").stdout, re.M)
        self.assertEqual(set(commands) & {"devices", "list", "describe", "run", "exec", "compile", "disasm"},
                         {"devices", "list", "describe", "run", "exec", "compile", "disasm"})
        for command in commands:
            text = self.expect(OK, command, "--help").stdout
            self.assertIn(f"Usage: agx-runner {command}", text)
            self.assertTrue(all(len(line) <= 100 for line in text.splitlines()), text)
        text = self.expect(OK, "run", "--help").stdout
        for option in "--device", "--samples", "--seed", "--output", "--format":
            self.assertIn(option, text)

    def test_manual(self):
        """The manual page is written by hand: it has every command, and every option with its letter."""
        manual = (ROOT / "docs" / "agx-runner.1.scd").read_text()
        for command in re.findall(r"^  ([a-z-]+)", self.expect(OK, "--help").stdout, re.M):
            self.assertRegex(manual, rf"(?m)^\*{command}\*")
            for letter, name in re.findall(r"^  (-.|  )[, ] --([a-z-]+)", self.expect(OK, command, "--help").stdout, re.M):
                known = rf"\*{letter}\*, \*--{name}\*" if letter.strip() else rf"\*--{name}\*"
                self.assertRegex(manual, "Every command has" if name == "help" else known, command)

    def test_version(self):
        self.assertRegex(self.expect(OK, "--version").stdout, r"^agx-runner \d+\.\d+\.\d+\n$")
        self.expect(OK, "run", "--version")

    def test_no_command(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (INVALID, ""))
        self.assertIn("Usage", result.stderr)

    def test_mistakes(self):
        for arguments, message in (
                (("frobnicate",), "unknown command 'frobnicate'"),
                (("exce", "x.cl"), "unknown command 'exce': did you mean 'exec'\\?"),
                (("run", "--sample", "9", "--seeds=3"), "unknown option '--seeds=3': did you mean '--seed'\\?"),
                (("list", "flaot/*"), r"no benchmark matches 'flaot/\*': did you mean 'float/\*'\?"),
                (("list", "float/fad32"), "no benchmark matches 'float/fad32': did you mean 'float/f.*32'\\?"),
                (("list", "zzzzzz"), r"no benchmark matches 'zzzzzz' \(agx-runner list"),
                (("sweep",), "sweep: ilp, gemm, memory, bandwidth, atomics, launch or layout is missing"),
                (("sweep", "frobnicate"), "there is no 'frobnicate', only 'ilp'"),
                (("run", "--frobnicate"), "unknown option '--frobnicate'"),
                (("list", "--samples", "9"), "unknown option '--samples'"),
                (("run", "float", "-z"), "run: unknown option '-z'"),
                (("run", "float", "-zn"), "run: unknown option '-z'"),
                (("run", "--full=3"), "'--full=3': it takes no value"),
                (("run", "-n"), "run: '-n' needs a value"),
                (("run", "--re", "x"), "'--re': it may be --results, --resume or --reruns"),
                (("run", "--output", ""), "--output takes FILE, not ''"),
                (("run", "--store="), "--store takes FILE, not ''"),
                (("help", "frobnicate"), "unknown command 'frobnicate'"),
                (("--help", "frobnicate"), "unknown command 'frobnicate'"),
                (("run", "--samples"), "'--samples' needs a value"),
                (("run", "--samples", "8"), "from 9 to 100000, not '8'"),
                (("run", "--samples", "ten"), "not 'ten'"),
                (("run", "--samples", "-9"), "not '-9'"),
                (("run", "--seed", "99999999999999999999"), "not '99999999999999999999'"),
                (("run", "--format", "xml"), "takes text, json, .* or html, not 'xml'"),
                (("run", "--timeout", "nan"), "takes seconds"),
                (("run", "--test-timeout", "1e-9"), "at least 1 and"),
                (("run", "--idle-timeout", "0"), "at least 1 and"),
                (("run", "no/such"), "no benchmark matches 'no/such'"),
                (("run", "float", "!*"), "exclude every benchmark"),
                (("list", "!no/such"), "no benchmark matches '!no/such'"),
                (("describe",), "NAME is missing"),
                (("compare",), "compare: A is missing"),
                (("compare", "a.json"), "compare: B is missing"),
                (("describe", "float", "int"), "'int' is one argument too many"),
                (("run", "--device", "virtual:m7"), "m7"),
                (("run", "--device", "virtual:m1,frobnicate=1"), "frobnicate"),
                (("run", "--device", "tea kettle"), "tea kettle"),
                (("run", "--device", "/dev/dri/renderD999"), "renderD999"),
                (("run", "--device", "/dev/null"), "/dev/null"),
                (("exec",), "is missing"),
                (("exec", SAXPY, "--grid", "1,2,3,4"), "one to three numbers"),
                (("exec", SAXPY, "--grid", "0"), "not '0'"),
                (("exec", SAXPY, "--group", "1025"), "not '1025'")):
            with self.subTest(arguments=arguments):
                self.expect(INVALID, *arguments, message=message)

    def test_environment(self):
        for value in ("abc", "-1", "1.5", "64MiB", " 1", "99999999999999999999"):
            self.expect(INVALID, "compile", SAXPY, environment={"AGX_RUNNER_CACHE_MIB": value},
                        message=f"AGX_RUNNER_CACHE_MIB={value}: expected a whole number of MiB")
        for value in ("", "0", "64"):
            self.expect(OK, "compile", "--stats", SAXPY, environment={"AGX_RUNNER_CACHE_MIB": value})

    def test_no_permission(self):
        node = self.folder / "renderD128"
        try:
            os.mknod(node, stat.S_IFCHR, os.makedev(226, 128))
        except PermissionError as error:
            self.skipTest(f"only root can make a device node: {error}")
        self.folder.chmod(0o755)
        # Root may open everything, so somebody else tries.
        self.expect(FAILED, "run", "--device", node, message="ermission denied", user=65534)


class Catalogue(Case):
    def test_list(self):
        names = [line.split()[0] for line in self.expect(OK, "list").stdout.splitlines()]
        self.assertGreaterEqual(len(names), 26)
        self.assertEqual(len(set(names)), len(names))
        document = (ROOT / "docs" / "measuring.md").read_text(encoding="utf-8")
        metrics = re.findall(r"^\| ([a-z-]+) \|.*`", document.split("## From the catalogue")[0], re.M)
        self.assertGreaterEqual(len(metrics), 9)
        for name in names:
            self.assertRegex(
                name,
                rf"^([a-z]+/[a-zA-Z0-9-]+/({'|'.join(metrics)})"
                r"|uapi/[a-z]+/[a-z0-9_-]+|fault/[a-z-]+)$")
        some = self.expect(OK, "list", "float/f???16", "!*latency").stdout.split("\n")
        self.assertEqual([line.split()[0] for line in some if line],
                         [f"float/{name}16/throughput" for name in ("fadd", "fmul", "ffma")])

    def test_describe(self):
        text = self.expect(OK, "describe", "float/ffma32/throughput").stdout
        for part in "formula", "cycles", "float/FFMA32", "metal-benchmarks", "64 ffma":
            self.assertIn(part, text)
        self.assertEqual(len(re.findall(r"^ .*\bffma\b +r", text, re.M)), 64)

    def test_describe_all_kinds(self):
        """Purpose, source, the loop's machine code, formula, unit, and the reference with where it comes from."""
        kinds = {
            "int/iadd32/throughput": ("NIR", r"iadd! %\d+, %\d+", "same instruction: it is about iadd too"),
            "quad/rotate32/latency": ("AGX assembly", r"shuffle r\[4 \+ c\]", "quad/SHUFFLE_ROTATE32, adjusted latency"),
            "float/to-i64/throughput": ("OpenCL C", r"static uint to_i64\(uint x\)\n.*\n.*\n\n.*\n *}\n *#define TO_I64",
                                        "unknown sequence"),
            "float/div32/throughput": ("OpenCL C", r"#define DIV\(x, a, b\) native_divide\(b, x\)",
                                       r"other sequence: RECIP32 \+ FMUL32 there, csel, 2 ffma, fmul, rcp here"),
            "float/exp32/raw-latency": ("OpenCL C", "native_exp", "7.66 cycles: float/EXPE_32, raw latency"),
            "example/saxpy/rate": ("OpenCL C", r"y\[i\] = fma\(a, x\[i\], y\[i\]\);", "none published"),
            "atomic/add-own/latency": ("AGX assembly", r'\.kernel "atomic"', "none published"),
            "control/loop32-1440/control": ("NIR", "load_kernel_input", r">=1.70 cycles: control kernel, 32 bits"),
        }
        for name, (language, source, reference) in kinds.items():
            with self.subTest(name=name):
                text = self.expect(OK, "describe", name).stdout
                for part in (rf"^{name}: \S", r"^  metric  ", r"^  formula  ", r"^  unit  ", rf"^  kernel  +{language}",
                             r"^  code check  ", r"^  source.*:$", source, r"^  reference  ", reference,
                             r"^  (loop|main program), \d+ instructions", r"^ +[0-9a-f]+:  [0-9a-f]{4,}"):
                    self.assertRegex(text, re.compile(part, re.M))


class Compile(Case):
    def test_saxpy(self):
        text = self.expect(OK, "compile", SAXPY).stdout
        self.assertIn("kernel saxpy", text)
        self.assertEqual(len(re.findall(r"\bffma\b", text)), 1)
        self.assertIn("float* y", text)
        target = self.folder / "saxpy.txt"
        self.assertEqual(self.expect(OK, "compile", SAXPY, "-o", target).stdout, "")
        self.assertEqual(target.read_text(), text)

    def test_disasm(self):
        code = self.file("code.bin", bytes.fromhex("3a85882124440200" "8800"))
        lines = self.expect(OK, "disasm", code).stdout.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn("ffma", lines[0])
        self.assertIn("stop", lines[1])
        self.assertIn("ffma", self.expect(OK, "disasm", SAXPY).stdout)
        garbage = self.file("garbage.bin", bytes(range(256)) * 16)
        self.assertIn(".byte", self.expect(OK, "disasm", garbage).stdout)
        self.expect(FAILED, "disasm", self.file("empty", ""), message="is empty")

    def test_bad_assembly(self):
        """Issue 3's list: a message each, and an output that exists keeps what it has."""
        huge = self.file("huge.agx", b"")
        with huge.open("r+b") as file:
            file.truncate(1 << 32)
        target = self.file("target", "before")
        for source, options, message in (
                (huge, (), "larger than 256 MiB"), (huge, ("--hex",), ":1:65537: a line of more than 65536 characters"),
                (b"\0" * 10000, (), ":1:1: error: expected an instruction"), (b"\0" * 10000, ("--hex",), ":1:1: "),
                ("jmp_any 100000\nstop\n", (), ":1:1: error: .* outside the program"),
                ("a: stop\na: stop\n", (), ":2:1: error: 'a' is already defined in line 1"),
                ("fadd r0, dr2, r1\nstop\n", (), ":1:10: error: dr2 does not fit: .* takes a 16- or 32-bit register"),
                ("iadd r0, r1, 256\nstop\n", (), ":1:14: error: 256 does not fit"),
                ("iadd r0, r1, u256\nstop\n", (), "there is no 'u256': uniforms are u0..u255"),
                (".rept 1000000\n" * 3 + "stop\n" + ".endr\n" * 3, (), "comes to more than"),
                (".rept 2\nstop\n", (), "without .endr")):
            path = source if source is huge else self.file("bad.agx", source)
            self.expect(FAILED, "asm", *options, "-o", target, path, message=message)
            self.assertEqual(target.read_text(), "before")
        for code, message in ((b"\x3e\0\x7e", "at byte 0, is cut off: 3 of 6 bytes are there"), (b"", "is empty"),
                              (b"\0" * 4096, "4096 bytes, all of them zero")):
            self.expect(FAILED, "disasm", "-o", target, self.file("bad.bin", code), message=message)
            self.assertEqual(target.read_text(), "before")
        self.expect(FAILED, "disasm", "-o", target, huge, message="larger than 256 MiB")
        self.expect(FAILED, "disasm", "--hex", "-o", target, huge, message="a line of more than")
        self.assertEqual(target.read_text(), "before")
        self.assertIn(".byte", self.expect(FAILED, "disasm", self.file("cut.bin", b"\x3e\0\x7e"), message=".").stdout)

    def test_hex(self):
        """Line by line: all errors, no output with one, several instructions a line, standard input, both syntaxes."""
        target = self.file("target", "before")
        bad = self.file("bad.txt", "stop\nfadd r0\nstop\nnonsense\n")
        error = self.expect(FAILED, "asm", "--hex", "-o", target, bad, message=r"2 errors; nothing is written").stderr
        self.assertIn(":2:", error)
        self.assertIn(":4:1: expected an instruction", error)
        self.assertEqual(target.read_text(), "before")
        self.assertEqual(self.expect(FAILED, "asm", "--hex", bad, message="nothing is written").stdout, "")
        hexes = self.file("code.txt", "0x7e, 0x01, 0x40, 0x08, 0x80, 0x00\n\n0x88003800 ffff 8800\n")
        done = self.expect(OK, "disasm", "--hex", hexes, message="byte 5: ffff is no known instruction")
        self.assertEqual([line.split() for line in done.stdout.splitlines()][:4],
                         [["mov", "r0,", "r0l"], [], ["stop"], ["wait", "a"]])
        self.expect(FAILED, "disasm", "--hex", self.file("text.txt", "8800\nhello\n"),
                    message=":2:1: expected pairs of hex digits, found 'hello'")
        other = self.file("other.txt", "isub r1, r1.sx, r1.sx\nconvert r0, s16_to_f, r0, rte\nsimd_iadd r2l, r2l\n")
        made = self.expect(OK, "asm", "--hex", "--syntax", "applegpu", other).stdout
        back = self.expect(OK, "disasm", "--hex", "--syntax", "applegpu", self.file("made.txt", made)).stdout
        self.assertEqual([line.split() for line in back.splitlines()],
                         [line.split() for line in other.read_text().splitlines()])
        piped = subprocess.run([RUNNER, "disasm", "--hex"], input="8800\n", capture_output=True, text=True)
        self.assertEqual((piped.returncode, piped.stdout), (OK, "stop\n"))

    def test_crash(self):
        """The compiler crashes on one kernel: docs/mesa-bugs.md 9, a check in Mesa's packer, which every host has. The
        others are shown."""
        spills = (ROOT / "ci/piglit/mesa-bugs/spill-slots.cl").read_text(encoding="utf-8").split("!*/")[1]
        path = self.file("crash.cl", "kernel void good(global int *o) { o[0] = 1; }\n" + spills +
                         "kernel void fine(global int *o) { o[0] = 3; }\n")
        result = self.expect(FAILED, "compile", "--stats", path, message="crash.cl: kernel spills: error: the compiler crashed in Mesa's AGX backend: killed by signal 6")
        self.assertRegex(result.stdout, "(?s)kernel good\n.*kernel fine\n")
        line = shlex.split(re.search(r"reproduce it in a debugger: (.*)", result.stderr)[1])
        self.assertEqual((pathlib.Path(line[0]).name, line[1:]), ("agx-compile", ["--kernel", "spills", str(path)]))
        self.assertEqual(subprocess.run(line, capture_output=True).returncode, -signal.SIGABRT)
        self.expect(OK, "compile", "--kernel", "fine", path)
        self.expect(OK, "exec", "--kernel", "good", "-g", "1", "-b", "0=u32[1]", path)

    def test_bad_files(self):
        broken = self.file("broken.cl", "kernel void k(global int *p)\n{\n   p[0] = undeclared;\n}\n")
        self.expect(FAILED, "compile", broken, message=r"broken\.cl:3:\d+: error: .*undeclared")
        self.expect(FAILED, "compile", self.file("none.cl", "int f(int x) { return x; }\n"), message="kernel")
        self.expect(FAILED, "compile", self.file("zeros.bin", b"\0" * 100), message="neither OpenCL C")
        self.expect(FAILED, "compile", self.file("cut.spv", bytes.fromhex("03022307") + b"\1\2\3"), message="cut.spv")
        self.expect(FAILED, "compile", self.file("bad.spv", bytes.fromhex("03022307") + os.urandom(4000)),
                    message="bad.spv")
        self.expect(INVALID, "compile", self.folder / "absent.cl", message="absent.cl: No such file")
        self.expect(INVALID, "compile", "--kernel", "other", SAXPY, message=r"no kernel is called 'other'; there is saxpy\n")
        self.expect(INVALID, "compile", self.folder, message="is a directory")

    def test_folder(self):
        """Each kernel gets a file of its own; a program without a name gets its file's."""
        out = self.folder / "out"
        two = self.file("two.cl", "kernel void a(global int *p) { p[0] = 1; }\nkernel void b(global int *p) { p[0] = 2; }\n")
        self.expect(OK, "compile", two, "--kernel", "b", "-o", f"{out}/")
        self.assertEqual([path.name for path in out.iterdir()], ["b.agx"])
        self.expect(INVALID, "compile", two, "--kernel", "c", "-o", f"{out}/", message="'c'")
        self.expect(OK, "compile", two, "-o", f"{out}/")
        self.expect(OK, "compile", self.file("no.name.agx", "stop\n"), "-o", f"{out}/")
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["a.agx", "b.agx", "no.name.agx"])
        self.assertIn("stop", (out / "no.name.agx").read_text())
        self.expect(INVALID, "compile", self.file("up.agx", '.kernel "../up"\nstop\n'), "-o", f"{out}/", message="slash")
        self.assertEqual(len(list(self.folder.iterdir())), 4)

    def test_full_disk(self):
        self.expect(FAILED, "compile", SAXPY, "-o", "/dev/full", message="No space left")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([RUNNER, "compile", SAXPY], stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=300, check=False)
        self.assertEqual(result.returncode, FAILED)
        self.assertIn("could not be written", result.stderr)


class Run(Case):
    def test_derived_rows(self):
        """Figures that follow from others of the run stand behind them, once."""
        rows = json.loads(self.expect(OK, "run", "atomic/umax64-few", "atomic/umax64-emulated-few", "-d", "virtual:m2", "-f",
                                      "json").stdout)["results"]
        values = {row["name"]: row["value"] for row in rows}
        self.assertEqual(len(rows), len(values))
        self.assertAlmostEqual(values["atomic/umax64-few/latency-ratio"],
                               values["atomic/umax64-emulated-few/latency"] / values["atomic/umax64-few/latency"], 5)

    def check_schema(self, data):
        """As docs/result-schema.md has it."""
        self.assertEqual(data["schema"], 2)
        self.assertEqual(data["device"]["kind"], "virtual")
        self.assertEqual(data["device"]["note"], VIRTUAL)
        self.assertEqual(data["device"]["chip"], "m1")
        for key, kind in (("agx_runner", str), ("mesa", str), ("kernel", str), ("host", str), ("time", str),
                          ("command_line", str), ("seed", int)):
            self.assertIsInstance(data["environment"][key], kind)
        for result in data["results"]:
            with self.subTest(name=result["name"]):
                self.assertIn(result["status"], ("pass", "fail", "skip", "invalid"))
                self.assertIsInstance(result["reason"], str)
                self.assertIsInstance(result["unit"], str)
                self.assertIn(result["check"], ("pass", "fail", None))
                if result["status"] == "pass":
                    self.assertLessEqual(result["low"], result["value"])
                    self.assertLessEqual(result["value"], result["high"])
                    self.assertGreaterEqual(len(result["samples"]), 9)
                    self.assertEqual(result["codegen"]["expected"], result["codegen"]["found"])
                    self.assertRegex(result["program_hash"], "^[0-9a-f]{16}$")
                    self.assertGreater(result["occupancy"], 0)
                else:
                    self.assertIsNone(result["value"])
                    self.assertNotEqual(result["reason"], "")
                if result["reference"] is not None:
                    self.assertGreater(result["reference"]["value"], 0)
                    self.assertIn("metal-benchmarks", result["reference"]["source"])
                    self.assertIn(result["reference"]["code"], ("same instruction", "same sequence", "other sequence",
                                                                "unknown sequence"))

    def test_json(self):
        target = self.folder / "result.json"
        self.expect(OK, "run", "--device", "virtual:m1", "float/fadd32", "simd/ballot", "example", "--format", "json",
                    "--samples", "10", "--seed", "3", "-o", target)
        data = json.loads(target.read_text())
        self.check_schema(data)
        self.assertEqual([result["name"] for result in data["results"]],
                         ["float/fadd32/throughput", "float/fadd32/latency", "float/fadd32/raw-latency",
                          "simd/ballot/throughput", "simd/ballot/latency", "simd/ballot/raw-latency",
                          "example/saxpy/rate"])
        self.assertEqual(len(data["results"][0]["samples"]), 10)
        self.assertEqual(data["environment"]["seed"], 3)
        self.assertIn("--seed 3", data["environment"]["command_line"])
        self.assertEqual(data["results"][0]["reference"]["value"], 1.0)
        self.assertEqual(data["results"][1]["reference"]["value"], 2.2)
        self.assertEqual(data["results"][2]["reference"]["value"], 3.9)
        self.assertIsNone(data["results"][6]["reference"])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["result.json"])

    def test_sequences(self):
        """A row that is about other code than the published one says so, and what the code is."""
        data = json.loads(self.expect(OK, "run", "--device", "virtual:m1", "float/div32", "float/fadd32", "--format",
                                      "json").stdout)
        self.check_schema(data)
        codes = {result["name"]: (result["codegen"]["sequence"], result["reference"]["code"])
                 for result in data["results"] if result["reference"] is not None}
        self.assertEqual(codes["float/div32/throughput"], ("csel, 2 ffma, fmul, rcp", "other sequence"))
        self.assertEqual(codes["float/fadd32/throughput"], (None, "same instruction"))
        text = self.expect(OK, "run", "--device", "virtual:m1", "float/div32/throughput").stdout
        self.assertRegex(text, r"\(\+[0-9.]+ %\) +\d+ of \d+: csel, 2 ffma, fmul, rcp")
        self.assertIn("(difference): not the same code", text)

    def test_disturbed_clock(self):
        device = "virtual:m1,clock=wander,jitter=20ns,seed=4"
        data = json.loads(self.expect(OK, "run", "--device", device, "float/ffma32/latency", "--format", "json").stdout)
        self.assertIsNone(data["device"]["clock_hz"])
        self.assertIn("the clock wanders", data["device"]["disturbance"])
        self.assertIn("20 ns", data["device"]["disturbance"])
        self.assertLess(abs(data["results"][0]["value"] / 2.21 - 1), 0.02)
        self.assertNotEqual(data["results"][0]["low"], data["results"][0]["high"])
        nominal = json.loads(self.expect(OK, "run", "--device", device, "--clock", "nominal", "float/ffma32/latency",
                                         "--format", "json").stdout)
        self.assertEqual(nominal["results"][0]["clock_hz"], 1278000000)
        self.assertIn("as asked for: the clock wanders, timestamps late by 20 ns", self.expect(
            OK, "run", "--device", device, "float/ffma32/latency").stdout)

    def test_text(self):
        result = self.expect(OK, "run", "--device", "virtual:m1", "int/iadd32")
        self.assertIn(VIRTUAL, result.stdout)
        self.assertNotIn("\033", result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"int/iadd32/latency .*32 of 32 iadd .*right .*pass")

    def terminal(self, *words, stream="stdout", columns=80, **environment):
        """What a run prints on a terminal."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        subprocess.run([RUNNER, "run", "--device", "virtual:m1", *(words or ["int/iadd32/latency"])], timeout=300, check=True,
                       env=dict(os.environ, **dict({"TERM": "xterm"}, **environment)),
                       **dict({"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}, **{stream: slave}))
        os.close(slave)
        text = b""
        try:
            while chunk := os.read(master, 65536):
                text += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(master)
        return text.decode()

    def test_colour(self):
        self.assertIn("\033[32mpass\033[0m", self.terminal(NO_COLOR=""))
        for plain in {"NO_COLOR": "1"}, {"NO_COLOR": "", "TERM": "dumb"}, {"NO_COLOR": "", "TERM": ""}:
            self.assertNotIn("\033", self.terminal(**plain))

    def test_progress_on_a_terminal(self):
        """A line that is too long for a terminal would leave its first half there."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, 30, 0, 0))
        # It would take minutes; the test ends it when progress was shown, or after a minute without.
        child = subprocess.Popen([RUNNER, "run", "--device", "virtual:m1", "simd/prefix-isum-f32-agx/throughput", "--samples", "100000"],
                                 env=dict(os.environ, TERM="xterm"), stdout=subprocess.DEVNULL, stderr=slave)
        text, shown = "", "\r\033[K[1/1] simd/prefix-isum-f32-a"
        end = time.monotonic() + 60
        while shown not in text and time.monotonic() < end:
            if select.select([master], [], [], 1)[0]:
                text += os.read(master, 65536).decode()
        child.send_signal(signal.SIGINT)
        child.wait(timeout=300)
        os.close(slave)
        os.close(master)
        self.assertIn(shown, text)
        self.assertLess(max(len(line) for line in text.split("\r\033[K")[1:]), 30, text)
        self.assertNotIn("\033", self.terminal(stream="stderr", TERM="dumb"))

    def test_same_seed_same_figures(self):
        figures = []
        for _ in range(2):
            data = json.loads(self.expect(OK, "run", "--device", "virtual:m1", "float/ffma16", "atomic/umax32-one",
                                          "--format", "json").stdout)
            figures.append([(result["value"], result["samples"]) for result in data["results"]])
        self.assertEqual(figures[0], figures[1])

    def test_auto_says_why(self):
        self.expect(OK, "run", "float/fadd32/latency", message=".")

    def test_timing_off_is_skipped(self):
        result = run("run", "--device", "virtual:m1,timing=off", "float/fadd32")
        self.assertEqual(result.returncode, SKIPPED)
        self.assertIn("timing is off", result.stdout)

    def test_full_disk(self):
        self.expect(FAILED, "run", "--device", "virtual:m1", "float/fadd32", "-o", "/dev/full",
                    message="No space left")
        self.expect(FAILED, "run", "float/fadd32", "-o", self.folder / "no" / "such", message="cannot be created")

    def test_failures_are_told_beside_a_file(self):
        fails = self.file("fails.txt", "float/fadd32/latency,Fail\n")
        words = ["run", "--device", "virtual:m1", "float/fadd32/*", "!*/raw-latency", "--fails", fails]
        self.expect(FAILED, *words, "-o", self.folder / "table",
                    message="1 of 2 results failed, the first: float/fadd32/latency: unexpected-pass: expected: Fail")
        self.assertNotIn("results failed", run(*words).stderr)

    def test_interrupt(self):
        target = self.file("result.json", "before")
        process = subprocess.Popen([RUNNER, "run", "--device", "virtual:m1", "--samples", "100000", "--format", "json",
                                    "-o", target], stderr=subprocess.PIPE, text=True)
        self.assertRegex(process.stderr.readline(), r"^\[1/\d+\] float/fadd32/throughput$")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, ABORTED, errors)
        self.assertIn("interrupted", errors)
        self.assertEqual(target.read_text(), "before")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["result.json"])


class Devices(Case):
    def test_list(self):
        text = self.expect(OK, "devices").stdout


if __name__ == "__main__":
    main()
