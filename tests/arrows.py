#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The rules of the tree that no compiler checks: which room may include which, no circles of includes, how many files a
folder holds, and that each source file says what it is.

Usage: arrows.py SOURCE_ROOT     check the tree; print each breach; exit 1 on a breach that KNOWN does not list
       arrows.py --self-test     check that each rule finds a made-up breach

Invariant: ROOMS is in order. A room includes headers of itself and of the rooms named behind it, and of what those
may include. A room that is not in ROOMS may include nothing.
"""
import os
import pathlib
import re
import sys
import tempfile

MESA = "Mesa"
# Room: the rooms that it stands on. What those stand on is allowed too.
ROOMS = {
    "util": [],  # below all rooms: each may use it
    "process/child": [],
    "process": ["process/child"],
    "drivers": [],
    "drivers/host/calls": [],
    "drivers/host": ["drivers/host/calls"],
    "drivers/layer": [],
    "isa": [],
    "isa/assembler": ["isa"],
    "drm/uapi": [],
    "vgpu": ["drm/uapi"],  # the interface: vgpu.h
    "vgpu/timing/memory": ["vgpu", "isa"],
    "vgpu/timing/path": ["vgpu/timing/memory"],
    "vgpu/timing": ["vgpu/timing/path", "vgpu/timing/memory", "isa"],
    "vgpu/timing/predict": ["vgpu/timing"],  # without a launch: the closed form, straight-line code
    "vgpu/timing/command": ["vgpu/timing"],  # of a whole command: clock, load, launches and barriers
    "vgpu/exec": ["vgpu/timing"],
    "vgpu/exec/image": ["vgpu/exec"],
    "vgpu/exec/semantics": ["vgpu/exec/image"],
    "vgpu/exec/checks": ["vgpu/exec"],
    "vgpu/exec/postmortem": ["vgpu/exec"],
    "vgpu/exec/levels": ["vgpu/exec/semantics", "vgpu/exec/checks", "vgpu/exec/postmortem"],  # the builds, and the choice
    "vgpu/jit/facts": ["vgpu/exec"],
    "vgpu/jit": ["vgpu/jit/facts", "vgpu/exec/semantics"],
    "vgpu/collect": ["vgpu", "vgpu/timing", "drm/uapi", "isa"],  # programs that are launched, as files
    "vgpu/command": ["vgpu/collect", "vgpu/exec", "vgpu/timing/command"],
    "vgpu/render": ["vgpu/command", "vgpu/exec/image"],  # render commands: streams, geometry, tiles
    "vgpu/record": ["drm/uapi"],
    "vgpu/driver": ["vgpu/render", "vgpu/command", "vgpu/exec/checks", "vgpu/exec/levels", "vgpu/record", "vgpu/jit"],
    "vgpu/driver/unstable": ["vgpu/driver"],
    "vgpu/shim": ["vgpu/driver/unstable"],
    "vgpu/recorder": ["vgpu/shim"],
    "drm": ["isa", "drm/uapi", "vgpu"],
    "drm/examples/cube": ["drm", "isa/assembler"],  # a program that shows the uAPI
    "uapi": ["drm"],
    "compiler/refusal": [],
    "compiler/compat": [MESA],  # what differs between Mesas
    "compiler/passes": ["compiler/refusal", "compiler/compat", MESA],
    "compiler/cache": [],
    "compiler/lines": ["isa", MESA],
    "compiler/api": ["compiler/refusal", "compiler/cache", "isa"],  # what programs without Mesa see of the compiler
    "compiler/client": ["compiler/api", "process/child"],
    "compiler": ["compiler/api", "compiler/passes", "compiler/lines", "compiler/compat", MESA],
    "compiler/front_end": ["compiler", MESA],
    "compiler/serve": ["compiler/front_end"],
    "compiler/program": ["compiler/serve", "nir_kernels"],  # agx-compile
    "fuzz/opencl/number": [],  # values and conversions, for both oracles
    "fuzz/nir/watch": [],
    "fuzz/nir/algebra": ["fuzz/nir/watch", MESA],
    "fuzz/nir": ["compiler", "fuzz/nir/watch", "fuzz/nir/algebra", "fuzz/opencl/number", "isa", MESA],
    "fuzz/nir/generate": ["fuzz/nir", MESA],
    "nir_kernels": ["compiler", "isa/assembler"],
    "nir_kernels/alu": ["nir_kernels"],
    "nir_kernels/simd": ["nir_kernels"],
    "nir_kernels/atomic": ["nir_kernels"],
    "nir_kernels/precision": ["nir_kernels"],
    "nir_kernels/occupancy": ["nir_kernels"],
    "nir_kernels/memory": ["nir_kernels"],
    "nir_kernels/launch": ["nir_kernels"],
    "nir_kernels/cases": ["nir_kernels"],
    "nir_kernels/matrix": ["nir_kernels"],
    "agx_runner/terminal": ["process/child"],
    "agx_runner/options": ["agx_runner/terminal", "drivers"],
    "agx_runner/statistics": [],
    "agx_runner/results": ["agx_runner/bands", "agx_runner/terminal", "agx_runner/statistics", "nir_kernels", "drm"],
    "agx_runner/bands": [],
    "agx_runner/program/collected": ["drm/uapi", "isa"],
    "agx_runner/program": ["agx_runner/program/collected", "agx_runner/bands", "agx_runner/results", "vgpu/timing", "vgpu/timing/predict"],
    "agx_runner/launch": ["agx_runner/program", "drivers/host"],
    "agx_runner/measure/ilp": ["agx_runner/results"],
    "agx_runner/measure": ["agx_runner/program", "agx_runner/measure/ilp"],
    "agx_runner/power": ["agx_runner/measure"],
    "agx_runner/runs": ["process", "agx_runner/power", "agx_runner/measure", "agx_runner/launch", "uapi"],
    "agx_runner/compare": ["agx_runner/runs"],
    "agx_runner/piglit/format": ["isa", "agx_runner/terminal"],
    "agx_runner/piglit/script": ["agx_runner/piglit/format"],  # tests of compute shaders
    "agx_runner/piglit": ["agx_runner/runs", "agx_runner/piglit/format", "agx_runner/piglit/script"],
    "fuzz/settings": ["agx_runner/options"],  # what a command line says
    "fuzz/opencl": ["fuzz/nir", "fuzz/opencl/number", "agx_runner/terminal", "process/child"],
    "fuzz/translate": ["fuzz/opencl", "fuzz/nir"],
    "fuzz/glsl": ["fuzz/opencl"],
    "fuzz/draw": ["fuzz/nir"],
    "fuzz/opencl/generate": ["fuzz/opencl"],
    "fuzz/opencl/shrink": ["fuzz/opencl"],
    "fuzz/attempt": ["agx_runner/measure", "agx_runner/program", "fuzz/opencl", "fuzz/nir", "drm", "vgpu"],
    "fuzz/slice": ["fuzz/attempt", "fuzz/nir", "drm"],
    "fuzz": ["agx_runner/runs", "fuzz/settings", "fuzz/opencl", "fuzz/opencl/generate", "fuzz/opencl/shrink", "fuzz/glsl", "fuzz/draw", "fuzz/translate", "fuzz/attempt", "fuzz/slice",
                        "fuzz/nir", "fuzz/nir/generate"],
    "agx_runner/schedule": ["agx_runner/program"],
    "agx_runner/explain": ["agx_runner/runs", "agx_runner/schedule"],
    "agx_runner/survey": ["agx_runner/runs", "agx_runner/measure"],
    "agx_runner/question": ["agx_runner/correlate", "agx_runner/measure", "vgpu/timing"],
    "agx_runner/calibrate": ["agx_runner/survey", "agx_runner/question"],
    "agx_runner/correlate": ["agx_runner/runs", "agx_runner/measure", "vgpu/timing/command"],
    "agx_runner/sweep": ["agx_runner/runs", "nir_kernels/matrix", "nir_kernels/memory"],
    "agx_runner/report": ["agx_runner/sweep", "agx_runner/explain"],
    "agx_runner/replay": ["agx_runner/explain", "agx_runner/program", "agx_runner/terminal", "drm"],
    "agx_runner/with_device": ["agx_runner/terminal", "drm", "drivers/layer"],
    "agx_runner/apps": ["agx_runner/runs", "agx_runner/with_device", "drivers", "drivers/layer"],
    "agx_runner/driver": ["agx_runner/piglit", "drivers", "drivers/host", "agx_runner/with_device", "agx_runner/replay", "agx_runner/launch"],
    "agx_runner/driver/tests": ["agx_runner/driver", "agx_runner/piglit", "agx_runner/piglit/script", "drivers/host"],  # piglit --mesa
    "agx_runner/driver/search": ["agx_runner/driver", "agx_runner/piglit"],  # fuzz --mesa
    "agx_runner/cli/shared": ["agx_runner/options", "agx_runner/runs"],  # options that several commands have
    "agx_runner/cli/suite": ["agx_runner/cli/shared", "agx_runner/apps", "agx_runner/piglit", "agx_runner/report"],  # suites that others wrote
    "agx_runner/cli": ["agx_runner/cli/shared", "agx_runner/cli/suite", "agx_runner/driver/search", "agx_runner/driver/tests", "agx_runner/driver", "agx_runner/options", "agx_runner/with_device", "agx_runner/power", "agx_runner/replay", "agx_runner/calibrate", "agx_runner/question", "agx_runner/correlate", "agx_runner/sweep", "agx_runner/compare", "agx_runner/report",
                       "agx_runner/piglit", "fuzz/settings", "agx_runner/explain", "agx_runner/runs"],
    "fuzz/program": ["fuzz", "fuzz/settings", "agx_runner/options"],  # agx-fuzz
}
# Breaches that are not mended yet: none. The figures may only go down.
KNOWN = {}  # (room, room included): includes against the arrows
UNOPENED = 0  # files without an opening comment
CIRCLES = []  # files (without their suffix) that include each other; a part of a known circle is no new one
FULL = {}  # folders with more files than MOST_FILES
MOST_FILES = 30
FOLDERS = ["util", "process", "drivers", "isa", "compiler", "drm", "vgpu", "nir_kernels", "fuzz", "uapi", "agx_runner", "tests", "docs", "ci"]
GENERATED = re.compile(r"(^|/)(libagx_shaders|git_sha1)\.h$")


def allowed(room):
    """All rooms that `room` may include, itself among them. agx-runner has no Mesa: that of NIR benchmarks is agx-compile's."""
    seen, todo = {"util"}, [room]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += ROOMS.get(at, [])
    return {at for at in seen if not room.startswith("agx_runner") or (at != MESA and MESA not in ROOMS.get(at, []))}


