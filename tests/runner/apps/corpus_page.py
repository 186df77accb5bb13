#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ci/corpus-results --sources: the same sources with two Mesas, by application, and what the largest losses are. Usage: corpus_page.py SCRIPT"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest


def run_of(mesa, results):
    return {"environment": {"mesa": mesa},
            "results": [{"name": f"{name}.compute.built/main", "reason": reason, "program_hash": code, "status": "pass",
                         "program": {"instructions": instructions, "half_registers": registers, "predicted_cycles": cycles, "scratch_bytes": 0,
                                     "mnemonics": mnemonics}} for name, reason, code, instructions, registers, cycles, mnemonics in results]}


class CorpusPage(unittest.TestCase):
    def test_sources(self):
        ran = "the code of 1.agxprog, ffmpeg:1/0003-compute"
        runs = [run_of("25.0", [("aa", "", "1", 10, 8, 100, "iadd 4 mov 6"), ("bb", "", "2", 20, 8, 50, "iadd 20"), ("old", "", "3", 1, 1, 1, "")]),
                run_of("26.2", [("aa", ran, "9", 13, 10, 150, "iadd 4 mov 8 stack_load 1"), ("bb", "", "2", 20, 8, 50, "iadd 20"), ("new", "", "3", 1, 1, 1, "")])]
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{i}.json") for i in range(2)]
            for path, run in zip(paths, runs):
                path.write_text(json.dumps(run), encoding="utf-8")
            done = subprocess.run([SCRIPT, "--sources", *paths], capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        self.assertIn("2 programs of the same sources with both; 1 only with 25.0, 1 only with 26.2; 1 have other code.", lines)
        self.assertIn("| ffmpeg | 1 | 10 | 13 | 0 | 1 | 8 | 10 | 0 | 1 | 100 | 150 | 0 | 1 | 0 | 1 |", lines)
        self.assertIn("| all | 2 | 30 | 33 | 0 | 1 | 16 | 18 | 0 | 1 | 150 | 200 | 0 | 1 | 0 | 1 |", lines)
        self.assertIn("| aa.compu main | ffmpeg | 10 to 13 | 100 to 150 | +50.0 % | mov +2, stack_load +1, half registers +2 |", lines)
        self.assertNotIn("gains", done.stdout)


if __name__ == "__main__":
    SCRIPT = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
