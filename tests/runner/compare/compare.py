#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compare: verdicts, changed answers, program counts, gates. compare.py AGX_RUNNER"""
import copy
import json
import random
import statistics
import subprocess
import sys
import unittest

from folder import InFolder

RUNNER = sys.argv[1]
OK, INVALID, FAILED = 0, 79, 98


def result(name, centre=10.0, unit="cycles", seed=0, **more):
    source = random.Random(name + str(seed))
    samples = [centre * source.gauss(1, 0.005) for _ in range(15)]
    return dict({"name": name, "status": "pass", "reason": "", "unit": unit, "value": statistics.median(samples),
                 "low": min(samples), "high": max(samples), "samples": samples, "check": "pass",
                 "program_hash": "00000000000000aa",
                 "program": {"instructions": 100, "bytes": 800, "half_registers": 20, "occupancy": 96,
                             "scratch_bytes": 0, "uniform_halves": 8, "loops": 1, "predicted_cycles": 500,
                             "predicted_latency": 900}}, **more)


def run(results, kind="virtual"):
    return {"schema": 2, "device": {"name": "x", "kind": kind, "chip": "m1", "path": kind, "cores": 8},
            "environment": {"mesa": "1", "command_line": "", "time": "2026-11-21T03:00:00Z"}, "results": results}


