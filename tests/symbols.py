#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The arrows of tests/arrows.py, checked on what was compiled: which room's functions a room calls, whatever it includes.

Usage: symbols.py SOURCE_ROOT BUILD_ROOT   check; print each breach; exit 1 on one that KNOWN does not list
       symbols.py --self-test              check that each rule finds a made-up breach

Invariant: an undefined symbol of a room's objects is defined in a room that this room may use, and a header declares only
functions that its own room defines. The objects are those that compile_commands.json lists and that exist.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from arrows import MESA, ROOMS, allowed  # noqa: E402

# Preloaded libraries: what they define stands in front of the C library's functions, and nothing links against it.
PRELOADED = ("vgpu/shim", "vgpu/recorder")
# The front door of several rooms: whoever may include such a header may call what it declares.
# Those of compiler/api have two implementations, of which a program links one: the compiler, and the client of agx-compile.
FRONT_DOORS = {"vgpu/vgpu.h", "compiler/api/compiler.h", "compiler/api/service.h", "compiler/api/stage.h"}
# Breaches that are not mended yet: (room, room called): symbols; (header, room that defines): functions. The figures may
# only go down.
KNOWN = {
    # The catalogue's list of groups, which the build writes.
    ("nir_kernels", "nir_kernels/alu"): 6,
    ("nir_kernels", "nir_kernels/atomic"): 5,
    ("nir_kernels", "nir_kernels/cases"): 1,
    ("nir_kernels", "nir_kernels/launch"): 1,
    ("nir_kernels", "nir_kernels/matrix"): 8,
    ("nir_kernels", "nir_kernels/memory"): 6,
    ("nir_kernels", "nir_kernels/occupancy"): 1,
    ("nir_kernels", "nir_kernels/precision"): 1,
    ("nir_kernels", "nir_kernels/simd"): 6,
}
KNOWN_DECLARATIONS = {}
FEWEST = 50  # objects: with fewer there is nothing to check


def room_of(source):
    """The room of a source file that was compiled; a generated one's is that of its folder in the build directory."""
    folder = os.path.dirname(source)
    return MESA if folder.startswith("subprojects") else folder


def read_objects(root, build):
    """(room, source, object) of all objects that exist."""
    found = []
    for command in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        folder = pathlib.Path(command["directory"])
        output = folder / command.get("output", "")
        source = os.path.normpath(folder / command["file"])
        for top in (build, root):  # a build directory may lie inside the tree
            if source.startswith(f"{top}/"):
                source = os.path.relpath(source, top)
                break
        if output.is_file() and not source.startswith("tests/"):  # tests may look into every room
            found.append((room_of(source), source, str(output)))
    return found


