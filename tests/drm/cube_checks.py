#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Planted mistakes in the programs of drm/examples/cube, which the device's checks must name.

  cube_checks.py CUBE FOLDER AGX_RUNNER

Each case changes lines of the cube's programs. What is wrong with them follows from the change alone: which register or
output nothing writes any more. The unchanged cube, and copies of what nothing wrote, must give no finding.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PLACE = r"fragment program of draw 0, pixel \d+, \d+: "
LOAD = "ld_tile  r4_r5_r6_r7, 0, 255, 0, u8norm, xyzw"
# (what is wrong, {program: [(a line that starts so, what stands there instead)]}, the finding; None: there is none)
CASES = (
    ("nothing", {}, None),
    ("an output that is not written", {"vertex": [("st_var   r15, 8", ""), ("st_var   r11, 7", "st_var   r11, 7, last")]},
     PLACE + r"r0 is stored to the tile.*st_tile"),
    ("a position without w", {"vertex": [("st_var   r19, 3", "")]}, r"vertex program of draw 0, vertex 0 of instance 0: nothing wrote w"),
    ("a register in a position", {"vertex": [("fadd     r19", "fadd     r19, r20, u19")]},
     r"vertex program of draw 0, vertex 0 of instance 0: r19 is part of the position.*st_var +r19, 3"),
    ("a register in a colour", {"fragment": [("ldimm    r3", "")]}, PLACE + r"r3 is stored to the tile.*st_tile"),
    ("a register as a sample mask", {"fragment": [("pixwait", "sample_mask r20l, r20h\npixwait  12, 0")]},
     PLACE + r"r20l decides which samples live.*sample_mask"),
    ("a branch", {"fragment": [("ldimm    r3", "ldimm r3, 1.0\nldimm r20l, 0\nmov r0l, r0l\nif r30, 0, 1, ult\npop_exec 1")]},
     PLACE + r"r30 decides a branch"),
    ("a background that stores nothing, and blending", {"background": [("st_tile", "")], "fragment": [("ldimm    r3", LOAD + "\nfadd r3, r7, 1.0")]},
     PLACE + r"r3 is stored to the tile.*st_tile"),
    ("the same blending with a background", {"fragment": [("ldimm    r3", LOAD + "\nfadd r3, r7, 1.0")]}, None),
    ("a background that stores nothing, and a copy", {"background": [("st_tile", "")], "fragment": [("ldimm    r3", LOAD + "\nmov r3, r7")]}, None),
    ("vertices far from their buffer", {"vertex": [("iadd     r0", "ldimm r0, 67108864")]},
     r"vertex program of draw 0, vertex 0 of instance 0: a read at 0x[0-9a-f]+, where no buffer is bound.*load"),
)


def plant(folder, changes):
    for name, lines in changes.items():
        path = os.path.join(folder, name + ".agx")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for start, instead in lines:
            text, count = re.subn(rf"^ *{re.escape(start)}.*$", instead, text, flags=re.M)
            if count != 1:
                sys.exit(f"{name}.agx has {count} lines that start with {start}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    cube, folder, runner = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for number, (what, changes, finding) in enumerate(CASES):
            own = os.path.join(work, str(number))
            shutil.copytree(folder, own)
            plant(own, changes)
            done = subprocess.run([runner, "with-device", "--device", "virtual:m1,check=all", "--", cube, "/dev/dri/renderD128", own, "64", "30",
                                   os.path.join(work, "cube.ppm")], capture_output=True, text=True, timeout=60, check=False)
            found = re.findall(r"^  check: (.*)\n *at (.*)$", done.stderr, re.M)
            right = not found if finding is None else any(re.search(finding, " ".join(one)) for one in found)
            if not right or done.returncode != (98 if found else 0):
                print(f"{what}: exit {done.returncode}, wanted {finding}: {done.stdout}{done.stderr}")
                failed += 1
    print(f"{len(CASES)} cases, {failed} failures")
    return failed > 0


sys.exit(main())
