#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The newest Mesa's own drivers on the virtual GPU, with all checks on.

  newest.py [--suite SUITE] AGX_RUNNER [FILTER]

Fetches Debian's Mesa of that suite (ci/mesa-get; sid), builds tests/driver/compute.c, kernels.c and images.c, and runs
them through Vulkan on m1 and m2-max, Piglit's programs through OpenCL and OpenGL, and the planted faults of
tests/driver/newest/. What images.c leaves is compared with lavapipe of the same Mesa.

A client fails by a wrong answer, by a fault, or by a report of the checks. FAILURES lists those known by name: what is
listed and passes fails the test, too. PLANTED lists what the checks must report. On Debian nothing is skipped: a driver that
cannot be had is a failure.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import images

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHECKED = ",timing=off,check=all"

OPENCL = ["i32-stack-array", "local-memory", "program-scope-arrays", "calls-struct", "switch-case", "constant-load", "for-loop", "get-local-id",
          "global-offset", "sampler"]
OPENGL = ["atomic-counter", "basic-global-id", "basic-group-id", "basic-local-id-atomic", "basic-ssbo", "basic-texelFetch", "border-color", "basic-uniform-access",
          "multiple-workgroups", "separate-global-id", "shared-atomicAdd-int", "shared-atomicCompSwap-int", "shared-atomics", "simple-barrier",
          "simple-barrier-atomics"]
PLAIN_READ = "the program reads a word of threadgroup memory without an atomic, beside atomics of other threads"
# What is missing in the virtual GPU, or true of the client's own program.
FAILURES = {
    "OpenGL shared-atomicCompSwap-int": PLAIN_READ,
}
PLANTED = {
    "bounds": r"check: a read at 0x[0-9a-f]+, where no buffer is bound",
    "race": r"check: a read of threadgroup memory at 0x[0-9a-f]+, which thread 33 of the threadgroup has written: no barrier",
    "undefined": r"check: r\d+ is stored, and depends on a value that nothing wrote",
    "clean": None,
}
IMAGE_CASES = 250  # of images.c that both drivers have
VULKAN_PLANTED = {"bounds": 50000000, "race": 33, "undefined": 60}  # what their push constant n is