def read_symbols(objects):
    """Definitions (symbol: its rooms) and uses (symbol, room, source)."""
    of = {path: (room, source) for room, source, path in objects}
    defined, used = {}, []
    listing = subprocess.run(["nm", "-A", "-P", "-g", *of], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        room, source = of[path]
        if kind == "U":
            used.append((name, room, source))
        elif kind in "TDBRVWGSC" and room not in PRELOADED:
            defined.setdefault(name, set()).add(room)
    return defined, used


def calls(defined, used, front):
    """(room, room called): the breaches, each "source: symbol"."""
    found = {}
    for name, room, source in used:
        homes = defined.get(name, set())
        inside = not any(room.startswith(os.path.dirname(door) + "/") for door in FRONT_DOORS)
        if room not in ROOMS or not homes or homes & allowed(room) or (inside and name in front):
            continue
        found.setdefault((room, sorted(homes)[0]), set()).add(f"{source}: {name}")
    return found


def functions(text):
    """Names of the functions that a header declares and does not define."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    text = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    found = re.findall(r"(?:^|(?<=;)) ?(?!static|typedef|return)[A-Za-z_][\w \t\n*]*?[ *\n](\w+)\((?:[^(){};]|\([^(){};]*\))*\)\s*;", text, re.M)
    return set(found)


def declarations(root, defined):
    """(header, room that defines): the functions. And all functions of the front doors."""
    found, front = {}, set()
    for room in ROOMS:
        for header in sorted((root / room).glob("*.h")):
            name = header.relative_to(root).as_posix()
            for function in functions(header.read_text(encoding="utf-8")):
                homes = defined.get(function, set())
                if name in FRONT_DOORS:
                    front.add(function)
                elif homes and room not in homes and MESA not in homes:
                    found.setdefault((name, sorted(homes)[0]), set()).add(function)
    return found, front


def compare(found, known, what):
    """Breaches and notes: what is more, and what is less than is known."""
    breaches, notes = [], []
    for pair, lines in sorted(found.items()):
        if len(lines) > known.get(pair, 0):
            breaches += [what.format(line, *pair) for line in sorted(lines)]
    for pair, most in sorted(known.items()):
        if len(found.get(pair, ())) < most:
            notes.append(f"{pair[0]} -> {pair[1]}: {len(found.get(pair, ()))} left; lower it from {most}")
    return breaches, notes


def self_test():
    """Each rule on made-up symbols."""
    failed = 0

    def expect(good, what):
        nonlocal failed
        if not good:
            print(f"self-test: {what}")
            failed += 1

    defined = {"isa_decode": {"isa"}, "vgpu_run": {"vgpu/driver"}, "nir_pass": {MESA}, "both": {"isa", "agx_runner/cli"}}
    down = [("isa_decode", "vgpu/exec", "a.c"), ("both", "isa/assembler", "b.c"), ("malloc", "isa", "c.c"), ("nir_pass", "compiler", "d.c")]
    expect(not calls(defined, down, set()), "a call downwards is a breach")
    up = calls(defined, [("vgpu_run", "vgpu/exec", "a.c"), ("nir_pass", "isa", "b.c"), ("vgpu_run", "drm", "c.c")], set())
    expect(up == {("vgpu/exec", "vgpu/driver"): {"a.c: vgpu_run"}, ("isa", MESA): {"b.c: nir_pass"},
                  ("drm", "vgpu/driver"): {"c.c: vgpu_run"}}, f"calls upwards: {up}")
    front = {"vgpu_run"}
    through = calls(defined, [("vgpu_run", "vgpu/exec", "a.c"), ("vgpu_run", "drm", "c.c")], front)
    expect(list(through) == [("vgpu/exec", "vgpu/driver")], f"the front door is for those outside: {through}")
    header = """/* int not_this(void); */
#define NOR_THIS(x) nor_this(x);
struct one { int (*pointer)(int); };
static inline int defined_here(int a) { return call(a); }
__attribute__((format(printf, 1, 2))) int first(const char *format, ...);
const struct two *
second(int a,
       void (*visit)(void *));
bool third(void); int *fourth(struct one one);
"""
    expect(functions(header) == {"first", "second", "third", "fourth"}, f"declarations: {functions(header)}")
    breaches, notes = compare({("a", "b"): {"x", "y"}}, {("a", "b"): 1, ("c", "d"): 1}, "{0} {1} {2}")
    expect(breaches == ["x a b", "y a b"] and len(notes) == 1, f"compare: {breaches} {notes}")
    print(f"self-test: {failed} failed")
    return failed


def main():
    """Exit status: 0 without a breach, 77 without objects."""
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 79
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    objects = read_objects(root, build)
    if len(objects) < FEWEST:
        print(f"symbols: {len(objects)} objects, too few to check")
        return 77
    defined, used = read_symbols(objects)
    declared, front = declarations(root, defined)
    breaches, notes = compare(calls(defined, used, front), KNOWN, "{0}: {1} may not call {2}")
    more, less = compare(declared, KNOWN_DECLARATIONS, "{1} declares {0}, which {2} defines")
    for line in breaches + more + notes + less:
        print(line)
    print(f"symbols: {len(objects)} objects, {len(defined)} symbols, {len(breaches) + len(more)} new breaches; known ones: "
          f"{sum(KNOWN.values())} calls, {sum(KNOWN_DECLARATIONS.values())} declarations")
    return 1 if breaches or more else 0


if __name__ == "__main__":
    sys.exit(main())
