#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/driver/causes.py: that its changes are in Mesa's text once, and what a row of its table has.

  causes.py SCRIPT
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import stat
import sys
import tempfile
import types
import unittest

PROGRAM = {"instructions": 12.0, "predicted_cycles": 30.4, "half_registers": 24.0, "mnemonics": "mov 7 csel 3 stop 1"}


def runner(folder, answer):
    """A program in agx-runner's place, which writes the answer."""
    path = pathlib.Path(folder, "runner")
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


class Causes(unittest.TestCase):
    def test_changes_are_in_the_tree_once(self):
        mesa = SCRIPT.HERE / "subprojects/mesa-25.0.7"
        if not mesa.exists():
            self.skipTest("no Mesa")
        for one in {one for changes, _ in SCRIPT.CAUSES for one in changes}:
            with self.subTest(one.name):
                self.assertEqual((mesa / one.file).read_text(encoding="utf-8").count(one.find), 1)
                self.assertNotEqual(one.find, one.replace)

    def test_row(self):
        self.assertEqual(SCRIPT.row("25.0.7", "abc", PROGRAM), "| abc | 25.0.7 | 12 | 30 | 24 | 3 | 0 | 0 | 7 | 0 | 0 | 0 | 0 |")

    def test_compiled(self):
        with tempfile.TemporaryDirectory() as work:
            answer = json.dumps({"environment": {"mesa": "26.1.6"}, "results": [{"name": "x/go", "program": {}}, {"name": "x/main", "program": PROGRAM}]})
            settings = types.SimpleNamespace(sources=pathlib.Path(work), runner=runner(work, answer))
            with self.assertRaisesRegex(ValueError, "0 sources of abc"):
                SCRIPT.compiled(settings, "sid", "abc")
            pathlib.Path(work, "abc1.compute.built").touch()
            self.assertEqual(SCRIPT.compiled(settings, "sid", "abc"), (PROGRAM, "26.1.6"))
            settings.runner = runner(work, json.dumps({"results": [{"name": "x/main", "program": None}]}))
            with self.assertRaisesRegex(ValueError, "abc1.compute.built, main with sid"):
                SCRIPT.compiled(settings, "sid", "abc")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve().parent))  # of planted.py
    LOADER = importlib.machinery.SourceFileLoader("causes_script", sys.argv[1])
    SCRIPT = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
    LOADER.exec_module(SCRIPT)
    unittest.main(argv=sys.argv[:1])
