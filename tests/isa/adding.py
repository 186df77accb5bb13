#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Adds a made-up instruction to the instruction set and the virtual GPU of a build:
adding.py SOURCE_ROOT BUILD_ROOT COMPILER...

Invariant: two places name an instruction, its row and its semantic function. With one insertion in each, the
instruction assembles, disassembles in both syntaxes, and executes. With the row alone the virtual GPU does not compile.
docs/adding-an-instruction.md walks through the same two insertions, and this test compares them.

The build's commands compile the sources that depend on the list of operations, the insertions before the tree's own
files; its libraries give the rest. One of the levels of the host's vector instructions is enough: they share sources."""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT, BUILD, COMPILER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
LIBRARIES = ["isa/libisa.a", "vgpu/libvgpu.a", "util/libutil.a"]
DERIVED = ("isa/derived.h", "vgpu/exec/operations.h")
# What the test program needs of the virtual GPU, but for the host compiler, of which none.c takes the place.
NEEDED = re.compile(r"isa/|vgpu/libvgpu\.a\.p/(exec|timing(?!_command|_predict))_|vgpu/libvgpu_exec_plain\.a\.p/")

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
      isa_decode(isa_set_default(), bytes, (size_t)size, &insn);
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
    """A copy of a source with one insertion before the one line that begins with the anchor."""
    path, anchor, addition = place
    text = (ROOT / path).read_text()
    assert text.count("\n" + anchor) == 1, f"{path}: {anchor}"
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text(text.replace("\n" + anchor, "\n" + addition + anchor))


def sources(tree, pattern):
    """The tree's files, those with insertions in place of their own."""
    return [tree / path if (tree / path).exists() else ROOT / path
            for path in (found.relative_to(ROOT) for found in sorted(ROOT.glob(pattern)))]


def derive(tree):
    """The headers that follow from the rows and the semantic functions."""
    (tree / "isa").mkdir(exist_ok=True)
    (tree / "vgpu/exec").mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, ROOT / "isa/derive.py", tree / "isa/derived.h", *sources(tree, "isa/table_*.c"), "--",
                    *COMPILER], check=True)
    subprocess.run([sys.executable, ROOT / "vgpu/exec/semantics/derive.py", tree / "vgpu/exec/operations.h",
                    *sources(tree, "vgpu/exec/semantics/exec_*.c")], check=True)


def dependents():
    """The build's objects that depend on the list of operations."""
    deps = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    return {block.split(":")[0] for block in deps.split("\n\n") if any(f" {name}\n" in block + "\n" for name in DERIVED)}


def compile_with(tree, command, source, output):
    """Runs a command of the build on another source. Returns what the compiler says, "" without an error."""
    words = iter(shlex.split(command))
    taken = [word for word in words if word not in ("-MD", "-c") and not (word in ("-MQ", "-MF", "-o") and next(words))]
    taken = taken[pathlib.Path(taken[0]).name == "ccache":]  # the folder is another one each time
    call = [taken[0], f"-I{tree}", *taken[1:-1], "-O0", "-g0", "-w", "-c", source, "-o", output]
    done = subprocess.run(call, cwd=BUILD, capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else ""


def build(tree, commands):
    """The test program."""
    derive(tree)
    stale, objects = dependents(), []
    some = next(entry["command"] for entry in commands if entry["output"].endswith("exec_bind.c.o"))
    work = [(entry["command"], (BUILD / entry["file"]).resolve()) for entry in commands
            if entry["output"] in stale and NEEDED.match(entry["output"])]
    work += [(some, path) for path in (ROOT / "vgpu/jit/none.c", ROOT / "tests/vgpu/exec/rig.c",
                                       ROOT / "tests/vgpu/exec/flat_vm.c", tree / "main.c")]
    for at, (command, path) in enumerate(work):
        changed = tree / path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        objects.append(tree / f"{at}.o")
        errors = compile_with(tree, command, changed if changed.exists() else path, objects[-1])
        assert not errors, errors[-4000:]
    done = subprocess.run([*COMPILER, "-o", tree / "made-up", *objects, *(BUILD / name for name in LIBRARIES),
                           "-lxxhash", "-lm", "-lpthread"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return tree / "made-up"


def main():
    manual = (ROOT / "docs/adding-an-instruction.md").read_text()
    for _, _, addition in (ROW, SEMANTICS):
        squeezed = re.sub(r"\s+", " ", addition).strip()
        assert squeezed in re.sub(r"\s+", " ", manual), f"docs/adding-an-instruction.md shows another insertion than\n{addition}"
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    bind = next(entry for entry in commands if entry["output"] == "vgpu/libvgpu.a.p/exec_bind.c.o")
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        (tree / "main.c").write_text(MAIN)
        levels = (ROOT / "vgpu/exec/levels/levels.c").read_text()
        (tree / "vgpu/exec/levels").mkdir(parents=True)
        (tree / "vgpu/exec/levels/levels.c").write_text(re.sub(r"defined\(VGPU_HAS_V\d\)", "0", levels))
        insert(tree, ROW)
        derive(tree)
        errors = compile_with(tree, bind["command"], BUILD / bind["file"], tree / "bind.o")
        assert "semantics.h" in errors, f"the row alone must not compile: {errors[-2000:]}"
        insert(tree, SEMANTICS)
        subprocess.run([build(tree, commands)], check=True)
    print("2 places: a row and a semantic function")


main()
