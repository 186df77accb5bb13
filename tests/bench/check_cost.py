#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the virtual GPU's checks cost: processor time of kernels with each check and with all, as a multiple of the time
without. Each figure is the difference of many launches and one, so that start and compilation do not count. It prints a
table; run it on a quiet machine.

Usage: check_cost.py AGX_RUNNER
"""
import os
import subprocess
import sys
import tempfile

SOURCE = """
kernel void copy(global uint4 *o, global const uint4 *in)
{
   size_t i = get_global_id(0);
   o[i] = in[i];
}
kernel void bytes(global uchar *o, global const uchar *in)
{
   size_t i = get_global_id(0);
   o[i] = in[i];
}
kernel void chain(global uint *o, global const uint *in)
{
   uint x = in[get_global_id(0)];
   for (uint i = 0; i < 64; i++) { x = x * 1664525u + 1013904223u; }
   o[get_global_id(0)] = x;
}
kernel void local_sum(global uint *o, global const uint *in, local uint *s)
{
   uint l = get_local_id(0);
   s[l] = in[get_global_id(0)];
   barrier(CLK_LOCAL_MEM_FENCE);
   uint sum = 0;
   for (uint i = 0; i < 16; i++) { sum += s[(l + i) & 63]; }
   o[get_global_id(0)] = sum;
}
kernel void gather(global uint *o, global const uint *in)
{
   uint i = get_global_id(0), x = in[i];
   for (uint n = 0; n < 8; n++) { x += in[x * 2654435761u >> 16]; }
   o[i] = x;
}
kernel void table(global uint *o, global const uint *in)
{
   uint i = get_global_id(0), sum = 0;
   for (uint n = 0; n < 16; n++) { sum = (sum ^ in[n]) * i; }
   o[i] = sum;
}
kernel void stack(global uint *o, global const uint *in)
{
   uint i = get_global_id(0), a[16];
   for (uint n = 0; n < 16; n++) { a[(i + n) & 15] = i * n; }
   uint sum = 0;
   for (uint n = 0; n < 16; n++) { sum += a[(in[0] + n) & 15]; }
   o[i] = sum;
}
kernel void histogram(global uint *o, global const uint *in, local uint *bins)
{
   uint i = get_global_id(0), l = get_local_id(0);
   bins[l] = 0;
   barrier(CLK_LOCAL_MEM_FENCE);
   atomic_inc(&bins[in[i] & 63]);
   atomic_inc(&o[in[i] >> 4]);
   barrier(CLK_LOCAL_MEM_FENCE);
   if (bins[l]) { atomic_add(&o[l], bins[l]); }
}
"""
CHECKS = ["off", "bounds", "races", "undefined", "hazards", "all"]
# Kernel, threads, type of the buffers, their elements, other words.
KERNELS = [("copy", 262144, "u32", 1048576, []), ("bytes", 262144, "u8", 262144, []), ("chain", 65536, "u32", 65536, []),
           ("local_sum", 65536, "u32", 65536, ["--local", "2=256", "--group", "64"]),
           ("gather", 65536, "u32", 65536, []), ("table", 65536, "u32", 65536, []), ("stack", 32768, "u32", 65536, []),
           ("histogram", 65536, "u32", 65536, ["--local", "2=256", "--group", "64"])]
LAUNCHES = 41


def seconds(program, path, kernel, check, launches):
    """Processor time of a run."""
    name, threads, kind, count, words = kernel
    child = subprocess.Popen([program, "exec", path, "--kernel", name, "-d", f"virtual:m1,timing=off,threads=1,check={check}",
                              "--buf", f"0={kind}[{count}]", "--buf", f"1={kind}[{count}]:iota", "--grid", str(threads),
                              "-r", str(launches), *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{name} with check={check}: exit status {status}")
    return usage.ru_utime + usage.ru_stime


def main():
    """See above."""
    program = sys.argv[1]
    print("kernel      " + "".join(f"{check:>11}" for check in CHECKS))
    with tempfile.NamedTemporaryFile("w", suffix=".cl") as file:
        file.write(SOURCE)
        file.flush()
        for kernel in KERNELS:
            times = [max(min(seconds(program, file.name, kernel, check, LAUNCHES) for _ in range(3)) -
                         min(seconds(program, file.name, kernel, check, 1) for _ in range(3)), 1e-4) for check in CHECKS]
            print(f"{kernel[0]:<12}" + "".join(f"{time / times[0]:>10.1f}x" for time in times), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
