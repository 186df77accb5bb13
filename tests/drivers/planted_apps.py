#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ci/planted-apps: what counts as noticed, the page, the copied root, and that its faults are in Mesa's text once.

  planted_apps.py SCRIPT
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile
import types
import unittest


class PlantedApps(unittest.TestCase):
    def test_judged_and_page(self):
        clean = {"blas@a": "pass", "blas@b": "skip", "llama.cpp@ADD@0@x": "pass", "llama.cpp@ADD@0@y": "pass"}
        row = SCRIPT.judged(clean, {"blas@a": "pass", "llama.cpp@ADD@0@x": "fail"})  # y has no result at all
        self.assertEqual(row, {"blas": [0, 1], "llama.cpp@ADD": [2, 2]})
        quiet = SCRIPT.judged(clean, clean)
        settings = types.SimpleNamespace(applications=["blas", "llama.cpp@ADD@0"])
        lines = list(SCRIPT.page(settings, sorted(row), [(SCRIPT.MORE[0], row), (SCRIPT.MORE[1], quiet)]))
        self.assertIn(f"| {SCRIPT.MORE[0].name} | `agx_compile.c` |  | 2 of 2 |", lines)
        self.assertIn(f"| {SCRIPT.MORE[1].name} | `agx_compile.c` |  |  |", lines)
        self.assertIn("Of 2 faults 1 are noticed by one of them: blas 0, llama.cpp@ADD 1.", lines)

    def test_root_has_the_library(self):
        with tempfile.TemporaryDirectory() as work:
            source, target = pathlib.Path(work, "sid"), pathlib.Path(work, "copy")
            (source / "vendors").mkdir(parents=True)
            (source / "run").write_text(f"exec {source}/root\n")
            (source / "asahi_icd.json").write_text("{}")
            (source / "packages").write_text("libdrm 1 0\nmesa-vulkan-drivers 26.2.6-1 abc\n")
            SCRIPT.make_root(source, target, "/some/driver.so")
            self.assertEqual(json.loads((target / "asahi_icd.json").read_text())["ICD"]["library_path"], "/some/driver.so")
            self.assertEqual((target / "run").read_text(), f"exec {target}/root\n")
            self.assertEqual((target / "packages").read_text(), "libdrm 1 0\nmesa-vulkan-drivers 25.0.7 0\n")
            self.assertEqual((source / "packages").read_text(), "libdrm 1 0\nmesa-vulkan-drivers 26.2.6-1 abc\n")

    def test_faults_are_in_the_tree_once(self):
        mesa = SCRIPT.HERE / "subprojects/mesa-25.0.7"
        if not mesa.exists():
            self.skipTest("no Mesa")
        for fault in SCRIPT.MORE:
            with self.subTest(fault.name):
                self.assertEqual((mesa / fault.file).read_text(encoding="utf-8").count(fault.find), 1)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    LOADER = importlib.machinery.SourceFileLoader("planted_apps_script", sys.argv[1])
    SCRIPT = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
    LOADER.exec_module(SCRIPT)
    unittest.main(argv=sys.argv[:1])