def build(work, root):
    """The Vulkan clients and their shaders in that folder. The headers and the loader are the suite's."""
    lib = glob.glob(root + "/usr/lib/*/libvulkan.so.1")[0]
    for path in glob.glob(HERE + "/shaders/**/*.comp", recursive=True):
        subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", "-o",
                        os.path.join(work, os.path.basename(path)[:-4] + "spv"), path], check=True)
    for name, files in ("compute", ["cases"]), ("kernels", ["cases"]), ("script", []), ("images", []):
        subprocess.run(["cc", "-O1", "-w", "-D_GNU_SOURCE", "-I" + ROOT, "-I/usr/include/libdrm", "-idirafter", root + "/usr/include",
                        "-o", os.path.join(work, name), *(os.path.join(HERE, file + ".c") for file in [name, *files, "vulkan"]), lib, "-ldrm",
                        "-lm", "-Wl,--allow-shlib-undefined"], check=True)
    for fault, number in VULKAN_PLANTED.items():
        source, spirv = f"{HERE}/newest/pointer.comp", os.path.join(work, fault + ".spv")
        if fault != "bounds":
            with open(f"{HERE}/newest/{fault}.shader_test", encoding="utf-8") as file:
                shader = re.search(r"\[compute shader\]\n(.*)\[test\]", file.read(), re.S).group(1)
            source = os.path.join(work, fault + ".comp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(shader.replace("uniform uint n;", "layout(push_constant) uniform P { uint n; };"))
        subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", "-o", spirv, source], check=True)
        with open(os.path.join(work, fault + ".script"), "w", encoding="utf-8") as file:
            file.write(f"test {fault}\nstorage 0 256\npush {number:x} 0\npointer 0\ndispatch {spirv} 1 1 1\nget 0 0 64\n")


class Client:
    """A program on a device. `cases`: the names that it prints with pass or FAIL, else it is one case."""

    def __init__(self, name, device, words, wanted=None):
        self.name, self.device, self.words, self.wanted = name, device, words, wanted

    def run(self, runner, start):
        words = [runner, "with-device", "--device", self.device + CHECKED, "--", start, *self.words]
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600)
        except subprocess.TimeoutExpired:
            return ["it did not end within 600 s"]
        return list(self.judge(done.returncode, done.stdout))

    def judge(self, code, text):
        """What is wrong."""
        reports = re.findall(r"^  (?:check|last fault): .*", text, re.M)
        if "commands," not in text:
            yield f"{self.name}: the program did not run: exit {code}: {text[-300:]}"
        elif self.wanted:
            if not re.search(self.wanted + r".*\n    at main \+ 0x[0-9a-f]+: \w+ .*; lane \d+, thread \d+,0,0 of threadgroup 0,0,0; \d+ times?$", text, re.M):
                yield f"{self.name}: the planted fault is not reported: {reports}"
        elif self.name.startswith("Vulkan"):
            yield from self.judge_cases(text, [line for line in reports if "check:" in line])
        else:
            passed = '{"result": "pass"' in text and not reports
            yield from self.compare(self.name, passed, "; ".join(reports) or text[-300:])

    def judge_cases(self, text, reports):
        cases = re.findall(r"^(\w+) +(pass|FAIL) \(\d+ checks\)", text, re.M)
        for case, result in cases:
            yield from self.compare(f"{self.name} {case}", result == "pass", "wrong answers")
        if not cases:
            yield f"{self.name}: no case ended: {text[-300:]}"
        for report in reports:
            yield f"{self.name} on {self.device}: {report.strip()}"

    def compare(self, name, passed, why):
        if passed and name in FAILURES:
            yield f"{name} on {self.device}: passes, but is listed as a failure ({FAILURES[name]})"
        elif not passed and name not in FAILURES:
            yield f"{name} on {self.device}: {why}"


def image_cases(runner, start, work, root):
    """What is wrong with copies, samplers and storage images, beside lavapipe of the same Mesa."""
    lavapipe = glob.glob(root + "/usr/share/vulkan/icd.d/lvp_icd*.json")[0]
    for device in "virtual:m1", "virtual:m2-max":
        count, wrong = images.failures([runner, "with-device", "--device", device + CHECKED, "--", start], start, os.path.join(work, "images"),
                                       work, lavapipe)
        yield from (f"Vulkan images on {device}: {line}" for line in wrong)
        if count < IMAGE_CASES:
            yield f"Vulkan images on {device}: {count} cases, not {IMAGE_CASES}"


