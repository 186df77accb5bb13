#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts faults into Mesa's Vulkan driver, one at a time, and asks whether the virtual device shows each.

  planted.py [--work DIR] [--only NAME] [--table] AGX_RUNNER COMPUTE SHADERS DRIVER

AGX_RUNNER  the program; COMPUTE and SHADERS: build/tests/driver/driver_compute and its folder
DRIVER      what ci/mesa-driver built (.cache/mesa-driver). It is not changed: the faulty file is compiled from a copy,
            and linked with the driver's other objects into a library in DIR
--table     print the table of docs/driver.md

A fault is shown by one of: `answer` (the program's result is wrong, or the program fails), `check` (a report of the
device's checks, or a fault that it names), `streams` (tests/driver/streams.py differs from the driver without a fault).
Invariant: the driver without a fault gives right answers, no report, and twice the same streams; and each fault gives
what its row says. A fault whose text is not in the tree exactly once is an error: the row is out of date.

Exit: 0 all shown, 1 a fault was missed or a row is wrong, 77 no driver.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import streams

DEVICE, NODE = "virtual:m1,check=all,budget=20000000", "190"
LIBRARY = "src/asahi/vulkan/libvulkan_asahi.so"
ALL_CASES = "arithmetic shared atomics scratch uniforms grid indirect subgroup transfer timestamps image texture texels".split()


class Fault:
    """file: what is changed; unit: the .c file that is compiled, where that is another one; shown: at least by these."""

    def __init__(self, name, file, find, replace, cases, shown, unit=None):
        self.name, self.file, self.find, self.replace = name, file, find, replace
        self.cases, self.shown, self.unit = cases.split(), set(shown.split()), unit or file


VULKAN, LIB, COMPILER = "src/asahi/vulkan/", "src/asahi/lib/", "src/asahi/compiler/"
DISPATCH = VULKAN + "hk_cmd_dispatch.c"
FAULTS = [
    Fault("no barrier after a launch", DISPATCH, "grid, wg, launch, usc);\n\n   hk_cdm_cache_flush(dev, cs);",
          "grid, wg, launch, usc);", "indirect", "check streams"),
    Fault("no invalidation of the USC cache in barriers", "src/asahi/libagx/libagx_dgc.h", "cfg.usc_cache_inval = true;", ";",
          "indirect", "streams", unit=DISPATCH),
    Fault("the root table's uniform is bound 4 halves too high", VULKAN + "hk_cmd_buffer.c", "(&b, HK_ROOT_UNIFORM, 4, root_ptr)",
          "(&b, HK_ROOT_UNIFORM + 4, 4, root_ptr)", "arithmetic", "answer check streams"),
    Fault("push constants are read 4 bytes too far", VULKAN + "hk_nir_lower_descriptors.c", "push_region_offset + base",
          "push_region_offset + base + 4", "arithmetic", "answer streams"),
    Fault("the grid's second dimension is not multiplied by the group's", DISPATCH, "grid.count[1] *= local_size.y;", ";", "grid",
          "answer streams"),
    Fault("an indirect grid is taken as an indirect grid with local sizes", DISPATCH,
          "dispatch(cmd, agx_grid_indirect(dispatch_addr));", "dispatch(cmd, agx_grid_indirect_local(dispatch_addr));", "indirect",
          "answer check streams"),
    Fault("scratch for a quarter of the size", VULKAN + "hk_cmd_buffer.c", "s->b.info.stage, max_scratch_size);",
          "s->b.info.stage, max_scratch_size / 4);", "scratch", "answer check streams"),
    Fault("scratch without the helper program", VULKAN + "hk_queue.c", "if (cs->scratch.cs.main || cs->scratch.cs.preamble) {",
          "if (0) {", "scratch", "answer check streams"),
    Fault("a storage buffer's address is 64 bytes too high", VULKAN + "hk_descriptor_set.c", "buffer_address desc = {\n      .base_addr = addr_range.addr",
          "buffer_address desc = {\n      .base_addr = addr_range.addr + 64", "arithmetic", "answer"),
    Fault("half of the threadgroup memory", LIB + "agx_usc.h", "cfg.bytes_per_threadgroup = size > 0 ? size : 65536;",
          "cfg.bytes_per_threadgroup = size > 0 ? size / 2 : 65536;", "shared", "answer check streams", unit=VULKAN + "hk_shader.c"),
    Fault("half of the registers", LIB + "agx_linker.c", "cfg.register_count = nr_gprs;", "cfg.register_count = nr_gprs / 2;",
          "texture", "answer check streams"),
    Fault("the preamble does not run", VULKAN + "hk_shader.c",
          "if (main && main->b.info.has_preamble) {\n      agx_usc_pack(&b, PRESHADER", "if (0) {\n      agx_usc_pack(&b, PRESHADER",
          "arithmetic", "answer check streams"),
    Fault("the uniform count in the launch is 0", DISPATCH, "cfg.uniform_register_count = info->push_count;",
          "cfg.uniform_register_count = 0;", "arithmetic", "streams"),
    Fault("the sampler heap is not bound", VULKAN + "hk_queue.c", ".sampler_array = dev->samplers.table.bo->va->addr",
          ".sampler_array = 0", "texture", "answer check"),
    Fault("the compiler leaves out waits before a read", COMPILER + "agx_insert_waits.c",
          "I->src[s].value + nr_read - 1))\n               wait_mask |= BITSET_BIT(slot);",
          "I->src[s].value + nr_read - 1))\n               wait_mask |= 0;", "shared", "check streams"),
    Fault("the compiler leaves out threadgroup barriers", COMPILER + "agx_compile.c", "agx_threadgroup_barrier(b);\n      }\n\n      if (needs",
          "}\n\n      if (needs", "shared", "check streams"),
    Fault("the timestamp at the end is not asked for", VULKAN + "hk_queue.c", ".end_handle = cs->timestamp.end.handle",
          ".end_handle = 0", "timestamps", "answer streams"),
]


def die(text, code=1):
    print(f"planted: {text}")
    sys.exit(code)


class Driver:
    """The built driver: its compile commands, and libraries with one object exchanged."""

    def __init__(self, folder, work):
        self.source, self.build, self.work = os.path.join(folder, "src"), os.path.join(folder, "build"), work
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "commands", LIBRARY], capture_output=True, text=True, check=False)
        self.commands = [line for line in listed.stdout.splitlines() if " -o " in line]
        if listed.returncode or not self.commands:
            die(f"{self.build}: no commands for {LIBRARY}: {listed.stderr}")
        self.link = shlex.split(next(line for line in self.commands if f"-o {LIBRARY} " in line))

    def run(self, words):
        done = subprocess.run(words, cwd=self.build, capture_output=True, text=True, check=False)
        if done.returncode:
            die(f"{shlex.join(words[:3])} ...: {done.stderr[-2000:]}")
        return done.stdout

    def archive_with(self, unit_object):
        """(archive, member) of the link that holds an object."""
        for word in self.link:
            if word.endswith(".a") and not os.path.isabs(word):
                for member in self.run(["gcc-ar", "t", word]).split():
                    if os.path.normpath(member).endswith(unit_object) or os.path.basename(member) == os.path.basename(unit_object):
                        return word, member
        return die(f"no archive holds {unit_object}")

    def with_fault(self, fault):
        """The manifest of a driver that has the fault."""
        return self.with_faults([fault])

    def with_faults(self, faults):
        """The same with several faults, of different files."""
        here = os.path.join(self.work, "fault")
        shutil.rmtree(here, ignore_errors=True)
        members, archives = {}, {}
        for number, fault in enumerate(faults):
            archive, member, new = self.compile(fault, os.path.join(here, str(number)))
            members[archive, member] = new
        for number, archive in enumerate(sorted({archive for archive, _ in members})):
            archives[archive] = os.path.join(here, f"copy{number}.a")
            names = self.run(["gcc-ar", "t", archive]).split()
            self.run(["gcc-ar", "csrDT", archives[archive]] + [members.get((archive, name)) or os.path.join(self.build, name) for name in names])
        library = os.path.join(here, "libvulkan_asahi.so")
        link = [archives.get(word, library if word == LIBRARY else word) for word in self.link]
        self.run(link + ["-Wl,--strip-debug"])
        return manifest(here, library)

    def compile(self, fault, here):
        """Compiles the unit with the fault: (archive, member, the object that takes the member's place)."""
        os.makedirs(here)
        for file in {fault.file, fault.unit}:
            shutil.copy(os.path.join(self.source, file), here)
        changed = os.path.join(here, os.path.basename(fault.file))
        with open(changed, encoding="utf-8") as file:
            text = file.read()
        if text.count(fault.find) != 1:
            die(f"{fault.name}: {text.count(fault.find)} places in {fault.file} have the text, not one")
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text.replace(fault.find, fault.replace))
        # The faulty copy stands before all folders of headers, so that other headers include it too.
        compile_line = next((line for line in self.commands if f"{fault.unit} " in line + " " and " -c " in line), None)
        if not compile_line:
            die(f"{fault.unit} is not part of {LIBRARY}")
        words = [word for word in shlex.split(compile_line) if not word.startswith("-Werror") and word != "-g"]
        old, new = words[words.index("-o") + 1], os.path.join(here, "fault.o")
        words[words.index("-o") + 1] = new
        words[words.index("-c") + 1] = os.path.join(here, os.path.basename(fault.unit))
        if "-MF" in words:
            words[words.index("-MF") + 1] = os.path.join(here, "fault.d")
        compiler = next(i for i, word in enumerate(words) if word.startswith("-"))
        words[compiler:compiler] = ["-w", "-I" + here, "-I" + os.path.join(self.source, os.path.dirname(fault.unit))]
        self.run(words)
        return *self.archive_with(old), new


