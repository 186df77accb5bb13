#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""apps and merge: cases, shards, journal, expectations and refusals. Usage: apps.py AGX_RUNNER SOURCE_ROOT [TEST...]

The Mesa is a made-up folder, whose programs are scripts with known answers: nothing is fetched, and no driver is used.
"""
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as xml

from case import FAILED, INVALID, OK, RUNNER, Case, main, run

# clFFT's client says this where the transform is right; here it is wrong for 243, ends early for 625 and 32x32 on the device
# alone, and for 16x12x10 everywhere.
CLIENT = """#!/bin/sh
case "$*" in
  *243*) echo "Internal Client Test *****FAIL*****" ;;
  *625*) [ -n "$AGX_MESA_SOFTWARE" ] || kill -SEGV $$ ;;
  *16x*|*-y\ 12*) echo no such size; exit 9 ;;
  *32*) [ -n "$AGX_MESA_SOFTWARE" ] || exit 200 ;;
  *1000*) sleep ${SLOW:-0}; echo "Internal Client Test *****PASS*****" ;;
  *) echo "Internal Client Test *****PASS*****" ;;
esac
"""
# A filter whose picture is one component off on the device, in both that are called here; in hflip by 7.
FILTER = """#!/bin/sh
for file; do :; done
case "$AGX_MESA_SOFTWARE $*" in
  1*) printf '\\020\\040\\060\\100' >"$file" ;;
  *hflip*) printf '\\020\\040\\060\\107' >"$file" ;;
  *) printf '\\021\\040\\060\\100' >"$file" ;;
esac
"""
# Reads the model as whisper.cpp does, and says another word on the device where attention is not flash's. A model of N and M
# blocks has 11 tensors, 15 for each of the encoder's blocks and 24 for each of the decoder's.
WHISPER = """#!/usr/bin/python3
import os, struct, sys, wave
words = sys.argv[1:]
file = open(words[words.index("-m") + 1], "rb")
number = lambda count: struct.unpack(f"<{count}i", file.read(4 * count))
magic, words_of, places, state, _, blocks, text, state_of, _, blocks_of, bands, halves = number(12)
assert magic == 0x67676d6c and state == state_of and halves == 1, "header"
rows, bins = number(2)
assert (rows, bins) == (bands, 201) and min(struct.unpack(f"<{rows * bins}f", file.read(4 * rows * bins))) >= 0, "filters"
vocabulary = [file.read(number(1)[0]) for _ in range(number(1)[0])]
assert len(set(vocabulary)) == words_of and {b" ", b" -", b" '"} <= set(vocabulary), "vocabulary"
tensors = {}
while head := file.read(12):
    dimensions, length, kind = struct.unpack("<3i", head)
    sizes, name = number(dimensions), file.read(length).decode()
    count = 1
    for size in sizes:
        count *= size
    assert name not in tensors and len(file.read(count * (4, 2)[kind])) == count * (4, 2)[kind], name
    tensors[name] = sizes
assert len(tensors) == 11 + 15 * blocks + 24 * blocks_of, len(tensors)
assert tensors["encoder.conv1.weight"] == (3, bands, state) and tensors["encoder.conv2.bias"] == (1, state), "convolutions"
assert tensors["decoder.blocks.3.mlp.2.weight"] == (4 * state, state) and tensors["decoder.positional_embedding"] == (state, text), "decoder"
with wave.open(words[words.index("-f") + 1]) as sound:
    assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth(), sound.getnframes()) == (16000, 1, 2, 16000), "sound"
wrong = "-nfa" in words and "-ng" not in words
with open(words[words.index("-of") + 1] + ".txt", "w") as said:
    said.write("no" if wrong else "so")
