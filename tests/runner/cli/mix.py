# SPDX-License-Identifier: MIT
"""run --mix: what it accepts, what it counts, and figures that follow from the published single instructions.

Usage: mix.py AGX_RUNNER"""
import csv
import json
import pathlib
import subprocess
import sys
import unittest

RUNNER = sys.argv.pop(1)
DEVICE = "virtual:m1"
ROOT = pathlib.Path(__file__).resolve().parents[3]

# Sequences whose instructions are not published (docs/timing-model.md): no code, or code that cannot be theirs.
NO_CODE = {"float/CONVERT(F->I64)", "float/ROUND_INF", "float/FMEDIAN16", "float/SINPI16", "float/SINPI32",
           "float/Precise RECIP32", "float/Precise SQRT32", "float/Precise SIN32", "float/Precise SINPI32",
           "int/IMULHI64", "simd/SHUFFLE_RANDOM_SAME32", "simd/SHUFFLE_RANDOM_DIFF32"}
OTHER_CODE = {"float/FMEDIAN32", "float/SIN16", "int/RHADD32", "quad/PRODUCT<I16>", "quad/PRODUCT<I32>"}


def run(*arguments):
    return subprocess.run([RUNNER, "run", *arguments], capture_output=True, text=True, timeout=300)


def measure(*mixes, options=(), device=DEVICE):
    arguments = ["--device", device, "--format", "json", "--timeout", "100", *options]  # a busy host emulates slowly
    for mix in mixes:
        arguments += ["--mix", mix]
    done = run(*arguments)
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)["results"]