def manifest(folder, library):
    path = os.path.join(folder, "icd.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"ICD": {"api_version": "1.4.305", "library_path": "%s"}, "file_format_version": "1.0.0"}' % library)
    return path


def observe(settings, icd, cases, trace):
    """(set of evidence, the lines that show it, the streams' lines) of a run."""
    shutil.rmtree(trace, ignore_errors=True)
    env = {**os.environ, "VK_DRIVER_FILES": icd, "VK_ICD_FILENAMES": icd, "AGX_VGPU_NODE": NODE}
    words = [settings.runner, "with-device", "--ignore-faults", "--device", DEVICE, "--trace", trace, "--", settings.compute, settings.shaders, *cases]
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=300, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    shown, why = set(), []
    reports = [line.strip() for line in lines if re.match(r"\s+(check|last fault|[0-9]+ accesses to unmapped)", line)]
    if reports:
        shown.add("check")
        why += reports[:1]
    if done.returncode:
        shown.add("answer")
        why += [line for line in lines if re.search("FAIL|not |is |gives", line)][:1]
    text = list(streams.folder_lines(trace)) if os.path.isdir(trace) and os.listdir(trace) else []
    return shown, why, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work")
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true")
    for name in "runner", "compute", "shaders", "driver":
        parser.add_argument(name, type=os.path.abspath)
    settings = parser.parse_args()
    if not os.path.exists(os.path.join(settings.driver, "asahi_icd.json")):
        die(f"skipped: no driver in {settings.driver} (ci/mesa-driver subprojects/mesa-25.0.7 builds it)", 77)
    with tempfile.TemporaryDirectory() as own:
        work = os.path.abspath(settings.work or own)
        os.makedirs(work, exist_ok=True)
        return run(settings, work)


def run(settings, work):
    driver, trace, missed = Driver(settings.driver, work), os.path.join(work, "trace"), 0
    good = manifest(work, os.path.join(driver.build, LIBRARY))
    wanted = [fault for fault in FAULTS if settings.only in fault.name]
    cases = sorted({case for fault in wanted for case in fault.cases}, key=ALL_CASES.index)
    clean = {}
    for case in cases:
        shown, why, clean[case] = observe(settings, good, [case], trace)
        again = observe(settings, good, [case], trace)[2]
        if shown or not clean[case] or clean[case] != again:
            die(f"the driver without a fault: {case}: {shown or 'streams differ between two runs'} {why}")
    for fault in wanted:
        icd, shown, why, changed = driver.with_fault(fault), set(), [], []
        for case in fault.cases:
            found, lines, text = observe(settings, icd, [case], trace)
            shown |= found
            why += lines
            if text != clean[case]:
                shown.add("streams")
                changed += [line for line in text if line not in clean[case]] or ["fewer or other jobs"]
        good_row = fault.shown <= shown
        missed += not good_row
        first = (why or [changed[0].strip()] if changed else why or ["nothing"])[0]
        if settings.table:
            print(f"| {fault.name} | `{os.path.basename(fault.file)}` | {fault.cases[0]} | {', '.join(sorted(shown))} | `{first[:150]}` |")
        else:
            print(f"{'pass' if good_row else 'FAIL'}  {fault.name}: {', '.join(sorted(shown)) or 'not shown'}"
                  f"{'' if good_row else ', wanted ' + ', '.join(sorted(fault.shown))}: {first[:160]}")
        sys.stdout.flush()
    print(f"{len(wanted)} faults, {missed} without what was expected")
    return missed > 0 or not wanted


if __name__ == "__main__":
    sys.exit(main())
