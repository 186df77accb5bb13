#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs that a program submits through the render node are saved (with-device --trace), and replayed.

  replay.py AGX_RUNNER UAPI_RUN

Invariant: a replay is the same exactly where nothing was changed. The files are then changed on purpose.
"""
import glob
import gzip
import os
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile

import streams
from streams import BUFFER, COMMAND, END, MAPPING, MEMORY, MEMORY_AFTER, PAGE, PAGES, PAGE_AFTER, PAGE_BEFORE, QUEUE, RESULT, records

RUNNER, UAPI = sys.argv[1:3]
NODE = "/dev/dri/renderD190"
KERNEL = """__kernel void scale(__global uint *out, __global const uint *in, uint n) {
   uint i = get_global_id(0);
   out[i] = in[i] * 3 + n;
}
__kernel void fault(__global uint *out) { *(volatile __global uint *)(0x4000000000ul + out[0]) = 1; }
"""
RECORD = 16


def run(*words):
    done = subprocess.run([RUNNER, *words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "AGX_VGPU_NODE": "190"})
    return done.returncode, done.stdout + done.stderr


def check(condition, *what):
    if not condition:
        print("FAIL:", *what)
        sys.exit(1)


def record(kind, payload):
    return struct.pack("<IIQ", kind, 0, len(payload)) + payload + bytes(-len(payload) % 8)


def version1(path):
    """The job as a file of version 1, which has its memory in itself."""
    with open(path, "rb") as file:
        data = file.read()
    out, pages = b"AGXJOB1\0", None
    for kind, at, size in records(data):
        payload = data[at:at + size]
        if kind == PAGES:
            pages = streams.Pages.beside(path, payload.decode())
        elif kind in (PAGE_BEFORE, PAGE_AFTER):
            for buffer, offset, page in pages.listed(payload):
                out += record(MEMORY if kind == PAGE_BEFORE else MEMORY_AFTER, struct.pack("<IIQ", buffer, 0, offset) + page)
        else:
            out += record(kind, payload)
    return out


def memory_image(path):
    """(queue, commands, error, mappings, memory before and after by GPU address) of a saved job, without its buffers' numbers."""
    data = version1(path)
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


def shared_pages(work, source):
    """Jobs of a process share equal pages: five jobs with the same inputs take little more than one."""
    sizes = {}
    for count in 1, 5:
        folder = os.path.join(work, f"shared-{count}")
        code, text = run("with-device", "--trace", folder, "--", RUNNER, "exec", "-d", NODE, source, "--kernel", "scale", "-g", "65536",
                         "-b", "0=u32[65536]", "-b", "1=u32[65536]:iota", "-a", "2=7", "-r", str(count))
        check(code == 0 and len(glob.glob(folder + "/*.agxjob")) == count, text)
        sizes[count] = sum(os.path.getsize(path) for path in glob.glob(folder + "/*"))
        code, text = run("replay", folder)
        check(code == 0 and text.count("the same memory") == count, text)
        page_files = glob.glob(folder + "/*.agxpages")
        check(len(page_files) == 1, page_files)
        digests = list(streams.Pages(page_files[0]).frames)
        check(len(digests) > 32, f"{len(digests)} pages for two buffers of 16")
    check(sizes[1] > 100000 and sizes[5] < sizes[1] * 1.2, f"{sizes[1]} bytes for one job, {sizes[5]} for five")
    # Two kernels of 256 KiB in and out: a job of version 1 has both, uncompressed.
    check(sizes[1] < 2 * 65536 * 4, f"{sizes[1]} bytes for a job of 512 KiB")


