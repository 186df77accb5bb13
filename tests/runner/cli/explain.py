# SPDX-License-Identifier: MIT
"""explain: the first thing that it names is what was planted in the kernel, and where the advice can be taken the launch
becomes faster by the promised part, within 10 % of the time promised. Stalls add up.

Usage: explain.py AGX_RUNNER"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

RUNNER = sys.argv.pop(1)
DEVICE = "virtual:m1"
FULL = "24576"  # threads that its cores hold at a time

CHAIN = "kernel void chain(global float *out) { float x = out[get_global_id(0)];" + " x = x * 1.5f + 0.25f;" * 640 + \
        " out[get_global_id(0)] = x; }"
TRANSPOSE = """
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void transpose(global float *out, global const float *in)
{
   local float tile[32 * (32 + PAD)];
   int x = get_local_id(0), y = get_local_id(1);
   float sum = in[y * 32 + x];
   for (int k = 0; k < 16; k++) {
      for (int j = 0; j < 32; j += 8) tile[(y + j) * (32 + PAD) + x] = sum + j;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int j = 0; j < 32; j += 8) sum += tile[x * (32 + PAD) + y + j];
      barrier(CLK_LOCAL_MEM_FENCE);
   }
   out[(get_group_id(0) * 8 + y) * 32 + x] = sum;
}"""
STEP = "a = a * 1.5f + 0.25f; b = b * 1.5f + 0.25f; c = c * 1.5f + 0.25f; d = d * 1.5f + 0.25f;"
DIVERGENT = """
kernel void divergent(global float *out, int same)
{
   int id = get_global_id(0), iterations = same ? 62 : (id % 32) * 4;
   float a = id, b = id + 1, c = id + 2, d = id + 3;
   for (int i = 0; i < iterations; i++) { """ + STEP * 4 + """ }
   out[id] = a + b + c + d;
}"""
# Loads that wait for each other, one word a simdgroup: only other simdgroups hide them.
CHASE = """
kernel void chase(global float *out, global const float *in)
{
   int id = get_global_id(0), s = 0;
   for (int k = 0; k < 64; k++) s = (int)in[(s + id / 32 * 33 + k * 1056) & 16383];
   out[id] = s;
}"""


def copying(name, stride):
    return f"kernel void copy(global {name} *out, global const {name} *in) " \
           f"{{ int i = get_global_id(0) * {stride}; out[i] = in[i]; }}"


def spilling(name, count, parts):
    """The same work in parts: each has its own part of the values alive."""
    text = f"kernel __attribute__((reqd_work_group_size(64, 1, 1))) void spill(global {name} *out) " \
           f"{{ int id = get_global_id(0); {name} s = 0, x = out[id];"
    values = range(count // parts)
    for part in range(parts):
        text += "{" + "".join(f" {name} v{i} = x + {i + part * len(values)};" for i in values)
        text += " for (int k = 0; k < 8; k++) {"
        text += "".join(f" v{i} = v{i} * v{(i * 7 + 3) % len(values)} + s;" for i in values) + " s += v0; }"
        text += "".join(f" s += v{i};" for i in values) + "}"
    return text + " out[id] = s; }"


def diverging(name, body, iterations):
    return f"kernel void divergent(global {name} *out) {{ int id = get_global_id(0), n = {iterations};" \
           f" {name} a = id, b = id + 1; for (int i = 0; i < n; i++) {{ {body} }} out[id] = a + b; }}"


def gemm(name, tile):
    return f"""
