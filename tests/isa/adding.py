#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Adds a made-up instruction to a copy of the instruction set and the virtual GPU: adding.py SOURCE_ROOT COMPILER...

Invariant: two places name an instruction, its row and its semantic function. With one insertion in each, the
instruction assembles, disassembles in both syntaxes, and executes. With the row alone the virtual GPU does not compile.
docs/adding-an-instruction.md walks through the same two insertions, and this test compares them."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
LEVELS = {"plain": [], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4"]}

# rotl: the unassigned kind 3 of the shifts. spec/isa.md 2.4 does not know it; no hardware is claimed to have it.
ROW = ("isa/table_alu.c", '   {NAMES("asrh", "asrh"),', '''\
   {NAMES("rotl", "rotate"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(0, 3)), SIZE(8), DOES(ROTL, 'G', "2.4"), TIME(SHIFT),
    .fields = asr_fields},
''')
SEMANTICS = ("vgpu/exec/semantics/exec_bits.c", "#define UNARY(name, expression)", '''\
SHIFT(rotl, 1, left(a, s & 31) | right(a, (32 - (s & 31))));
VGPU_OPERATION(ROTL, shift, FALL, PLAIN, rotl);

''')

MAIN = '''
#include <stdio.h>
#include <string.h>
#include "isa/assembler/asm.h"
#include "tests/vgpu/exec/rig.h"

static void rotl(const uint32_t(*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)
{
   uint32_t a = lanes[lane][0];
   out[0] = a << 7 | a >> 25;
   out[1] = a;
   out[2] = a << 31 | a >> 1;
   out[3] = 0xdeadbeef;
}
static const struct rig_case cases[] = {{"rotl r8, r4, 7\\nrotl r9, r4, 32\\nrotl r10, r4, 31", rotl}};

int main(void)
{
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;
   struct isa_insn insn;
   struct isa_asm *assembler = isa_asm_create(NULL);
   int size = isa_asm_line(assembler, "rotl r8, r4, 7", 14, bytes, &wrong);
   char mesa[64] = "", applegpu[64] = "";
   isa_asm_destroy(assembler);
   if (size > 0) {
      isa_decode(bytes, (size_t)size, &insn);
      isa_print(&insn, ISA_SYNTAX_MESA, mesa, sizeof(mesa));
      isa_print(&insn, ISA_SYNTAX_APPLEGPU, applegpu, sizeof(applegpu));
   }
   if (size != 8 || strcmp(mesa, "rotl     r8, r4, 7") != 0 || strcmp(applegpu, "rotate   r8, r4, 7") != 0) {
      printf("%d bytes: %s, %s\\n", size, mesa, applegpu);
      return 1;
   }
   rig_cases(cases, 1, 64, rig_fill);
   return rig_result();
}
'''


def insert(tree, place):
    """One insertion before the one line that begins with the anchor."""
    path, anchor, addition = place
    text = (tree / path).read_text()
    assert text.count("\n" + anchor) == 1, f"{path}: {anchor}"
    (tree / path).write_text(text.replace("\n" + anchor, "\n" + addition + anchor))


def build(tree):
    """The test program, or what the compiler says."""
    semantics = sorted(tree.glob("vgpu/exec/semantics/exec_*.c"))
    tables = sorted(tree.glob("isa/table_*.c"))
    subprocess.run([sys.executable, tree / "isa/derive.py", tree / "isa/derived.h", *tables, "--", *COMPILER], check=True)
    subprocess.run([sys.executable, tree / "vgpu/exec/semantics/derive.py", tree / "vgpu/exec/operations.h",
                    *semantics], check=True)
    flags = [*COMPILER, "-std=gnu11", "-D_GNU_SOURCE", "-O0", "-w", f"-I{tree}"]
    x86 = "x86_64" in subprocess.run([*COMPILER, "-dumpmachine"], capture_output=True, text=True, check=True).stdout
    objects, calls = tree / "objects", []
    by_level = [*semantics, tree / "vgpu/exec/checks/lanes.c"]
    for level, arguments in LEVELS.items() if x86 else [("plain", [])]:
        calls.append((objects / level, [*flags, *arguments, f"-DVGPU_LEVEL={level}", "-c", *by_level]))
    rest = [p for room in ("util", "isa", "vgpu/exec", "vgpu/timing") for p in sorted(tree.glob(f"{room}/**/*.c"))
            if p not in by_level]
    rest += [tree / "vgpu/host_threads.c", tree / "vgpu/pages.c", tree / "vgpu/jit/none.c", tree / "tests/vgpu/exec/rig.c", tree / "tests/vgpu/exec/flat_vm.c",
             tree / "main.c"]
    libdrm = subprocess.run(["pkg-config", "--cflags", "libdrm"], capture_output=True, text=True).stdout.split()
    for parent in {path.parent for path in rest}:  # names are unique in a folder only
        calls.append((objects / "rest" / parent.relative_to(tree), [*flags, *libdrm, "-c", *[p for p in rest if p.parent == parent]]))
    for folder, call in calls:
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(call, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            shutil.rmtree(objects)
            return None, done.stderr
    done = subprocess.run([*COMPILER, "-o", tree / "made-up", *objects.rglob("*.o"), "-lxxhash", "-lm", "-lpthread"],
                          capture_output=True, text=True)
    return (tree / "made-up" if done.returncode == 0 else None), done.stderr


def main():
    manual = (ROOT / "docs/adding-an-instruction.md").read_text()
    for _, _, addition in (ROW, SEMANTICS):
        squeezed = re.sub(r"\s+", " ", addition).strip()
        assert squeezed in re.sub(r"\s+", " ", manual), f"docs/adding-an-instruction.md shows another insertion than\n{addition}"
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for room in ("util", "isa", "vgpu", "drm", "tests/vgpu"):
            shutil.copytree(ROOT / room, tree / room)
        (tree / "main.c").write_text(MAIN)
        insert(tree, ROW)
        program, errors = build(tree)
        assert program is None and "semantics.h" in errors, f"the row alone must not compile: {errors[-2000:]}"
        insert(tree, SEMANTICS)
        program, errors = build(tree)
        assert program is not None, errors[-4000:]
        subprocess.run([program], check=True)
    print("2 places: a row and a semantic function")


main()
