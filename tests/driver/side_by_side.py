#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same kernel through Mesa's Vulkan driver and through drm/: what each gives to the hardware, word by word.

  side_by_side.py [--show] [--only NAME] AGX_RUNNER SCRIPT DRIVER

Each kernel of KERNELS is written once and becomes GLSL (compiled by glslang, run by build/tests/driver/driver_script on
the driver that ci/mesa-driver built) and OpenCL C (run by `agx-runner exec`). Both save their jobs. The launch, the
barrier, the USC words, the uniforms and the program of the two jobs are compared.

Invariant: each difference is one that EXPLAINED names, and the answers of the two are equal, bit by bit. An explanation
that no kernel needs is an error too. The two tables are in docs/driver.md.

Exit: 0 as explained, 1 not, 77 no driver or no glslang.
"""
import argparse
import collections
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import streams

DEVICES = ("virtual:m1", "virtual:m2-max")
THREADS, GROUP = 256, 64

GLSL = """#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_ballot : enable
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(push_constant) uniform Arguments { Words o; Words a; Words b; uint n; };
#define A(i) a.v[i]
#define B(i) b.v[i]
#define O(i) o.v[i]
#define F(x) uintBitsToFloat(x)
#define U(x) floatBitsToUint(x)
#define I(x) int(x)
#define TO_UINT(x) uint(x)
#define TO_INT(x) int(x)
#define TO_FLOAT(x) float(x)
#define POPCOUNT(x) uint(bitCount(x))
#define FMA(x, y, z) fma(x, y, z)
#define RSQRT(x) inversesqrt(x)
#define FABS(x) abs(x)
#define FLOOR(x) floor(x)
#define MIX(x, y, t) mix(x, y, t)
#define LOCAL_ID gl_LocalInvocationID.x
#define GROUP_ID gl_WorkGroupID.x
#define BARRIER barrier()
#define ADD(i, x) atomicAdd(o.v[i], x)
#define MAX(i, x) atomicMax(o.v[i], x)
#define XOR(i, x) atomicXor(o.v[i], x)
#define SUM(x) subgroupAdd(x)
#define SHUFFLE(x, i) subgroupShuffle(x, i)
#define MULHI(x, y) mulhi(x, y)
#define NOT(x) (!(x))
uint mulhi(uint x, uint y) { uint high, low; umulExtended(x, y, high, low); return high; }
%s
void main() { uint i = gl_GlobalInvocationID.x; %s }
"""
OPENCL = """#define A(i) a[i]
#define B(i) b[i]
#define O(i) o[i]
#define F(x) as_float(x)
#define U(x) as_uint(x)
#define I(x) as_int(x)
#define TO_UINT(x) ((uint)(x))
#define TO_INT(x) ((int)(x))
#define TO_FLOAT(x) ((float)(x))
#define POPCOUNT(x) popcount(x)
#define FMA(x, y, z) fma(x, y, z)
#define RSQRT(x) native_rsqrt(x)
#define FABS(x) fabs(x)
#define FLOOR(x) floor(x)
#define MIX(x, y, t) mix(x, y, t)
#define LOCAL_ID ((uint)get_local_id(0))
#define GROUP_ID ((uint)get_group_id(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ADD(i, x) atomic_add(&o[i], x)
#define MAX(i, x) atomic_max(&o[i], x)
#define XOR(i, x) atomic_xor(&o[i], x)
#define SUM(x) sub_group_reduce_add(x)
#define SHUFFLE(x, i) sub_group_shuffle(x, i)
#define MULHI(x, y) mul_hi(x, y)
#define NOT(x) (!(x))
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void k(__global uint *o, __global uint *a, __global uint *b, uint n) {
  %s
  uint i = get_global_id(0); %s }
