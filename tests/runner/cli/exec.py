#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""exec: kernels of one's own with buffers, arguments, grids. exec.py AGX_RUNNER SOURCE_ROOT [TEST...]"""
import fractions
import json
import os
import struct
import time

from case import FAILED, INVALID, OK, RUNNER, SAXPY, VIRTUAL, Case, main


def fma_bits(a, x, y):
    """The bits of a * x + y, rounded once: of three neighbouring floats the one nearest to the exact value."""
    exact = fractions.Fraction(a) * fractions.Fraction(x) + fractions.Fraction(y)
    guess = struct.unpack("<I", struct.pack("<f", float(exact)))[0]
    candidates = [bits for bits in range(max(guess - 1, 0), guess + 2)]

    def distance(bits):
        value = fractions.Fraction(struct.unpack("<f", struct.pack("<I", bits))[0])
        return abs(value - exact), bits & 1
    return min(candidates, key=distance)


class Exec(Case):
    def exec(self, *arguments, device="virtual:m1", **keywords):
        return self.expect(OK, "exec", "--device", device, *arguments, **keywords)

    def test_saxpy_is_bit_identical(self):
        count = 1024
        dumps = {}
        for repeat in "1", "3":
            self.exec(SAXPY, "--buf", f"0=f32[{count}]:random", "--buf", f"1=f32[{count}]:random", "--arg", "2=3.5",
                      "--grid", count, "--group", 32, "--dump", f"0={self.folder / 'x'}", "--dump",
                      f"1={self.folder / 'y'}", "--seed", 5, "--repeat", repeat)
            dumps[repeat] = (self.folder / "y").read_bytes()
        self.assertEqual(dumps["1"], dumps["3"], "a repetition begins with the same input")
        self.exec(SAXPY, "--buf", f"0=f32[{count}]:random", "--buf", f"1=f32[{count}]:random", "--arg", "2=0",
                  "--grid", count, "--dump", f"1={self.folder / 'y0'}", "--seed", 5)
        x = struct.unpack(f"<{count}f", (self.folder / "x").read_bytes())
        y = struct.unpack(f"<{count}f", (self.folder / "y0").read_bytes())
        wanted = [fma_bits(3.5, x[i], y[i]) for i in range(count)]
        self.assertEqual(list(struct.unpack(f"<{count}I", dumps["1"])), wanted)
        self.assertGreater(len(set(x)), count // 2)

    def test_header_and_print(self):
        text = self.exec(SAXPY, "--buf", "0=f32[128]:iota", "--buf", "1=f32[128]:1", "--arg", "2=2", "--grid", "128",
                         "--group", "32").stdout
        self.assertIn(VIRTUAL, text)
        self.assertIn("buffer 1 y, f32[128]", text)
        self.assertIn("0: 1 3 5 7 9 11 13 15\n", text)
        self.assertIn("(64 more: --print 1)", text)
        self.assertNotIn("buffer 0", text)
        text = self.exec(SAXPY, "--buf", "0=f32[128]:iota", "--buf", "1=f32[128]:1", "--arg", "2=2", "--grid", "128",
                         "--print", "1").stdout
        self.assertIn("120: 241 243 245 247 249 251 253 255\n", text)

    def test_types_and_vectors(self):
        kernel = self.file("types.cl", """
            kernel void types(global long *out, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul,
                              float f, float4 f4, int2 i2)
            {
               out[0] = c; out[1] = uc; out[2] = s; out[3] = us; out[4] = i; out[5] = ui; out[6] = l; out[7] = ul;
               out[8] = as_int(f); out[9] = as_int(f4.x); out[10] = as_int(f4.w); out[11] = i2.x; out[12] = i2.y;
            }""")
        values = ["-128", "255", "-32768", "65535", "-2147483648", "0xffffffff", "-9223372036854775808",
                  "18446744073709551615", "-0.1", "1,2,3,4.5", "-1,7"]
        arguments = [word for i, value in enumerate(values) for word in ("--arg", f"{i + 1}={value}")]
        self.exec(kernel, "--buf", "0=i64[13]", *arguments, "--grid", "1", "--dump", f"0={self.folder / 'out'}")
        bits = [struct.unpack("<i", struct.pack("<f", value))[0] for value in (-0.1, 1.0, 4.5)]
        self.assertEqual(list(struct.unpack("<13q", (self.folder / "out").read_bytes())),
                         [-128, 255, -32768, 65535, -2 ** 31, 2 ** 32 - 1, -2 ** 63, -1, *bits, -1, 7])
        for index, value in ((1, "128"), (2, "-1"), (5, "1.5"), (9, "x"), (10, "1,2,3"), (10, "1,2,3,4,5"), (5, "")):
            spoiled = list(arguments)
            spoiled[2 * index - 1] = f"{index}={value}"
            self.expect(INVALID, "exec", kernel, "--buf", "0=i64[13]", *spoiled, "--grid", "1",
                        message=f"--arg {index}={value}")

    def test_buffer_types(self):
        kernel = self.file("copy.cl", "kernel void copy(global const uchar *from, global uchar *to) "
                                      "{ size_t i = get_global_id(0); to[i] = from[i]; }")
        for name, code, size in (("u8", "B", 1), ("i8", "b", 1), ("u16", "H", 2), ("i16", "h", 2), ("f16", "e", 2),
                                 ("u32", "I", 4), ("i32", "i", 4), ("f32", "f", 4), ("u64", "Q", 8), ("i64", "q", 8)):
            text = self.exec(kernel, "--buf", f"0={name}[16]:iota", "--buf", f"1={name}[16]:1", "--grid", 16 * size,
                             "--dump", f"1={self.folder / 'to'}").stdout
            self.assertEqual((self.folder / "to").read_bytes(), struct.pack(f"<16{code}", *range(16)), name)
            self.assertIn("8: 8 9 10 11 12 13 14 15\n", text)
        data = self.file("data", os.urandom(64))
        self.exec(kernel, "--buf", f"0=u32[16]:@{data}", "--buf", "1=u32[16]", "--grid", 64, "--dump",
                  f"1={self.folder / 'to'}")
        self.assertEqual((self.folder / "to").read_bytes(), data.read_bytes())
        self.expect(INVALID, "exec", kernel, "--buf", f"0=u32[17]:@{data}", "--buf", "1=u32[16]", "--grid", 64,
                    message="holds 64 bytes, not 68")
        large = self.file("large", b"")
        os.truncate(large, 300 << 20)
        for path, message in (large, "holds 314572800 bytes, not 64"), ("/dev/zero", "holds more than 64 bytes"):
            self.expect(INVALID, "exec", kernel, "--buf", f"0=u32[16]:@{path}", "--buf", "1=u32[16]", "--grid", 64,
                        message=message)

    def test_local_and_groups(self):
        kernel = self.file("local.cl", """
            kernel void reverse(global const int *in, global int *out, local int *a, local int *b)
            {
               int l = get_local_id(0), n = get_local_size(0), g = get_group_id(0) * n;
               a[l] = in[g + l];
               b[l] = 1000 * l;
               barrier(CLK_LOCAL_MEM_FENCE);
               out[g + l] = a[n - 1 - l] + b[n - 1 - l];
            }""")
        self.exec(kernel, "--buf", "0=i32[256]:iota", "--buf", "1=i32[256]", "--local", "2=256", "--local", "3=256",
                  "--grid", 256, "--group", 64, "--dump", f"1={self.folder / 'out'}")
        out = struct.unpack("<256i", (self.folder / "out").read_bytes())
        self.assertEqual(list(out), [64 * (i // 64) + 63 - i % 64 + 1000 * (63 - i % 64) for i in range(256)])
        self.expect(INVALID, "exec", kernel, "--buf", "0=i32[256]", "--buf", "1=i32[256]", "--local", "2=20000",
                    "--local", "3=20000", "--grid", 256, message="threadgroup memory")

    def test_grid(self):
        kernel = self.file("grid.cl", """
            kernel void ids(global uint *out)
            {
               uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
               global uint *row = out + (z * get_global_size(1) + y) * get_global_size(0);
               row[x] = x + 100 * y + 10000 * z + 1000000 * get_local_id(1);
            }""")
        self.exec(kernel, "--buf", "0=u32[240]", "--grid", "8,6,5", "--group", "4,2,1", "--dump",
                  f"0={self.folder / 'out'}")
        out = struct.unpack("<240I", (self.folder / "out").read_bytes())
        self.assertEqual(list(out), [x + 100 * y + 10000 * z + 1000000 * (y % 2)
                                     for z in range(5) for y in range(6) for x in range(8)])

    def test_kernel_choice_and_options(self):
        kernel = self.file("two.cl", "kernel void one(global int *p) { p[0] = N; } "
                                     "kernel void two(global int *p) { p[0] = 2 * N; }")
        self.expect(INVALID, "exec", kernel, "--options=-DN=21", "--buf", "0=i32[1]", "--grid", 1,
                    message="has 2 kernels: choose one with --kernel: one, two\n")
        self.expect(INVALID, "exec", kernel, "--options=-DN=21", "--kernel", "three", message="'three'")
        text = self.exec(kernel, "--options=-DN=21", "--kernel", "two", "--buf", "0=i32[1]", "--grid", 1).stdout
        self.assertIn("0: 42\n", text)

    def test_mistakes(self):
        good = {"0": "--buf=0=f32[32]:1", "1": "--buf=1=f32[32]:1", "2": "--arg=2=1", "g": "--grid=32"}
        for changes, message in (
                ({"0": "--buf=0=f32"}, "expected N=TYPE"),
                ({"0": "--buf=0=f32[32"}, "expected N=TYPE"),
                ({"0": "--buf=0=f32[32]1"}, "expected N=TYPE"),
                ({"0": "--buf=0=f32[0]"}, "no count"),
                ({"0": "--buf=0=f32[-1]"}, "no count"),
                ({"0": "--buf=0=f32[99999999999999999999]"}, "no count"),
                ({"0": "--buf=0=q7[32]"}, "'q7' is no element type"),
                ({"0": "--buf=0=u8[32]:256"}, "'256' is no u8"),
                ({"0": "--buf=0=f32[32]:tea"}, "'tea' is no f32"),
                ({"0": "--buf=0=f32[32]:@/no/such"}, "/no/such: No such file"),
                ({"0": "--buf=xx=f32[32]"}, r"saxpy has no argument 'xx': did you mean 'x'\? \(takes an argument's name, or its number"),
                ({"2": "--arg=alpha=1"}, r"saxpy has no argument 'alpha' \(takes"),
                ({"2": "--arg=y=1"}, r"argument 1 \(y\) is a buffer: use --buf"),
                ({"g": "--grid=32", "t": "--buf=x=f32[32]"}, "argument 0 was given before"),
                ({"0": "--buf=0=f32[4]:1,2,3"}, "4 elements, and 3 numbers are given"),
                ({"0": "--buf=0=f32[2]:1,2,3"}, "2 elements, and 3 numbers are given"),
                ({"0": "--buf=0=u8[3]:1,256,3"}, "'256' is no u8"),
                ({"0": "--buf=0=f32[2]:1,"}, "'' is no f32"),
                ({"0": "--buf=0=f32[]:1"}, "'' is no count of elements"),
                ({"0": "--buf=0=null", "p": "--print=0"}, "--print 0: the buffer is a null pointer"),
                ({"0": "--buf=0=NULL"}, "'NULL' is no element type .*, nor null"),
                ({"0": "--buf=9=f32[32]"}, "has 3 arguments"),
                ({"0": "--buf=2=f32[32]"}, r"argument 2 \(a\) is a value: use --arg"),
                ({"0": "--buf=1=f32[32]"}, "argument 1 was given before"),
                ({"0": "--seed=1"}, r"argument 0 of saxpy is missing: float\* x, --buf 0=..."),
                ({"2": "--arg=1=1"}, r"argument 1 \(y\) is a buffer: use --buf"),
                ({"2": "--arg=2="}, "missing its value"),
                ({"2": "--arg=2"}, "missing its value"),
                ({"2": "--local=2=16"}, "is a value: use --arg"),
                ({"g": "--seed=1"}, "--grid is missing"),
                ({"g": "--grid=2048,2", "t": "--group=64,32"}, "2048 threads are more than the 1024"),
                ({"p": "--print=2"}, "is a value"),
                ({"p": "--print=7"}, "has 3 arguments"),
                ({"p": "--dump=1"}, "expected N=FILE")):
            with self.subTest(changes=changes):
                self.expect(INVALID, "exec", SAXPY, *{**good, **changes}.values(), message=message)
        required = self.file("required.cl", "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(global uint *p)"
                                            "{ p[get_global_id(1) * 8 + get_global_id(0)] = 1; }")
        self.expect(INVALID, "exec", required, "--buf=0=u32[64]", "--grid=8,8", "--group=4,4",
                    message="requires 8,4,1")
        self.exec(required, "--buf=0=u32[64]", "--grid=8,8")
        self.expect(INVALID, "exec", required, "--buf=0=u32[64]", "--grid=8,6", message="6 is no multiple of the 4 that the kernel requires")

    def test_names_and_lists(self):
        """Arguments by name, whole buffers as lists, null pointers."""
        text = self.exec(SAXPY, "--buf=y=f32[3]:10,20,-30.5", "--buf=x=f32[]:1,2,3", "--arg=a=2", "--grid=3", "--print=y",
                         f"--dump=x={self.folder / 'x'}").stdout
        self.assertIn("0: 12 24 -24.5\n", text)
        self.assertEqual((self.folder / "x").read_bytes(), struct.pack("<3f", 1, 2, 3))
        kernel = self.file("null.cl", "kernel void k(global int *o, global const int *in) { o[get_global_id(0)] = in ? in[0] : 7; }")
        text = self.exec(kernel, "--buf=o=i32[4]", "--buf=in=null", "--grid=4", "--check").stdout
        self.assertIn("0: 7 7 7 7\n", text)
        text = self.exec(kernel, "--buf=o=i32[4]", "--buf=in=i32[1]:-5", "--grid=4").stdout
        self.assertIn("0: -5 -5 -5 -5\n", text)
        unguarded = self.file("null.cl", "kernel void k(global int *o, global const int *in) { o[get_global_id(0)] = in[get_global_id(0)]; }")
        self.expect(FAILED, "exec", unguarded, "--buf=o=i32[4]", "--buf=in=null", "--grid=4", message="through a null pointer")

    def test_default_device(self):
        """AGX_RUNNER_DEVICE is the device of a command that names none."""
        arguments = ["exec", SAXPY, "--buf=x=f32[8]", "--buf=y=f32[8]", "--arg=a=1", "--grid=8"]
        named = self.expect(OK, *arguments, environment={"AGX_RUNNER_DEVICE": "virtual:m2-max"})
        self.assertIn("device  virtual:m2-max: ", named.stdout)
        self.assertNotIn("render node", named.stderr)
        self.assertIn("device  virtual:m1: ", self.expect(OK, *arguments, "--device=virtual:m1",
                                                          environment={"AGX_RUNNER_DEVICE": "virtual:m2-max"}).stdout)
        self.assertIn("device  virtual:m1: ", self.expect(OK, *arguments, environment={"AGX_RUNNER_DEVICE": ""}).stdout)
        self.expect(INVALID, *arguments, environment={"AGX_RUNNER_DEVICE": "virtual:m7"}, message="m7")
        self.expect(INVALID, "run", "float", environment={"AGX_RUNNER_DEVICE": "virtual:m7"}, message="m7")

    def test_expect(self):
        """What a buffer should hold. Distances in ulp are differences of the bits (IEEE 754: positive floats are in the
        order of their bits)."""
        launch = ["--buf=x=f32[4]:1,2,3,4", "--buf=y=f32[4]:10", "--arg=a=2", "--grid=4"]
        one_up = struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", 16.0))[0] + 1))[0]
        exact = self.file("exact", struct.pack("<4f", 12, 14, 16, 18))
        near = self.file("near", struct.pack("<4f", 12, 14, one_up, 18))
        for arguments, code, message in (
                ([f"--expect=y=@{exact}"], OK, r"buffer 1 \(y\) is as expected: 4 elements"),
                (["--expect=1=12,14,16,18", "--expect=x=1,2,3,4"], OK, r"(?s)buffer 0 \(x\) is as expected.*buffer 1 \(y\) is as expected"),
                ([f"--expect=y=@{near}"], FAILED, r"buffer 1 \(y\): 1 of 4 elements not as expected; the first is element 2: 16, "
                                                  r"expected 16.0000019 \(1 ulp apart\)"),
                ([f"--expect=y=@{near}", "--tolerance=1ulp"], OK, "is as expected"),
                (["--expect=y=12,14,16.01,18", "--tolerance=4ulp"], FAILED, "1 of 4 elements .* element 2"),
                (["--expect=y=12,14,16.01,18", "--tolerance=1e-3"], OK, "is as expected"),
                (["--expect=y=12,14,16.01,18", "--tolerance=1e-4"], FAILED, "element 2: 16, expected 16.0"),
                (["--expect=y=0"], FAILED, "4 of 4 elements not as expected; the first is element 0: 12, expected 0"),
                (["--expect=y=12,14,16"], INVALID, "--expect y=12,14,16: 4 elements, and 3 numbers"),
                (["--expect=y"], INVALID, "expected N=VALUES"),
                (["--expect=z=1"], INVALID, "saxpy has no argument 'z'"),
                (["--expect=a=1"], INVALID, r"argument 2 \(a\) is a value"),
                (["--expect=y=1", "--expect=1=1"], INVALID, "was given before"),
                (["--tolerance=1ulp"], INVALID, "--tolerance needs --expect"),
                (["--expect=y=1", "--tolerance=soon"], INVALID, "--tolerance soon: takes ulps"),
                (["--expect=y=1", "--tolerance=-1"], INVALID, "takes ulps")):
            with self.subTest(arguments=arguments):
                self.expect(code, "exec", "--device=virtual:m1", SAXPY, *launch, *arguments, message=message)
        kernel = self.file("k.cl", "kernel void k(global float *o, global half *h, global int *i) "
                                   "{ o[0] = NAN; o[1] = -0.0f; o[2] = INFINITY; vstore_half(1.0f, 0, h); i[0] = 5; }")
        launch = [kernel, "--buf=o=f32[3]", "--buf=h=f16[1]", "--buf=i=i32[1]", "--grid=1"]
        self.exec(*launch, "--expect=o=nan,-0,inf", "--expect=h=1", "--expect=i=5")
        self.expect(FAILED, "exec", "--device=virtual:m1", *launch, "--expect=o=nan,0,inf", message="element 1: -0, expected 0 .0 ulp")
        self.exec(*launch, "--expect=o=nan,0,inf", "--tolerance=1ulp")
        self.exec(*launch, "--expect=h=1.0009766", "--tolerance=1ulp")  # 1 + 2^-10, the next half
        self.expect(FAILED, "exec", "--device=virtual:m1", *launch, "--expect=h=1.002", "--tolerance=1ulp", message=r"\(2 ulp apart\)")
        self.expect(FAILED, "exec", "--device=virtual:m1", *launch, "--expect=i=6", "--tolerance=0.9", message="element 0: 5, expected 6$")

    def test_json(self):
        kernel = self.file("k.cl", """kernel void k(global float *o, global const int *in, global ulong *u, global char *c)
                           { o[0] = NAN; o[1] = 0.1f; o[2] = -INFINITY; u[0] = 0xffffffffffffffffUL; c[get_global_id(0)] = -1; }""")
        launch = ["exec", "--device=virtual:m1", "--format=json", kernel, "--buf=o=f32[3]", "--buf=in=i32[2]:7", "--buf=u=u64[1]",
                  "--buf=c=i8[70]", "--grid=70", "--group=64", "--repeat=2"]
        got = json.loads(self.expect(OK, *launch, "--expect=u=18446744073709551615").stdout)
        self.assertEqual((got["device"], got["device_kind"], got["kernel"], got["grid"], got["group"], got["exit_status"]),
                         ("virtual:m1", VIRTUAL, "k", [70, 1, 1], [64, 1, 1], 0))
        self.assertEqual(len(got["times_ns"]), 2)
        self.assertGreater(min(got["times_ns"]), 0)
        buffers = {buffer["name"]: buffer for buffer in got["buffers"]}
        self.assertEqual(sorted(buffers), ["c", "o", "u"])
        self.assertEqual([str(value).lstrip("-+") for value in buffers["o"]["values"]], ["nan", "0.100000001", "inf"])
        self.assertEqual((buffers["u"]["values"], buffers["u"]["different"]), ([2 ** 64 - 1], 0))
        self.assertEqual((buffers["c"]["values"], buffers["c"]["argument"], buffers["c"]["type"]), ([-1] * 70, 3, "i8"))
        got = json.loads(self.expect(FAILED, *launch, "--print=in", "--expect=c=0", message="70 of 70").stdout)
        self.assertEqual(([buffer["values"] for buffer in got["buffers"]], got["exit_status"]), ([[7, 7]], FAILED))

    def test_struct(self):
        """By-value structs: the layout is C's, as Python's struct module has it in native mode."""
        kernel = self.file("struct.cl", """
            struct inner { char c; short s; };
            struct all { char c; int i; float f[2]; struct inner in; float4 v; ulong u; };
            kernel void k(global uchar *o, struct all a) { for (int i = 0; i < sizeof(a); i++) o[i] = ((uchar *)&a)[i]; }""")
        def fields(text, code=OK, message=None):
            return self.expect(code, "exec", "--device=virtual:m1", kernel, "--buf=o=u8[64]", f"--arg=a={text}", "--grid=1",
                               f"--dump=o={self.folder / 'o'}", message=message)
        fields("i8:-3,i32:70000,f32[2]:0.5,-1,i8:1,i16:-2,f32x4:1,2,3,4,u64:0x123456789abcdef0")
        values, layout = (-3, 70000, 0.5, -1, 1, -2, 1, 2, 3, 4, 0x123456789abcdef0), "@bi2fbh12x4fQ"
        self.assertEqual(struct.unpack(layout, (self.folder / "o").read_bytes()[:struct.calcsize(layout)]), values)
        fields("i8:-3,i32:70000", INVALID, r"--arg a=.*: the fields take 8 bytes, and .* has 64")
        fields("i8:-3,u8[100]:1", INVALID, "the fields take more than 64 bytes")
        fields("i8:300,i32:1", INVALID, "'300' is no i8: the field i8 takes 1 number")
        fields("f32[2]:1,i32:2", INVALID, r"'i32:2' is no f32: the field f32\[2\] takes 2 numbers")
        fields("f32[2]:1", INVALID, r"'' is no f32: the field f32\[2\] takes 2 numbers")
        fields("i32[:1", INVALID, "expected a field as")
        fields("i32:1,q:1", INVALID, "'q:1': expected a field as")
        fields("1,2", INVALID, "takes its fields with their types")

    def test_partial_groups(self):
        """A grid that is no multiple of the threadgroup: every thread runs once, with its own position, and no other."""
        kernel = self.file("partial.cl", """kernel void k(global uint *o, global uint *count, local uint *t)
            {
               uint x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
               uint l = get_local_id(1) * get_local_size(0) + get_local_id(0);
               t[l] = x;
               barrier(CLK_LOCAL_MEM_FENCE);
               atomic_inc(count);
               o[y * w + x] += t[l] + 1000 * y + 100000 * (get_group_id(0) + 1) + 10000000 * get_num_groups(0);
            }""")
        for width, height, group in ((70, 1, (32, 1)), (1, 1, (64, 1)), (33, 3, (32, 2)), (5, 7, (4, 4)), (1000, 1, (256, 1))):
            with self.subTest(width=width, height=height, group=group):
                local = 4 * group[0] * group[1]
                text = self.exec(kernel, f"--buf=o=u32[{width * height}]", "--buf=count=u32[1]", f"--local=t={local}",
                                 f"--grid={width},{height}", f"--group={group[0]},{group[1]}", "--check", "--print=count",
                                 f"--dump=o={self.folder / 'o'}").stdout
                self.assertIn(f"0: {width * height}\n", text)
                groups = -(-width // group[0])
                self.assertEqual(list(struct.unpack(f"<{width * height}I", (self.folder / "o").read_bytes())),
                                 [x + 1000 * y + 100000 * (x // group[0] + 1) + 10000000 * groups
                                  for y in range(height) for x in range(width)])

    def test_program_without_name(self):
        """Messages name the program, also one without .kernel, and an argument without a name."""
        code = '.argument buffer, "", "uint *"\n.argument value, "", "uint"\n'
        kernel = self.file("nameless.agx", code + ".uniform 0, 4, arguments\nstop\n")
        empty = "(?m)  |of (is|has)|program (:|leaves|needs|takes)|\\(\\)| ,|: of "
        for arguments, message in (
                (["--arg=1=1"], r"argument 0 of \(no name\) is missing: uint \*, --buf 0=..."),
                (["--buf=0=u32[1]"], r"argument 1 of \(no name\) is missing: uint, --arg 1=..."),
                (["--buf=1=u32[1]"], r"argument 1 is a value: use --arg"),
                (["--buf=7=u32[1]"], r"\(no name\) has 2 arguments")):
            with self.subTest(arguments=arguments):
                result = self.expect(INVALID, "exec", kernel, "--grid=32", *arguments, message=message)
                self.assertNotRegex(result.stderr, empty)
        required = self.file("required.agx", ".workgroup 8, 4\n.main\nstop\n")
        result = self.expect(INVALID, "exec", required, "--grid=8,8", "--group=4,4", message="requires 8,4,1")
        self.assertNotRegex(result.stderr, empty)

    def test_out_of_memory(self):
        self.expect(FAILED, "exec", SAXPY, "--buf=0=f32[1000000000000]", "--buf=1=f32[32]:1", "--arg=2=1", "--grid=32",
                    message="out of memory")

    def test_buffer_too_small(self):
        result = self.expect(FAILED, "exec", "--device=virtual:m1", SAXPY, "--buf=0=f32[32]:1", "--buf=1=f32[8192]:1",
                             "--arg=2=1", "--grid=8192",
                             message=r"4096 loads from unmapped memory read 0, and 0 stores .* byte 16384 of buffer 0 "
                                     r"\(x\), which has 128 bytes: 16260 bytes past its end \(main")
        self.assertIn("buffer 1 y, f32[8192]", result.stdout)

    def test_addresses(self):
        """A fault without --check: by the nearest buffer on either side."""
        buffers = ["--buf=0=i32[64]:0", "--buf=1=i32[64]:iota", "--grid=64"]
        for body, options, where in (
                ("o[i] = a[i - 1];", [], r"1 load from unmapped memory read 0, and 0 stores and atomics were lost; the first: "
                                         r"0x[0-9a-f]+, 4 bytes before buffer 1 \(a\) \(main"),
                ("o[i] = a[i - 65];", [], r"260 bytes before buffer 1 \(a\)"),
                ("o[i + 4096] = a[i];", [], r"64 stores and atomics were lost; .* byte 16384 of buffer 0 \(o\), which has 256 bytes: 16132 "),
                ("o[i] = a[i + (1 << 20)];", [], r"byte 4194304 of buffer 1 \(a\), which has 256 bytes: 4194052 bytes past its end"),
                ("atomic_inc(a - 3);", [], r"64 stores and atomics were lost; .* 12 bytes before buffer 1 \(a\)"),
                ("o[i] = ((global int *)(ulong)a[0])[i];", [], r"the first: 0x0, through a null pointer"),
                ("o[i] = *(global int *)(0xdeadbeef0000ul + a[0]);", [], "the first: 0xdeadbeef0000, far from every buffer"),
                ("o[i] = a[i - 1];", ["--device=virtual:m1,strict"],
                 r"load from unmapped address 0x[0-9a-f]+, 4 bytes before buffer 1 \(a\): main")):
            with self.subTest(body=body, options=options):
                kernel = self.file("k.cl", f"kernel void other(global int *p) {{ p[0] = 1; }}\n"
                                           f"kernel void k(global int *o, global int *a) {{ int i = get_global_id(0); {body} }}")
                self.expect(FAILED, "exec", "--device=virtual:m1", kernel, "--kernel=k", *buffers, *options, message=where)
        nameless = self.file("nameless.agx", '.argument buffer, "", ""\n.argument buffer, "", ""\n.uniform 0, 8, arguments\n.main\n'
                                             "mov r1, sr80\nldimm r4, 0xffffffff\niadd r4, r1, r4\nload r8, du2, r4.sx, i32, x, a\n"
                                             "wait a\nstore r8, du0, r1, i32, x, a\nstop\n")
        for options, where in ([], "the first: 0x[0-9a-f]+, 4 bytes before buffer 1 [(]main"), (["--check"], ", 4 bytes before buffer 1; main"):
            self.expect(FAILED, "exec", "--device=virtual:m1", nameless, *buffers, *options, message=where)

    def test_canary(self):
        """A write past a buffer's end, within its last page, is seen without --check: which buffer, where, how many bytes."""
        def store(body, *options, code=FAILED, message=None):
            kernel = self.file("k.cl", f"kernel void k(global float *o, global char *c) {{ int i = get_global_id(0); {body} }}")
            return self.expect(code, "exec", "--device=virtual:m1", kernel, "--buf=0=f32[32]", "--buf=1=u8[33]", "--grid=32",
                               *options, message=message)
        past = r"k wrote past the end of buffer {}, which has {} bytes: {} changed, from byte {} to byte {}; --check names"
        done = store("o[i + 1] = 1; c[0] = 1;", message=past.format(r"0 \(o\)", 128, "4 bytes", 128, 131))
        self.assertIn("buffer 0 o, f32[32]", done.stdout)
        store("o[i + 4000] = 0; c[0] = 1;", message=past.format(r"0 \(o\)", 128, "128 bytes", 16000, 16127))
        store("o[i] = 0; if (i == 0) c[33] = 0;", message=past.format(r"1 \(c\)", 33, "1 byte", 33, 33))
        store("o[i] = 0; if (i < 2) c[33 + 16000 * i] = 7;", message=past.format(r"1 \(c\)", 33, "2 bytes", 33, 16033))
        store("o[i + 8] += 0; c[0] = 1;", message=past.format(r"0 \(o\)", 128, ".* bytes", 128, r"15\d"))
        store("o[i + 1] = 1; c[i + 2] = 1;", message="(?s)of buffer 0 .*of buffer 1 ")
        store("o[i + 1] = 1; c[0] = 1;", "--repeat=3", message=past.format(r"0 \(o\)", 128, "4 bytes", 128, 131))
        store("o[i] = o[i + 1]; c[0] = c[40];", code=OK)  # reads are the check's
        store("o[i] = 1; c[i + 1] = 1;", code=OK)
        self.expect(FAILED, "exec", "--device=virtual:m1", SAXPY, "--buf=0=f32[64]", "--buf=1=f32[32]", "--arg=2=2", "--grid=64",
                    message=r"saxpy wrote past the end of buffer 1 \(y\), which has 128 bytes: .* from byte 128 to byte 25\d; --check")
        # explain runs the same launch.
        kernel = self.file("k.cl", "kernel void k(global int *o) { o[get_global_id(0) + 1] = 1; }")
        self.expect(FAILED, "explain", "--device=virtual:m1", kernel, "--buf=0=i32[32]", "--grid=32", message="k wrote past the end of buffer 0")

    def test_hoisted_load(self):
        """A load that the compiler moves to the preamble, and that the source does not execute, is a note."""
        kernel = self.file("hoisted.cl", """
            kernel void k(global int *out, constant int *in, ulong far, int use)
            {
               int value = 1;
               if (use > (int)get_global_id(0)) value = in[far];
               out[get_global_id(0)] = value;
            }""")
        arguments = ("exec", "--device=virtual:m1", kernel, "--buf=0=i32[32]", "--buf=1=i32[32]:1",
                     "--arg=2=1000000000", "--grid=32")
        result = self.expect(0, *arguments, "--arg=3=0", message=r"1 load of the preamble.*preamble \+ 0x[0-9a-f]+: load")
        self.assertIn("1 1 1 1", result.stdout)
        loads = self.file("loads.cl", """
            kernel void k(global int *out, global const int *in) {
               out[get_global_id(0)] = in[get_global_id(0) + 1000000];
            }""")
        self.expect(FAILED, "exec", "--device=virtual:m1", loads, "--buf=0=i32[32]", "--buf=1=i32[32]:1", "--grid=32",
                    message=r"32 loads from unmapped memory.*\(main \+ 0x[0-9a-f]+: load")

    def test_fault(self):
        """A fault is told once: kernel, program, offset, instruction."""
        kernel = self.file("bad.agx", ".kernel \"wild\"\nldimm r4, 16\nldimm r5, 9\nstore r4, dr4, 0, i32, x, a\nstop\n")
        result = self.expect(FAILED, "exec", "--device=virtual:m1,strict", kernel, "--grid=32",
                             message=r"wild: .*store to unmapped address 0x900000010: "
                                     r"main \+ 0x[0-9a-f]+: store r4, dr4, 0, i32, x, a")
        self.assertEqual(result.stderr.count("unmapped address 0x900000010"), 1, result.stderr)

    def test_fixed_order(self):
        """Memory that depends on the order of atomics is the same for any number of host threads."""
        kernel = self.file("compact.cl", """
            kernel void k(global uint *count, global uint *out)
            {
               uint i = get_global_id(0);
               if (popcount(i * 2654435761u) & 1) out[atomic_inc(count)] = i;
            }""")
        results = set()
        for threads in (1, 2, 3, 4):
            self.exec("--device", f"virtual:m1,timing=off,order=fixed,threads={threads}", kernel, "--buf=0=u32[1]",
                      "--buf=1=u32[1048576]", "--grid=1048576", "--group=64", f"--dump=1={self.folder / 'out'}")
            results.add((self.folder / "out").read_bytes())
        self.assertEqual(len(results), 1)
        self.expect(INVALID, "exec", kernel, "--device=virtual:m1,order=sorted", "--buf=0=u32[1]", "--buf=1=u32[1]",
                    "--grid=32", message="order of the virtual device takes any or fixed")

    def test_endless(self):
        kernel = self.file("endless.cl", "kernel void endless(global volatile int *p) { while (p[0] == 0) ; }")
        start = time.monotonic()
        self.expect(FAILED, "exec", "--device=virtual:m1", kernel, "--buf=0=i32[1]", "--grid=32", "--timeout=5",
                    message="(?i)tim")
        self.expect(FAILED, "exec", "--device=virtual:m1,budget=100000", kernel, "--buf=0=i32[1]", "--grid=32",
                    message=r"timeout: .*within 100000 simdgroup instructions.*budget=")
        self.assertLess(time.monotonic() - start, 30)

    def test_spirv(self):
        module = RUNNER.parent.parent / "nir_kernels" / "saxpy.spv"
        text = self.exec(module, "--buf", "0=f32[8]:iota", "--buf", "1=f32[8]:1", "--arg", "2=2.5", "--grid", 8).stdout
        self.assertIn("0: 1 3.5 6 8.5 11 13.5 16 18.5\n", text)

    def test_dump_to_full_disk(self):
        self.expect(FAILED, "exec", SAXPY, "--buf=0=f32[32]:1", "--buf=1=f32[32]:1", "--arg=2=1", "--grid=32",
                    "--dump=1=/dev/full", message="No space left")

    def test_private_memory(self):
        """Needs the helper program, which hands out stack memory."""
        kernel = self.file("private.cl", """
            kernel void k(global int *out, global const int *index)
            {
               int table[64];
               for (int i = 0; i < 64; i++) table[i] = i * i + get_global_id(0);
               out[get_global_id(0)] = table[index[get_global_id(0)] & 63];
            }""")
        self.exec(kernel, "--buf=0=i32[64]", "--buf=1=i32[64]:iota", "--grid=64", f"--dump=0={self.folder / 'out'}")
        self.assertEqual(list(struct.unpack("<64i", (self.folder / "out").read_bytes())),
                         [i * i + i for i in range(64)])

    def test_spill_numbers_run_out(self):
        """64 values that 60 conditional blocks set to constants: Mesa's register allocator crashes, and the second try's
        program computes the right values (docs/mesa-bugs.md, 7)."""
        values, blocks, lanes = 64, 60, 8
        lines = [f"uint v{i} = in[{i}];" for i in range(values)]
        for block in range(blocks):
            sets = " ".join(f"v{i} = {1000 + block * values + i};" for i in range(values))
            lines.append(f"if ((in[{values + block}] >> get_global_id(0)) & 1) {{ seen[{block}] = 1; {sets} }}")
        lines += [f"out[get_global_id(0) * {values} + {i}] = v{i};" for i in range(values)]
        kernel = self.file("spill.cl", "kernel void k(global uint *out, global uint *seen, global const uint *in) {\n" +
                           "\n".join(lines) + "}\n")
        done = self.exec(kernel, f"--buf=0=u32[{lanes * values}]", f"--buf=1=u32[{blocks}]",
                         f"--buf=2=u32[{values + blocks}]:iota", f"--grid={lanes}", f"--dump=0={self.folder / 'out'}")
        self.assertIn("kernel k: warning: too many spilled values", done.stderr)
        wanted = []
        for lane in range(lanes):
            taken = [block for block in range(blocks) if (values + block) >> lane & 1]
            wanted += [1000 + taken[-1] * values + i if taken else i for i in range(values)]
        self.assertEqual(list(struct.unpack(f"<{lanes * values}I", (self.folder / "out").read_bytes())), wanted)

    def test_constant_of_a_phi_of_bytes(self):
        """A char that is a constant or a value, in a program that spills: the second try has it in a register (docs/mesa-bugs.md, F16)."""
        kernel = self.file("bytes.cl", """kernel void k(global long *out, global const ulong *in, global const char *bytes)
            {
               uint i = get_global_id(0);
               out[i] = (0L % ((long)in[i] | 1)) + (long)(char)(in[i] ? (char)-1 : bytes[i]);
            }""")
        done = self.exec(kernel, "--buf=0=i64[8]", "--buf=1=u64[8]:iota", "--buf=2=i8[8]:iota", "--grid=8",
                         f"--dump=0={self.folder / 'out'}", environment={"AGX_MESA_DEBUG": "spill"})
        self.assertIn("kernel k: warning: too many spilled values", done.stderr)
        self.assertEqual(list(struct.unpack("<8q", (self.folder / "out").read_bytes())), [0] + [-1] * 7)


if __name__ == "__main__":
    main()
