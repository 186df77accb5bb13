#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cube of drm/examples/cube, each pixel beside a ray through its centre.

  cube.py CUBE FOLDER

The cube is found by cutting the ray with the cube's six planes in the cube's own coordinates, in double precision: there is
no triangle, no matrix and no interpolation in this file. A pixel may differ where an edge passes within EDGE of its centre.
"""
import math
import os
import subprocess
import sys
import tempfile

SIZE = 160
EDGE = 0.02  # pixels: positions have 8 bits behind the point
TURNS = (0, 30, 200)  # degrees
COLOURS = ((0.9, 0.2, 0.2), (0.2, 0.8, 0.3), (0.2, 0.4, 0.9), (0.9, 0.8, 0.2), (0.8, 0.3, 0.8), (0.2, 0.8, 0.8))
BACKGROUND = (0.1, 0.1, 0.2)
TILT, DISTANCE, ZOOM = math.radians(-25), 5, 2


def into_cube(x, y, z, turn):
    """A direction of the viewer's as the cube has it: turned back about x, then about y."""
    y, z = math.cos(TILT) * y + math.sin(TILT) * z, math.cos(TILT) * z - math.sin(TILT) * y
    return math.cos(turn) * x - math.sin(turn) * z, y, math.sin(turn) * x + math.cos(turn) * z


def colour_at(x, y, turn):
    """What a ray through this place of the picture meets."""
    eye = into_cube(0, 0, -DISTANCE, turn)
    way = into_cube((x / SIZE * 2 - 1) / ZOOM, (1 - y / SIZE * 2) / ZOOM, 1, turn)
    enters, leaves, axis = -math.inf, math.inf, 0
    for i in range(3):
        if way[i] == 0:
            if abs(eye[i]) > 1:
                return BACKGROUND
            continue
        near, far = sorted(((-1 - eye[i]) / way[i], (1 - eye[i]) / way[i]))
        leaves = min(leaves, far)
        if near > enters:
            enters, axis = near, i
    if enters > leaves:
        return BACKGROUND
    at = [eye[i] + enters * way[i] for i in range(3)]
    side = 1 if at[axis] > 0 else -1
    dark = (math.floor(2 * side * at[(axis + 1) % 3]) + math.floor(2 * at[(axis + 2) % 3])) % 2
    return tuple(value * (0.75 if dark else 1) for value in COLOURS[2 * axis + (side > 0)])


def is_near(pixel, colour):
    return all(abs(have - 255 * want) < 1.01 for have, want in zip(pixel, colour))


def is_right(pixel, x, y, turn):
    if is_near(pixel, colour_at(x, y, turn)):
        return True
    # At an edge: another place, or the field beyond the face's end.
    near = [colour_at(x + dx * EDGE, y + dy * EDGE, turn) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    return len(set(near)) > 1 and any(is_near(pixel, [value * scale for value in colour]) for colour in near for scale in (1, 0.75, 1 / 0.75))


def wrong_pixels(pixels, turn):
    places = ((column, row) for row in range(SIZE) for column in range(SIZE))
    return [(column, row) for column, row in places
            if not is_right(pixels[3 * (row * SIZE + column):][:3], column + 0.5, row + 0.5, turn)]


def main():
    cube, folder = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        output = os.path.join(work, "cube.ppm")

        def draw(device, turn):
            subprocess.run([cube, device, folder, str(SIZE), str(turn), output], check=True, timeout=60)
            with open(output, "rb") as file:
                header = b"P6\n%d %d\n255\n" % (SIZE, SIZE)
                data = file.read()
            if not data.startswith(header) or len(data) != len(header) + 3 * SIZE * SIZE:
                sys.exit("the picture has another size")
            return data[len(header):]
        for turn in TURNS:
            pixels = draw("virtual:m1", turn)
            wrong = wrong_pixels(pixels, math.radians(turn))
            faces = len({pixels[i:i + 3] for i in range(0, len(pixels), 3)})
            if wrong or faces < 3:
                print(f"turned by {turn} degrees: {len(wrong)} pixels are wrong, the first at {wrong[:1]}; {faces} colours")
                failed += 1
            if draw("virtual:m2-max,threads=1", turn) != pixels:
                print(f"turned by {turn} degrees: the picture depends on the chip or the number of host threads")
                failed += 1
    print(f"{len(TURNS)} pictures, {failed} failures")
    return failed > 0


sys.exit(main())