def damaged_pages(work, job):
    """A file of pages that is truncated, changed, another one or missing: an error that says so, and no result."""
    folder = os.path.join(work, "damaged")
    os.mkdir(folder)
    with open(job, "rb") as file:
        data = file.read()
    name = next(data[at:at + size].decode() for kind, at, size in records(data) if kind == PAGES)
    with open(os.path.join(os.path.dirname(job), name), "rb") as file:
        pages = file.read()
    copy, path = os.path.join(folder, "job.agxjob"), os.path.join(folder, name)

    def attempt(job_bytes, page_bytes):
        with open(copy, "wb") as file:
            file.write(job_bytes)
        with open(path, "wb") as file:
            file.write(page_bytes)
        return run("replay", copy)

    code, text = attempt(data, pages)
    check(code == 0 and "the same memory" in text, text)
    code, text = attempt(data, pages + pages[8:100])
    check(code == 0 and "the same memory" in text, "half an entry at the end, of a process that was killed:", text)
    for length in [0, 7, 8, 9, 31, 32, 40, len(pages) // 2, len(pages) - 8]:
        code, text = attempt(data, pages[:length])
        check(code == 79 and f"{name}" in text and "truncated" in text, length, code, text)
    draw, refused = random.Random(3), 0
    for _ in range(40):
        changed = bytearray(pages)
        at = draw.randrange(8, len(pages))
        changed[at] ^= 1 << draw.randrange(8)
        code, text = attempt(data, bytes(changed))
        # A bit of padding, or of an entry's alignment, changes nothing.
        check(code == 0 and "the same memory" in text or code == 79 and ("damaged" in text or "not in" in text), at, code, text)
        refused += code == 79
    check(refused > 30, f"only {refused} of 40 damaged files were refused")
    code, text = attempt(data, b"AGXPAG9\0" + pages[8:])
    check(code == 79 and f"{name} is no file of pages" in text, text)
    code, text = attempt(data.replace(name.encode(), b"../" + name.encode()[3:]), pages)
    check(code == 79 and "names no file of pages" in text, text)
    code, text = attempt(b"AGXJOB3" + data[7:], pages)
    check(code == 79 and "a saved job of a later agx-runner" in text, text)
    attempt(data, pages)
    os.unlink(path)
    code, text = run("replay", copy)
    check(code == 79 and f"its pages are in {name}: No such file" in text, text)


def main(work):
    # A job that an agx-runner before the files of pages has saved, of the kernel below.
    old = os.path.join(work, "old.agxjob")
    with gzip.open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "version1.agxjob.gz")) as packed, open(old, "wb") as file:
        file.write(packed.read())
    code, text = run("replay", old)
    check(code == 0 and "the same memory" in text, text)
    source = os.path.join(work, "scale.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(KERNEL)
    shared_pages(work, source)
    # The whole road: a client in another process, through the node.
    for device in "virtual:m2-max", "virtual:m1":
        jobs = os.path.join(work, device[8:])
        code, text = run("with-device", "--device", device, "--trace", jobs, "--", RUNNER, "exec", "-d", NODE, source, "--kernel",
                         "scale", "-g", "64", "-b", "0=u32[64]", "-b", "1=u32[64]:iota", "-a", "2=7")
        check(code == 0, text)
        saved = sorted(glob.glob(jobs + "/*"))
        check([os.path.splitext(path)[1] for path in saved] == [".agxjob", ".agxpages"], saved)
        code, text = run("replay", "-d", device, jobs)
        check(code == 0 and f"saved on {device} (a model, no hardware): the same memory" in text, text)
    # Another chip's launch words are told as what they are.
    code, text = run("replay", "-d", "virtual:m2-max", jobs)
    check(code == 98 and "of this chip class" in text, text)

    # What the kernel wrote is in the file: 3 i + 7.
    data = version1(saved[0])
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
        code, text = run("with-device", "--ignore-faults", "--trace", folder, "--", UAPI, NODE, subtest)
        check(code == 0 and glob.glob(folder + "/*.agxjob"), subtest, text)
        code, text = run("replay", folder)
        check(code == 0 and ending in text, subtest, text)

    # The recorder of a real device, in front of the virtual device's node, saves what the device itself saves.
    both, own, timed = ("exec", "-d", NODE, source, "--kernel", "scale", "-g", "64", "-b", "0=u32[64]", "-b", "1=u32[64]:iota", "-a", "2=7"), work + "/own", work + "/recorded"
    code, text = run("with-device", "--trace", own, "--", RUNNER, "with-device", "--record", timed, "--", RUNNER, *both)
    check(code == 0 and "1 job saved in " + timed in text, text)
    check(len(glob.glob(own + "/*.agxjob")) == 1, os.listdir(own))
    check(memory_image(glob.glob(own + "/*.agxjob")[0]) == memory_image(glob.glob(timed + "/*.agxjob")[0]),
          "the recorder saves another job than the device")
    code, text = run("replay", timed)
    check(code == 0 and "saved on a device of kernel driver asahi, G13G B1: the same memory" in text, text)
    for subtests in ("map/", "bind/", "vm/", "timestamps/start-last", "fault/stream-garbage", "fault/scratch-overflow"):
        folder = os.path.join(work, "recorded-" + subtests.replace("/", "-"))
        code, text = run("with-device", "--ignore-faults", "--", RUNNER, "with-device", "--record", folder, "--", UAPI, NODE, subtests)
        check(code == 0, subtests, text)
        if glob.glob(folder + "/*.agxjob"):
            code, text = run("replay", folder)
            check(code == 0, subtests, text)
    code, text = run("with-device", "--record", timed, "--stats", "true")
    check(code == 79 and "--record uses the machine's own GPU" in text, code, text)

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
    damaged_pages(work, saved[0])
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
