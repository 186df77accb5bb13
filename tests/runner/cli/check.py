#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""exec --check and piglit --check: OpenCL C kernels that break a check beside look-alikes that do not, by the whole road
from the source to the report. check.py AGX_RUNNER SOURCE_ROOT [TEST...]"""
import json

from case import FAILED, INVALID, OK, Case, main, run

# Name: source, arguments, and what the report must say (None: no report).
BUFFERS = ["--buf", "0=i32[64]:0", "--buf", "1=i32[64]:iota", "--grid", 64, "--group", 64]
LOCAL = BUFFERS + ["--local", "2=256"]
SHORT = BUFFERS + ["--local", "2=252"]
PAGES = ["--buf", "0=i32[64]:0", "--buf", "1=i32[65536]:iota", "--grid", 64, "--group", 64]
GROUPS = ["--buf", "0=i32[64]:0", "--buf", "1=i32[64]:iota", "--grid", 64, "--group", 16]
ATOMICS = GROUPS + ["--options", "-cl-std=CL2.0"]
WAIT = "while (!atomic_load_explicit(f + g - 1, memory_order_acquire, memory_scope_device)) {}"
CHAIN = "volatile global atomic_int *f = (volatile global atomic_int *)(o + 32); int g = get_group_id(0), s = 0; " \
        "if (get_local_id(0) == 0) { if (g > 0) { %s s = o[g - 1]; } o[g] = s + g + 1; " \
        "atomic_store_explicit(f + g, 1, memory_order_release, memory_scope_device); }"
CASES = {
    "bounds: one past the end": ("int i = get_global_id(0); o[i] = a[i + 1];", BUFFERS,
                                 r"bounds: a read of 4 bytes at byte 256 of buffer 1 \(a\), which has 256 bytes: 4 bytes past its end;"),
    "bounds: the last element": ("int i = get_global_id(0); o[i] = a[63 - i];", BUFFERS, None),
    "bounds: below the start": ("int i = get_global_id(0); o[i] = a[i - 1];", BUFFERS,
                                r"bounds: a read of 4 bytes, 4 bytes before buffer 1 \(a\); .*; 1 time"),
    "bounds: a row above a picture": ("int i = get_global_id(0); o[i] = a[i - 65];", BUFFERS,
                                      r"bounds: a read of 4 bytes, 260 bytes before buffer 1 \(a\);"),
    "bounds: megabytes past the end": ("int i = get_global_id(0); o[i] = a[i + (3 << 20)];", BUFFERS,
                                       r"at byte 12582912 of buffer 1 \(a\), which has 256 bytes: 12582660 bytes past its end"),
    "bounds: between two buffers, nearer to the second": (
        "int i = get_global_id(0); long between = (global char *)a - (global char *)o; "
        "if (i == 7) *(global int *)((global char *)o + between - 16) = 1; o[i] = a[i];", BUFFERS,
        r"bounds: a write of 4 bytes, 16 bytes before buffer 1 \(a\);"),
    "bounds: between two buffers, nearer to the first": (
        "int i = get_global_id(0); if (i == 7) *(global int *)((global char *)a - ((global char *)a - (global char *)o) + 264) = 1; "
        "o[i] = a[i];", BUFFERS, r"bounds: a write of 4 bytes at byte 264 of buffer 0 \(o\), which has 256 bytes: 12 bytes past"),
    "bounds: both sides are two findings": ("int i = get_global_id(0); o[i] = a[i * 2 - 32];", BUFFERS,
                                            r"(?s)32 of threadgroup|128 bytes before buffer 1 \(a\).*at byte 256 of buffer 1 \(a\)"),
    "bounds: an atomic": ("int i = get_global_id(0); atomic_add(a - 1, i); o[i] = a[i];", BUFFERS,
                          r"bounds: an atomic of 4 bytes, 4 bytes before buffer 1 \(a\);"),
    "bounds: through a null pointer": ("int i = get_global_id(0); global int *p = (global int *)(ulong)a[0]; o[i] = p[i + 4];",
                                       BUFFERS, r"bounds: a read of 4 bytes, 16 bytes past a null pointer;"),
    "bounds: through a pointer that means nothing": (
        "int i = get_global_id(0); global int *p = (global int *)(0xdeadbeef0000ul + a[0]); o[i] = p[i];", BUFFERS,
        r"bounds: a read of 4 bytes at 0xdeadbeef0000, far from every buffer;"),
    "bounds: a pointer read from memory": (
        "int i = get_global_id(0); global ulong *p = (global ulong *)o; if (i == 0) { p[4] = (ulong)(a + 66); "
        "mem_fence(CLK_GLOBAL_MEM_FENCE); o[63] = *(global int *)p[4]; }", BUFFERS,
        r"bounds: a read of 4 bytes at byte 264 of buffer 1 \(a\), which has 256 bytes: 12 bytes past its end"),
    "bounds: memory that the user did not make": (
        "int i = get_global_id(0); global int *p = (global int *)(0x1200000000ul + a[0]); if (i == 3) *p = 1; o[i] = a[i];",
        BUFFERS, r"bounds: a write of 4 bytes, \d+ bytes before buffer 0 \(o\);"),
    "bounds: a constant array of the program": (
        "constant int table[] = {3, 1, 4, 1, 5, 9, 2, 6}; int i = get_global_id(0); o[i] = table[a[i] & 7];", BUFFERS, None),
    "bounds: guarded": ("int i = get_global_id(0); o[i] = i < 63 ? a[i + 1] : 0;", BUFFERS, None),
    "bounds: a store far behind": ("int i = get_global_id(0); o[i * 2] = a[i];", BUFFERS, "bounds: a write"),
    "bounds: strided within": ("int i = get_global_id(0); o[i / 2 * 2] = 5 + 0 * a[i];", BUFFERS, None),
    "bounds: random places on many pages": ("int i = get_global_id(0); o[i] = a[i * 40503u >> 2 & 65535];", PAGES, None),
    "bounds: one of random places past the end": ("int i = get_global_id(0); o[i] = a[i == 5 ? 65536 : i * 40503u >> 2 & 65535];",
                                                  PAGES, r"bounds: a read of 4 bytes at byte 262144 of buffer 1 \(a\), which has 262144 bytes"),
    "bounds: a local array of 240 bytes": (
        "local int s[60]; int i = get_local_id(0); s[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = s[63 - i];", BUFFERS,
        "bounds: a write of 4 bytes at byte 240 of threadgroup memory, which has 240"),
    "bounds: a local array of 256 bytes": (
        "local int s[64]; int i = get_local_id(0); s[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = s[63 - i];", BUFFERS, None),
    "bounds: a local argument of 252 bytes": (
        "int i = get_local_id(0); if (i < 63) t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = i > 0 ? t[i] : 0;",
        SHORT, "bounds: a read of 4 bytes at byte 252 of threadgroup memory, which has 252"),
    "bounds: a local argument of 252 bytes, guarded": (
        "int i = get_local_id(0); if (i < 63) t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = i < 63 ? t[i] : 0;", SHORT, None),
    "races: a neighbour's word": ("int i = get_local_id(0); t[i] = a[i]; o[i] = t[i ^ 1];", LOCAL,
                                  "races: a read of threadgroup memory"),
    "races: with a barrier": ("int i = get_local_id(0); t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); o[i] = t[i ^ 1];",
                              LOCAL, None),
    "races: between threadgroups": ("o[get_local_id(0)] = get_group_id(0);", GROUPS, "nothing orders threadgroups"),
    "races: each threadgroup its own": ("int i = get_global_id(0); o[i] = get_group_id(0);", GROUPS, None),
    "races: a plain counter": ("o[0] += a[get_global_id(0)];", GROUPS, "races: "),
    "races: an atomic counter": ("atomic_add(o, a[get_global_id(0)]);", GROUPS, None),
    "races: a loop of atomic load and compare-exchange": (
        "global atomic_int *p = (global atomic_int *)o; int s = atomic_load_explicit(p, memory_order_relaxed, "
        "memory_scope_device); while (!atomic_compare_exchange_strong(p, &s, s + a[get_global_id(0)])) {}", ATOMICS, None),
    "races: a loop of volatile load and compare-exchange": (
        "volatile global int *p = o; int s; do s = *p; while (atomic_cmpxchg(p, s, s + a[get_global_id(0)]) != s);",
        GROUPS, None),
    "races: a loop of plain load and compare-exchange": (
        "int s = *o, t; while ((t = atomic_cmpxchg(o, s, s + a[get_global_id(0)])) != s) s = t;", GROUPS,
        "races: an atomic of .* has read without an atomic"),
    "races: a volatile counter": ("volatile global int *p = o; *p += a[get_global_id(0)];", GROUPS, "races: a write"),
    "races: threadgroups that wait for flags": (CHAIN % WAIT, ATOMICS, None),
    "races: threadgroups that wait for none": (CHAIN % "", ATOMICS, "nothing orders threadgroups"),
    "undefined: local memory": ("int i = get_local_id(0); o[i] = a[i] + t[i];", LOCAL,
                                "undefined: .* is stored, and depends on a value that nothing wrote"),
    "undefined: local memory that is written": ("int i = get_local_id(0); t[i] = 1; o[i] = a[i] + t[i];", LOCAL, None),
    "undefined: a branch": ("int i = get_local_id(0); o[i] = 1; if (t[i] == 77) o[i] = a[i] * 3;", LOCAL,
                            "undefined: "),
    "undefined: a branch on what is written": ("int i = get_local_id(0); t[i] = a[i]; o[i] = 1; if (t[i] == 77) o[i] "
                                               "= a[i] * 3;", LOCAL, None),
    "undefined: an index": ("int i = get_local_id(0); o[i] = a[t[i] & 63];", LOCAL, "undefined: .* is an index"),
    "undefined: an index that is written": ("int i = get_local_id(0); t[i] = 5 * i; o[i] = a[t[i] & 63];", LOCAL, None),
    "hazards: a barrier in a branch": ("int i = get_local_id(0); if (i < 5) barrier(CLK_LOCAL_MEM_FENCE); o[i] = "
                                       "a[i];", BUFFERS, "hazards: a barrier that"),
    "hazards: a barrier in a branch that all take": ("int i = get_local_id(0); if (a[0] == 0) "
                                                     "barrier(CLK_LOCAL_MEM_FENCE); o[i] = a[i];", BUFFERS, None),
}
PIGLIT = """/*!
[config]
name: a store past the end

[test]
name: within
kernel_name: within
global_size: 2 0 0
arg_out: 0 buffer int[2] 1 2
arg_in:  1 buffer int[2] 1 2

[test]
name: beyond
kernel_name: beyond
global_size: 2 0 0
arg_out: 0 buffer int[2] 1 2
arg_in:  1 buffer int[2] 1 2
!*/
kernel void within(global int *o, global int *a) { o[get_global_id(0)] = a[get_global_id(0)]; a[1] = 2; }
kernel void beyond(global int *o, global int *a) { o[get_global_id(0)] = a[get_global_id(0)]; a[2] = 2; }
"""


class Check(Case):
    def test_kernels(self):
        for name, (body, arguments, wanted) in CASES.items():
            with self.subTest(name):
                local = ", local int *t" if "--local" in arguments else ""
                path = self.file("k.cl", f"kernel void k(global int *o, global int *a{local}) {{ {body} }}")
                done = self.expect(OK if wanted is None else FAILED, "exec", path, "--check", "--device", "virtual:m1",
                                   *arguments, message=wanted)
                # One report of one cause; and no finding is told from no check.
                self.assertNotIn("unmapped memory", done.stderr)
                self.assertNotIn("changed, from", done.stderr)
                self.assertEqual("no findings: checked bounds, races, undefined, hazards of " in done.stderr, wanted is None)

    def test_lines(self):
        """Each report names the line of the source: here the one on which the mistake stands."""
        cases = [("bounds: ", BUFFERS, "int i = get_global_id(0);\nint x = a[i];\no[i + 64] = x;\n", 4),
                 ("races: ", LOCAL, "int i = get_local_id(0);\nt[i] = a[i];\nint x = t[i ^ 1];\no[i] = x;\n", 4),
                 ("undefined: .* is an index", LOCAL, "int i = get_local_id(0);\nint x = t[i] & 63;\no[i] =\na[x];\n", 5),
                 ("hazards: ", BUFFERS, "int i = get_local_id(0);\nif (i < 5)\nbarrier(CLK_LOCAL_MEM_FENCE);\no[i] = a[i];\n", 4)]
        for wanted, arguments, body, line in cases:
            with self.subTest(wanted):
                local = ", local int *t" if "--local" in arguments else ""
                path = self.file("lines.cl", f"kernel void k(global int *o, global int *a{local}) {{\n{body}}}\n")
                for device in ["virtual:m1", "--check"], ["virtual:m1,check=all"]:
                    self.expect(FAILED, "exec", path, "--device", *device, *arguments,
                                message=f"{wanted}.*; ~?lines.cl:{line}; lane")

    def test_preamble(self):
        """A load that is made once, ahead of all threads: a finding where the value is used."""
        path = self.file("k.cl", "kernel void k(global float *o, constant float *w, int n) { int i = get_global_id(0); "
                                 "float s = i; for (int k = 0; k < 5; k++) s += w[k] * k; if (n > 3) s += w[7]; o[i] = s; }")
        for count, n, wanted in ((5, 2, None), (4, 2, 16), (8, 4, None), (7, 4, 28)):
            self.expect(OK if wanted is None else FAILED, "exec", path, "--check", "--device", "virtual:m1", "--grid", 64,
                        "--buf", "0=f32[64]", "--buf", f"1=f32[{count}]:1", "--arg", f"2={n}",
                        message=wanted and f"undefined: .*the preamble reads 4 bytes at byte {wanted} of buffer 1 .w., which has {wanted} bytes: ")

    def test_memory_is_the_same(self):
        source = "kernel void k(global int *o, global int *a, local int *t) { int i = get_local_id(0); t[i] = a[i]; " \
                 "o[i] = t[i ^ 1]; }"
        path = self.file("k.cl", source)
        shown = [self.expect(code, "exec", path, "--device", device, *LOCAL, "--print", 0).stdout.split("buffer 0")[1]
                 for code, device in ((OK, "virtual:m1"), (FAILED, "virtual:m1,check=all"))]
        self.assertEqual(*shown)

    def test_which_checks(self):
        path = self.file("k.cl", "kernel void k(global int *o, global int *a) { o[get_global_id(0)] = a[get_global_id(0) + 1]; }")
        arguments = ["exec", path, "--buf", "0=i32[64]:0", "--buf", "1=i32[64]:0", "--grid", 64]
        self.expect(FAILED, *arguments, "--device", "virtual:m1,check=races+bounds", message="bounds: a read")
        self.expect(OK, *arguments, "--device", "virtual:m1,check=races+hazards",
                    message="k: no findings: checked races, hazards of [0-9]+ simdgroup instructions, 64 threads")
        self.expect(OK, *arguments, "--device", "virtual:m1,check=off", "--check")
        self.expect(INVALID, *arguments, "--device", "virtual:m1,check=leaks", message="option check .* takes off, all")

    def test_piglit(self):
        path, output = self.file("end.cl", PIGLIT), self.folder / "out.json"
        self.expect(OK, "piglit", "--device", "virtual:m1", path)
        checked = run("piglit", "--check", "--device", "virtual:m1", "--format", "json", "-o", output, path)
        self.assertEqual(checked.returncode, FAILED, checked.stderr)
        self.assertIn("--check: 2 tests ran on a device that checks bounds, races, undefined and hazards; findings in 1\n", checked.stderr)
        results = {result["name"].split("@")[-1]: result for result in json.loads(output.read_text())["results"]}
        self.assertEqual({name: result["status"] for name, result in results.items()},
                         {"within": "pass", "beyond": "fail"})
        self.assertRegex(results["beyond"]["reason"], r"^bounds: a write of 4 bytes at byte 8 of buffer 1 \(a\), which has 8 bytes: 4 bytes past its end")
        self.assertRegex(results["beyond"]["reason"], r"; end.cl:20; lane")

    def test_catalogue(self):
        """A benchmark with all checks: no report, and the figure of a device without checks."""
        figures = []
        for device in "virtual:m1", "virtual:m1,check=all":
            text = self.expect(OK, "run", "--device", device, "float/fadd32/latency",
                               "--format", "json").stdout
            figures.append([(result["name"], result.get("value")) for result in json.loads(text)["results"]])
        self.assertEqual(*figures)


if __name__ == "__main__":
    main()
