#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast the virtual GPU runs kernels, beside lavapipe of the same Mesa: ggml's, by llama.cpp's test-backend-ops, and
the shaders of shaders/, by tests/driver/script.c.

  compute_speed.py AGX_RUNNER [-n ROUNDS] [-d DEVICE] [--drivers FOLDER] [NAME...]

Of each kernel: the processor time of the threads that run it, as medians of ROUNDS (3) in turn. These are the device's
threads of the virtual GPU (`with-device --stats`), and lavapipe's pool: the threads that start behind the last
"llvmpipe-N", as many as there are of those. So neither ggml's reference on the processor counts, nor what lavapipe takes
to compile. The virtual GPU's compiled code is kept from runs that do not count and that compile each block before it
runs (`jit=on`), because the tests are too short for `jit=auto` to compile them: such runs follow one another until
one compiles nothing, at most WARM. The answers of the shaders must
be lavapipe's. The Mesa and the tests are
.cache/drivers/sid (ci/mesa-get --add llama.cpp-tests --add libggml0-backend-vulkan sid). Figures are about the host, not
about any GPU. Exit 77 without them.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SID = os.path.join(HERE, "../../.cache/drivers/sid")
LIMIT = 300 # seconds of a run
WARM = 6
TESTS = "usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
KERNELS = {"mul_mat q4_0": ["MUL_MAT", "-p", r"type_a=q4_0,type_b=f32,m=(1000|17408),n=(2|13),k=(512|5120),"],
           "mul_mat f16": ["MUL_MAT", "-p", "type_a=f16,.*m=(1056|1057|128),n=1,"],
           "soft_max": ["SOFT_MAX"], "rms_norm": ["RMS_NORM"], "flash_attn": ["FLASH_ATTN_EXT", "-p", "hsk=64.*type_K=f16"],
           "im2col": ["IM2COL"], "ssm_scan": ["SSM_SCAN"]}
# Of a shader: what it is bound to, its threadgroups and launches, and what is compared, in the words of tests/driver/script.c.
SHADERS = {"private": ("storage 0 1048576", "512 1 1", 8, "0 0 32768"),
           "sha256": ("storage 0 2097152", "512 1 1", 8, "0 0 262144"),
           "blur": ("image 0 rgba8 512 512\nimage 1 rgba8 512 512\nput 0 5000 12345678 ffffffff 12", "32 64 1", 8, "1 0 262144")}


def make_script(name, folder):
    """A script for a shader, in that folder."""
    objects, groups, launches, compared = SHADERS[name]
    code, script = os.path.join(folder, name + ".spv"), os.path.join(folder, name + ".script")
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", "-o", code,
                    os.path.join(HERE, "shaders", name + ".comp")], check=True)
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"test {name}\n{objects}\n" + f"dispatch {code} {groups}\n" * launches + f"get {compared}\n")
    return script


def command(args, name, folder):
    words = [os.path.join(args.drivers, "run")]
    if name in SHADERS:
        return [*words, os.path.join(os.path.dirname(args.runner), "../tests/driver/driver_script"), make_script(name, folder)]
    return [*words, "/" + TESTS, "test", "-b", "Vulkan0", "-o", *KERNELS[name]]


def environment(folder, **more):
    return {**os.environ, "XDG_CACHE_HOME": folder, "GGML_VK_VISIBLE_DEVICES": "0", **more}


def ours(args, name, folder, more=""):
    """Seconds of the device's threads, what the program printed, and how many functions were compiled; None: it failed."""
    done = subprocess.run(["timeout", str(LIMIT), args.runner, "with-device", "-d", args.d + more, "--stats", "--",
                           *command(args, name, folder)], capture_output=True, text=True, check=False, env=environment(folder))
    found = re.search(r"of the device: ([0-9.]+) s", done.stderr)
    compiled = re.search(r"host code: (\d+) functions compiled", done.stderr)
    if not found or done.returncode != 0:
        return None
    return float(found[1]), done.stdout, int(compiled[1]) if compiled else 0


def warm_up(args, name, folder):
    """Returns how many functions the last run still compiled."""
    for _ in range(WARM):
        result = ours(args, name, folder, ",jit=on")
        if not result or not result[2]:
            return 0
    return result[2]


def pool_time(pid):
    """Seconds of lavapipe's pool so far, or None where it is not there."""
    threads = []
    try:
        for thread in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
            with open(f"/proc/{pid}/task/{thread}/stat", encoding="utf-8") as file:
                name, rest = re.match(r"\d+ \((.*)\) (.*)", file.read()).groups()
            threads.append((name, sum(map(int, rest.split()[11:13])) / os.sysconf("SC_CLK_TCK")))
    except (OSError, AttributeError):
        return None
    named = [i for i, (name, _) in enumerate(threads) if name.startswith("llvmpipe-")]
    pool = threads[named[-1] + 1:named[-1] + 1 + len(named)] if named else []
    return sum(seconds for _, seconds in pool) if pool else None


def theirs(args, name, folder):
    """The same of lavapipe; no functions."""
    last, end = None, time.monotonic() + LIMIT
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen(command(args, name, folder), stdout=out, stderr=subprocess.DEVNULL,
                              env=environment(folder, AGX_MESA_SOFTWARE="1")) as process:
            while process.poll() is None:
                last = pool_time(process.pid) or last
                if time.monotonic() > end:
                    process.kill()
                time.sleep(0.01)
        out.seek(0)
        return (last, out.read()) if process.returncode == 0 and last else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("-n", type=int, default=3)
    parser.add_argument("-d", default="virtual:m1,timing=off")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--drivers", default=SID)
    args = parser.parse_intermixed_args()
    if not os.path.exists(os.path.join(args.drivers, "root", TESTS)):
        print(f"skipped: {args.drivers} has no test-backend-ops (ci/mesa-get --add llama.cpp-tests sid)")
        return 77
    wrong = 0
    print("| kernel | virtual GPU, s | lavapipe, s | share of its speed |\n|---|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names or [*KERNELS, *SHADERS]:
            left = warm_up(args, name, folder)
            pairs = [(ours(args, name, folder), theirs(args, name, folder)) for _ in range(args.n)]
            if any(None in pair for pair in pairs):
                print(f"| {name} | failed, or too short | | |", flush=True)
                continue
            if name in SHADERS and any(one[1] != other[1] for one, other in pairs):
                print(f"{name}: other answers than lavapipe's")
                wrong += 1
            own, other = (statistics.median(one[0] for one in column) for column in zip(*pairs))
            print(f"| {name} | {own:.2f} | {other:.2f} | {other / own if own else 0:.2f} |" +
                  (f" {left} functions were still compiled in the last run to warm up" if left else ""), flush=True)
    return 1 if wrong else 0


sys.exit(main())
