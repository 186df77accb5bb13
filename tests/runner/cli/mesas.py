# SPDX-License-Identifier: MIT
"""mesas: which folders are a Mesa, of which version and with which drivers. The folders here are made up from the names of
files that ci/mesa-get, Mesa's own build and its installation have.

Usage: mesas.py AGX_RUNNER SOURCE_ROOT"""
import json

from case import Case, OK, main

ROOT = {"run": "", "packages": "libc6 2.42-1 00\nmesa-vulkan-drivers 26.9.1-1 00\n", "asahi_icd.json": "{}",
        "vendors/rusticl.icd": "libRusticlOpenCL.so.1", ".done": ""}
BUILD = {"meson-info/intro-projectinfo.json": '{"version": "26.3.0-devel", "descriptive_name": "mesa"}',
         "src/asahi/vulkan/asahi_devenv_icd.x86_64.json": "{}", "src/asahi/vulkan/libvulkan_asahi.so": "",
         "src/gallium/targets/rusticl/rusticl.icd": "libRusticlOpenCL.so.1"}
INSTALLED = {"share/vulkan/icd.d/asahi_icd.aarch64.json": "{}", "etc/OpenCL/vendors/rusticl.icd": "libRusticlOpenCL.so.1",
             "lib/aarch64-linux-gnu/dri/asahi_dri.so": "", "lib/aarch64-linux-gnu/libgallium-25.2.4-1.so": ""}


class Mesas(Case):
    def folder_of(self, name, files):
        for file, content in files.items():
            path = self.folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return self.folder / name

    def list(self, **keywords):
        return {mesa["name"]: mesa for mesa in json.loads(self.expect(OK, "mesas", "-f", "json", **keywords).stdout)}

    def named(self, folder):
        """The description of the folder that the variable names."""
        return self.list(environment={"AGX_RUNNER_MESA": str(folder)})[str(folder)]

    def check(self, mesa, kind, version, drivers):
        self.assertEqual((mesa["kind"], mesa["version"], mesa["usable"], mesa["why"]), (kind, version, True, None))
        self.assertEqual({name for name, file in mesa["drivers"].items() if file}, drivers)

    def test_linked_and_system_are_always_there(self):
        mesas = self.list()
        self.assertTrue({"linked", "system"} <= set(mesas), mesas)
        self.assertEqual(mesas["linked"]["usable"], mesas["linked"]["version"] is not None)

    def test_folders_of_mesa_get(self):
        self.folder_of(".cache/drivers/future", ROOT)
        self.folder_of(".cache/drivers/half", {name: text for name, text in ROOT.items() if name != ".done"})
        mesas = self.list(cwd=self.folder)
        self.check(mesas["future"], "folder of ci/mesa-get", "26.9.1-1", {"Vulkan", "OpenCL"})
        self.assertFalse(mesas["half"]["usable"])
        self.assertIn("did not finish", mesas["half"]["why"])

    def test_a_build_folder(self):
        mesa = self.named(self.folder_of("build", BUILD))
        self.check(mesa, "build folder", "26.3.0-devel", {"Vulkan"})  # rusticl is configured, but not linked
        self.assertTrue(mesa["drivers"]["Vulkan"].endswith("asahi_devenv_icd.x86_64.json"), mesa)
        mesa = self.named(self.folder_of("build", {"src/gallium/targets/rusticl/libRusticlOpenCL.so.1": ""}))
        self.check(mesa, "build folder", "26.3.0-devel", {"Vulkan", "OpenCL"})

    def test_an_installation(self):
        self.check(self.named(self.folder_of("prefix", INSTALLED)), "installation", "25.2.4-1", {"Vulkan", "OpenCL", "OpenGL"})

    def test_why_not(self):
        for name, files, why in (("bare", {"meson-info/x": ""}, "no driver for Apple GPUs is built there"),
                                 ("other", {"share/vulkan/icd.d/lvp_icd.json": "{}"}, "no folder of ci/mesa-get"),
                                 ("none", {}, "no such folder")):
            with self.subTest(name):
                mesa = self.named(self.folder_of(name, files))
                self.assertFalse(mesa["usable"])
                self.assertIn(why, mesa["why"])

    def test_text_names_each_reason(self):
        text = self.expect(OK, "mesas", environment={"AGX_RUNNER_MESA": "/nowhere"}).stdout
        self.assertRegex(text, r"(?m)^/nowhere .*\n +not usable: there is no such folder")
        self.assertRegex(text, r"(?m)^linked ")


main()
