#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Mesa's Vulkan drivers draw on the virtual GPU, beside lavapipe.

  drawing.py AGX_RUNNER DRAW SHADERS [--gl GL] [CASE...]

Each case of tests/driver/draw is drawn by lavapipe (of --gl's program: by llvmpipe) of Debian's Mesa (.cache/drivers/sid, by ci/mesa-get sid), by that
Mesa's driver of Apple's GPUs, and by Mesa 25.0.7's where ci/mesa-driver has built it (.cache/mesa-driver). A channel may
differ by TOLERANCE: rounding is the implementation's. Exit 77 without lavapipe.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SID = os.path.join(ROOT, ".cache/drivers/sid")
OWN = os.path.join(ROOT, ".cache/mesa-driver/asahi_icd.json")
TOLERANCE = 2  # pixels that are blended are rounded several times
# llvmpipe's logarithm, by which it finds the level of detail, is an approximation.
TOLERANCES = {"texture_trilinear": 12}
# Pixels that may differ in any way: APIs leave it to implementations which pixels a line ends with, and which of two
# columns a point of odd size takes whose edges are centres of pixels.
ALLOWED = {"lines": 8, "line_strip": 12, "gl_polygon_lines": 12, "gl_polygon_points": 10, "gl_line_loop": 8}
# These are drawn by compiled blocks, too, which takes a second each.
COMPILED = ("discard", "derivatives", "perspective", "clip_distance", "texture_trilinear", "samples4_blend")
THREADS = {"m1": "virtual:m1,timing=off", "m2-max": "virtual:m2-max,timing=off,threads=1"}


def reference_run(work):
    """The script that ci/mesa-get has written, for lavapipe."""
    run = open(os.path.join(SID, "run"), encoding="utf-8").read()
    icd = next(word.split("=", 1)[1].strip("'") for word in run.split() if word.startswith("VK_DRIVER_FILES="))
    with open(icd, encoding="utf-8") as file:
        text = file.read().replace("libvulkan_asahi", "libvulkan_lvp")
    other = os.path.join(work, "lavapipe.json")
    with open(other, "w", encoding="utf-8") as file:
        file.write(text)
    path = os.path.join(work, "run-lavapipe")
    with open(path, "w", encoding="utf-8") as file:
        file.write(run.replace(icd, other))
    os.chmod(path, 0o755)
    return path


def draw(command, output, environment=None):
    if os.path.exists(output):
        os.remove(output)
    result = subprocess.run(command + [output], capture_output=True, text=True, errors="replace", timeout=300,
                            env={**os.environ, **(environment or {})}, check=False)
    if result.returncode or not os.path.exists(output):
        return None, (result.stdout + result.stderr)[-600:]
    with open(output, "rb") as file:
        return file.read(), ""


def difference(want, have, tolerance):
    """How many pixels differ, and by how much."""
    most, off = 0, 0
    if len(want) != len(have):
        return len(want), 255
    for i in range(0, len(want), 4):
        if want[i:i + 4] != have[i:i + 4]:
            worst = max(abs(a - b) for a, b in zip(want[i:i + 4], have[i:i + 4]))
            most, off = max(most, worst), off + (worst > tolerance)
    return off, most


def statistics_failure(runner, words, work):
    """What is wrong with --stats of one triangle in 128 x 72 pixels: 4 x 3 tiles of 1,024 pixels; '': nothing."""
    command = [runner, "with-device", "--stats", "--device", "virtual:m1", "--", SID + "/run", *words, os.path.join(work, "pixels")]
    text = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, check=False).stderr
    rows = {row[1]: row for row in map(str.split, text.splitlines()) if row and row[0].startswith("0x")}
    want = {"vertex": ("1", "3"), "background": ("12", "12288"), "end-of-tile": ("12", "12")}
    wrong = [stage for stage, figures in want.items() if tuple(rows.get(stage, [])[2:4]) != figures or "not modelled" not in " ".join(rows[stage])]
    return f"--stats: {', '.join(wrong)}: {text}" if wrong or "fragment" not in rows else ""