def jobs(runner, start, work):
    """What is wrong with saved jobs of compute.c's copies, which launch three programs of the driver's own."""
    folder = os.path.join(work, "jobs")
    subprocess.run([runner, "with-device", "--trace", folder, "--", start, os.path.join(work, "compute"), work, "transfer"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    saved = sorted(glob.glob(folder + "/*.agxjob"))
    if not saved:
        yield "saved jobs: compute transfer saved none"
        return
    for words, lines in (["replay", "-d", "virtual:m1,check=all"], 0), (["disasm"], r"^kernel 0x"), (["explain"], r"^program 0x"), (["exec"], 0):
        done = subprocess.run([runner, *words, saved[0]], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0 or done.stderr:
            yield f"saved jobs: {words[0]}: exit {done.returncode}: {done.stderr[-300:]}"
        elif lines and len(re.findall(lines, done.stdout, re.M)) != 3:
            yield f"saved jobs: {words[0]} does not show three programs: {done.stdout[:300]}"


def sources(runner, start, work, root, folder):
    """What is wrong with the sources that the layers keep: compiled again by the same Mesa, they give the code that ran."""
    tests = glob.glob(root + "/usr/lib/*/piglit")[0] + "/tests/"
    opengl = [tests + "spec/arb_compute_shader/execution/basic-ssbo.shader_test", "-auto", "-fbo"]
    for name, words in (("Vulkan", [os.path.join(work, "compute"), work, "shared"]), ("OpenGL", ["shader_runner", *opengl]),
                        ("OpenCL", ["cl-program-tester", tests + "cl/program/execute/for-loop.cl"])):
        kept = os.path.join(work, "kept-" + name)
        subprocess.run([runner, "with-device", "--collect", kept, "--", start, *words], check=True, capture_output=True, timeout=300)
        again = ["--api", "opengl", *glob.glob(kept + "/sources/CS_*.glsl")] if name == "OpenGL" else [kept + "/sources"]
        done = subprocess.run([runner, "corpus", "--mesa", folder, *again], capture_output=True, text=True, timeout=300, check=False)
        found = re.search(r"^sources: (\d+) of (\d+) programs", done.stdout, re.M)
        if not found or found[1] != found[2] or int(found[1]) < 1:
            yield f"sources of {name}: {found[0] if found else done.stderr[-300:]}"


def clients(work, root):
    programs = glob.glob(root + "/usr/lib/*/piglit")[0]
    for device in "virtual:m1", "virtual:m2-max":
        for name in "compute", "kernels":
            yield Client(f"Vulkan {name}", device, [os.path.join(work, name), work])
    for name in OPENCL:
        yield Client(f"OpenCL {name}", "virtual:m1", ["cl-program-tester", f"{programs}/tests/cl/program/execute/{name}.cl"])
    for name in OPENGL:
        yield Client(f"OpenGL {name}", "virtual:m1",
                     ["shader_runner", f"{programs}/tests/spec/arb_compute_shader/execution/{name}.shader_test", "-auto", "-fbo"])
    for fault in VULKAN_PLANTED:
        yield Client(f"Vulkan planted {fault}", "virtual:m1", [os.path.join(work, "script"), os.path.join(work, fault + ".script")], PLANTED[fault])
    for path in sorted(glob.glob(HERE + "/newest/*.cl") + glob.glob(HERE + "/newest/*.shader_test")):
        fault, kind = os.path.splitext(os.path.basename(path))
        words = ["cl-program-tester", path] if kind == ".cl" else ["shader_runner", path, "-auto", "-fbo"]
        yield Client(f"{'OpenCL' if kind == '.cl' else 'OpenGL'} planted {fault}", "virtual:m1", words, PLANTED[fault])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="sid")
    parser.add_argument("runner")
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        print("skipped: only Debian's packages have a newer Mesa, and this is no Debian")
        sys.exit(77)
    got = subprocess.run([ROOT + "/ci/mesa-get", arguments.suite], stdout=subprocess.PIPE, text=True)
    if got.returncode != 0:
        print(f"FAIL: Mesa of {arguments.suite} could not be had")
        sys.exit(1)
    folder = got.stdout.strip()
    with open(folder + "/packages", encoding="utf-8") as file:
        version = next(line.split()[1] for line in file if line.startswith("mesa-vulkan-drivers "))
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = work
        build(work, folder + "/root")
        chosen = [client for client in clients(work, folder + "/root") if arguments.filter in client.name]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [line for lines in pool.map(lambda client: client.run(arguments.runner, folder + "/run"), chosen) for line in lines]
        more = [name for name in ("Vulkan images", "saved jobs", "sources") if arguments.filter in name]
        if "Vulkan images" in more:
            wrong += image_cases(arguments.runner, folder + "/run", work, folder + "/root")
        if "saved jobs" in more:
            wrong += jobs(arguments.runner, folder + "/run", work)
        if "sources" in more:
            wrong += sources(arguments.runner, folder + "/run", work, folder + "/root", folder)
    for line in wrong:
        print("FAIL:", line)
    print(f"Mesa {version}: {len(chosen) + len(more)} clients, {len(wrong)} failures that are not listed")
    sys.exit(1 if wrong or not chosen + more else 0)


main()
