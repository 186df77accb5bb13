#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Piglit's compute shader tests through Mesa's Vulkan driver on the virtual GPU.

  piglit.py [--device DEVICE] [--only TEXT] [--every N] [--json FILE] AGX_RUNNER SCRIPT DRIVER FOLDER

FOLDER     is searched for *.shader_test files, of which those are taken that have compute shaders alone
SCRIPT     build/tests/driver/driver_script
DRIVER     the manifest that ci/mesa-driver printed
--every    of the generated tests (`cs-*`), which are many, take each Nth

The GLSL is compiled by glslang with its relaxed rules: uniforms outside of blocks become a uniform block, atomic counters
a storage buffer. What a test asks of OpenGL beyond that is a reason to skip it. The expected values are the file's.
Invariant: a test passes only where every probe of the file was compared.

Exit: 0 none failed, 1 some did, 77 nothing to run.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

COMPUTE, STAGES = "compute shader", ("vertex shader", "fragment shader", "geometry shader", "tessellation")
IMAGES, BUFFERS, COUNTERS, BINDINGS = 4, 12, 8, 32  # first bindings of a kind; a test has few of each
FORMATS = {"GL_RGBA8": "rgba8", "GL_RGBA32F": "rgba32f", "GL_R32UI": "r32ui", "GL_R32I": "r32i"}
# What the driver or glslang does not have, and what is another API's.
REQUIRES = {"GL_ARB_gpu_shader_fp64": "doubles: the GPU has none", "GL_ARB_bindless_texture": "bindless textures",
            "GL_ARB_compute_variable_group_size": "variable group size", "GL_ARB_gl_spirv": "SPIR-V for OpenGL",
            "GL_NV_compute_shader_derivatives": "derivatives in compute shaders",
            "GL_NV_shader_atomic_int64": "64-bit atomics: the GPU has none", "GL_NV_shader_atomic_float": "atomics of float",
            "GL_INTEL_shader_atomic_float_minmax": "atomics of float", "GL_ARB_shader_clock": "shader clock",
            "GL_AMD_shader_trinary_minmax": "an extension of SPIR-V that the driver does not have"}


class Skip(Exception):
    """Why a test is not run."""