def replay_failure(runner, words, work):
    """What is wrong with the replay of a case's jobs, each of one command; '': nothing."""
    folder = os.path.join(work, "jobs")
    traced = subprocess.run([runner, "with-device", "--trace", folder, "--device", "virtual:m1", "--", SID + "/run", *words, os.path.join(work, "pixels")],
                            capture_output=True, text=True, errors="replace", timeout=300, check=False).stderr
    replayed = subprocess.run([runner, "replay", "--device", "virtual:m1,timing=off,threads=2", folder], capture_output=True, text=True,
                              errors="replace", timeout=300, check=False)
    count = replayed.stdout.count(": the same memory")
    shutil.rmtree(folder, ignore_errors=True)
    return "" if count and not replayed.returncode and f" {count} commands" in traced else f"replay: {traced}{replayed.stdout}{replayed.stderr}"


def outside_failure(runner, words, work):
    """What is wrong with check=bounds of texels that do not exist; '': nothing. words: of a case with texel.frag."""
    shaders, failures = os.path.join(work, "shaders"), []
    shutil.copytree(words[1], shaders, ignore=lambda _, names: [name for name in names if not name.endswith(".spv")])
    for name, finding in (("texel", None), ("outside", r"fragment program of draw 0, pixel \d+, \d+: a read of texel \d+, \d+ of layer 0")):
        shutil.copy(os.path.join(words[1], name + ".frag.spv"), os.path.join(shaders, "texel.frag.spv"))
        done = subprocess.run([runner, "with-device", "--device", "virtual:m1,check=all", "--", SID + "/run", words[0], shaders, *words[2:],
                               os.path.join(work, "pixels")], capture_output=True, text=True, errors="replace", timeout=300, check=False)
        found = re.findall("^  check: (.*)$", done.stderr, re.M)
        if not (found and re.match(finding, found[0]) if finding else not found) or done.returncode != (98 if finding else 0):
            failures.append(f"check=all, {name}.frag: {done.stdout}{done.stderr}")
    shutil.rmtree(shaders)
    return "\n".join(failures)


# Of a stage: the case of gl.c, where the program reads its texture (scale and offset of each coordinate, from the pixel's middle or the vertex's number),
# and how the text names a lane.
POST_MORTEMS = {"fragment": ("texture_roads", ((0.0431, 0.5, -1.9), (0.0717, 0.5, -1.7)), r"pixel {0}, {1} in lane {2}"),
                "vertex": ("vertex_texture", ((0.0431, 0, -0.7), (-0.0717, 0, 1.7)), r"vertex {0} of instance {1} in lane {2}")}


def post_mortem_failure(runner, words, work):
    """What is wrong with the post-mortem of a draw whose texture has an unknown format; '': nothing. words: of one of the cases above."""
    path, failures = os.path.join(work, "post-mortem.json"), []
    done = subprocess.run([runner, "with-device", "--post-mortem", path, "--device", "virtual:m1,threads=1,plant=texture_low|1fc0", "--", SID + "/run", *words,
                           os.path.join(work, "pixels")], capture_output=True, text=True, errors="replace", timeout=300, check=False)
    stage, (_, coordinates, name) = next(one for one in POST_MORTEMS.items() if one[1][0] == words[-1])
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    for one in found if found else [{"post_mortem": None}]:
        seen = one["post_mortem"] or {"simdgroups": []}
        simds = seen["simdgroups"]
        if not simds or (seen["stage"], seen["command"], seen["draw"]) != (stage, 0, 0) or simds[0]["state"] != "faulted":
            failures.append(f"post-mortem: {one}: {done.stderr}")
            continue
        registers, places = simds[0]["instructions"][0]["registers"], simds[0]["pixels" if stage == "fragment" else "vertices"]
        text = done.stderr[done.stderr.index("last fault"):]
        lane = min(places, key=int)
        if len(places) != 32 or name.format(*places[lane], lane) not in text:
            failures.append(f"post-mortem: lane {lane}, of {len(places)}, is of {places[lane]}: {text}")
        for axis, (scale, middle, offset) in enumerate(coordinates):
            want = {lane: (place[axis if stage == "fragment" else 0] + middle) * scale + offset for lane, place in places.items()}
            have = registers[axis]["lanes"] if len(registers) == 2 else {}
            if any(abs(have.get(lane, 1e9) - value) > 1e-5 for lane, value in want.items()):
                failures.append(f"post-mortem: coordinate {axis} is {have}, not {want}")
            shown = re.search(registers[axis]["name"] + r" = (\S+) in lanes? " + lane + r"\b", text) if have else None
            if not shown or abs(float(shown[1]) - want[lane]) > 1e-5:
                failures.append(f"post-mortem: the text has no coordinate {axis} of lane {lane}, {want[lane]}: {text}")
    return "\n".join(failures)