class Compare(InFolder):
    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def compare(self, a, b, *options, code=OK):
        paths = [self.write(f"{letter}.json", side) for letter, side in (("a", a), ("b", b))]
        done = subprocess.run([RUNNER, "compare", *paths, *options], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def rows(self, a, b, *options):
        return {row["name"]: row for row in self.json(a, b, *options)["pairs"][0]["rows"]}

    def json(self, a, b, *options, **more):
        return json.loads(self.compare(a, b, "--format", "json", *options, **more).stdout)

    def findings(self, a, b, *options):
        """(harm, name): finding"""
        return {(finding["harm"], finding["name"]): finding for finding in self.json(a, b, *options)["findings"]}

    def verdict(self, done):
        """The lines of the verdict, which stands before all else."""
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "Verdict:")
        return [line.strip() for line in lines[1:lines.index("")]]

    def test_verdicts(self):
        a = run([result("same"), result("slow"), result("fast"), result("rate", unit="Gop/s"), result("noise")])
        b = run([result("same", seed=1), result("slow", 10.5, seed=1), result("fast", 9.5, seed=1),
                 result("rate", 9.5, unit="Gop/s", seed=1), result("noise", 10.06, seed=2)])
        rows = self.rows(a, b)
        gained = run([result("x", samples=[10] * 15, value=10)]), run([result("x", samples=[8] * 15, value=8)])
        self.assertAlmostEqual(self.findings(*gained)["faster", "x"]["percent"], 20)
        self.assertAlmostEqual(self.findings(*reversed(gained))["slower", "x"]["percent"], 25)
        self.assertEqual({name: rows[name]["verdict"] for name in ("slow", "fast", "rate")},
                         {"slow": "worse", "fast": "better", "rate": "worse"})
        self.assertNotIn(rows["same"]["verdict"], ("worse", "better"))
        medians = [statistics.median(side["results"][1]["samples"]) for side in (a, b)]
        self.assertAlmostEqual(rows["slow"]["ratio"], medians[1] / medians[0], 12)
        self.assertTrue(rows["slow"]["low"] < rows["slow"]["ratio"] < rows["slow"]["high"])

    def test_directions(self):
        """Which way each metric is better; where the name has none, the unit tells."""
        def runs(factor, seed):
            return run([result(name, 10 * factor, unit, seed) for name, unit in (
                ("g/a/throughput", "cycles"), ("g/a/rate", "op/cycle/core"), ("g/b/latency", "cycles/op"),
                ("FADD32*1", "cycles"), ("somebody's", "GB/s"), ("else", "things/cycle"))] + [
                result(name, unit=unit, value=value, low=value, high=value, samples=[]) for name, unit, value in (
                    ("g/a/max-error", "ulp", 2 * factor), ("g/a/mean-error", "ulp", 0 if factor == 1 else 0.5),
                    ("g/a/residency", "threads", 512 * factor), ("g/same/max-error", "ulp", 3), ("g/none/max-error", "ulp", 0))])
        more = self.rows(runs(1, 0), runs(1.1, 1))
        self.assertEqual({name: row["verdict"] for name, row in more.items()}, {
            "g/a/throughput": "worse", "g/a/rate": "better", "g/b/latency": "worse", "FADD32*1": "worse",
            "somebody's": "better", "else": "worse", "g/a/max-error": "worse", "g/a/mean-error": "worse",
            "g/a/residency": "better", "g/same/max-error": "same", "g/none/max-error": "same"})
        text = self.compare(runs(1, 0), runs(1.1, 1), "--fail-on", "worse:1000%", code=FAILED)
        self.assertIn("g/a/mean-error", text.stderr)
        self.assertIn("counted", text.stdout)

    def test_equal_runs(self):
        a = run([result(f"g/{i}") for i in range(20)])
        done = self.compare(a, a, "--fail-on", "worse", "--fail-on", "hurt", "--fail-on", "missing")
        self.assertEqual(self.verdict(done), ["no difference found"])
        self.assertIn("0 worse, 0 better, 20 same, 0 cannot tell", done.stdout)

    def test_answers_come_first(self):
        a = run([result("slow"), result("wrong"), result("broken"), result("gone"), result("fixed", status="fail")])
        b = run([result("slow", 20, seed=1), result("wrong", status="fail", check="fail", reason="word 3"),
                 result("broken", status="hang"), result("new"), result("fixed")])
        done = self.compare(a, b)
        verdict = self.verdict(done)
        self.assertEqual(verdict[:2], ["wrong answers: wrong, found by benchmarks", "broken: broken, found by benchmarks"])
        self.assertRegex(verdict[2], r"^slower: 1, the most by 9\d\.\d\d %: slow$")
        self.assertEqual(verdict[3:], ["not run: gone (missing in B)", "1 mended, 1 new"])
        order = [done.stdout.index(f"\n1 {text}\n") for text in ("wrong answers", "broken", "slower", "not run", "mended", "new")]
        self.assertEqual(order, sorted(order))
        for gate in "answers", "worse:1000%":
            self.assertIn("wrong: wrong answers: pass -> fail: word 3, and 1 more",
                          self.compare(a, b, "--fail-on", gate, code=FAILED).stderr)

    def test_the_gate_names_an_answer_first(self):
        a = run([result("a"), result("b"), result("c")])
        b = run([result("a", 20, seed=1), result("b", status="hang"), result("c", status="fail", check="fail")])
        self.assertIn("c: wrong answers: pass -> fail, and 2 more", self.compare(a, b, "--fail-on", "worse", code=FAILED).stderr)

    def test_gates(self):
        a, slower = run([result("x")]), run([result("x", 10.4, seed=1)])
        self.compare(a, slower, "--fail-on", "worse:10%")
        self.compare(a, slower, "--fail-on", "answers")
        self.assertIn("x: slower by", self.compare(a, slower, "--fail-on", "worse:2%", code=FAILED).stderr)
        bigger = copy.deepcopy(a)
        bigger["results"][0]["program"]["half_registers"] = 22
        bigger["results"][0]["program_hash"] = "00000000000000bb"
        self.compare(a, bigger, "--fail-on", "hurt:11%")
        self.assertIn("x: bigger by 10.00 %: 9.998 -> 9.998 cycles; other code; half registers 20 -> 22", self.compare(a, bigger, "--fail-on", "hurt:5", code=FAILED).stderr)
        self.compare(a, run([]), "--fail-on", "worse")
        self.compare(a, run([]), "--fail-on", "missing", code=FAILED)
        for word in "wors", "worse:", "worse:x%", "worse:-1%", "worse:3%%", "":
            self.assertIn("--fail-on takes", self.compare(a, a, "--fail-on", word, code=INVALID).stderr)

    def test_program_totals(self):
        a = run([result("x"), result("y")])
        b = copy.deepcopy(a)
        b["results"][0]["program"].update(instructions=90, occupancy=64)
        b["results"][0]["program_hash"] = "00000000000000bb"
        programs = self.json(a, b)["pairs"][0]["programs"]
        self.assertEqual(programs["instructions"], {"before": 200, "after": 190, "helped": 1, "hurt": 0})
        self.assertEqual(programs["occupancy"], {"before": 192, "after": 160, "helped": 0, "hurt": 1})
        finding = self.findings(a, b)["bigger", "x"]
        self.assertIn("instructions 100 -> 90, simdgroups a core 96 -> 64", finding["evidence"])
        self.assertAlmostEqual(finding["percent"], 50)  # a third less fits, so what there was is half as much again

    def test_virtual_and_hardware(self):
        a, b = run([result("x")]), run([result("x")], "hardware")
        self.assertIn("--across", self.compare(a, b, code=INVALID).stderr)
        self.compare(a, b, "--across")

    def test_markdown_is_escaped(self):
        a = run([result("<script>|`x"), result("<script>|`x2")])
        b = run([result("<script>|`x", 20, seed=1), result("<script>|`x2", status="fail", reason="|<b>")])
        text = self.compare(a, b, "--format", "markdown").stdout
        self.assertNotIn("<script>", text)
        self.assertNotIn("<b>", text)

    def test_what_cannot_be_compared_is_said(self):
        a = run([result("unit"), result("zero"), result("huge"), result("same")])
        b = run([result("unit", unit="furlongs"), result("zero", samples=[0, 1, 2]), result("huge", 1e308), result("same")])
        a["results"][2].update(samples=[1e-9] * 15, value=1e-9)
        b["results"][2].update(samples=[1e308] * 15)
        self.assertIn("3 figures cannot be compared", self.compare(a, b).stdout)
        self.assertEqual({name: row["comparable"] for name, row in self.rows(a, b).items()},
                         {"unit": False, "zero": False, "huge": False, "same": True})
        self.assertNotIn("cannot be compared", self.compare(a, a).stdout)

    def test_a_terminal_is_left_alone(self):
        """What a file holds may be anybody's."""
        nasty = "x\x1b[31m\r\n\x7f\x9b\u00e4"
        a = run([result(nasty), result(nasty + "2")])
        b = run([result(nasty, 20, seed=1), result(nasty + "2", status="fail", reason=nasty)])
        b["environment"].update(time=nasty, mesa=nasty, commit=nasty)
        done = self.compare(a, b)
        self.assertNotRegex(done.stdout, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertIn("x?[31m????\u00e4", done.stdout)

    def test_folders(self):
        kernel = "kernel void k(global float *p) { p[get_global_id(0)] = p[get_global_id(0)] * 2 + 1; }"
        other = kernel.replace("* 2", "* 2.5f * p[1]")
        for folder, text in ("a", kernel), ("b", other):
            source = self.write(f"{folder}.cl", text)
            (self.folder / folder / "deep").mkdir(parents=True)
            for to in "k.agx", "deep/k.agx":
                made = source if to == "k.agx" else self.write("same.cl", kernel)
                subprocess.run([RUNNER, "compile", made, "-o", self.folder / folder / to], check=True)
        done = subprocess.run([RUNNER, "compare", self.folder / "a", self.folder / "b", "--fail-on", "hurt"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertRegex(done.stdout, r"2 programs, 1 with other code")
        self.assertRegex(done.stdout, r"  k\.agx  \[compiled kernels\]\n +other code: .*\+1 fmul.*; instructions \d+ -> \d+")
        self.assertRegex(done.stdout, rf"\n +\$ diff -u {self.folder}/a/k\.agx {self.folder}/b/k\.agx\n")
        self.assertIn("not run: 2 compiled kernels, whose answers were not checked", done.stdout.split("\n\n")[0])
        (self.folder / "b" / "k.agx").write_text("frobnicate r0\n")
        done = subprocess.run([RUNNER, "compare", self.folder / "a", self.folder / "b"], capture_output=True, text=True)
        self.assertIn("broken: k.agx, found by compiled kernels", done.stdout)
        empty = self.folder / "empty"
        empty.mkdir()
        done = subprocess.run([RUNNER, "compare", empty, empty], capture_output=True, text=True)
        self.assertEqual(done.returncode, INVALID)

    def test_piglit_files(self):
        def piglit(status):
            return {"schema": 1, "device": {"kind": "virtual", "path": "virtual:m1"},
                    "results": [{"name": "a", "status": "pass"}, {"name": "b", "status": status, "reason": "got 3"}]}
        done = self.compare(piglit("pass"), piglit("fail"), "--fail-on", "answers", code=FAILED)
        self.assertEqual(self.verdict(done), ["wrong answers: b, found by program tests"])
        self.assertRegex(done.stdout, r"\n +b  \[program tests\]\n +pass -> fail: got 3\n")
        self.compare(piglit("pass"), piglit("pass"), "--fail-on", "answers")

    def test_a_folder_of_kernels(self):
        source = self.write("two.cl", "kernel void one(global int *p) { p[0] = 1; } kernel void two(global int *p) { p[0] = 2; }")
        subprocess.run([RUNNER, "compile", source, "-o", f"{self.folder}/made/"], check=True)
        self.assertEqual(sorted(path.name for path in (self.folder / "made").iterdir()), ["one.agx", "two.agx"])

    def test_files_that_are_none(self):
        good = self.write("good.json", run([result("x")]))
        text = good.read_text()
        for content, message in (
                ("", "not JSON: unexpected end of data at byte 0"), ("{}", "no 'schema'"), ("[1]", "no 'schema'"), ("\"x\"", "no 'schema'"), ("nonsense", "not JSON: null expected at byte 1 (run writes a result file with --format json)"),
                ('{"schema": 99}', "use a newer one"),
                (json.dumps(dict(run([result("x", status="new")]), schema=99), sort_keys=True), "use a newer one"),
                (text + "x", f"not JSON: something follows the end at byte {len(text)}"), (text + text, "something follows"),
                (text + "\0\0", "something follows"), (text[:-1], f"unexpected end of data at byte {len(text) - 1}"),
                (text[:-1] + ', "results": []}', "'results' is there twice"), (text[:-1] + ",}", "not JSON"),
                (text.replace('"results": [{', '"results": [{},{'), "a result has no name"),
                (text.replace('"results": [{', '"results": [1,{'), "a result is not of type object"),
                (text.replace('"results": [{', '"results": [,{'), "not JSON"),
                (text.replace('"results"', '"result"'), "'results' is missing"),
                (text.replace('"value": ', '"value": NaN, "x": '), "'value' is not a finite number"),
                (text.replace('"value": ', '"value": 1e999, "x": '), "'value' is not a finite number"),
                (text.replace('"samples": [', '"samples": [-1e999, '), "sample 0 is not a finite number"),
                (text.replace('"instructions": 100', '"instructions": 1e300'), "'instructions' is no count"),
                (text.replace('"instructions": 100', '"instructions": -1'), "'instructions' is no count"),
                (text.replace('"name": "x", "status"', f'"name": "{"x" * 600}", "status"'), "more than 511 bytes")):
            with self.subTest(message=message, content=content[:80]):
                bad = self.write("bad.json", content)
                done = subprocess.run([RUNNER, "compare", good, bad], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (INVALID, ""))
                self.assertIn("bad.json: ", done.stderr)
                self.assertIn(message, done.stderr)

    def test_files_cut_anywhere(self):
        good = self.write("good.json", run([result("x"), result("y", reason="a \\ \" ] }")]))
        text, cut = good.read_bytes(), self.folder / "cut.json"
        for size in range(0, len(text), 97):
            cut.write_bytes(text[:size])
            done = subprocess.run([RUNNER, "compare", good, cut], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (INVALID, ""))
            self.assertRegex(done.stderr, "cut.json: not JSON: .* at byte [0-9]+$")

    def test_the_order_of_members_is_free(self):
        a = run([result("x"), result("y", status="fail", check="fail")])
        self.assertNotIn("1 wrong answers", self.compare(a, dict(reversed(a.items()))).stdout)
        piglit = {"results": [{"name": "a", "status": "pass"}], "device": {"kind": "virtual", "path": "virtual:m1"}, "schema": 1}
        broken = copy.deepcopy(piglit)
        broken["results"][0]["status"] = "fail"
        self.assertIn("wrong answers: a", self.compare(piglit, broken).stdout)

    def test_identical_samples_are_the_same(self):
        """Samples of a model may differ widely among themselves. Where both sides have the same ones, nothing differs."""
        wide = result("wide", samples=[10, 14, 9, 17, 12, 8, 11, 15, 13], value=12, low=8, high=17)
        a, b = run([wide]), run([dict(wide, program_hash="00000000000000bb")])
        for other in a, b:
            self.assertEqual(self.rows(a, other)["wide"]["verdict"], "same")
            self.assertNotIn("cannot tell:", self.compare(a, other).stdout)
        self.assertEqual(self.verdict(self.compare(a, a)), ["no difference found"])
        shifted = run([dict(wide, samples=[s * 1.001 for s in wide["samples"]])])
        self.assertEqual(self.rows(a, shifted)["wide"]["verdict"], "cannot tell")

    def test_other_code_has_its_cycles(self):
        """One instruction more in a loop that the row counts on: the row is invalid, and the figure of the code that is
        there is compared."""
        a, b = run([result("x/y/throughput")]), run([result("x/y/throughput", 15, seed=1)])
        a["results"][0]["program"]["mnemonics"] = "fadd 64 iadd 2 mov 7"
        other = b["results"][0]
        other.update(status="invalid", reason="invalid codegen: expected 64 fadd, found 65", program_hash="00000000000000bb",
                     other_code={key: other[key] for key in ("value", "low", "high", "samples")}, value=None, low=None,
                     high=None, samples=[])
        other["program"].update(mnemonics="fadd 65 mov 5 stop 1", instructions=101)
        text = self.compare(a, b).stdout
        self.assertNotIn("broken", text)
        finding = self.findings(a, b)["slower", "x/y/throughput"]
        self.assertAlmostEqual(finding["percent"], 50, delta=2)
        for part in r"^9.98 -> 14.99 cycles ", r"; other code: \+1 fadd, -2 iadd, -2 mov, \+1 stop", "instructions 100 -> 101", "expected 64 fadd, found 65":
            self.assertRegex(finding["evidence"], part)
        self.compare(a, b, "--fail-on", "answers")
        self.compare(a, b, "--fail-on", "worse:10%", code=FAILED)
        del other["other_code"]  # a file of an older agx-runner
        self.assertEqual(list(self.findings(a, b)), [("bigger", "x/y/throughput")])
        self.compare(a, b, "--fail-on", "answers")

    def test_kernels_stand_in_the_order_of_harm(self):
        """Per cent, and a tiny kernel behind a large one that loses nearly as much."""
        def corpus(cycles):
            kernels = run([result(name, program_hash=f"{int(value * 100):016x}", unit="", value=None, samples=[], check=None)
                           for name, value in cycles.items()])
            kernels["device"].update(chip="", path="none: kernels were compiled, not run")
            for kernel, value in zip(kernels["results"], cycles.values()):
                kernel["program"]["predicted_cycles"] = value
            return kernels
        before = {"a": 1000, "little": 4, "large": 50000, "z": 1000, "none": 1000}
        after = {"a": 1000.2, "little": 6, "large": 70000, "z": 1300, "none": 1000}
        a, b = corpus(before), corpus(after)
        a["environment"]["program"], b["environment"]["program"] = "/one/agx-runner", "/other one"
        done = self.json(a, b)
        self.assertEqual([(f["name"], round(f["percent"], 2)) for f in done["findings"]],
                         [("large", 40), ("z", 30), ("little", 50), ("a", 0.02)])
        text = self.compare(a, b)
        self.assertEqual(self.verdict(text), ["slower: 4, the most by 50.00 %: little",
                                              "not run: 5 compiled kernels, whose answers were not checked"])
        self.assertRegex(text.stdout, r"\n +\+40\.00 %  large  \[compiled kernels\]\n")

    def test_commands(self):
        """Each finding has a command for the shell; names of others cannot break out of it."""
        a = run([result("g/code/throughput"), result("g/same/throughput"), result("it's $(x)/wrong")])
        b = run([result("g/code/throughput", 12, seed=1, program_hash="00000000000000bb"),
                 result("g/same/throughput", 12, seed=1), result("it's $(x)/wrong", status="fail", check="fail")])
        for one, letter in (a, "a"), (b, "b"):
            one["environment"].update(program=f"/{letter}/agx-runner", compiler=f"/{letter}/agx-compile")
        commands = {name: finding["command"] for (_, name), finding in self.findings(a, b).items()}
        self.assertEqual(commands, {
            "g/code/throughput": "diff -u <(/a/agx-runner describe --program --compiler /a/agx-compile g/code/throughput) "
                                 "<(/b/agx-runner describe --program --compiler /b/agx-compile g/code/throughput)",
            "g/same/throughput": "/b/agx-runner run --device virtual --compiler /a/agx-compile --compiler /b/agx-compile g/same/throughput",
            "it's $(x)/wrong": "/b/agx-runner run --device virtual --compiler /b/agx-compile 'it'\\''s $(x)/wrong'"})
        # The same compiler need not be named.
        for one in a, b:
            one["environment"].update(program="/c/agx-runner", compiler="/c/agx-compile")
        commands = {name: finding["command"] for (_, name), finding in self.findings(a, b).items()}
        self.assertEqual(commands["g/same/throughput"], "/c/agx-runner run --device virtual g/same/throughput")
        self.assertIn("the code is identical", self.compare(a, b).stdout)

    def test_what_is_bad_on_both_sides_is_not_right(self):
        a = run([result("x", status="fail", check="fail"), result("y", status="crash"), result("z", status="skip", reason="why")])
        done = self.compare(a, a, "--fail-on", "answers")
        self.assertEqual(self.verdict(done), ["nothing worse found in what was run",
                                              "not run: 1 benchmarks that neither side ran (for instance: why)",
                                              "2 wrong or broken on both sides"])

    def test_one_verdict_of_all_parts(self):
        """Pairs of runs and findings of others: wrong answers first, wherever they come from."""
        same = self.write("same.json", run([result("x")]))
        slow = self.write("slow.json", run([result("x", 11, seed=1)]))
        fuzz = self.write("fuzz.json", {"part": "fuzzing", "note": "4000 programs", "findings": [
            {"harm": "wrong", "name": "rule isub(a, b) => b - a", "evidence": "right 1, wrong 2", "details": "a\nb\n", "command": "true"}]})
        left_out = self.write("left.json", {"part": "OpenCL program tests", "findings": [
            {"harm": "not-run", "name": "Piglit", "evidence": "it is not there"}]})
        call = [RUNNER, "compare", same, slow, same, same, "--findings", fuzz, "--findings", left_out]
        done = subprocess.run(call, capture_output=True, text=True)
        self.assertEqual(done.returncode, OK, done.stderr)
        verdict = self.verdict(done)
        self.assertEqual(verdict[0], "wrong answers: rule isub(a, b) => b - a, found by fuzzing")
        self.assertRegex(verdict[1], r"^slower: 1, the most by .* %: x$")
        self.assertEqual(verdict[2:], ["not run: Piglit (it is not there)"])
        self.assertRegex(done.stdout, r"right 1, wrong 2\n +\| a\n +\| b\n +\$ true\n")
        for rule, code in ("answers", FAILED), ("missing", FAILED):
            self.assertEqual(subprocess.run([*call, "--fail-on", rule], capture_output=True).returncode, code)
        done = subprocess.run([RUNNER, "compare", "--findings", left_out, "--fail-on", "answers"], capture_output=True, text=True)
        self.assertEqual((done.returncode, self.verdict(done)[0]), (OK, "no difference found in what was run"))
        done = subprocess.run([RUNNER, "compare", "--findings", left_out, "--fail-on", "missing"], capture_output=True, text=True)
        self.assertEqual(done.returncode, FAILED)

    def test_findings_that_are_none(self):
        same = self.write("same.json", run([result("x")]))
        for content, message in (("", "not a file of findings"), ("[]", "not a file of findings: no JSON object"), ("{}", "'part' is missing"),
                                 ({"part": "p"}, "'findings' is missing"), ({"part": "p", "findings": [1]}, "a finding is no object"),
                                 ({"part": "p", "findings": [{"name": "x", "harm": "bad"}]}, "'harm' has the unknown value 'bad'"),
                                 ({"part": "p", "findings": [{"harm": "wrong"}]}, "'name' is missing"),
                                 ({"part": "p", "findings": [{"harm": "wrong", "name": "x", "percent": -1}]}, "'percent' is not a number"),
                                 ({"part": "p", "findings": [{"harm": "wrong", "name": "x", "evidence": 3}]}, "'evidence' is no text")):
            with self.subTest(content=content):
                bad = self.write("bad.json", content)
                done = subprocess.run([RUNNER, "compare", same, same, "--findings", bad], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout), (INVALID, ""))
                self.assertIn(f"bad.json: {message}", done.stderr)

    def test_pairs(self):
        same = self.write("same.json", run([result("x")]))
        for operands, message in ((3, "has nothing to be compared with"), (1, "B is missing"), (0, "A is missing")):
            done = subprocess.run([RUNNER, "compare", *[same] * operands], capture_output=True, text=True)
            self.assertEqual(done.returncode, INVALID)
            self.assertIn(message, done.stderr)

    def test_an_error_that_grew(self):
        """A largest error in ulp is no time."""
        def ulp(value):
            return run([result("precision/x/max-error", unit="ulp", value=value, low=value, high=value, samples=[])])
        self.assertEqual(list(self.findings(ulp(2), ulp(2.5))), [("less-exact", "precision/x/max-error")])
        self.assertEqual(list(self.findings(ulp(2.5), ulp(2))), [("mended", "precision/x/max-error")])
        self.compare(ulp(2), ulp(2.5), "--fail-on", "worse:10%", code=FAILED)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
