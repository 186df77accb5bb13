#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes README's pictures, cube.png, sweep.svg and report.png, and its table from a run of the virtual M1.

Usage: make.py AGX_RUNNER FOLDER README CUBE CUBE_PROGRAMS

`ninja -C build readme-pictures` calls it. sweep.svg needs gnuplot. report.png needs Chromium, which draws the page without
a screen; without Chromium the old picture stays. All figures come from the virtual device and are labelled as modelled.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

DEVICE = ["--device", "virtual:m1"]
BENCHMARKS = ["float/f[am]*32/*", "int/i*32/*", "simd/*", "!*/raw-latency"]
SIZE = "1000,900"  # of the report's picture, in pixels
TURNS = (0, 20, 40, 60)  # degrees of the cubes, side by side
SIDE = 192  # pixels of a cube's picture


def make_cubes(cube, programs, work, to):
    """Four turns of the cube as one PNG."""
    pictures = []
    for turn in TURNS:
        subprocess.run([cube, "virtual:m1", programs, str(SIDE), str(turn), work / "cube.ppm"], check=True)
        pictures.append((work / "cube.ppm").read_bytes()[-3 * SIDE * SIDE:])
    rows = b"".join(b"\0" + b"".join(picture[3 * SIDE * row:3 * SIDE * (row + 1)] for picture in pictures) for row in range(SIDE))
    with open(to, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", SIDE * len(TURNS), SIDE, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))


def main():
    """Exit status: 0 when what this machine can make is made."""
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 79
    runner, to, readme, cube, programs = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        make_cubes(cube, programs, work, to / "cube.png")

        def call(*words, **more):
            return subprocess.run([runner, *words], check=True, cwd=work, stderr=subprocess.DEVNULL, **more)

        table = call("run", *DEVICE, *BENCHMARKS[:1], "!*/raw-latency", stdout=subprocess.PIPE, text=True).stdout
        text, count = re.subn(r"(<!-- table -->\n```\n).*?(```\n<!-- end of table -->)", lambda m: m[1] + table + m[2],
                              readme.read_text(encoding="utf-8"), flags=re.S)
        if count != 1 or "modelled" not in table:
            print(f"{readme} has no place for the table, or the table does not say that its figures are modelled")
            return 1
        readme.write_text(text, encoding="utf-8")
        sweep = ["sweep", "ilp", *DEVICE, "FADD32", "FFMA32", "-o", "sweep.csv"]
        call(*sweep, *(["--plot", "sweep.svg"] if shutil.which("gnuplot") else []))
        if (work / "sweep.svg").exists():
            shutil.copy(work / "sweep.svg", to / "sweep.svg")
        else:
            print("sweep.svg is not made: no gnuplot")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        if not chromium:
            print("report.png is not made: no chromium")
            return 0
        call("run", *DEVICE, *BENCHMARKS, "--format", "json", "-o", "run.json")
        call("report", "run.json", "--sweep", "sweep.csv", "-o", "report.html")
        page = (work / "report.html").read_text(encoding="utf-8")
        if "modelled" not in page:
            print("report.html does not say that its figures are modelled")
            return 1
        subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}",
                        f"--user-data-dir={work / 'profile'}", f"--screenshot={work / 'report.png'}",
                        (work / "report.html").as_uri()], check=True, timeout=300, stderr=subprocess.DEVNULL)
        shutil.copy(work / "report.png", to / "report.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
