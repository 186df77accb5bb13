#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fault of Mesa 25.0.7 that the virtual GPU shows: queries of compute shader invocations stay 0.

  invocations.py AGX_RUNNER DRIVER_KERNELS SHADERS DRIVER

hk_cmd_dispatch.c calls libagx_increment_cs_invocations() with the barrier's flags and the grid's address exchanged, so
the driver's own kernel reads the grid at address 1. Invariant: the device reports that access, and with the two
arguments in order the counts are right and nothing is reported.

Exit: 0 so, 1 not so, 77 no driver, or one without the fault.
"""
import os
import subprocess
import sys
import tempfile

import planted

WRONG, RIGHT = "agx_1d(1), grid, AGX_BARRIER_ALL,", "agx_1d(1), AGX_BARRIER_ALL, grid,"


def counts(runner, kernels, shaders, icd):
    """(exit code, all text) of the case."""
    env = {**os.environ, "VK_DRIVER_FILES": icd, "VK_ICD_FILENAMES": icd, "AGX_VGPU_NODE": planted.NODE}
    done = subprocess.run([runner, "with-device", "--ignore-faults", "--device", "virtual:m1,check=all", "--", kernels, shaders, "statistics"],
                          capture_output=True, text=True, env=env, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def main(runner, kernels, shaders, folder):
    icd = os.path.join(folder, "asahi_icd.json")
    if not os.path.exists(icd):
        planted.die(f"skipped: no driver in {folder} (ci/mesa-driver subprojects/mesa-25.0.7 builds it)", 77)
    with open(os.path.join(folder, "src", planted.DISPATCH), encoding="utf-8") as file:
        if WRONG not in file.read():
            planted.die("skipped: this driver does not have the fault", 77)
    code, text = counts(runner, kernels, shaders, icd)
    if code == 0 or "accesses to unmapped memory" not in text or "0 invocations, not 1920" not in text:
        planted.die(f"the driver as it is: exit {code}: {text}")
    with tempfile.TemporaryDirectory() as work:
        mend = planted.Fault("mended", planted.DISPATCH, WRONG, RIGHT, "", "")
        code, text = counts(runner, kernels, shaders, planted.Driver(folder, work).with_fault(mend))
    if code or "check:" in text or "unmapped" in text:
        planted.die(f"the mended driver: exit {code}: {text}")
    print("pass")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
