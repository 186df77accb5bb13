#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Collected programs: what collect= keeps is what was compiled, once, whoever runs it; and what reads it.

Usage: collect.py AGX_RUNNER SOURCE_ROOT [TEST...]
"""
import json
import re
import struct
import subprocess

from case import INVALID, OK, RUNNER, SAXPY, Case, main, run

HEAD, USES, USE = struct.Struct("<8sIIIHHIIHHHH"), 136, 48
SHORT = "kernel void k(global float *a) { a[get_global_id(0)] += 1.0f; }\n"
LONG = "kernel void k(global float *a) { int i = get_global_id(0); a[i] = sin(a[i]) + sqrt(a[i]) * 3.0f; }\n"


class Collect(Case):
    def setUp(self):
        super().setUp()
        self.kept = self.folder / "kept"

    def exec(self, path, kept=None):
        return [RUNNER, "exec", "-d", f"virtual:m1,timing=off,collect={kept or self.kept}", path, "--buf", "0=f32[64]:1",
                *(["--buf", "1=f32[64]:1", "--arg", "2=3.5"] if str(path) == SAXPY else []), "--grid", "64"]

    def collect(self, path, kept=None):
        subprocess.run(self.exec(path, kept), check=True, capture_output=True)

    def files(self, suffix):
        return sorted(self.kept.glob("*" + suffix))

    def launches(self):
        return sum(struct.unpack_from("<QQQ", path.read_bytes(), USES + at * USE)[2]
                   for path in self.files(".agxuses") for at in range((path.stat().st_size - USES) // USE))

    def test_code_is_the_compilers(self):
        self.collect(SAXPY)
        compiled = self.folder / "saxpy.bin"
        self.expect(OK, "compile", SAXPY, "-o", compiled)
        (program,) = self.files(".agxprog")
        bytes_ = program.read_bytes()
        magic, stage, main_size, preamble_size = HEAD.unpack_from(bytes_)[:4]
        self.assertEqual((magic, stage, HEAD.size + main_size + preamble_size), (b"AGXPRG1\0", 0, len(bytes_)))
        code = compiled.read_bytes()
        main_code, preamble = bytes_[HEAD.size:HEAD.size + main_size], bytes_[HEAD.size + main_size:]
        self.assertEqual(code[:main_size], main_code)
        self.assertIn(preamble, code[main_size:])
        own = lambda text: [line.split(None, 2)[2] for line in text.splitlines() if re.match(r" +[0-9a-f]+: ", line)
                            and not line.endswith("trap")]  # padding
        self.assertEqual(own(self.expect(OK, "disasm", program).stdout), own(self.expect(OK, "compile", SAXPY).stdout))

    def test_once_by_two_writers_at_once(self):
        processes = [subprocess.Popen(self.exec(SAXPY), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
        self.assertEqual([process.communicate()[1] for process in processes], [b""] * 3)
        self.assertEqual((len(self.files(".agxprog")), len(self.files(".agxuses")), self.launches()), (1, 3, 3))
        self.collect(self.file("short.cl", SHORT))
        self.assertEqual((len(self.files(".agxprog")), self.launches()), (2, 4))
        text = self.expect(OK, "corpus", self.kept).stdout
        self.assertIn("collected programs: 2 compute, 0 vertex, 0 fragment, 0 background, 0 end-of-tile; 4 launches or draws by 4 processes", text)

    def test_saved_jobs_give_the_same_programs(self):
        jobs, again = self.folder / "jobs", self.folder / "again"
        words = self.exec(SAXPY)
        words[words.index("-d") + 1] += f",record={jobs}"
        subprocess.run(words, check=True, capture_output=True)
        self.expect(OK, "replay", "-d", f"virtual:m1,collect={again}", jobs)
        self.assertEqual([path.name for path in sorted(again.glob("*.agxprog"))], [path.name for path in self.files(".agxprog")])
        self.assertEqual(len(self.files(".agxprog")), 1)

    def test_statistics_are_those_of_the_kernel(self):
        self.collect(SAXPY)
        values = [json.loads(self.expect(OK, "corpus", "--json", path).stdout)["results"][0]["program"] for path in (self.kept, SAXPY)]
        self.assertEqual(values[0]["half_registers"], (values[1]["half_registers"] + 7) // 8 * 8)  # what launches can say
        for key in ("instructions", "predicted_cycles", "occupancy"):
            self.assertEqual(values[0][key], values[1][key], key)

    def test_sources_need_a_driver(self):
        sources = self.kept / "sources"
        sources.mkdir(parents=True)
        self.file("kept/sources/0.cl", SHORT)
        built = self.file("kept/sources/1.kernels.built", "agx-built 1\napi opencl\nsource 0.cl\nkernel k\n")
        self.expect(INVALID, "corpus", built, message="a Mesa's drivers compile it: give --mesa")
        self.expect(INVALID, "corpus", sources, message="no kernel was found")  # 0.cl is not compiled by itself
        self.collect(SAXPY)
        self.assertIn("all 1 kernels", self.expect(OK, "corpus", self.kept).stdout)

    def test_shards_are_the_whole(self):
        for text in SHORT, LONG, SHORT.replace("1.0f", "2.0f"):
            self.collect(self.file("k.cl", text))
        names = lambda *words: {result["name"] for result in json.loads(self.expect(OK, "corpus", "--json", *words, self.kept).stdout)["results"]}
        parts = [names("--shard", f"{i}/2") for i in (1, 2)]
        self.assertEqual(sorted(map(len, parts)), [1, 2])
        self.assertEqual(parts[0] | parts[1], names())
        self.expect(INVALID, "corpus", "--shard", "3/2", self.kept, message="it takes I/N")

    def test_compare_by_order(self):
        other = self.folder / "other"
        self.collect(self.file("k.cl", SHORT))
        self.collect(self.file("k.cl", LONG), other)
        text = run("compare", self.kept, other).stdout
        self.assertRegex(text, "1 on both sides")
        self.assertRegex(text, "agx-runner:1/0000-compute")

    def test_processes_are_in_their_order(self):
        """Numbers of processes begin anew at some time: what is later counts as later."""
        for path in self.file("a.cl", LONG), self.file("b.cl", SHORT):
            self.collect(path)
        first, second = self.files(".agxuses")
        for file in first, second:
            self.assertRegex(file.name, r"^\d{16}-\d+\.agxuses$")
        first.rename(self.kept / re.sub(r"-\d+", "-32767", first.name))
        second.rename(self.kept / re.sub(r"-\d+", "-3", second.name))
        programs = {result["name"]: result["program"]["instructions"] for result in json.loads(self.expect(OK, "corpus", "--json", self.kept).stdout)["results"]}
        self.assertEqual(sorted(programs), ["agx-runner:1/0000-compute", "agx-runner:2/0000-compute"])
        self.assertGreater(programs["agx-runner:1/0000-compute"], programs["agx-runner:2/0000-compute"])

    def test_what_kills_leave(self):
        self.collect(SAXPY)
        (program,), (uses,) = self.files(".agxprog"), self.files(".agxuses")
        whole = uses.read_bytes()
        (self.kept / "1.agxuses").write_bytes(whole[:USES + 20])
        (self.kept / "2.agxuses").write_bytes(whole[:30])
        (self.kept / (program.name + ".77")).write_bytes(program.read_bytes()[:50])
        self.assertIn("1 launches or draws by 2 processes", self.expect(OK, "corpus", self.kept).stdout)
        for cut, message in ((50, "has not the size"), (20, "is no collected program"), (0, "is no collected program")):
            damaged = self.folder / "damaged.agxprog"
            damaged.write_bytes(program.read_bytes()[:cut])
            self.expect(INVALID, "disasm", damaged, message=message)


if __name__ == "__main__":
    main()
