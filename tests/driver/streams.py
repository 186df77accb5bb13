#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what a driver submitted, from saved jobs (with-device --trace), in a form that two drivers can be compared in.

  streams.py DIR|FILE...            prints the streams
  streams.py --diff BASE HEAD       prints the differences of two folders; exit 1 where there are any

Each line is one command, stream block, USC word or binding. Invariant: no line contains a GPU address. An address is
printed as `mapped` or `unmapped`, and a program as its length and a hash, so two runs that place their buffers
differently give the same text. The reader is written from spec/uapi.md 4.2 and 4.3 (docs/spec) and shares no code with
vgpu/command: it is a second reader of the same bytes.
"""
import ctypes
import difflib
import glob
import hashlib
import os
import struct
import sys

MAGICS = b"AGXJOB1\0", b"AGXJOB2\0"
INFO, QUEUE, BUFFER, MAPPING, MEMORY, COMMAND, RESULT, MEMORY_AFTER, END, PAGES, PAGE_BEFORE, PAGE_AFTER = range(1, 13)
PAGE = 16384  # a record of memory is one page, aligned
TRAPS = struct.pack("<8H", *[0x0008] * 8)  # what Mesa puts behind the last instruction
STOP = b"\x88\x00"


def records(data):
    """(kind, payload's offset, size) of each record of a job's file."""
    at = 8
    while at + 16 <= len(data):
        kind, _, size = struct.unpack_from("<IIQ", data, at)
        yield kind, at + 16, size
        at += 16 + (size + 7 & ~7)


class Pages:
    """A file of pages (drm/uapi/saved_job.h). Python has no zstd of its own before 3.14: the C library is called."""

    files = {}

    def __init__(self, path):
        self.zstd = ctypes.CDLL("libzstd.so.1")
        self.zstd.ZSTD_decompress.restype = ctypes.c_size_t
        self.zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
        with open(path, "rb") as file:
            data = file.read()
        if data[:8] != b"AGXPAG2\0":
            raise ValueError(f"{path}: no file of pages")
        self.path, self.frames, at = path, {}, 8
        while at + 24 <= len(data):
            size, = struct.unpack_from("<I", data, at + 16)
            self.frames[data[at:at + 16]] = data[at + 24:at + 24 + size]
            at += 24 + (size + 7 & ~7)

    @classmethod
    def beside(cls, job, name):
        """The file of that name in the folder of a job's file. It is read again when it has grown."""
        path = os.path.join(os.path.dirname(job), name)
        key = path, os.path.getsize(path)
        if key not in cls.files:
            cls.files = {key: cls(path)}
        return cls.files[key]

    def page(self, digest):
        frame, out = self.frames.get(digest), ctypes.create_string_buffer(PAGE)
        if frame is None or self.zstd.ZSTD_decompress(out, PAGE, frame, len(frame)) != PAGE:
            raise ValueError(f"{self.path}: a page is missing or damaged")
        return out.raw

    def listed(self, payload):
        """(buffer, offset, bytes) of each page that a record names."""
        for at in range(0, len(payload), 32):
            buffer, _, offset = struct.unpack_from("<IIQ", payload, at)
            yield buffer, offset, self.page(payload[at + 16:at + 32])


class Job:
    """One saved job. Memory is as it was before the job."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if data[:8] not in MAGICS:
            raise ValueError(f"{path}: no saved job")
        self.mappings, self.commands, self.pages, self.chip, self.error, ended = [], [], {}, "", 0, False
        shared = None
        for kind, at, size in records(data):
            payload = data[at:at + size]
            if kind == INFO:
                self.chip = payload.decode().split()[0].split(",")[0]
            elif kind == QUEUE:
                self.usc_base, = struct.unpack_from("<Q", payload, 16)
            elif kind == MAPPING:
                buffer, _, address, length, offset = struct.unpack("<IIQQQ", payload)
                self.mappings.append((address, length, buffer, offset))
            elif kind == MEMORY:
                buffer, _, offset = struct.unpack_from("<IIQ", payload)
                for place in range(0, size - 16, PAGE):
                    self.pages[buffer, offset + place] = payload[16 + place:16 + place + PAGE]
            elif kind == PAGES:
                shared = Pages.beside(path, payload.decode())
            elif kind == PAGE_BEFORE:
                self.pages.update(((buffer, offset), page) for buffer, offset, page in shared.listed(payload))
            elif kind == COMMAND:
                self.commands.append(payload)
            elif kind == RESULT:
                self.error, = struct.unpack_from("<i", payload)
            ended = kind == END
        if not ended:
            raise ValueError(f"{path}: truncated")

    def mapped(self, address):
        return any(start <= address < start + length for start, length, _, _ in self.mappings)

    def read(self, address, size):
        """The bytes at a GPU address; unmapped ones are left out at the end."""
        out = b""
        while size:
            found = next((m for m in self.mappings if m[0] <= address < m[0] + m[1]), None)
            if not found:
                break
            start, length, buffer, offset = found
            first = offset + address - start
            inside = first % PAGE
            count = min(size, start + length - address, PAGE - inside)
            page = self.pages.get((buffer, first - inside))
            out += page[inside:inside + count] if page else bytes(count)
            address += count
            size -= count
        return out

    def word(self, address):
        data = self.read(address, 4)
        return struct.unpack("<I", data)[0] if len(data) == 4 else None

    def address(self, address):
        return "mapped" if self.mapped(address) else "unmapped" if address else "0"


def code(job, address):
    """The program at an address, up to the traps behind its last instruction."""
    data = job.read(address, 1 << 17)
    end = data.find(STOP + TRAPS)
    return data[:end + 2] if end >= 0 else data[:4096]


def program_text(job, address):
    data = code(job, address)
    return f"{job.address(address)}, {len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}"


def bits(value, low, count):
    return value >> low & (1 << count) - 1


def usc_words(job, address):
    """(name, raw bytes, text) of each USC word."""
    for _ in range(64):
        tag = job.read(address, 8)
        if len(tag) < 8:
            yield "unreadable", b"", job.address(address)
            return
        kind, value = tag[0], struct.unpack("<Q", tag)[0]
        if kind in (0x1D, 0x3D):
            start, halves = bits(value, 8, 8) + (256 if kind == 0x3D else 0), bits(value, 20, 6) or 64
            source = bits(value, 26, 38) << 2
            yield "uniform", tag, f"halves {start} to {start + halves - 1} {job.address(source)} {values(job, source, halves)}"
            address += 8
        elif kind in (0xDD, 0x9D):
            yield "texture" if kind == 0xDD else "sampler", tag, (
                f"start {bits(value, 8, 8)} count {bits(value, 20, 7)} {job.address(bits(value, 27, 36) << 3)}")
            address += 8
        elif kind == 0x4D:
            used, size = bits(value, 8, 1), bits(value, 24, 8) * 256
            yield "shared", tag[:4], f"used {used} layout {bits(value, 10, 6):#x} bytes {size or 65536} rest {bits(value, 16, 8):#x}"
            address += 4
        elif kind == 0x0D:
            yield "shader", tag[:6], f"flags {bits(value, 8, 8):#x} {program_text(job, job.usc_base + bits(value, 16, 32))}"
            address += 6
        elif kind == 0x8D:
            yield "registers", tag[:4], (
                f"{(bits(value, 8, 5) or 32) * 8} spill {bits(value, 18, 4)} rest {bits(value, 13, 5):#x} {bits(value, 22, 10):#x}")
            address += 4
        elif kind == 0x38:
            yield "preshader", tag, f"flags {bits(value, 8, 24):#x} {program_text(job, job.usc_base + bits(value, 32, 32))}"
            return
        elif kind == 0x88:
            yield "no preshader", tag[:2], ""
            return
        else:
            yield "unknown", tag, tag.hex()
            return


def values(job, address, halves):
    """Uniforms as they are loaded: 64-bit addresses as such, all else in hexadecimal."""
    data = job.read(address, halves * 2)
    out, at = [], 0
    while at < len(data):
        if at % 4 == 0 and at + 8 <= len(data) and job.mapped(struct.unpack_from("<Q", data, at)[0]):
            out.append("mapped")
            at += 8
        else:
            out.append(data[at:at + 2].hex())
            at += 2
    return " ".join(out)


def blocks(job, address):
    """(name, raw bytes, text, address of USC words or None) of each block of a CDM stream."""
    g14x = job.chip in ("virtual:m2-pro", "virtual:m2-max", "virtual:m2-ultra")
    for _ in range(1 << 16):
        head = job.word(address)
        if head is None:
            yield "unreadable", b"", job.address(address), None
            return
        kind = head >> 29
        if kind == 0:
            mode, size = bits(head, 27, 2), 8 + (8 if g14x else 0)
            raw = job.read(address, size + 24)
            body = raw[size:]
            if mode == 0:
                text = "grid %u %u %u group %u %u %u" % struct.unpack("<6I", body[:24])
                size += 24
            else:
                where = bits(struct.unpack_from("<I", body)[0], 0, 8) << 32 | struct.unpack_from("<I", body, 4)[0]
                text = f"indirect {job.address(where)}"
                if mode == 1:
                    text += " group %u %u %u" % struct.unpack_from("<3I", body, 8)
                size += 20 if mode == 1 else 8
            extra = f" extra {raw[8:16].hex()}" if g14x else ""
            yield "launch", raw[:size], f"{head:#010x} mode {mode}{extra} {text}", job.usc_base + job.word(address + 4)
            address += size
        elif kind == 1:
            raw = job.read(address, 8)
            address = bits(head, 0, 8) << 32 | struct.unpack("<I", raw[4:])[0]
            yield "link", raw, f"flags {bits(head, 8, 21):#x} {job.address(address)}", None
        elif kind == 2:
            yield "terminate", job.read(address, 8), f"{head:#010x}", None
            return
        elif kind == 3:
            yield "barrier", job.read(address, 4), f"{head:#010x}", None
            address += 4
        else:
            yield "unknown", job.read(address, 8), f"{head:#010x}", None
            return


FIELDS = (("flags", 0, "I"), ("sampler_count", 4, "I"), ("stream", 8, "Q"), ("end", 16, "Q"), ("sampler_heap", 24, "Q"),
          ("helper_binary", 32, "I"), ("helper_cfg", 36, "I"), ("helper_data", 40, "Q"))


def command_fields(payload):
    """The barriers and the named fields of a struct saved_command."""
    out = {"barriers": struct.unpack_from("<2I", payload)}
    for name, offset, kind in FIELDS:
        out[name], = struct.unpack_from("<" + kind, payload, 8 + offset)
    for name, offset in (("start", 72), ("finish", 88)):
        buffer, _, place = struct.unpack_from("<IIQ", payload, offset)
        out[name] = "none" if buffer == 0xFFFFFFFF else f"offset {place}"
    return out


def stream_lines(path):
    """The text of one saved job."""
    job = Job(path)
    yield f"job: {job.chip}, {len(job.commands)} commands, error {job.error}"
    for payload in job.commands:
        fields = command_fields(payload)
        helper = program_text(job, job.usc_base + (fields["helper_binary"] & ~1)) if fields["helper_binary"] else "none"
        yield (f"command: barriers {fields['barriers'][0]:#x} {fields['barriers'][1]:#x} flags {fields['flags']:#x} "
               f"samplers {fields['sampler_count']} heap {job.address(fields['sampler_heap'])} "
               f"timestamps {fields['start']}, {fields['finish']}")
        yield f"  helper: {helper} cfg {fields['helper_cfg']:#x} data {job.address(fields['helper_data'])}"
        if fields["helper_data"]:
            yield from scratch_lines(job, fields["helper_data"])
        for name, _, text, usc in blocks(job, fields["stream"]):
            yield f"  {name}: {text}"
            if usc is not None:
                for word, _, detail in usc_words(job, usc):
                    yield f"    {word}: {detail}"


def scratch_lines(job, header):
    """What the helper program hands out: the sizes of the blocks of each core's first simdgroup."""
    subgroups = job.word(header)
    cores = []
    for core in range(128):
        at = header + 8 + 88 * core
        head = job.read(at, 8)
        listed = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if listed:
            first = [job.word(listed + 4 * i) or 0 for i in range(4)]
            # The first word has the size's log4 in unary, below the address.
            cores.append(" ".join(f"{(word & 0x7F).bit_length()}" for word in first))
    shapes = sorted(set(cores))
    yield f"  scratch: {subgroups} simdgroups a core, {len(cores)} cores, blocks {', '.join(shapes)}"


def folder_lines(path):
    files = sorted(glob.glob(os.path.join(path, "*.agxjob"))) if os.path.isdir(path) else [path]
    if not files:
        raise ValueError(f"{path}: holds no *.agxjob")
    for file in files:
        yield from stream_lines(file)


def differences(base, head):
    """The differing lines of two folders, with their command and launch."""
    return [line for line in difflib.unified_diff(list(folder_lines(base)), list(folder_lines(head)), "base", "head",
                                                  lineterm="", n=0)][2:]


def main(words):
    if words[:1] == ["--diff"] and len(words) == 3:
        found = differences(*words[1:])
        print("\n".join(found))
        return bool(found)
    if not words or words[0].startswith("-"):
        print(__doc__)
        return 79
    for path in words:
        for line in folder_lines(path):
            print(line)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError) as error:
        print(f"streams: {error}", file=sys.stderr)
        sys.exit(79)
