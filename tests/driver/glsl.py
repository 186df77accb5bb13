#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shaders of every kind through `exec --mesa`: Honeykrisp's answers on the virtual GPU beside lavapipe's of the same Mesa.

  glsl.py [--suite SUITE | --mesa ROOT] AGX_RUNNER [TEST...]

Bit for bit, or within what Vulkan allows: one step of a filter's or a conversion's result. sRGB's decoding is compared with
its formula, to the 12 bits that the device has (docs/spec), since lavapipe's is an approximation.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import any_mesa

HERE = pathlib.Path(__file__).resolve().parent
SHADERS = HERE / "glsl"
OK, INVALID, FAILED = any_mesa.OK, any_mesa.INVALID, any_mesa.FAILED

# Options of the launch, by the shader's name; how far floats may be apart, as a part of the value.
LAUNCHES = {
    "push": (["--push", "f32:0.5,f32x2:3,-4", "--push", "u32:7,u32[3]:0,0,0,i32[3]:1,2,3,f32[2]:0.25,8", "--buf", "0.0=f32[128]", "--grid", "32"], 0),
    "special": (["--spec", "0=16", "--spec", "1=5", "--spec", "2=0.25", "--spec", "3=1", "--spec", "4=11", "--buf", "0.0=f32[48]",
                 "--grid", "48"], 0),
    "shared": (["--buf", "0.0=u32[512]:random", "--buf", "0.1=u32[512]", "--grid", "32,16"], 0),
    "subgroup": (["--buf", "0.0=u32[64]:random", "--buf", "0.1=u32[512]", "--grid", "64"], 0),
    "bytes": (["--buf", "0.0=i8[128]:random", "--buf", "0.1=u8[256]", "--grid", "64"], 0),
    "halves": (["--buf", "0.0=i16[128]:random", "--buf", "0.1=f16[128]", "--buf", "0.2=i16[128]", "--grid", "64"], 0),
    "longs": (["--buf", "0.0=u64[64]:random", "--buf", "0.1=u64[384]", "--grid", "64"], 0),
    "image_store": (["--image", "0.0=rgba8[16,8]:random", "--image", "0.1=rgba8[16,8]", "--grid", "16,8"], 0),
    "shapes": (["--image", "0.0=r32ui[4]:random", "--image", "0.1=r32ui[4,8]:random", "--image", "0.2=r32ui[4,4,6]:random", "--image",
                "0.3=r32ui[4,4,6]:random", "--image", "0.4=r32ui[4,4,6]:random", "--buf", "0.5=i32[16]", "--grid", "4,4,6"], 0),
    "sampled_shapes": (["--image", "0.0=rgba32f[4]:random", "--image", "0.1=rgba16f[4,4]:random", "--image", "0.2=rgba8[4,4,6]:random",
                        "--image", "0.3=r32f[4,4,6]:random", "--image", "0.4=rgba8[4,4,6]:random", "--image", "0.5=rg16[4,4,12]:random",
                        "--sampler", "0.3=linear,clamp", "--buf", "0.6=f32[2304]", "--grid", "4,4,6"], 2e-7),
    "sampler": (["--image", "0.0=rgba8[4,4]:iota", "--sampler", "0.0=linear,repeat", "--image", "0.1=rgba32f[4,4]:iota", "--sampler",
                 "0.2=linear,border", "--buf", "0.3=f32[2048]", "--grid", "16,16"], 2e-7),
    "gather": (["--image", "0.0=rg16f[8,4]:random", "--sampler", "0.0=nearest,mirror", "--image", "0.1=r16i[8,4]:random", "--sampler",
                "0.1=nearest,repeat", "--buf", "0.2=f32[512]", "--grid", "8,4"], 0),
    "image_atomic": (["--image", "0.0=r32ui[8,4]:iota", "--image", "0.1=r32i[4,2]:5", "--grid", "64"], 0),
    "texels": (["--image", "0.0=r32f[64]:iota", "--image", "0.1=rgba8ui[64]:random", "--image", "0.2=rgba8[64]:random", "--image",
                "0.3=r32ui[32]", "--grid", "32"], 0),
    "arrays": (["--buf", "0.0[0]=u32[16]:random", "--buf", "0.0[1]=u32[16]:iota", "--buf", "0.0[2]=u32[16]:random", "--buf",
                "0.1[0]=u32[16]:iota", "--buf", "0.1[1]=u32[16]:7", "--image", "1.0[0]=r32ui[4,4]:iota", "--image", "1.0[1]=rg16ui[4,4]:random",
                "--image", "1.2[0]=r32ui[4,4]", "--image", "1.2[1]=r32ui[4,4]", "--buf", "1.1=u32[16]", "--grid", "16"], 0),
    "uniforms": (["--buf", "0.0=f32[36]:iota", "--buf", "0.1=f32[20]:iota", "--buf", "0.2=f32[64]", "--grid", "16"], 0),
    "grid": (["--indirect", "--buf", "0.0=u32[768]", "--grid", "8,6,2"], 0),
    "atomics": (["--buf", "0.0=u32[198]:iota", "--buf", "0.1=u32[128]", "--grid", "256"], 0),
    "bits": (["--buf", "0.0=u32[64]:random", "--buf", "0.1=u32[384]", "--grid", "32"], 0),
    "address": (["--push", "ptr:t,u32:3", "--buf", "t=ptr[2]:a,b", "--buf", "a=u32[64]:iota", "--buf", "b=u32[64]:random", "--buf",
                 "0.0=u32[32]", "--grid", "32", "--print", "a", "--print", "b", "--print", "0.0"], 0),
}
FLOATS = ("r8 rg8 rgba8 bgra8 r8_snorm rg8_snorm rgba8_snorm r16 rg16 rgba16 r16_snorm rg16_snorm rgba16_snorm r16f rg16f rgba16f r32f "
          "rg32f rgba32f r11f_g11f_b10f rgb10_a2 rgb9_e5").split()