"""

# Name, body, and the words of threadgroup memory `s` (0: none).
KERNELS = [(name, body, shared) for name, shared, body in (line.split("|", 2) for line in """\
constant|0|O(i) = 4711u;
index|0|O(i) = i;
argument|0|O(i) = n;
copy|0|O(i) = A(i);
add|0|O(i) = A(i) + B(i);
subtract|0|O(i) = A(i) - B(i);
multiply|0|O(i) = A(i) * B(i);
multiply-add|0|O(i) = A(i) * B(i) + i;
scale|0|O(i) = A(i) * n;
shift-left|0|O(i) = A(i) << (B(i) & 31u);
shift-right|0|O(i) = A(i) >> (B(i) & 31u);
shift-signed|0|O(i) = TO_UINT(I(A(i)) >> 3);
and-or|0|O(i) = (A(i) & B(i)) | (i << 8);
xor-not|0|O(i) = ~(A(i) ^ B(i));
popcount|0|O(i) = POPCOUNT(A(i));
high-product|0|O(i) = MULHI(A(i), B(i));
minimum|0|O(i) = min(A(i), B(i));
maximum-signed|0|O(i) = TO_UINT(max(I(A(i)), I(B(i))));
clamp|0|O(i) = clamp(A(i), 100u, 40000u);
divide|0|O(i) = A(i) / (B(i) | 1u);
remainder|0|O(i) = A(i) % (B(i) | 1u);
divide-constant|0|O(i) = A(i) / 7u;
select|0|O(i) = A(i) < B(i) ? A(i) : n;
compare|0|O(i) = TO_UINT(I(A(i)) > I(B(i)));
float-add|0|O(i) = U(F(A(i)) + F(B(i)));
float-multiply|0|O(i) = U(F(A(i)) * F(B(i)));
float-fma|0|O(i) = U(FMA(F(A(i)), F(B(i)), 1.5f));
float-rsqrt|0|O(i) = U(RSQRT(TO_FLOAT(A(i) & 4095u) + 1.0f));
float-floor|0|O(i) = U(FLOOR(TO_FLOAT(A(i)) * 0.125f));
float-abs|0|O(i) = U(FABS(F(A(i))) + 1.0f);
float-from-int|0|O(i) = U(TO_FLOAT(I(A(i))));
float-to-int|0|O(i) = TO_UINT(TO_INT(TO_FLOAT(A(i) & 65535u) * 0.5f));
float-min|0|O(i) = U(min(TO_FLOAT(A(i)), TO_FLOAT(B(i))));
gather|0|O(i) = A(B(i) & 255u);
scatter|0|O((i * 7u) & 255u) = A(i);
neighbours|0|O(i) = A(i) + A((i + 1u) & 255u) + A((i + 2u) & 255u);
if|0|if (A(i) > 1000u) O(i) = A(i); else O(i) = B(i) + 1u;
if-nested|0|uint x = A(i); if ((x & 1u) != 0u) { if ((x & 2u) != 0u) x += B(i); else x -= n; } O(i) = x;
loop|0|uint x = 0u; for (uint k = 0u; k < n; k++) x = x * 3u + A((i + k) & 255u); O(i) = x;
loop-dynamic|0|uint x = A(i) & 15u, y = 1u; while (x > 0u) { y = y * 5u + x; x--; } O(i) = y;
loop-break|0|uint x = A(i), k = 0u; for (; k < 32u; k++) { if ((x & 1u) != 0u) break; x >>= 1; } O(i) = k;
unrolled|0|uint x = A(i); for (int k = 0; k < 4; k++) x = x * 1664525u + 1013904223u; O(i) = x;
shared-reverse|64|s[LOCAL_ID] = A(i); BARRIER; O(i) = s[63u - LOCAL_ID];
shared-sum|64|s[LOCAL_ID] = A(i); BARRIER; uint x = 0u; for (uint k = 0u; k < 64u; k++) x += s[k]; O(i) = x;
shared-large|2048|s[LOCAL_ID * 32u] = A(i); BARRIER; O(i) = s[(LOCAL_ID ^ 1u) * 32u];
group|0|O(i) = GROUP_ID * 1000u + LOCAL_ID;
atomic-add|0|ADD(i & 15u, A(i));
atomic-max|0|MAX(i & 7u, A(i));
atomic-xor|0|XOR(i & 31u, B(i));
stack|0|uint t[256]; for (uint k = 0u; k < 256u; k++) t[(k * 5u + A(i)) & 255u] = k ^ i; O(i) = t[B(i) & 255u] + t[(A(i) + 9u) & 255u];
many-values|0|uint x = 0u; uint c = A(i), d = B(i), e = A((i + 3u) & 255u), f = B((i + 5u) & 255u); x = (c ^ d) * (e | f) + (c + f) * (d ^ e) + (c * e) + (d * f); O(i) = x;
""".splitlines())]


def inputs():
    """Words without a pattern that a kernel could share."""
    state, words = 1, []
    for _ in range(2 * THREADS):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        words.append(state >> 8)
    return words[:THREADS], words[THREADS:]


class Side:
    """What one saved job gives to the hardware."""

    def __init__(self, job, disassemble):
        command = streams.command_fields(job.commands[0])
        blocks = list(streams.blocks(job, command["stream"]))
        launch = next(i for i, block in enumerate(blocks) if block[0] == "launch")
        self.word = struct.unpack("<I", blocks[launch][1][:4])[0]
        self.rest = blocks[launch][1][8:].hex()
        self.after = [block[1].hex() for block in blocks[launch + 1:]]
        words = list(streams.usc_words(job, blocks[launch][3]))
        self.order = [name for name, _, _ in words]
        self.usc = {name: raw for name, raw, _ in words}
        self.uniforms = [(streams.bits(struct.unpack("<Q", raw)[0], 8, 8), struct.unpack("<Q", raw)[0] >> 20 & 63 or 64)
                         for name, raw, _ in words if name == "uniform"]
        binary = command["helper_binary"]
        self.helper = bool(binary)
        self.helper_code = streams.code(job, job.usc_base + (binary & ~1)) if binary else b""
        self.scratch = list(streams.scratch_lines(job, command["helper_data"])) if binary else []
        self.samplers = command["sampler_count"]
        self.programs = {name: streams.code(job, job.usc_base + streams.bits(int.from_bytes(self.usc[word], "little"), low, 32))
                         for name, word, low in (("main", "shader", 16), ("preamble", "preshader", 32)) if word in self.usc}
        self.text = disassemble(self.programs["main"])


THREAD_ID = re.compile(r"mov +r\d+, (thread_in_grid_x|threadgroup_in_grid_x|thread_in_threadgroup_x)$|iadd +(r\d+), \2\.sx, u\d+\.sx$|"
                       r"imadd +r\d+, r\d+\.sx, 64, r\d+\.sx$")


def normal(lines):
    """Instructions without those of the thread ID and the signs of indices, with registers and uniforms numbered in the
    order in which they appear."""
    names, out = {}, []
    for line in lines:
        if THREAD_ID.match(line):
            continue
        if re.match(r"(load|store|atomic)", line):
            line = line.replace(".sx", "")
        line = re.sub(r"\b(d?u|d?r)(\d+)([hl]?)\b", lambda m: m[1] + "#" + str(names.setdefault(m[1][-1] + m[2], len(names))) + m[3], line)
        out.append(re.sub(" +", " ", line))
    return out


def unordered(lines):
    return sorted(re.sub(r"#\d+", "", line) for line in normal(lines))


def compare(ours, theirs):
    """{what: explanation's key} of each difference."""
    found = {}
    for name, low, count in (("uniform count", 1, 3), ("texture count", 4, 5), ("sampler count", 9, 3), ("preamble registers", 12, 4),
                             ("launch mode", 27, 5)):
        if streams.bits(ours.word, low, count) != streams.bits(theirs.word, low, count):
            found[name] = f"{streams.bits(ours.word, low, count)} and {streams.bits(theirs.word, low, count)}"
    if ours.rest != theirs.rest:
        found["grid and group"] = f"{ours.rest} and {theirs.rest}"
    if ours.after != theirs.after:
        found["blocks after the launch"] = f"{ours.after} and {theirs.after}"
    if [name for name in ours.order if name != "uniform"] != [name for name in theirs.order if name != "uniform"]:
        found["preamble"] = f"{ours.order[-1]} and {theirs.order[-1]}"
    if ours.uniforms != theirs.uniforms:
        found["uniform bindings"] = f"{ours.uniforms} and {theirs.uniforms}"
    for name in "shared", "sampler":
        if ours.usc.get(name) != theirs.usc.get(name):
            found[f"USC {name}"] = f"{ours.usc.get(name)} and {theirs.usc.get(name)}"
    if ours.usc["shader"][:2] != theirs.usc["shader"][:2]:
        found["USC shader flags"] = f"{ours.usc['shader'][:2].hex()} and {theirs.usc['shader'][:2].hex()}"
    left, right = (int.from_bytes(side.usc["registers"], "little") for side in (ours, theirs))
    for name, mask in (("register count", 0x1F00), ("spill bucket", 0x3C0000), ("registers bit 24", 1 << 24), ("registers, other bits", ~0x13D1FFF)):
        if (left ^ right) & mask & 0xFFFFFFFF:
            found[name] = f"{left:#x} and {right:#x}"
    if "preshader" in ours.usc and "preshader" in theirs.usc and ours.usc["preshader"][:4] != theirs.usc["preshader"][:4]:
        found["USC preshader flags"] = "different"
    if ours.helper != theirs.helper:
        found["helper program"] = f"{ours.helper} and {theirs.helper}"
    if ours.helper_code != theirs.helper_code:
        found["helper program's code"] = f"{len(ours.helper_code)} and {len(theirs.helper_code)} bytes"
    if ours.scratch != theirs.scratch:
        found["scratch"] = f"{ours.scratch} and {theirs.scratch}"
    if ours.samplers != theirs.samplers:
        found["sampler heap"] = f"{ours.samplers} and {theirs.samplers}"
    if ours.programs["main"] != theirs.programs["main"]:
        if normal(ours.text) == normal(theirs.text):
            found["program: thread ID and indices"] = f"{len(ours.text)} instructions"
        elif unordered(ours.text) == unordered(theirs.text):
            found["program: registers or order"] = f"{len(ours.text)} instructions"
        else:
            found["program: instructions"] = f"{len(ours.text)} and {len(theirs.text)} instructions"
    return found


# What may differ, and why. docs/driver.md has the same rows.
EXPLAINED = {
    "uniform count": "the driver puts its root table at half 104",
    "uniform bindings": "drm/ binds the arguments; the driver binds the addresses of its root table and image heap",
    "preamble": "drm/ leaves out a preamble that the kernel does not need",
    "registers bit 24": "the driver's linked shaders set it, its precompiled kernels do not",
    "sampler heap": "the driver names its heap in each command",
    "program: thread ID and indices": "the same instructions but for the thread's ID and the signs of indices",
    "program: registers or order": "also allocated or scheduled otherwise",
    "program: instructions": "clang merges loads and turns branches around, glslang does not",
}


class Tools:
    def __init__(self, settings, work):
        self.settings, self.work = settings, work
        self.env = {**os.environ, "AGX_VGPU_NODE": "190", "VK_DRIVER_FILES": settings.driver, "VK_ICD_FILENAMES": settings.driver}

    def run(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, env=self.env, timeout=300, check=False)
        if done.returncode:
            print(f"side_by_side: {' '.join(words[:6])} ...: exit {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
            sys.exit(1)
        return done.stdout

    def disassemble(self, code):
        path = os.path.join(self.work, "code.bin")
        with open(path, "wb") as file:
            file.write(code)
        lines = self.run(self.settings.runner, "disasm", path).splitlines()
        return [re.sub(r"^\s*[0-9a-f]+:\s*([0-9a-f]{2,}\s+)*", "", line).strip() for line in lines if line.strip()]

    def jobs(self, folder):
        return [streams.Job(path) for path in sorted(glob.glob(folder + "/*.agxjob"))]

    def theirs(self, device, kernels):
        """{name: (Side, answers)} of all kernels, in one process."""
        folder, script = os.path.join(self.work, "theirs"), os.path.join(self.work, "script")
        shutil.rmtree(folder, ignore_errors=True)
        a, b = inputs()
        with open(script, "w", encoding="utf-8") as file:
            for name, body, shared in kernels:
                source, spirv = (os.path.join(self.work, name + suffix) for suffix in (".comp", ".spv"))
                with open(source, "w", encoding="utf-8") as text:
                    text.write(GLSL % (f"shared uint s[{shared}];" if int(shared) else "", body))
                self.run("glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", "-o", spirv, source)
                file.write(f"test {name}\n")
                for binding in range(3):
                    file.write(f"storage {binding} {4 * THREADS}\n")
                for binding, words in ((1, a), (2, b)):
                    file.write(f"put {binding} 0 {' '.join(f'{word:x}' for word in words)}\n")
                file.write(f"pointer 0\npointer 1\npointer 2\npush 5\ndispatch {spirv} {THREADS // GROUP} 1 1\nget 0 0 {THREADS}\n")
        text = self.run(self.settings.runner, "with-device", "--device", device, "--trace", folder, "--", self.settings.script, script)
        answers = [line.split() for line in text.splitlines() if re.match(r"[0-9a-f]{8} ", line)]
        jobs = self.jobs(folder)
        if not len(jobs) == len(answers) == len(kernels):
            print(f"side_by_side: {len(jobs)} jobs, {len(answers)} answers for {len(kernels)} kernels")
            sys.exit(1)
        return {name: (Side(job, self.disassemble), [int(word, 16) for word in answer])
                for (name, _, _), job, answer in zip(kernels, jobs, answers)}

    def ours(self, device, kernel):
        name, body, shared = kernel
        folder, source, out = (os.path.join(self.work, what) for what in ("ours", name + ".cl", "out.bin"))
        shutil.rmtree(folder, ignore_errors=True)
        with open(source, "w", encoding="utf-8") as file:
            file.write(OPENCL % (f"__local uint s[{shared}];" if int(shared) else "", body))
        arguments = []
        for number, words in enumerate(inputs(), 1):
            path = os.path.join(self.work, f"in{number}.bin")
            with open(path, "wb") as file:
                file.write(struct.pack(f"<{THREADS}I", *words))
            arguments += ["-b", f"{number}=u32[{THREADS}]:@{path}"]
        self.run(self.settings.runner, "exec", "-d", f"{device},record={folder}", source, "-g", str(THREADS), "-t", str(GROUP), "-b",
                 f"0=u32[{THREADS}]", *arguments, "-a", "3=5", "--dump", f"0={out}")
        with open(out, "rb") as file:
            answers = list(struct.unpack(f"<{THREADS}I", file.read()))
        return Side(self.jobs(folder)[0], self.disassemble), answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", help="print programs that differ in this: thread, registers or instructions")
    parser.add_argument("--only", default="")
    for name in "runner", "script", "driver":
        parser.add_argument(name, type=os.path.abspath)
    settings = parser.parse_args()
    if not os.path.exists(settings.driver) or not shutil.which("glslangValidator"):
        print(f"skipped: no driver {settings.driver} (ci/mesa-driver subprojects/mesa-25.0.7 builds it), or no glslangValidator")
        return 77
    with tempfile.TemporaryDirectory() as work:
        return run(settings, Tools(settings, work))


def run(settings, tools):
    kernels, counts, bad = [kernel for kernel in KERNELS if settings.only in kernel[0]], collections.Counter(), 0
    for device in DEVICES:
        theirs = tools.theirs(device, kernels)
        for kernel in kernels:
            name = kernel[0]
            (our_side, our_answers), (their_side, their_answers) = tools.ours(device, kernel), theirs[name]
            found = compare(our_side, their_side)
            unknown = {what: text for what, text in found.items() if what not in EXPLAINED}
            if our_answers != their_answers:
                at = next(i for i in range(THREADS) if our_answers[i] != their_answers[i])
                unknown["answers"] = f"{at}: {our_answers[at]:#x} and {their_answers[at]:#x}"
            counts.update(what for what in found)
            counts["program: byte for byte"] += not any(what.startswith("program") for what in found)
            bad += bool(unknown)
            for what, text in unknown.items():
                print(f"{device} {name}: {what}: {text}")
            if settings.show and any(what.startswith("program: " + settings.show) for what in found):
                for side in (our_side, their_side):
                    print(f"--- {device} {name}", *side.text, sep="\n")
    print(f"{len(kernels)} kernels on {' and '.join(DEVICES)}: {bad} with differences that are not explained")
    for what, count in sorted(counts.items()):
        print(f"{count:4} of {len(kernels) * len(DEVICES)}  {what}{': ' + EXPLAINED[what] if what in EXPLAINED else ''}")
    unused = [what for what in EXPLAINED if not counts[what]]
    if unused and not settings.only:
        print(f"explanations without a difference: {', '.join(unused)}")
        return 1
    return bad > 0 or not kernels


if __name__ == "__main__":
    sys.exit(main())