kernel __attribute__((reqd_work_group_size({tile}, {tile}, 1)))
void gemm(global {name} *out, global const {name} *a, global const {name} *b, int n)
{{
   local {name} as[{tile * tile}], bs[{tile * tile}];
   int x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
   {name} sum = 0;
   for (int k = 0; k < n; k += {tile}) {{
      as[j * {tile} + i] = a[y * n + k + i];
      bs[j * {tile} + i] = b[(k + j) * n + x];
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int l = 0; l < {tile}; l++) sum += as[j * {tile} + l] * bs[l * {tile} + i];
      barrier(CLK_LOCAL_MEM_FENCE);
   }}
   out[y * n + x] = sum;
}}"""


LOOPS = {  # name: (type, what a turn does; I is its number)
    "float": ("float", "a = a * 1.5f + 0.25f; b = b * 1.5f + a;"),
    "int": ("uint", "a = a * 5 + b; b ^= a;"),
    "load": ("float", "a += in[I] * 1.5f;"),
    "branch": ("float", "a = a * 1.5f + 0.25f; if (a > 100.0f) { a = sqrt(a) * b; a = exp2(a); } b = b * 1.5f + a;"),
    "longer": ("float", "a = a * 1.5f + 0.25f; b = b * 1.5f + a;" * 4),
}


def looping(name, turns):
    """A loop of n turns, unrolled so many times."""
    kind, body = LOOPS[name]
    bodies = "".join(body.replace("I", f"i + {i}") for i in range(turns))
    return f"kernel void loop(global {kind} *out, global const float *in, int n) {{ int id = get_global_id(0);" \
           f" {kind} a = id, b = id + 1; for (int i = 0; i < n; i += {turns}) {{ {bodies} }} out[id] = a + b; }}"


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text)
        return str(path)

    def run_it(self, command, *arguments):
        return subprocess.run([RUNNER, command, "--device", DEVICE, *arguments], capture_output=True, text=True,
                              timeout=200)

    def explain(self, path, *arguments):
        done = self.run_it("explain", path, "--format", "json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertIs(result["modelled"], True)
        total = sum(row["issue"] + sum(row["stalls"].values()) for row in result["instructions"])
        self.assertAlmostEqual(total / result["simdgroup_cycles"], 1, places=6)
        return result

    def assembly(self, name, text):
        path = pathlib.Path(self.folder.name) / f"{name}.agx"
        done = subprocess.run([RUNNER, "compile", self.write(f"{name}.cl", text), "-o", str(path)], capture_output=True,
                              text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_text()

    def check(self, before, name, after=None):
        first = before["findings"][0]
        self.assertEqual(first["name"], name, before["findings"])
        if after is not None:
            promised = before["cycles"] * (1 - first["gain"])
            ratio = after["cycles"] / promised
            # A bound is not passed by more than a tenth, and is not missed by more than a fifth.
            low, high = 0.9, 1.2 if first["gain_is"] == "at most" else 1.1
            self.assertTrue(low <= ratio <= high, f"{ratio}: {before['findings']}")

    def test_dependent_chain(self):
        text = self.assembly("chain", CHAIN)
        lines, count = [], 0
        for line in text.splitlines():
            if "ffma" in line:
                line = re.sub(r"\br1\b", f"r{1 + count % 4}", line)
                count += 1
            lines.append(re.sub(r"^\.registers .*", ".registers 16", line))
        self.assertEqual(count, 640)
        launch = ["--grid", FULL, "--buf", f"0=f32[{FULL}]:1"]
        self.check(self.explain(self.write("one.agx", text), *launch), "dependency chain",
                   self.explain(self.write("four.agx", "\n".join(lines) + "\n"), *launch))

    def test_copy(self):
        """The advice is taken with types half as wide, or half the stride. The buffers stay as they are. With a stride, the
        sectors that the lanes do not need come first."""
        for number, (group, threads, old, new) in enumerate((
                (256, 262144, ("float", 1), ("ushort", 1)), (64, 65536, ("uint4", 1), ("uint2", 1)),
                (1024, 262144, ("ulong", 1), ("int", 1)), (32, 131072, ("char8", 1), ("char4", 1)),
                (128, 65536, ("int", 4), ("int", 2)))):
            with self.subTest(group=group, old=old):
                launch = ["--grid", str(threads), "--group", str(group), "--buf", "0=u8[2097152]", "--buf",
                          "1=u8[2097152]"]
                before, after = (self.explain(self.write(f"{number}-{kind[0]}-{kind[1]}.cl", copying(*kind)), *launch)
                                 for kind in (old, new))
                self.assertGreater(before["busy"]["DRAM"], 0.9)
                if old[1] > 1:
                    self.check(before, "scattered accesses")
                    before["findings"] = [one for one in before["findings"] if one["name"] == "memory bandwidth"]
                self.check(before, "memory bandwidth", after)

    def test_spills(self):
        """The gain, and not the little time that is left, is what is promised."""
        for name, buffer, count, threads in (("float", "f32", 200, 1024), ("int", "i32", 280, 2048),
                                             ("float", "f32", 140, 8192)):
            with self.subTest(type=name, count=count):
                launch = ["--grid", str(threads), "--buf", f"0={buffer}[{threads}]:1"]
                before, after = (self.explain(self.write(f"{name}{count}-{parts}.cl", spilling(name, count, parts)), *launch)
                                 for parts in (1, 4))
                self.check(before, "spilled registers")
                self.assertAlmostEqual((1 - after["cycles"] / before["cycles"]) / before["findings"][0]["gain"], 1,
                                       delta=0.1)

    def test_bank_conflicts(self):
        launch = ["--grid", "1024,8", "--buf", "0=f32[8192]", "--buf", "1=f32[1024]"]
        before, after = (self.explain(self.write(f"{pad}.cl", TRANSPOSE.replace("PAD", pad)), *launch)
                         for pad in ("0", "1"))
        self.check(before, "bank conflicts", after)

    def test_partial_simdgroups(self):
        """Threadgroups of no multiple of 32 threads leave lanes empty. That costs nothing where each scheduler has one
        simdgroup anyway, and no lane takes another way than the others."""
        path = self.write("partial.cl", "kernel void k(global uint *o, uint n) { uint i = get_global_id(0), a = i; for (uint k = 0; "
                                        "k < n; k++) { a = a * 1664525 + 1013904223; a ^= a >> 7; a += k * a; } o[i] = a; }")
        for threads, group in ((32768, 8), (32768, 16), (8192, 16), (64, 16)):
            with self.subTest(threads=threads, group=group):
                before, after = (self.explain(path, "--grid", str(threads), "--group", str(size), "--buf", f"0=u32[{threads}]",
                                              "--arg", "1=64") for size in (group, 32))
                gains = {finding["name"]: finding["gain"] for finding in before["findings"]}
                self.assertLess(gains.get("inactive lanes", 0), 0.05)
                if threads == 64:
                    self.assertNotIn("partial simdgroups", gains)
                    self.assertAlmostEqual(after["cycles"] / before["cycles"], 1, delta=0.1)
                else:
                    self.check(before, "partial simdgroups", after)

    def test_divergence(self):
        path = self.write("divergent.cl", DIVERGENT)
        before, after = (self.explain(path, "--grid", "32768", "--buf", "0=f32[32768]", "--arg", f"1={same}")
                         for same in (0, 1))
        self.check(before, "inactive lanes", after)

    def test_divergence_of_short_loops(self):
        """A pass of the loop is little more than its jump: fewer passes are the advice, not cheaper ones."""
        for name, buffer, body in (("float", "f32", "a = a * 1.5f + 0.25f;"), ("uint", "u32", "a = a * 5 + b; b ^= a;")):
            for group, threads in ((32, 24576), (256, 32768)):
                with self.subTest(type=name, threads=threads):
                    launch = ["--grid", str(threads), "--group", str(group), "--buf", f"0={buffer}[{threads}]"]
                    before, after = (self.explain(self.write(f"{name}{i}.cl", diverging(name, body, n)), *launch)
                                     for i, n in enumerate(("id % 32 * 4", "62")))
                    self.check(before, "inactive lanes", after)

    def test_loops(self):
        """Loops that are unrolled already or not, unrolled four times as the advice says."""
        for name, (kind, _) in LOOPS.items():
            for turns, threads in ((1, 32), (2, 32), (1, 256), (1, 32768)):
                with self.subTest(name=name, unrolled=turns, threads=threads):
                    launch = ["--grid", str(threads), "--group", str(min(threads, 256)), "--buf",
                              f"0={'f32' if kind == 'float' else 'u32'}[{threads}]", "--buf", "1=f32[512]:1", "--arg", "2=256"]
                    before, after = (self.explain(self.write(f"{name}-{n}.cl", looping(name, n)), *launch)
                                     for n in (turns, 4 * turns))
                    gain = {finding["name"]: finding["gain"] for finding in before["findings"]}.get("loop turns", 0)
                    self.assertAlmostEqual(after["cycles"] / (before["cycles"] * (1 - gain)), 1, delta=0.1)

    def test_registers(self):
        text = re.sub(r"(?m)^\.registers .*", ".registers 256", self.assembly("chase", CHASE))
        launch = ["--group", "64", "--grid", "65536", "--buf", "0=f32[65536]", "--buf", "1=f32[65536]:iota"]
        before = self.explain(self.write("many.agx", text), *launch)
        fewer = text.replace(".registers 256", f".registers {before['next_half_registers']}")
        self.assertEqual(before["occupancy_limit"], "registers")
        self.check(before, "occupancy", self.explain(self.write("fewer.agx", fewer), *launch))

    def test_registers_of_gemm(self):
        for name, buffer, tile, registers in (("float", "f32", 16, 256), ("uint", "u32", 16, 224)):
            with self.subTest(type=name):
                text = re.sub(r"(?m)^\.registers .*", f".registers {registers}", self.assembly(f"gemm-{name}", gemm(name, tile)))
                launch = ["--grid", "256,256", *(word for i in range(3) for word in ("--buf", f"{i}={buffer}[65536]:1")),
                          "--arg", "3=256"]
                before = self.explain(self.write("many.agx", text), *launch)
                fewer = text.replace(f".registers {registers}", f".registers {before['next_half_registers']}")
                self.assertEqual(before["occupancy_limit"], "registers")
                self.check(before, "occupancy", self.explain(self.write("fewer.agx", fewer), *launch))

    def test_register_steps(self):
        """The step that is named has room for more threadgroups, small ones included: a launch asks for multiples of 8."""
        text = self.assembly("chase", CHASE)
        for registers in (256, 200, 136):
            launch = ["--group", "64", "--grid", "65536", "--buf", "0=f32[65536]", "--buf", "1=f32[65536]:iota"]
            many, fewer = None, registers
            for _ in range(2):
                result = self.explain(self.write("step.agx", re.sub(r"(?m)^\.registers .*", f".registers {fewer}", text)), *launch)
                many, fewer = (result if many is None else many), result["next_half_registers"]
            self.assertGreater(result["threadgroups_at_a_time"], many["threadgroups_at_a_time"])

    def test_trace(self):
        trace = pathlib.Path(self.folder.name) / "trace.json"
        result = self.explain(self.write("chase.cl", CHASE), "--group", "64", "--grid", "4096", "--buf",
                              "0=f32[4096]", "--buf", "1=f32[65536]:iota", "--trace", str(trace))
        trace = json.loads(trace.read_text())
        self.assertIs(trace["otherData"]["modelled"], True)
        slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        issues = [event for event in slices if event["cat"] == "issue"]
        self.assertEqual(len(issues), sum(row["executions"] for row in result["instructions"]))
        self.assertAlmostEqual(sum(event["dur"] for event in issues) /
                               sum(row["issue"] for row in result["instructions"]), 1, places=2)
        ends = {}
        for event in slices:  # one after the other: what a simdgroup does leaves no gap and does not overlap
            start = ends.setdefault(event["tid"], event["ts"])
            self.assertAlmostEqual(event["ts"], start, places=6)
            ends[event["tid"]] = event["ts"] + event["dur"]
        self.assertEqual(len(ends), result["simdgroups"])
        self.assertLessEqual(max(ends.values()), result["cycles"] + 1e-6)
        waits = [event["dur"] for event in slices if event["name"] == "waits: memory"]
        self.assertGreater(sum(waits), 0.5 * max(ends.values()))

    def test_timeline(self):
        done = self.run_it("explain", self.write("chain.cl", CHAIN), "--grid", "512", "--buf", "0=f32[512]:1",
                           "--timeline", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = re.findall(r"(?m)^ +(\d+) ([0-9a-f]{4}) \|(.{100})\| (.*)$", done.stdout)
        self.assertLessEqual(len({simd for simd, *_ in lines}), 2)
        chain = [bar for _, _, bar, text in lines if text.split("  ;")[0] == "ffma     r1, r1, 1.5, 0.25"]
        self.assertGreater(len(chain), 100)
        self.assertTrue(all(bar.count("I") == 1 for bar in chain))

    def test_text(self):
        launch = ["--grid", FULL, "--buf", f"0=f32[{FULL}]:1"]
        done = self.run_it("explain", self.write("chain.cl", CHAIN), *launch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("modelled", done.stdout)
        self.assertIn("1. dependency chain", done.stdout)
        self.assertRegex(done.stdout, r"ffma +r1, r1, 1\.5, 0\.25  <- [0-9a-f]{4}")

    def test_refusals(self):
        done = self.run_it("explain", self.write("chain.cl", CHAIN), "--grid", "64", "--print", "0")
        self.assertEqual(done.returncode, 79)
        done = subprocess.run([RUNNER, "explain", self.write("copy.cl", copying("float", 1)), "--device", DEVICE + ",timing=off",
                               "--grid", "64", "--buf", "0=f32[64]", "--buf", "1=f32[64]"], capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, 98)
        self.assertIn("timing off", done.stderr)


unittest.main()