# Those that OpenGL takes: without 8 and 16 bits, addresses, specialization constants.
OPENGL = "shared image_store shapes sampled_shapes gather image_atomic texels uniforms grid atomics bits".split()
SIGNED = "r8i rg8i rgba8i r16i rg16i rgba16i r32i rg32i rgba32i".split()
UNSIGNED = [name.replace("i", "ui") for name in SIGNED] + ["rgb10_a2ui"]
NOT_STORED = {"rgb9_e5", "r11f_g11f_b10f"}  # the second one's rounding is the implementation's


def far_apart(one, other, part):
    return one != other and (isinstance(one, str) or isinstance(other, str) or abs(one - other) > part * abs(other))


class Glsl(unittest.TestCase):
    def run_it(self, mesa, shader, launch, code=OK):
        path = shader if isinstance(shader, pathlib.Path) else SHADERS / f"{shader}.comp"
        done = subprocess.run([RUNNER, "exec", "--mesa", mesa, path, *launch, "-f", "json"], capture_output=True,
                              text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stdout[-500:] + done.stderr)
        return {buffer["name"]: buffer["values"] for buffer in json.loads(done.stdout)["buffers"]} if code == OK else done.stderr

    def compare(self, shader, launch, part):
        ours, theirs = self.run_it(MESA, shader, launch), self.run_it(MESA + ":software", shader, launch)
        self.assertEqual(ours.keys(), theirs.keys())
        for name, values in ours.items():
            self.assertTrue(any(values), f"{name}: nothing was written")
            pairs = list(zip(values, theirs[name], strict=True))
            wrong = [(i, a, b) for i, (a, b) in enumerate(pairs) if far_apart(a, b, part)]
            self.assertEqual(wrong[:4], [], f"{shader} {name}: {len(wrong)} of {len(values)} differ")

    def test_each_shader(self):
        for shader, (launch, part) in LAUNCHES.items():
            with self.subTest(shader):
                self.compare(shader, launch, part)

    def test_samplers_and_grids_have_known_values(self):
        """What both sides would have wrong alike, since one host serves both."""
        addressing = {"clamp": lambda i: min(max(i, 0), 3), "repeat": lambda i: i % 4, "border": lambda i: i if 0 <= i < 4 else None,
                      "mirror": lambda i: 3 - i % 4 if i // 4 % 2 else i % 4}
        for word, place in addressing.items():
            values = self.run_it(MESA, "sampler", ["--image", "0.0=rgba32f[4,4]:iota", "--sampler", f"0.0=nearest,{word}", "--image",
                                                   "0.1=rgba32f[4,4]:iota", "--sampler", "0.2=nearest,clamp", "--buf",
                                                   "0.3=f32[2048]", "--grid", "16,16"])["0.3"]
            for y in range(16):
                for x in range(16):
                    texel = [place(i // 2 - 2) for i in (x, y)]
                    wanted = [0.0] * 4 if None in texel else [float((texel[1] * 4 + texel[0]) * 4 + c) for c in range(4)]
                    at = (y * 16 + x) * 8
                    self.assertEqual(values[at:at + 4], wanted, (word, x, y))
                    clamped = [addressing["clamp"](i // 2 - 2) for i in (x, y)]
                    self.assertEqual(values[at + 4], (clamped[1] * 4 + clamped[0]) * 4, (word, x, y))
        middle = self.run_it(MESA, "sampler", ["--image", "0.0=rgba32f[4,4]:iota", "--sampler", "0.0=linear", "--image", "0.1=rgba32f[4,4]",
                                               "--sampler", "0.2=nearest", "--buf", "0.3=f32[2048]", "--grid", "16,16"])["0.3"]
        self.assertEqual(middle[(6 * 16 + 6) * 8], 10.0)  # of the texels 0, 4, 16 and 20
        words = self.run_it(MESA, "grid", LAUNCHES["grid"][0])["0.0"]
        self.assertEqual(words, [word for z in range(2) for y in range(6) for x in range(8)
                                 for word in (2, 3, 1, z % 2 * 8 + y % 2 * 4 + x % 4, x // 4, y // 2, z // 2, x + 100 * y + 10000 * z)])
        known = self.run_it(MESA, "address", ["--push", "ptr:t,u32:3", "--buf", "t=ptr[2]:a,b", "--buf", "a=u32[64]:iota", "--buf", "b=u32[64]:7",
                                              "--buf", "0.0=u32[32]", "--grid", "32", "--print", "b", "--print", "0.0"])
        self.assertEqual(known, {"0.0": [3 * i + 7 for i in range(32)], "b": [7] * 32 + [63 - i for i in range(32, 64)]})

    def test_opengl(self):
        """The same shaders without Vulkan's words, beside llvmpipe; the arguments have GLSL's names."""
        with tempfile.TemporaryDirectory() as work:
            for shader in OPENGL:
                text = (SHADERS / f"{shader}.comp").read_text(encoding="utf-8")
                copy = pathlib.Path(work, f"{shader}.comp")
                copy.write_text(re.sub(r"set = \d+, ", "", text), encoding="utf-8")
                names = {f"{s}.{binding}": re.split(r"\W+", rest.strip())[-1]
                         for s, binding, rest in re.findall(r"layout\(set = (\d+), binding = (\d+)[^)]*\)([^;{\[]*)", text)}
                launch, part = LAUNCHES[shader]
                launch = ["--api", "opengl"] + [re.sub(r"^\d+\.\d+", lambda found: names[found[0]], word) for word in launch]
                with self.subTest(shader):
                    self.compare(copy, launch, part)
            copy.write_text("#version 450\nlayout(local_size_x = 8) in;\nuniform float factor;\nuniform ivec3 place[2];\n"
                            "layout(binding = 3) uniform atomic_uint count;\nbuffer Out { float out_[]; };\nvoid main()\n{\n"
                            "   uint i = gl_GlobalInvocationID.x;\n   atomicCounterIncrement(count);\n"
                            "   out_[i] = factor * float(place[i & 1][i % 3]);\n}\n", encoding="utf-8")
            launch = ["--api", "opengl", "--arg", "factor=1.5", "--arg", "place=1,2,3,4,5,6", "--buf", "counters3=u32[1]:7", "--buf",
                      "Out=f32[16]", "--grid", "16"]
            known = self.run_it(MESA, copy, launch)
            self.assertEqual(known, {"Out": [1.5 * (1 + i % 3 + 3 * (i & 1)) for i in range(16)], "counters3": [23]})
            self.assertRegex(self.run_it(MESA, copy, [*launch[:-1], "12"], INVALID), "12 is no multiple of the 8")
            copy.write_text("#version 450\nlayout(local_size_x = 8) in;\nvoid main()\n{\n   nothing();\n}\n", encoding="utf-8")
            self.assertRegex(self.run_it(MESA, copy, launch, FAILED), rf"{copy}:5:\d+: error: no function with name 'nothing'")
            self.assertRegex(self.run_it(MESA, HERE / "mesa" / "images.cl", launch, INVALID), "is no compute shader in GLSL")

    def test_no_shader_is_left_out(self):
        fetched = {"fetch", "fetch_int", "fetch_uint", "store", "float_atomics"}
        self.assertEqual({path.stem for path in SHADERS.glob("*.comp")}, set(LAUNCHES) | fetched)

    def test_each_format_is_read(self):
        for shader, formats, element in ("fetch", FLOATS, "f32"), ("fetch_int", SIGNED, "i32"), ("fetch_uint", UNSIGNED, "u32"):
            for name in formats:
                with self.subTest(name):
                    self.compare(shader, ["--image", f"0.0={name}[16,8]:random", "--buf", f"0.1={element}[512]", "--grid", "16,8"], 3e-7)

    def test_each_format_is_written(self):
        for name in set(FLOATS) - NOT_STORED:
            with self.subTest(name):
                self.compare("store", ["--image", f"0.0={name}[16,8]", "--buf", "0.1=f32[512]:iota", "--grid", "16,8"], 0)

    def test_srgb_is_decoded(self):
        values = self.run_it(MESA, "fetch", ["--image", "0.0=srgba8[16,8]:iota", "--buf", "0.1=f32[512]", "--grid", "16,8"])["0.1"]
        for i, value in enumerate(values):
            c = i % 256 / 255
            linear = c if i % 4 == 3 else c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            self.assertAlmostEqual(value, linear, delta=0.5 / 4095 + 1e-7, msg=f"{i}")

    def test_an_image_is_read_from_a_file_and_written_to_one(self):
        with tempfile.TemporaryDirectory() as work:
            before, after = pathlib.Path(work, "before"), pathlib.Path(work, "after")
            before.write_bytes(bytes((i * 7) & 255 for i in range(512)))
            self.run_it(MESA, "image_store", ["--image", f"0.0=rgba8[16,8]:@{before}", "--image", "0.1=rgba8[16,8]", "--grid", "16,8", "--dump",
                                              f"0.1={after}"])
            rows = [[before.read_bytes()[(y * 16 + x) * 4:][:4] for x in range(16)] for y in range(8)]
            self.assertEqual(after.read_bytes(), b"".join(b"".join(reversed(row)) for row in rows))

    def test_refusals(self):
        image = ["--image", "0.0=rgba8[16,8]", "--image", "0.1=rgba8[16,8]", "--grid", "16,8"]
        for launch, code, message in (
                (["--image", "0.0=rgb8[1,1]"], INVALID, "'rgb8' is no format: GLSL's names"),
                (["--image", "0.0=rgba8[0,1]"], INVALID, r"expected N=FORMAT\[WIDTH,HEIGHT\]:INIT"),
                (["--buf", "0.0=u8[4]"], INVALID, r"argument 0 \(0.0\) is an image: use --image"),
                (["--image", "0.0=r32f[16,8]", *image[2:]], FAILED, "is of format rgba8 in the shader, and given as r32f"),
                (["--image", "0.0=rgba8[16]", *image[2:]], FAILED, r"image 0.0 \(source\) takes the sizes WIDTH,HEIGHT"),
                (["--sampler", "0.0=linear", *image], FAILED, r"binding 0.0 \(source\) takes no sampler"),
                (["--sampler", "0.0=bilinear", *image], INVALID, "'bilinear' is none of nearest, linear"),
                (image[2:], INVALID, "argument 0 of main is missing: source 0.0, --image 0=")):
            with self.subTest(message):
                self.assertRegex(self.run_it(MESA, "image_store", launch, code), message)
        self.assertRegex(self.run_it(MESA, "address", ["--push", "ptr:c,u32:1", "--buf", "0.0=u32[32]", "--grid", "32"], INVALID),
                         "'c' is the name of no buffer")
        self.assertRegex(self.run_it(MESA, "push", ["--push", "f32:0.5", "--push", "u32:7", "--buf", "0.0=f32[128]", "--grid", "32"], INVALID),
                         "--push f32:0.5,u32:7: the fields take 8 bytes, and the argument has ")
        self.assertRegex(self.run_it(MESA, "float_atomics", ["--buf", "0.0=f32[4]", "--grid", "32"], FAILED),
                         "needs the capability AtomicFloat32AddEXT, which the driver does not offer")
        sums = self.run_it(MESA + ":software", "float_atomics", ["--buf", "0.0=f32[4]", "--grid", "32"])["0.0"]
        self.assertEqual(sums, [sum(range(k, 32, 4)) for k in range(4)])


class Kernels(unittest.TestCase):
    """OpenCL C: what the standard's conversions give, and for filters llvmpipe through the same rusticl."""

    def values(self, mesa, kernel, *launch):
        done = subprocess.run([RUNNER, "exec", "--mesa", mesa, HERE / "mesa" / "images.cl", "--kernel", kernel, *launch, "-f", "json"],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, OK, done.stdout[-500:] + done.stderr)
        return {buffer["name"]: buffer["values"] for buffer in json.loads(done.stdout)["buffers"]}

    def test_filters(self):
        launch = ["--image", "source=rgba32f[4,4]:random", "--sampler", "how=linear,repeat", "--image", "target=rgba8[16,8]", "--buf",
                  "out=f32[512]", "--grid", "16,8"]
        ours, theirs = self.values(MESA, "filter", *launch), self.values(MESA + ":software", "filter", *launch)
        self.assertTrue(any(ours["target"]))
        self.assertLessEqual(max(abs(one - other) for one, other in zip(ours["target"], theirs["target"], strict=True)), 1)
        for one, other in zip(ours["out"], theirs["out"], strict=True):
            self.assertFalse(far_apart(one, other, 3e-7), (one, other))

    def test_shapes(self):
        launch = ["--image", "a=rgba16i[8,4,3]:iota", "--image", "b=rgba8i[8,4,3]:1", "--image", "c=r32i[8]:iota", "--image", "d=rgba32i[8,4,3]",
                  "--buf", "out=i32[384]", "--grid", "8,4,3"]
        values = self.values(MESA, "shapes", *launch)
        # A missing component is 0, and 1 for the last one.
        out = [i + 3 + ((i // 4 % 8) if i % 4 == 0 else int(i % 4 == 3)) for i in range(384)]
        self.assertEqual(values["out"], out)
        self.assertEqual(values["d"], [out[(i // 32) * 32 + (7 - i // 4 % 8) * 4 + i % 4] for i in range(384)])

    def test_halves(self):
        launch = ["--image", "0=rg16f[8]:iota", "--image", "1=r32f[8]", "--grid", "8"]
        values = self.values(MESA, "halves", *launch)
        self.assertEqual(values["to"], [2.0 * i * (2 * i + 1) for i in range(8)])


if __name__ == "__main__":
    MESA, RUNNER, tests = any_mesa.arguments(__doc__)
    unittest.main(argv=[sys.argv[0], *tests])
