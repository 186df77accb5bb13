#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast the virtual GPU draws, beside llvmpipe of the same Mesa: frames of 1,024 x 1,024.

  draw_speed.py AGX_RUNNER DRAW_SCENES [FRAMES]

Of each scene: the fastest frame's time, and the processor time of a frame, which a busy host changes less. The Mesa is
.cache/drivers/sid (ci/mesa-get sid). Both use all processors. Figures are about the host, not about any GPU. Exit 77
without that Mesa.
"""
import os
import resource
import subprocess
import sys

SID = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.cache/drivers/sid/run")
SCENES = {"triangle": "one textured triangle over the whole picture", "cube": "a textured cube with depth test",
          "loop": "64 passes of a loop in each pixel", "small": "10,000 textured triangles of 40 pixels"}


def run(command, environment):
    """Milliseconds: of the fastest frame, of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, **environment})
    line = next((line for line in result.stdout.splitlines() if line.replace(".", "").isdigit()), None)
    if result.returncode or not line:
        sys.exit(f"{' '.join(command)}: {(result.stdout + result.stderr)[-500:]}")
    return float(line), 1000 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)


def measure(start, words, frames, environment):
    """The same of a frame: what a run of two frames takes is no part of it."""
    _, base = run([*start, *words, "2"], environment)
    best, all_frames = run([*start, *words, str(frames + 2)], environment)
    return best, (all_frames - base) / frames


def main():
    runner, scenes, *frames = sys.argv[1:]
    if not os.path.exists(SID):
        print("skipped: no .cache/drivers/sid (ci/mesa-get sid fetches it)")
        return 77
    print("| scene | virtual GPU, ms | processor ms | llvmpipe, ms | processor ms | share of its speed, by processor |\n|---|---:|---:|---:|---:|---:|")
    for name, what in SCENES.items():
        words, count = [SID, scenes, name], int(frames[0]) if frames else 10
        ours = measure([runner, "with-device", "--device", "virtual:m1,timing=off", "--"], words, count, {})
        theirs = measure([], words, 5 * count, {"AGX_MESA_SOFTWARE": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"})
        print(f"| {what} | {ours[0]:.0f} | {ours[1]:.0f} | {theirs[0]:.1f} | {theirs[1]:.1f} | {theirs[1] / max(ours[1], 0.1):.2f} |", flush=True)
    return 0


sys.exit(main())
