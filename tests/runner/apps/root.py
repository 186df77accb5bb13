#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""drivers/root.c, which gives a program the files of ci/mesa-get's folder under their names. Usage: root.py AGX_RUNNER SOURCE_ROOT"""
import os
import subprocess
import sys

from case import ROOT, Case, main

PROGRAM = """
import ctypes
libc = ctypes.CDLL(None)
libc.realpath.restype = ctypes.c_char_p
room = ctypes.create_string_buffer(4097)
print(libc.realpath(b"/usr/agx-none/link", room))
print(ctypes.CDLL("/usr/agx-none/libanswer.so").answer())
room = ctypes.create_string_buffer(4097)
length = libc.readlink(b"/proc/self/exe", room, 4096)
print(room.raw[:length])
print(open("/usr/agx-none/file").read())
"""


class Root(Case):
    def test_files_programs_and_libraries(self):
        root, library = self.folder / "root", self.folder / "libagx-root.so"
        inside = root / "usr" / "agx-none"
        inside.mkdir(parents=True)
        (inside / "file").write_text("contents")
        (inside / "link").symlink_to("file")
        source = self.file("answer.c", "int answer(void) { return 42; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", inside / "libanswer.so"], check=True)
        subprocess.run(["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", ROOT / "drivers" / "root.c", "-o", library, "-ldl"],
                       check=True)
        loader = next((path for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1") if os.path.exists(path)), None)
        if loader is None:
            self.skipTest("no known dynamic loader")
        result = subprocess.run([loader, os.path.realpath(sys.executable), "-c", PROGRAM], capture_output=True, text=True,
                                env=dict(os.environ, LD_PRELOAD=str(library), AGX_ROOT=str(root), AGX_PROGRAM=f"{root}/usr/bin/hashcat"))
        self.assertEqual(result.stdout.splitlines(), ["b'/usr/agx-none/file'", "42", "b'/usr/bin/hashcat'", "contents"], result.stderr)


if __name__ == "__main__":
    main()
