#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast the virtual GPU runs ggml's kernels, beside lavapipe of the same Mesa: llama.cpp's test-backend-ops.

  ggml_speed.py AGX_RUNNER [-n ROUNDS] [-d DEVICE] [--drivers FOLDER] [NAME...]

Of each kernel: the processor time of the threads that run it, as medians of ROUNDS (3) in turn. These are the device's
threads of the virtual GPU (`with-device --stats`), and lavapipe's pool: the threads that start behind the last
"llvmpipe-N", as many as there are of those. So neither ggml's reference on the processor counts, nor what lavapipe takes
to compile. The virtual GPU's compiled code is kept from a first run that does not count and that compiles each block
before it runs (`jit=on`), because the tests are too short for `jit=auto` to compile them. The Mesa and the tests are
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

SID = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.cache/drivers/sid")
LIMIT = 300 # seconds of a run
TESTS = "usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
KERNELS = {"mul_mat q4_0": ["MUL_MAT", "-p", r"type_a=q4_0,type_b=f32,m=16,n=(1|16),k=256,bs=\[1,1\]"],
           "mul_mat f16": ["MUL_MAT", "-p", "type_a=f16,.*m=(1056|1057|128),n=1,"],
           "soft_max": ["SOFT_MAX"], "rms_norm": ["RMS_NORM"], "flash_attn": ["FLASH_ATTN_EXT", "-p", "hsk=64.*type_K=f16"],
           "im2col": ["IM2COL"], "ssm_scan": ["SSM_SCAN"]}


def command(args, words):
    return [os.path.join(args.drivers, "run"), "/" + TESTS, "test", "-b", "Vulkan0", "-o", *words]


def environment(folder, **more):
    return {**os.environ, "XDG_CACHE_HOME": folder, "GGML_VK_VISIBLE_DEVICES": "0", **more}


def ours(args, words, folder, more=""):
    done = subprocess.run(["timeout", str(LIMIT), args.runner, "with-device", "-d", args.d + more, "--stats", "--", *command(args, words)],
                          capture_output=True, text=True, check=False, env=environment(folder))
    found = re.search(r"of the device: ([0-9.]+) s", done.stderr)
    return float(found[1]) if found and done.returncode == 0 else None


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


def theirs(args, words, folder):
    last, end = None, time.monotonic() + LIMIT
    with subprocess.Popen(command(args, words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=environment(folder, AGX_MESA_SOFTWARE="1")) as process:
        while process.poll() is None:
            last = pool_time(process.pid) or last
            if time.monotonic() > end:
                process.kill()
            time.sleep(0.02)
    return last if process.returncode == 0 else None


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
    print("| kernel | virtual GPU, s | lavapipe, s | share of its speed |\n|---|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names or KERNELS:
            ours(args, KERNELS[name], folder, ",jit=on")
            pairs = [(ours(args, KERNELS[name], folder), theirs(args, KERNELS[name], folder)) for _ in range(args.n)]
            if any(None in pair for pair in pairs):
                print(f"| {name} | failed, or too short | | |", flush=True)
                continue
            own, other = (statistics.median(column) for column in zip(*pairs))
            print(f"| {name} | {own:.2f} | {other:.2f} | {other / own if own else 0:.2f} |", flush=True)
    return 0


sys.exit(main())
