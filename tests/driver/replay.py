#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs that a program submits through the render node are saved (with-device --trace), and replayed.

  replay.py AGX_RUNNER UAPI_RUN

Invariant: a replay is the same exactly where nothing was changed. The files are then changed on purpose.
"""
import glob
import os
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile

RUNNER, UAPI = sys.argv[1:3]
NODE = "/dev/dri/renderD190"
KERNEL = """__kernel void scale(__global uint *out, __global const uint *in, uint n) {
   uint i = get_global_id(0);
   out[i] = in[i] * 3 + n;
}
__kernel void fault(__global uint *out) { *(volatile __global uint *)(0x4000000000ul + out[0]) = 1; }
"""
RECORD, PAGE = 16, 0x4000
QUEUE, BUFFER, MAPPING, MEMORY, COMMAND, RESULT, MEMORY_AFTER, END = 2, 3, 4, 5, 6, 7, 8, 9 # enum saved_kind


def run(*words):
    done = subprocess.run([RUNNER, *words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "AGX_VGPU_NODE": "190"})
    return done.returncode, done.stdout + done.stderr


def check(condition, *what):
    if not condition:
        print("FAIL:", *what)
        sys.exit(1)


def records(data):
    """(kind, payload's offset, size) of each record."""
    at = 8
    while at < len(data):
        kind, _, size = struct.unpack_from("<IIQ", data, at)
        yield kind, at + RECORD, size
        at += RECORD + (size + 7 & ~7)


def memory_image(path):
    """(queue, commands, error, mappings, memory before and after by GPU address) of a saved job, without its buffers' numbers."""
    data = open(path, "rb").read()
    parts = {kind: [] for kind in range(1, END + 1)}
    for kind, at, size in records(data):
        parts[kind].append(data[at:at + size])
    mappings = [struct.unpack("<IIQQQ", part) for part in parts[MAPPING]]
    where = {}
    for buffer, flags, address, length, offset in mappings:
        where.setdefault(buffer, []).append((address, length, offset))
    def pages(kind):
        out = set()
        for part in parts[kind]:
            buffer, _, offset = struct.unpack_from("<IIQ", part)
            for address, length, start in where.get(buffer, []):
                if start <= offset < start + length:
                    out.add((address + offset - start, part[16:]))
        return out
    commands = [part[:72] for part in parts[COMMAND]]
    return (parts[QUEUE], commands, parts[RESULT], sorted((address, length, flags, offset) for _, flags, address, length, offset in mappings),
            pages(MEMORY), pages(MEMORY_AFTER))


def main(work):
    source = os.path.join(work, "scale.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(KERNEL)
    # The whole road: a client in another process, through the node.
    for device in "virtual:m2-max", "virtual:m1":
        jobs = os.path.join(work, device[8:])
        code, text = run("with-device", "--device", device, "--trace", jobs, "--", RUNNER, "exec", "-d", NODE, source, "--kernel",
                         "scale", "-g", "64", "-b", "0=u32[64]", "-b", "1=u32[64]:iota", "-a", "2=7")
        check(code == 0, text)
        saved = sorted(glob.glob(jobs + "/*"))
        check(len(saved) == 1 and saved[0].endswith(".agxjob"), saved)
        code, text = run("replay", "-d", device, jobs)
        check(code == 0 and f"saved on {device} (a model, no hardware): the same memory" in text, text)
    # Another chip's launch words are told as what they are.
    code, text = run("replay", "-d", "virtual:m2-max", jobs)
    check(code == 98 and "of this chip class" in text, text)

    # What the kernel wrote is in the file: 3 i + 7.
    data = open(saved[0], "rb").read()
    after = [data[at + 16:at + size] for kind, at, size in records(data) if kind == MEMORY_AFTER]
    wanted = struct.pack("<64I", *(3 * i + 7 for i in range(64)))
    check(any(wanted in page for page in after), "no record of memory holds the kernel's answers")

    # One byte of the answers changed, then the error.
    place, other = data.index(wanted), os.path.join(work, "changed.agxjob")
    for at, byte, expected in ((place + 5, data[place + 5] ^ 0x40, r"1 byte differs in 1 of \d+ buffers, first at 0x[0-9a-f]+: "),
                               (next(at for kind, at, _ in records(data) if kind == RESULT), 0xFB, "ended with success, was EIO")):
        changed = bytearray(data)
        changed[at] = byte
        if byte == 0xFB:
            changed[at + 1:at + 4] = b"\xff\xff\xff"
        with open(other, "wb") as file:
            file.write(changed)
        code, text = run("replay", other)
        check(code == 98 and re.search(expected, text), code, text)

    # A sparse buffer of 3 GiB: its last page is saved. It takes the memory of a few pages, but all of it is compared.
    size, count = 3 << 30, sum(kind == BUFFER for kind, _, _ in records(data))
    end = next(at for kind, at, _ in records(data) if kind == END) - RECORD
    buffer = struct.pack("<IIQQ", BUFFER, 0, 8, size)
    page = struct.pack("<IIQIIQ", MEMORY, 0, 16 + PAGE, count, 0, size - PAGE) + b"\1" * PAGE
    for after, code_wanted, expected in ((b"", 0, "the same memory"),
                                         (struct.pack("<IIQIIQQ", MEMORY_AFTER, 0, 24, count, 0, size // 2, 0x80), 98, "1 byte differs in 1 of ")):
        with open(other, "wb") as file:
            file.write(data[:end] + buffer + page + after + data[end:])
        code, text = run("replay", other)
        check(code == code_wanted and expected in text, code, text)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check(used < 1 << 20, f"a process took {used} KiB for a sparse buffer")

    # Jobs of another client; two of them end with a fault.
    for subtest, ending in (("timestamps/start-last", "the same memory"), ("fault/stream-garbage", "and the same error: EIO"),
                            ("fault/scratch-overflow", "and the same error: EIO")):
        folder = os.path.join(work, subtest.replace("/", "-"))
        code, text = run("with-device", "--trace", folder, "--", UAPI, NODE, subtest)
        check(code == 0 and glob.glob(folder + "/*.agxjob"), subtest, text)
        code, text = run("replay", folder)
        check(code == 0 and ending in text, subtest, text)

    # The recorder of a real device, in front of the virtual device's node, saves what the device itself saves.
    both, own, timed = ("exec", "-d", NODE, source, "--kernel", "scale", "-g", "64", "-b", "0=u32[64]", "-b", "1=u32[64]:iota", "-a", "2=7"), work + "/own", work + "/recorded"
    code, text = run("with-device", "--trace", own, "--", RUNNER, "with-device", "--record", timed, "--", RUNNER, *both)
    check(code == 0 and "1 job saved in " + timed in text, text)
    check(len(os.listdir(own)) == 1, os.listdir(own))
    check(memory_image(glob.glob(own + "/*")[0]) == memory_image(glob.glob(timed + "/*")[0]), "the recorder saves another job than the device")
    code, text = run("replay", timed)
    check(code == 0 and "saved on a device of kernel driver asahi, G13G B1: the same memory" in text, text)
    for subtests in ("map/", "bind/", "vm/", "timestamps/start-last", "fault/stream-garbage", "fault/scratch-overflow"):
        folder = os.path.join(work, "recorded-" + subtests.replace("/", "-"))
        code, text = run("with-device", "--", RUNNER, "with-device", "--record", folder, "--", UAPI, NODE, subtests)
        check(code == 0, subtests, text)
        if glob.glob(folder + "/*.agxjob"):
            code, text = run("replay", folder)
            check(code == 0, subtests, text)
    code, text = run("with-device", "--record", timed, "--stats", "true")
    check(code == 79 and "--record has no virtual device" in text, code, text)

    # Files that are none.
    for length in [0, 7, 8, 20, len(data) // 2, len(data) - 1] + [random.Random(1).randrange(len(data)) for _ in range(10)]:
        with open(other, "wb") as file:
            file.write(data[:length])
        code, text = run("replay", other)
        check(code == 79 and ("truncated" in text or "no saved job" in text), length, code, text)
    draw = random.Random(2)
    heads = [at - RECORD for _, at, _ in records(data)]
    for _ in range(60):
        changed = bytearray(data)
        for _ in range(draw.randint(1, 3)):
            changed[min(draw.choice(heads) + draw.randrange(80), len(data) - 1)] = draw.choice((0, 1, 0x40, 0x7F, 0xFF, draw.randrange(256)))
        with open(other, "wb") as file:
            file.write(changed)
        code, text = run("replay", "-d", "virtual:m1,budget=1000000", "--timeout", "20", other)
        check(code in (0, 79, 98), code, text)
    code, text = run("replay", os.path.join(work, "nothing"))
    check(code == 79 and "No such file" in text, text)
    os.mkdir(work + "/empty")
    code, text = run("replay", work + "/empty")
    check(code == 79 and "holds no *.agxjob" in text, text)

    # A folder that cannot be written: the job runs, the reason is told, no part of a file stays.
    code, text = run("exec", "-d", "virtual:m1,record=/proc/nothing", source, "--kernel", "scale", "-g", "64", "-b", "0=u32[64]",
                     "-b", "1=u32[64]:iota", "-a", "2=7")
    check(code == 0 and "was not saved in /proc/nothing" in text, code, text)
    check(not glob.glob(work + "/**/*.part", recursive=True), "a part of a file is left")
    print("pass")


with tempfile.TemporaryDirectory() as folder:
    main(folder)
