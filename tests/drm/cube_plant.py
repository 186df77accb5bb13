#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults planted into the words that draw the cube of drm/examples/cube (option plant= of the virtual device).

  cube_plant.py CUBE FOLDER

What each picture must be follows from the meaning of the word that is changed, and from the right picture.
"""
import os
import subprocess
import sys
import tempfile

SIZE = 64
BACKGROUND, NOTHING = bytes((26, 26, 51)), bytes(3)  # 0.1, 0.1, 0.2 in bytes


def main():
    cube, folder = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        output = os.path.join(work, "cube.ppm")

        def draw(plant):
            done = subprocess.run([cube, "virtual:m1" + "".join(",plant=" + one for one in plant), folder, str(SIZE), "30", output],
                                  capture_output=True, text=True, timeout=60, check=False)
            if done.returncode:
                return done.stderr
            with open(output, "rb") as file:
                data = file.read()[-3 * SIZE * SIZE:]
            return [data[i:i + 3] for i in range(0, len(data), 3)]
        right = draw(())
        cases = (
            ("a change to the same word", ("cull^0",), right),
            ("two changes that cancel each other", ("cull^3^3",), right),
            ("all primitives are discarded", ("cull|20000",), [BACKGROUND] * len(right)),
            ("tiles are not stored", ("end_runs&0",), [NOTHING] * len(right)),
            ("no background", ("background_clears&0",), [NOTHING if pixel == BACKGROUND else pixel for pixel in right]),
            ("no background, and nothing is drawn", ("background_clears&0", "cull|20000"), [NOTHING] * len(right)),
            ("no vertex", ("count&0",), [BACKGROUND] * len(right)),
        )
        if right.count(BACKGROUND) in (0, len(right)):
            print("the cube is not in its picture")
            failed += 1
        for what, plant, want in cases:
            have = draw(plant)
            if have != want:
                print(f"{what}: " + (have if isinstance(have, str) else f"{sum(a != b for a, b in zip(have, want))} pixels are wrong"))
                failed += 1
        for plant in ("cul^3", "cull", "cull^", "cull^g", "cull^123456789"):
            said = draw((plant,))
            if not isinstance(said, str) or "option plant of the virtual device takes" not in said:
                print(f"plant={plant} is not refused: {said if isinstance(said, str) else ''}")
                failed += 1
    print(f"{failed} failures")
    return failed > 0


sys.exit(main())