"""
RUN = """#!/bin/sh
# Runs a program with Mesa of sid: run PROGRAM. AGX_MESA_SOFTWARE chooses the drivers.
program=$1; shift
case $program in /*) exec "$program" "$@" ;; esac
exec '%s/root/usr/bin/'"$program" "$@"
"""
CLFFT = ["16", "256", "243", "625", "1000", "32x32", "16x12x10", "batch"]


class Apps(Case):
    def setUp(self):
        super().setUp()
        self.mesa = self.folder / "mesa"
        programs = self.mesa / "root" / "usr" / "bin"
        programs.mkdir(parents=True)
        for path, text in ((programs / "clFFT-client", CLIENT), (programs / "ffmpeg", FILTER), (self.mesa / "run", RUN % self.mesa)):
            path.write_text(text)
            path.chmod(0o755)
        (self.mesa / ".done").write_text("")
        (self.mesa / "asahi_icd.json").write_text("{}")
        (self.mesa / "lvp_icd.json").write_text("{}")
        (self.mesa / "packages").write_text("mesa-vulkan-drivers 26.2.6-1 0\nclfft-client 2.12 0\nffmpeg 8 0\n")

    def ends(self, code, *words, message="(?s)"):
        result = run(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertRegex(result.stderr, message)
        return result

    def apps(self, code, *words, message="(?s)"):
        return self.ends(code, "apps", "--mesa", self.mesa, "--reruns", 0, *words, message=message)

    def statuses(self, text):
        return {result["name"]: result["status"] for result in json.loads(text)["results"]}

    def test_answers(self):
        results = self.statuses(self.apps(FAILED, "-f", "json", "clfft", "ffmpeg-vulkan@gblur", "ffmpeg-vulkan@hflip").stdout)
        wanted = {f"clfft@{size}": {"243": "fail", "625": "crash", "16x12x10": "skip", "32x32": "fail"}.get(size, "pass") for size in CLFFT}
        self.assertRegex(self.apps(FAILED, "clfft").stdout, r"8 tests, .*: 4 pass, 2 fail, 1 skip, 1 crash")
        self.assertEqual(results, wanted | {"ffmpeg-vulkan@gblur": "pass", "ffmpeg-vulkan@hflip": "fail"})

    def test_piglit_starts_in_its_folder(self):
        tests = self.mesa / "root/usr/lib/any/piglit/tests/cl/program/build"
        tests.mkdir(parents=True)
        (tests / "a.cl").write_text("")
        tester = self.mesa / "root/usr/bin/cl-program-tester"
        tester.write_text("#!/bin/sh\n[ -e tests/cl/program/build/a.cl ] && echo 'PIGLIT: {\"result\": \"pass\" }' || pwd\n")
        tester.chmod(0o755)
        with open(self.mesa / "packages", "a", encoding="utf-8") as file:
            file.write("piglit 1 0\n")
        self.assertEqual(self.statuses(self.apps(OK, "-f", "json", "piglit-opencl").stdout), {"piglit-opencl@build/a.cl": "pass"})

    def test_whisper_has_a_model(self):
        program = self.mesa / "root/usr/bin/whisper-cli"
        program.write_text(WHISPER)
        program.chmod(0o755)
        with open(self.mesa / "packages", "a", encoding="utf-8") as file:
            file.write("whisper.cpp-tools 1 0\nlibggml0-backend-vulkan 1 0\n")
        self.assertEqual(self.statuses(self.apps(FAILED, "-f", "json", "whisper").stdout), {"whisper@greedy": "pass", "whisper@attention": "fail"})

    def test_models_are_judged_without_the_last_line(self):
        program = self.mesa / "root/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-llama-archs"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\ncase \"$*\" in\n*gpt2*) echo '|   gpt2|any| Dense|' ;;\n*mamba*) echo '|  mamba|any| Dense|'; "
                           "[ -n \"$AGX_MESA_SOFTWARE\" ] || exit 1 ;;\nesac\n")
        program.chmod(0o755)
        with open(self.mesa / "packages", "a", encoding="utf-8") as file:
            file.write("llama.cpp-tests 1 0\nlibggml0-backend-vulkan 1 0\n")
        models = [f"llama-models@{name}" for name in ("gpt2", "mamba", "qwen2")]
        self.assertEqual(self.statuses(self.apps(FAILED, "-f", "json", *models).stdout), dict(zip(models, ("pass", "fail", "fail"))))

    def test_transforms_have_a_script(self):
        program = self.mesa / "root/usr/bin/python3"
        program.write_text("#!/bin/sh\n/usr/bin/python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' \"$1\" || exit 1\nshift\n"
                           "[ \"$*\" = 'inverse 16 12 10' ] && echo the transform is wrong || echo the transform is right\n")
        program.chmod(0o755)
        with open(self.mesa / "packages", "a", encoding="utf-8") as file:
            file.write("python3-pyvkfft 1 0\npython3-pyopencl 1 0\n")
        found = self.statuses(self.apps(FAILED, "-f", "json", "vkfft").stdout)
        self.assertEqual({name: status for name, status in found.items() if status != "pass"}, {"vkfft@inverse-16x12x10": "fail"})
        self.assertEqual(len(found), 6)

    def test_operators_are_fetched_and_answer_by_lines(self):
        program = self.mesa / "root/usr/bin/node"
        program.write_text("#!/bin/sh\nset -- $2\necho \"  abs($1): OK\"\n"
                           "[ $1 != image ] || { echo '  transform(image): element 1 is -0.9, not 0: FAIL'; exit 1; }\n")
        program.chmod(0o755)
        with open(self.mesa / "packages", "a", encoding="utf-8") as file:
            file.write("nodejs 22 0\n")
        self.apps(INVALID, "tfjs", message=f"lacks what ci/tfjs-get .*{self.mesa} fetches")
        needed = self.mesa / "root/usr/lib/agx-tfjs/node_modules/webgpu/package.json"
        needed.parent.mkdir(parents=True)
        needed.write_text("{}")
        found = json.loads(self.apps(FAILED, "-f", "json", "tfjs@image", "tfjs@unary").stdout)["results"]
        self.assertEqual({result["name"]: (result["status"], result["reason"]) for result in found},
                         {"tfjs@image@abs(image)": ("pass", ""), "tfjs@unary@abs(unary)": ("pass", ""),
                          "tfjs@image@transform(image)": ("fail", "element 1 is -0.9, not 0: ")})

    def test_sources_are_those_of_the_device(self):
        program = self.mesa / "root/usr/bin/ffmpeg"
        program.write_text(FILTER.replace("case", "echo \"$AGX_MESA_SOFTWARE:$AGX_SOURCES:$MESA_SHADER_DUMP_PATH\" >>%s/asked\ncase" % self.folder, 1))
        kept = self.folder / "kept"
        self.apps(OK, "--collect", kept, "ffmpeg-vulkan@gblur")
        self.assertEqual((self.folder / "asked").read_text().splitlines(), [f":{kept}/sources:{kept}/sources", "1::"])
        self.assertEqual(list(kept.iterdir()), [], "an empty folder of sources is removed")

    def test_processes_share_the_cores(self):
        program = self.mesa / "root/usr/bin/ffmpeg"
        program.write_text(FILTER.replace("case", "[ -n \"$AGX_MESA_SOFTWARE\" ] || echo \"$AGX_VGPU\" >>%s/devices\ncase" % self.folder, 1))
        cores, filters = len(os.sched_getaffinity(0)), ("ffmpeg-vulkan@gblur", "ffmpeg-vulkan@avgblur")
        for jobs, cases, threads in ((9, 1, None), (2, 2, max(cores // 2, 1)), (cores + 1, 2, max(cores // 2, 1)), (1, 2, None)):
            (self.folder / "devices").write_text("")
            with self.subTest(jobs=jobs, cases=cases):
                self.apps(OK, "-j", jobs, *filters[:cases])
                devices = (self.folder / "devices").read_text().split()
                self.assertEqual([re.findall(r",threads=(\d+)", device) for device in devices], [[str(threads)] if threads else []] * cases)

    def test_expectations_and_junit(self):
        expect = self.folder / "expect"
        expect.mkdir()
        (expect / "fails.txt").write_text("clfft@243,Fail\nclfft@625,Crash\nclfft@32x32,Fail\n")
        junit = xml.fromstring(self.apps(OK, "--expect", expect, "-f", "junit", "clfft").stdout)
        self.assertEqual(len(list(junit.iter("testcase"))), len(CLFFT))
        (expect / "fails.txt").write_text("clfft@243,Fail\nclfft@16,Fail\n")
        self.apps(FAILED, "--expect", expect, "clfft")

    def test_shards_are_the_whole(self):
        whole = self.statuses(self.apps(FAILED, "-f", "json", "clfft").stdout)
        parts = [self.folder / f"part{i}.json" for i in (1, 2, 3)]
        for i, part in enumerate(parts):
            run("apps", "--mesa", self.mesa, "--reruns", 0, "-f", "json", "-o", part, "--shard", f"{i + 1}/3", "clfft")
        merged = self.ends(FAILED, "merge", "-f", "json", *parts).stdout
        self.assertEqual(self.statuses(merged), whole)
        self.ends(INVALID, "merge", parts[0], parts[0], message="is in two of the files")
        self.apps(INVALID, "--shard", "4/3", "clfft", message="it takes I/N")

    def test_killed_run_goes_on(self):
        kept = self.folder / "kept"
        process = subprocess.Popen([RUNNER, "apps", "--mesa", self.mesa, "--reruns", "0", "--results", kept, "clfft"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"SLOW": "60", "PATH": "/usr/bin:/bin", "TMPDIR": str(self.folder)})
        journal = kept / "journal"
        until = time.monotonic() + 20
        while time.monotonic() < until and not (journal.exists() and "clfft@1000" in journal.read_text()):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = journal.read_text()
        self.assertEqual(before.count("result "), 4)
        self.ends(FAILED, "apps", "--resume", kept)
        self.assertEqual(journal.read_text().count("clfft@16\n"), 1, "what had ended is not run again")
        self.assertEqual(set(self.statuses((kept / "results.json").read_text())), {f"clfft@{size}" for size in CLFFT})

    def test_terminated_run_leaves_nothing(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        process = subprocess.Popen([RUNNER, "apps", "--mesa", self.mesa, "clfft@1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={"SLOW": "60", "PATH": "/usr/bin:/bin", "TMPDIR": str(temporary)})
        until = time.monotonic() + 20
        while time.monotonic() < until and not list(temporary.glob("*/*")):
            time.sleep(0.05)
        self.assertTrue(list(temporary.glob("*/*")))
        process.terminate()
        process.wait()
        self.assertEqual(list(temporary.iterdir()), [])

    def test_refusals(self):
        self.apps(INVALID, "hashcat", message="has no package hashcat: ci/mesa-get --add hashcat")
        self.apps(INVALID, "-d", "/dev/dri/renderD128", "clfft", message="only virtual devices")
        self.apps(INVALID, "nothing", message="is no application")
        self.apps(INVALID, "clfft@nothing", message="no case has that name")
        listed = self.apps(OK, "--list").stdout
        self.assertRegex(listed, "(?s)hashcat .*cannot run: .*clpeak")
        self.assertEqual(self.apps(OK, "--list", "clfft").stdout.split(), [f"clfft@{size}" for size in CLFFT])


if __name__ == "__main__":
    main()