def sections(text):
    """[(name, text)] of a file."""
    parts = re.split(r"^\[([^\]\n]+)\][^\n]*\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


class Test:
    def __init__(self, path, name):
        self.name, self.skip, self.commands, self.spirv = name, "", [], ""
        with open(path, encoding="utf-8", errors="replace") as file:
            self.parts = sections(file.read())
        self.require = next((text for kind, text in self.parts if kind == "require"), "")
        self.shaders = [text for kind, text in self.parts if kind == COMPUTE]
        self.lines = next((text for kind, text in self.parts if kind == "test"), "").splitlines()
        self.expected = []  # (what, words, check(words) -> bool)

    def is_compute(self):
        return COMPUTE in [kind for kind, _ in self.parts] and not any(kind.startswith(STAGES) for kind, _ in self.parts)

    def sources(self):
        self.blocks = {}  # name of a storage block: its binding in OpenGL
        return [self.source(text) for text in self.shaders]

    def source(self, text):
        for word, why in REQUIRES.items():
            if word in self.require or word in text:
                raise Skip(why)
        text = re.sub(r"^\s*#version[^\n]*\n", "", text, flags=re.M)
        if re.search(r"\b(d?sampler\w*|imageLoad|imageAtomic\w*|imageSize)\b", text):
            raise Skip("textures with contents")
        if re.search(r"\bdouble\b|\bd(vec|mat)\d", text):
            raise Skip(REQUIRES["GL_ARB_gpu_shader_fp64"])
        for layout, name in re.findall(r"(?:layout\s*\(([^)]*)\)\s*)?(?:\b(?:coherent|volatile|restrict|readonly|writeonly)\s+)*\bbuffer\s+(\w+)", text):
            found = re.search(r"binding\s*=\s*(\d+)", layout)
            self.blocks[name] = int(found[1]) if found else 0
        # Counters and storage blocks are one kind in Vulkan: the counters get bindings of their own.
        text = re.sub(r"(layout\s*\([^)]*\bbinding\s*=\s*)(\d+)([^)]*\)\s*uniform\s+atomic_uint)",
                      lambda m: f"{m[1]}{int(m[2]) + COUNTERS}{m[3]}", text)
        return "#version 460\n" + text

    def compile(self, folder, number):
        """Fills spirv and what glslang says of bindings and offsets."""
        paths = []
        for text in self.sources():
            paths.append(os.path.join(folder, f"{number}-{len(paths)}.comp"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        self.spirv = os.path.join(folder, f"{number}.spv")
        done = subprocess.run(["glslangValidator", "-V", "-R", "--amb", "--aml", "-q", "--target-env", "vulkan1.1", "--shift-image-binding",
                               str(IMAGES), "--shift-ssbo-binding", str(BUFFERS), "-o", self.spirv, *paths],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            error = re.search(r"ERROR: (?!\d+ comp)[^\n]*", done.stdout)
            raise Skip("glslang: " + re.sub(r"^ERROR: \S+: ", "", error[0]) if error else "glslang")
        self.uniforms, self.bindings = {}, {}
        for name, offset, kind, size, binding, rest in re.findall(
                r"^(\S+): offset (-?\d+), type ([0-9a-f]+), size (\d+), index -?\d+, binding (-?\d+)(.*)$", done.stdout, re.M):
            if kind == "ffffffff":
                self.bindings[name] = (int(binding), int(size))
            else:
                stride = re.search(r"arrayStride (\d+)", rest)
                self.uniforms[re.sub(r"\[0\]$", "", name)] = (int(offset), int(binding), int(stride[1]) if stride else 16)
        if any(not 0 <= binding < BINDINGS or "[" in name for name, (binding, _) in self.bindings.items()):
            raise Skip("arrays of blocks")

    # ---- The [test] section ----

    def prepare(self):
        """Fills commands and expected."""
        self.state = {"textures": {}, "image units": {}, "unit of": {}, "fb": None, "counters": {}, "buffers": {}, "dispatches": 0}
        self.body = []
        for line in self.lines:
            line = re.sub(r"\s+", " ", line.split("#")[0]).strip()
            if line:
                self.command(line)
        if not self.state["dispatches"] or not self.expected:
            raise Skip("a test of the linker alone" if "link" in " ".join(self.lines) else "no dispatch or no probe")
        out = [f"test {self.name}"]
        for name, (binding, size) in self.bindings.items():
            if name == "gl_DefaultUniformBlock":
                out.append(f"uniform {binding} {size}")
            elif name.startswith("gl_AtomicCounterBlock_"):
                out.append(f"storage {binding} {4 * max([size // 4] + [count for count in self.state['counters'].values()])}")
            elif name in self.blocks:
                out.append(f"storage {binding} {max(size, 4, self.state['buffers'].get(self.blocks[name], 0)) + 3 & ~3}")
            else:
                raise Skip("uniform blocks")
        for name, (offset, binding, _) in self.uniforms.items():
            if offset == -1 and binding >= 0 and name not in self.bindings:
                unit = self.state["image units"].get(self.state["unit of"].get(name, 0))
                if not unit:
                    raise Skip("an image without a texture")
                out.append(f"image {binding} {unit[0]} {unit[1]} {unit[2]}")
        self.commands = out + self.body

    def counter_binding(self, buffer):
        found = self.bindings.get(f"gl_AtomicCounterBlock_{buffer + COUNTERS}") or self.bindings.get(f"gl_AtomicCounterBlock_{buffer}")
        if not found:
            raise Skip("a counter without a block")
        return found[0]

    def buffer_binding(self, number):
        for name, binding in self.blocks.items():
            if binding == number and name in self.bindings:
                return self.bindings[name][0]
        raise Skip("a buffer without a block")

    def image_binding(self):
        """(binding, width, height) of the image whose texture is the framebuffer."""
        for name, (offset, binding, _) in self.uniforms.items():
            unit = self.state["image units"].get(self.state["unit of"].get(name, 0))
            if offset == -1 and binding >= 0 and unit and self.state["fb"] == unit[3]:
                return binding, unit[1], unit[2], unit[0]
        raise Skip("a probe of what no image is")

    def set_uniform(self, kind, name, values):
        index = re.search(r"\[(\d+)\]$", name)
        plain = re.sub(r"\[\d+\]$", "", name)
        if plain not in self.uniforms:
            raise Skip(f"uniform {plain} is not in use")
        offset, _, stride = self.uniforms[plain]
        if offset == -1:
            self.state["unit of"][plain] = int(values[0])
            return
        if index:
            offset += int(index[1]) * stride
        binding = self.bindings["gl_DefaultUniformBlock"][0]
        columns, rows = 1, len(values)
        matrix = re.match(r"mat(\d)(?:x(\d))?$", kind)
        if matrix:
            columns, rows = int(matrix[1]), int(matrix[2] or matrix[1])
        for column in range(columns):
            words = [word for value in values[column * rows:(column + 1) * rows] for word in to_words(kind, value)]
            self.body.append(f"put {binding} {offset + 16 * column} {' '.join(words)}")

    def expect(self, what, binding, offset, count, check):
        self.body.append(f"get {binding} {offset} {count}")
        self.expected.append((what, check))

    def probe_pixels(self, line, x, y, colour, whole):
        binding, width, height, form = self.image_binding()
        if form != "rgba8":
            raise Skip(f"a probe of format {form}")
        first, count = (0, width * height) if whole else (y * width + x, 1)
        if first + count > width * height:
            raise Skip("a probe beyond the image")

        def check(words):
            return len(words) == count and all(abs((word >> 8 * i & 255) / 255 - part) <= 0.01 for word in words for i, part in enumerate(colour))
        self.expect(line, binding, first, count, check)

    def command(self, line):
        words = line.split()
        if match := re.match(r"uniform (\w+) ([\w.\[\]]+) (.+)$", line):
            self.set_uniform(match[1], match[2], match[3].split())
        elif match := re.match(r"compute (\d+) (\d+) (\d+)$", line):
            self.state["dispatches"] += 1
            self.body.append(f"dispatch {self.spirv} {match[1]} {match[2]} {match[3]}")
        elif match := re.match(r"texture rgbw (\d+) \((\d+), ?(\d+)\) ?(\w*)$", line):
            self.state["textures"][int(match[1])] = (int(match[2]), int(match[3]))
        elif match := re.match(r"image texture (\d+) (\w+)$", line):
            unit = int(match[1])
            if match[2] not in FORMATS or unit not in self.state["textures"]:
                raise Skip(f"image of {match[2]}")
            self.state["image units"][unit] = (FORMATS[match[2]], *self.state["textures"][unit], unit)
        elif match := re.match(r"fb tex 2d (\d+)$", line):
            self.state["fb"] = int(match[1])
        elif words[0] == "clear" or line == "memory barrier GL_SHADER_STORAGE_BARRIER_BIT":
            pass
        elif match := re.match(r"ssbo (\d+) (\d+)$", line):
            self.state["buffers"][int(match[1])] = int(match[2])
        elif match := re.match(r"ssbo (\d+) subdata (\w+) (\d+) (.+)$", line):
            values = [word for value in match[4].split() for word in to_words(match[2], value)]
            self.body.append(f"put {self.buffer_binding(int(match[1]))} {match[3]} {' '.join(values)}")
        elif match := re.match(r"atomic counters (\d+)$", line):
            self.state["counters"][0] = int(match[1])
        elif match := re.match(r"atomic counter buffer (\d+) (\d+)$", line):
            self.state["counters"][int(match[1])] = int(match[2])
        elif match := re.match(r"atomic counter (\d+) (\d+) (\d+)$", line):
            self.body.append(f"put {self.counter_binding(int(match[1]))} {4 * int(match[2])} {int(match[3]):x}")
        elif match := re.match(r"probe atomic counter (?:buffer (\d+) )?(\d+) (==|!=|<|<=|>|>=) (\d+)$", line):
            self.expect(line, self.counter_binding(int(match[1] or 0)), 4 * int(match[2]), 1, compare("uint", match[3], match[4]))
        elif match := re.match(r"probe ssbo (uint|int|float) (\d+) (\d+) (==|!=|<|<=|>|>=) (\S+)$", line):
            self.expect(line, self.buffer_binding(int(match[2])), int(match[3]), 1, compare(match[1], match[4], match[5]))
        elif match := re.match(r"probe rgba? (\d+) (\d+) (.+)$", line):
            colour = [float(word) for word in match[3].split()]
            self.probe_pixels(line, int(match[1]), int(match[2]), colour[:4 if words[1] == "rgba" else 3], False)
        elif match := re.match(r"probe all rgba (.+)$", line):
            self.probe_pixels(line, 0, 0, [float(word) for word in match[1].split()], True)
        else:
            raise Skip("command `" + " ".join(word for word in words if not re.match(r"[\d(.-]", word)) + "`")


def to_words(kind, value):
    """A value of a uniform or buffer as words."""
    if re.search(r"64", kind):
        number = int(value, 0) & (1 << 64) - 1
        return [f"{number & 0xFFFFFFFF:x}", f"{number >> 32:x}"]
    if kind.startswith(("float", "vec", "mat")):
        return [f"{struct.unpack('<I', struct.pack('<f', real(value)))[0]:x}"]
    return [f"{int(value, 0) & 0xFFFFFFFF:x}"]


def real(text):
    """A float, also by its bits."""
    return struct.unpack("<f", struct.pack("<I", int(text, 16)))[0] if text.startswith("0x") else float(text)


def compare(kind, operator, text):
    def check(words):
        value = words[0] if words else None
        if value is None:
            return False
        if kind == "float":
            value, wanted = struct.unpack("<f", struct.pack("<I", value))[0], real(text)
            if operator == "==":
                return abs(value - wanted) <= 0.01
        else:
            wanted = int(text, 0)
            value = value - (1 << 32) if kind == "int" and value >> 31 else value
            wanted = wanted & 0xFFFFFFFF if kind == "uint" else wanted
        return {"==": value == wanted, "!=": value != wanted, "<": value < wanted, "<=": value <= wanted, ">": value > wanted,
                ">=": value >= wanted}[operator]
    return check


def run_scripts(settings, tests, work):
    """{name: [words of each probe]}; a test at which the program ends gets what it printed, and the reason."""
    answers, reasons, left = {}, {}, list(tests)
    path, report = os.path.join(work, "script"), os.path.join(work, "report")
    while left:
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for test in left for line in test.commands))
        done = subprocess.run([settings.runner, "with-device", "--ignore-faults", "--device", settings.device, "--", settings.script, path], capture_output=True,
                              text=True, env={**os.environ, "VK_DRIVER_FILES": settings.driver, "VK_ICD_FILENAMES": settings.driver},
                              timeout=3600, check=False)
        current = None
        for line in done.stdout.splitlines():
            if line.startswith("test "):
                current = line[5:]
                answers[current] = []
            elif current and re.match(r"[0-9a-f]{8}( |$)", line):
                answers[current].append([int(word, 16) for word in line.split()])
        with open(report, "a", encoding="utf-8") as file:
            file.write(done.stderr)
        if done.returncode == 0:
            break
        names = [test.name for test in left]
        at = names.index(current) if current else -1
        if at < 0:
            print(done.stderr[-2000:])
            sys.exit(1)
        reasons[current] = next((line.strip() for line in done.stderr.splitlines() if re.search("last fault|vulkan:|script:", line)),
                                f"the program ended with {done.returncode}")
        left = left[at + 1:]
    return answers, reasons


def find(folder):
    out = []
    for place, _, files in os.walk(folder):
        out += [os.path.join(place, file) for file in files if file.endswith(".shader_test")]
    return sorted(out)


def results_of(settings, work):
    tests, results, generated = [], {}, 0
    for number_of, path in enumerate(find(settings.folder)):
        name = os.path.relpath(path, settings.folder)[:-len(".shader_test")].replace(" ", "_")
        generated += os.path.basename(name).startswith("cs-")
        if settings.only in name and (not os.path.basename(name).startswith("cs-") or generated % settings.every == 0):
            test = Test(path, name)
            if test.is_compute():
                tests.append((number_of, test))

    def prepare(item):
        try:
            item[1].compile(work, item[0])
            item[1].prepare()
        except Skip as why:
            results[item[1].name] = ("skip", str(why))
        except ValueError as why:
            results[item[1].name] = ("skip", f"not understood: {why}")

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(prepare, tests))
    ready = [test for _, test in tests if test.name not in results]
    answers, reasons = run_scripts(settings, ready, work)
    for test in ready:
        given = answers.get(test.name, [])
        wrong = next((f"{what}: {' '.join(f'{word:08x}' for word in given[i][:4])}" for i, (what, check) in enumerate(test.expected)
                      if i < len(given) and not check(given[i])), None)
        if test.name in reasons or wrong or len(given) != len(test.expected):
            results[test.name] = ("fail", reasons.get(test.name) or wrong or f"{len(given)} of {len(test.expected)} probes")
        else:
            results[test.name] = ("pass", "")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="virtual:m1")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--json")
    for name in "runner", "script", "driver", "folder":
        parser.add_argument(name, type=os.path.abspath)
    settings = parser.parse_args()
    if not os.path.exists(settings.driver) or not os.path.isdir(settings.folder):
        print(f"skipped: no driver {settings.driver} (ci/mesa-driver), or no folder {settings.folder} (ci/setup.sh --use test)")
        return 77
    with tempfile.TemporaryDirectory() as work:
        results = results_of(settings, work)
    counts = collections.Counter(status for status, _ in results.values())
    if settings.json:
        with open(settings.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1, sort_keys=True)
    for name, (status, why) in sorted(results.items()):
        if status == "fail":
            print(f"FAIL  {name}: {why}")
    for why, count in collections.Counter(why for status, why in results.values() if status == "skip").most_common():
        print(f"{count:5} skipped: {why}")
    print(f"{settings.device}: {counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return 77 if not counts["pass"] and not counts["fail"] else counts["fail"] > 0


if __name__ == "__main__":
    sys.exit(main())