class Mix(unittest.TestCase):
    def test_figures(self):
        # instr.csv: 1 cycle for the fast ones, 4 for IMUL32 and RINT32, which share a pipe (pipelines.md). A
        # multiplication takes two issue slots (mixed_a.csv, IMUL32 + 3 IADD32: 5.36).
        wanted = {"FADD32*3": 3, "IADD32*1;FMUL32*1": 2, "IMUL32*1;FADD32*2": 4, "IMUL32*2;RINT32*1": 12,
                  "IMUL32*1;FADD32*6": 8, "BITREV32;RINT32;fadd32*2": 8, "FADD32*10;EXP2_32*10": 40}
        for result in measure(*wanted):
            self.assertEqual(result["status"], "pass", result)
            self.assertEqual(result["check"], "pass", result)
            self.assertEqual(result["unit"], "cycles")
            self.assertAlmostEqual(result["value"] / wanted[result["name"]], 1, delta=0.04, msg=result["name"])

    def test_mixed_sequences(self):
        """The errors against the published mixed sequences do not grow, and the published figure stands beside."""
        wanted = {}
        with open(ROOT / "results/reference/mixed_a.csv", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                alternatives, _, last = row["parsed"].rpartition("|")
                wanted[last if alternatives else row["parsed"]] = float(row["throughput_cycles"])
        errors = []
        close = {"EXP2_32*1;RECIP32*1;FFMA32*2", "DIV32*1;FMUL32*2", "RSQRT32*1;IMUL32*1", "RECIP32*1;IMUL32*1",
                 "RSQRT32*1;SIN32*1"}  # which the overlap of functions and the change between units explain
        for result in measure(*wanted):
            self.assertEqual(result["reference"]["value"], wanted[result["name"]], result["name"])
            errors.append(abs(result["value"] / wanted[result["name"]] - 1))
            if result["name"] in close:
                self.assertLess(errors[-1], 0.02, result["name"])
                close.remove(result["name"])
        self.assertEqual(close, set())
        errors.sort()
        self.assertGreater(len(errors), 30)
        self.assertLess(errors[len(errors) // 2], 0.015)
        self.assertLess(errors[len(errors) * 9 // 10], 0.08)

    def test_published_throughputs(self):
        """What instr.csv says of more than one instruction; single ones set the model's rows."""
        wanted = {}
        with open(ROOT / "results/reference/instr.csv", encoding="utf-8") as rows:
            for row in csv.DictReader(rows):
                several = row["kind"] == "sequence" or "PREFIX_I" in row["name"]
                if several and row["throughput"] and not row["throughput_qualifier"]:
                    wanted[f"{row['section']}/{row['name']}"] = float(row["throughput"])
        self.assertLessEqual(NO_CODE | OTHER_CODE, set(wanted))
        mixes = sorted(set(wanted) - NO_CODE - OTHER_CODE)
        self.assertGreaterEqual(len(mixes), 40)
        for result in measure(*mixes):
            self.assertAlmostEqual(result["value"] / wanted[result["name"]], 1, delta=0.05, msg=result["name"])

    def test_code_is_counted(self):
        one, = measure("IADD64*2;DIV32*1", options=["--ilp", "2"])
        self.assertEqual(one["codegen"]["expected"], one["codegen"]["found"])
        self.assertEqual(one["codegen"]["expected"] % (2 * (2 * 4 + 2)), 0)

    def test_names(self):
        upper, lower, quad = measure("IMUL32*1; IADD32 * 3", "imul32;iadd32*3;", "quad/SUM<F32>")
        self.assertEqual((upper["name"], lower["name"]), ("IMUL32*1; IADD32 * 3", "imul32;iadd32*3;"))
        self.assertEqual(upper["value"], lower["value"])
        self.assertLess(quad["value"], 8)

    def test_the_same_every_time_and_on_any_number_of_host_threads(self):
        mix = "EXP2_32*2;ICMPSEL32*4;IADD64*3"
        values = {measure(mix, device=device)[0]["value"]
                  for device in (DEVICE, DEVICE, DEVICE + ",threads=1", DEVICE + ",threads=3")}
        self.assertEqual(len(values), 1)

    def test_the_number_of_cores_does_not_matter(self):
        mix = "SIN32*1;IADD32*3"
        few, many = measure(mix), measure(mix, device="virtual:m2-ultra")
        self.assertAlmostEqual(few[0]["value"], many[0]["value"], delta=0.01)

    def test_full_cores_of_large_chips(self):
        """Many threads load their operands before the loop: the programs must be long against that."""
        with open(ROOT / "results/reference/ilp_occupancy.csv", encoding="utf-8") as file:
            published, = [float(row["cycles_f32"]) for row in csv.DictReader(file)
                          if (row["instr_class"], row["ilp"], row["simds_per_core"]) == ("FMUL/FADD/IADD", "4", "88")]
        for chip in ("m1-pro", "m1-max"):
            full, = measure("FADD32", device=f"virtual:{chip}", options=["--ilp", "4", "--simds", "88"])
            self.assertAlmostEqual(full["value"] / published, 1, delta=0.02, msg=chip)

    def test_occupancy(self):
        for simds in ("4", "7", "88", "96"):
            result, = measure("FADD32", options=["--ilp", "4", "--simds", simds])
            self.assertEqual(result["occupancy"], int(simds))
        one, = measure("IMUL32", options=["--ilp", "1", "--simds", "4"])
        self.assertAlmostEqual(one["value"], 4.02, delta=0.04)  # its adjusted latency

    def test_mistakes(self):
        for arguments, words in ((["--mix", "IMUL33*2"], "nearest are IMUL32"),
                                 (["--mix", "IMUL32*0"], "count from 1"),
                                 (["--mix", "IMUL32*x"], "count from 1"),
                                 (["--mix", ";"], "no operations"),
                                 (["--mix", "IMUL64*8", "--ilp", "8"], "registers are needed"),
                                 (["--mix", "IADD64*999"], "instruction cache"),
                                 (["--mix", "x" * 600], "characters"),
                                 (["--mix", "IADD32", "float/*"], "--mix takes no patterns"),
                                 (["--ilp", "2"], "need --mix")):
            done = run("--device", DEVICE, *arguments)
            self.assertEqual(done.returncode, 79, arguments)
            self.assertIn(words, done.stderr)


unittest.main()