def order_failure(runner, words, work):
    """What is wrong with check=hazards of commands in one submission, or in several, of which a later one loads what an earlier one stores; '': nothing."""
    failures, reads = [], "of the submission, a (render|compute) command, reads the image at 0x[0-9a-f]+, which"
    for batch, plant, finding in (("batch", "", ""), ("batch", ",plant=barriers|ffff", f"command 1 {reads} command 0, a render command, writes"),
                                  ("", "", ""), ("", ",plant=barriers|ffff", f"command 0 {reads} an earlier submission's, a render command, writes")):
        done = subprocess.run([runner, "with-device", "--device", "virtual:m1,check=all" + plant, "--", SID + "/run", *words, os.path.join(work, "pixels")],
                              capture_output=True, text=True, errors="replace", timeout=300, check=False, env={**os.environ, "HK_PERFTEST": batch})
        found = re.findall("^  check: (.*)$", done.stderr, re.M)
        if not (any(re.match(finding, one) for one in found) if finding else not found) or done.returncode != (98 if finding else 0):
            failures.append(f"check=all{plant} {batch}: {done.stdout}{done.stderr}")
    return "\n".join(failures)


def main():
    runner, program, shaders, *wanted = sys.argv[1:]
    gl = wanted[1] if wanted[:1] == ["--gl"] else None
    wanted = wanted[2:] if gl else wanted
    if not os.path.exists(SID + "/run"):
        print("skipped: no " + SID + "/run (ci/mesa-get sid fetches it)")
        return 77
    # (name, the program's words before the output)
    names = [(name, [program, shaders, name]) for name in subprocess.run([program, "--list"], capture_output=True, text=True,
                                                                         check=True).stdout.split()]
    if gl:
        names += [("gl_" + name, [gl, name]) for name in subprocess.run([gl, "--list"], capture_output=True, text=True,
                                                                        check=True).stdout.split()]
    names = [one for one in names if not wanted or one[0] in wanted]
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        lavapipe, output = reference_run(work), os.path.join(work, "pixels")
        for name, words in names:
            want, why = draw([lavapipe, *words], output, {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"})
            if want is None:
                print(f"{name}: lavapipe: {why}")
                failed += 1
                continue
            clients = [(f"sid, {chip}", ["--device", device, "--", SID + "/run"], {}) for chip, device in THREADS.items()]
            if name in COMPILED:
                clients.append(("sid, compiled", ["--device", "virtual:m1,timing=off,jit=on", "--", SID + "/run"], {}))
            if os.path.exists(OWN) and words[0] == program:
                clients.append(("25.0.7", ["--device", THREADS["m1"], "--"], {"VK_DRIVER_FILES": OWN, "VK_ICD_FILENAMES": OWN}))
            pictures = set()
            for client, start, environment in clients:
                have, why = draw([runner, "with-device", *start, *words], output, environment)
                if client.startswith("sid"):
                    pictures.add(have)
                off, most = difference(want, have, TOLERANCES.get(name, TOLERANCE)) if have is not None else (0, 0)
                if have is None or off > ALLOWED.get(name, 0):
                    print(f"{name}, {client}: " + (f"{off} pixels of {len(want) // 4} differ, by up to {most}" if have is not None else why))
                    failed += 1
            if len(pictures) > 1:
                print(f"{name}: the picture depends on the chip, the number of host threads, or compiled blocks")
                failed += 1
        checks = [(statistics_failure, "triangle"), (replay_failure, "depth"), (replay_failure, "texture_linear"), (outside_failure, "texel"),
                  (order_failure, "depth")]
        checks = [(check, [program, shaders, name]) for check, name in checks] + [(post_mortem_failure, [gl, one[0]]) for one in POST_MORTEMS.values() if gl]
        for check, words in checks:
            wrong = check(runner, words, work)
            failed += bool(wrong)
            print(wrong, end="\n" if wrong else "")
    print(f"{len(names)} cases, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