def folders(root):
    """(folder, its files) of all folders that the rules are about. Fuzz corpora and test data are not source."""
    for top in FOLDERS:
        for at, inner, files in os.walk(root / top):
            inner[:] = sorted(d for d in inner if not d.startswith((".", "corpus-", "__pycache__")) and d != "data")
            yield pathlib.Path(at).relative_to(root).as_posix(), sorted(f for f in files if not f.startswith("."))


def opening(text):
    """Whether a C file opens with a comment that says more than its licence."""
    comment = re.match(r"/\*.*?\*/|(//[^\n]*\n)+", text, re.S)
    words = re.sub(r"SPDX-License-Identifier: \S+|[/*\s]", "", comment.group()) if comment else ""
    return len(words) > 20


def circles(edges):
    """The sets of names that reach each other along `edges` (name: names), by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for to in edges.get(name, ()):
            if to not in index:
                visit(to)
            if to in stack:
                low[name] = min(low[name], low[to])
        if low[name] == index[name]:
            circle = stack[stack.index(name):]
            del stack[stack.index(name):]
            if len(circle) > 1:
                found.append(sorted(circle))

    for name in sorted(edges):
        if name not in index:
            visit(name)
    return sorted(found)


def check(root, known, unopened, known_circles, full):
    """Breaches, one sentence each, and notes that are none."""
    breaches, notes, arrows, mute, edges = [], [], {}, [], {}
    for folder, files in folders(root):
        if len(files) > full.get(folder, MOST_FILES):
            breaches.append(f"{folder} has {len(files)} files, more than {MOST_FILES}: make sub-rooms")
        for name in files:
            if not name.endswith((".c", ".h")):
                continue
            text = (root / folder / name).read_text(encoding="utf-8")
            if not opening(text):
                mute.append(f"{folder}/{name} does not open with a comment that says what it is")
            if folder.startswith("tests"):
                continue
            if folder not in ROOMS:
                breaches.append(f"{folder}/{name}: {folder} is no room; add it to ROOMS in tests/arrows.py")
                continue
            for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
                to = os.path.dirname(include)
                if (root / include).exists() and include[:-2] != f"{folder}/{name[:-2]}":
                    edges.setdefault(f"{folder}/{name[:-2]}", set()).add(include[:-2])
                if GENERATED.search(include):
                    to = MESA
                elif not (root / include).exists() and (to == "util" or to not in ROOMS):  # Mesa has a util/, too
                    to = folder if not to or (root / folder / include).exists() else MESA  # a generated header is its room's
                if to not in allowed(folder):
                    arrows.setdefault((folder, to), []).append(f"{folder}/{name} includes {include}")
    for arrow, lines in sorted(arrows.items()):
        most = known.get(arrow, 0)
        if len(lines) > most:
            breaches += [f"{line}: {arrow[0]} may not use {arrow[1]}" for line in lines]
            if most:
                breaches.append(f"{arrow[0]} -> {arrow[1]}: {len(lines)} includes, of which {most} are known")
    for arrow, most in sorted(known.items()):
        left = len(arrows.get(arrow, []))
        if left < most:
            notes.append(f"{arrow[0]} -> {arrow[1]}: {left} left; lower KNOWN from {most}")
    if len(mute) > unopened:
        breaches += mute
    elif len(mute) < unopened:
        notes.append(f"{len(mute)} files without an opening comment left; lower UNOPENED from {unopened}")
    for circle in circles(edges):
        if not any(set(circle) <= set(one) for one in known_circles):
            breaches.append(f"a circle of includes: {' '.join(circle)}")
    for one in known_circles:
        if one not in circles(edges):
            notes.append(f"the circle {' '.join(one)} is no more, or smaller: change CIRCLES")
    return breaches, notes


def self_test():
    """Each rule, on a made-up tree: a clean one passes, and each breach is found alone."""
    head = "/* SPDX-License-Identifier: MIT\n *\n * A file that is made up for the test of the rules.\n */\n"
    clean = {
        "isa/isa.h": head,
        "isa/decode.c": head + '#include "isa/isa.h"\n',
        "compiler/nir.h": head + '#include "compiler/nir/nir_builder.h"\n#include "isa/isa.h"\n',
        "agx_runner/cli/options.h": head,
        "agx_runner/terminal/output.h": head,
        "agx_runner/cli/main.c": head + '#include "agx_runner/terminal/output.h"\n#include "agx_runner/cli/options.h"\n',
    }
    cases = [
        ({}, {}, None),
        ({"isa/decode.c": head + '#include "agx_runner/terminal/output.h"\n'}, {}, "isa may not use agx_runner/terminal"),
        ({"agx_runner/terminal/output.c": head + ' #  include "agx_runner/cli/options.h"\n'}, {},
         "agx_runner/terminal may not use agx_runner/cli"),
        ({"isa/nir.c": head + '#include "compiler/nir/nir_builder.h"\n'}, {}, "isa may not use Mesa"),
        ({"isa/bare.c": "/* SPDX-License-Identifier: MIT */\nint isa;\n"}, {}, "isa/bare.c does not open with a comment"),
        ({"attic/old.c": head}, {}, None),
        ({"isa/attic/old.c": head}, {}, "isa/attic is no room"),
        ({f"isa/{i}.txt": "" for i in range(30)}, {}, "isa has 32 files"),
        ({"isa/decode.c": head + '#include "agx_runner/terminal/output.h"\n'}, {("isa", "agx_runner/terminal"): 1}, None),
        ({"isa/decode.c": head + '#include "agx_runner/terminal/output.h"\n#include "agx_runner/cli/options.h"\n'},
         {("isa", "agx_runner/terminal"): 1}, "isa may not use agx_runner/cli"),
        ({"isa/isa.h": head + '#include "isa/table.h"\n', "isa/table.h": head,
          "isa/table.c": head + '#include "isa/isa.h"\n'}, {}, "a circle of includes: isa/isa isa/table"),
    ]
    failed = 0
    for more, known, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**clean, **more}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            found, _ = check(root, known, 0, [], {})
            if len(found) != (expected is not None) or not all(expected in line for line in found):
                print(f"self-test: expected {expected!r}, found {found}")
                failed += 1
    if not any("agx_runner/cli" in room for room in ROOMS) or any("agx_runner/cli" in below for below in ROOMS.values()):
        print("self-test: a room of ROOMS stands on agx_runner/cli")
        failed += 1
    print(f"self-test: {len(cases)} made-up trees, {failed} failed")
    return failed


def main():
    """Exit status: 0 without a breach."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 79
    if sys.argv[1] == "--self-test":
        return 1 if self_test() else 0
    breaches, notes = check(pathlib.Path(sys.argv[1]), KNOWN, UNOPENED, CIRCLES, FULL)
    for line in breaches + notes:
        print(line)
    print(f"arrows: {len(ROOMS)} rooms, {len(breaches)} new breaches; known ones: {sum(KNOWN.values())} includes, "
          f"{len(CIRCLES)} circles, {UNOPENED} files without an opening comment")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
