#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The parts of docs/architecture.md that follow from the code: the tables of programs and rooms, and the picture.

Usage: architecture.py SOURCE_ROOT             write them anew from ROOMS of tests/arrows.py
       architecture.py SOURCE_ROOT --check     print which of them are stale; exit 1 if one is
       architecture.py --self-test             check that a stale page is noticed

A node of the picture is a folder of the source tree with all rooms in it; APART lists rooms that are nodes of their own.
An arrow means "uses". Arrows that follow from others are left out, and so are those to util/, which all rooms may use."""
import importlib.util
import pathlib
import sys
import tempfile

PROGRAMS = {"agx-runner": "agx_runner/cli", "agx-compile": "compiler/program", "agx-fuzz": "fuzz/program",
            "agx-opencl-host": "drivers/host", "agx-opengl-host": "drivers/host",
            "agx-vulkan-host": "drivers/host"}
WHAT = {
    "util": "arrays, hash tables, clocks, random numbers, text, kept files",
    "drivers": "the Mesas of this machine, and the hosts that compile through their drivers",
    "isa": "the instruction set: one table; decoding, encoding, assembling, disassembling",
    "drm/uapi": "the Asahi uAPI, and the function table between client and device",
    "vgpu": "the virtual GPU: driver, command stream, execution, timing; the preloaded libraries",
    "drm": "the uAPI's client: devices, buffers, command streams, submission",
    "uapi": "tests of the uAPI itself",
    "process": "the runner of processes: children with limits, pool, journal, kernel log, expectations",
    "compiler": "Mesa's AGX compiler: OpenCL C, SPIR-V and NIR become programs",
    "compiler/api": "what all programs see of the compiler: requests, results, the protocol",
    "nir_kernels": "the catalogue of benchmarks, and their kernels",
    "agx_runner": "the commands: measuring, explaining, comparing, reporting, surveys",
    "fuzz": "the fuzzer: generators, evaluators, shrinkers, blame",
}
APART = ["drm/uapi", "compiler/api"]  # the seams: that both drm/ and vgpu/ stand on, and what programs see of the compiler
BELONGS = {"fuzz/settings": "agx_runner"}  # a struct of the command line
WIDTH, HEIGHT, GAP_X, GAP_Y = 118, 34, 22, 46


def node_of(room):
    """The node that a room is part of."""
    if room in BELONGS:
        return BELONGS[room]
    return room if room in APART else room.split("/")[0]


def graph(rooms):
    """Nodes in the order of `rooms`, and the arrows between them (node: nodes that it uses), util left out."""
    arrows = {}
    for room, used in rooms.items():
        at = arrows.setdefault(node_of(room), [])
        for other in map(node_of, used):
            if other not in (node_of(room), "util") and other not in at:
                at.append(other)
    for other in [name for used in arrows.values() for name in used]:
        arrows.setdefault(other, [])
    arrows.pop("util", None)
    return arrows


def reach(arrows, start, without=None):
    """All nodes that `start` uses, directly or not; `without`: an arrow (from, to) that does not count."""
    seen, todo = set(), [start]
    while todo:
        at = todo.pop()
        for other in arrows[at]:
            if other not in seen and (at, other) != without:
                seen.add(other)
                todo.append(other)
    return seen


def reduced(arrows):
    """The arrows that do not follow from others."""
    return [(at, to) for at, used in arrows.items() for to in used if to not in reach(arrows, at, (at, to))]


def depth(arrows, node, path=()):
    """The longest way down from a node; a circle is not followed."""
    return max((1 + depth(arrows, to, path + (node,)) for to in arrows[node] if to not in path + (node,)), default=0)


def programs_of(rooms):
    """(program, its room, its nodes) of the programs that exist."""
    full = {room: list(used) for room, used in rooms.items()}
    for used in rooms.values():
        for other in used:
            full.setdefault(other, [])
    for name, room in PROGRAMS.items():
        if room in rooms:
            used = reach(full, room) | {room}
            if room.startswith("agx_runner"):  # as arrows.allowed() has it: the Mesa of NIR benchmarks is agx-compile's
                used = {other for other in used if other != "Mesa" and "Mesa" not in full[other]}
            yield name, room, {node_of(other) for other in used}


def picture(rooms):
    """The picture as SVG: a row for each depth, the programs above, util/ below."""
    arrows = graph(rooms)
    levels = {}
    for node in arrows:
        levels.setdefault(depth(arrows, node), []).append(node)
    top = max(levels)
    rows = [[name for name, _, _ in programs_of(rooms)]] + [sorted(levels.get(i, [])) for i in range(top, -1, -1)]
    columns = max(map(len, rows))
    wide = columns * (WIDTH + GAP_X) + GAP_X
    high = (len(rows) + 1) * (HEIGHT + GAP_Y)
    place, lines, boxes = {}, [], []
    for y, row in enumerate(rows):
        for x, name in enumerate(row):
            left = (wide - len(row) * (WIDTH + GAP_X) + GAP_X) / 2 + x * (WIDTH + GAP_X)
            place[name] = (left + WIDTH / 2, y * (HEIGHT + GAP_Y) + 10)
            kind = "program" if y == 0 else "other" if name == "Mesa" else "room"
            text = name if kind != "room" else name + "/"
            boxes.append(f'<rect class="{kind}" x="{left:g}" y="{place[name][1]}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>\n'
                         f'<text x="{place[name][0]:g}" y="{place[name][1] + 22}">{text}</text>')
    for at, to in reduced(arrows) + [(name, node_of(room)) for name, room, _ in programs_of(rooms)]:
        back = place[to][1] <= place[at][1]
        end = place[to][1] + (HEIGHT if back else 0)
        lines.append(f'<line{" stroke-dasharray=" + chr(34) + "4 3" + chr(34) if back else ""} x1="{place[at][0]:g}" '
                     f'y1="{place[at][1] + (0 if back else HEIGHT)}" x2="{place[to][0]:g}" y2="{end}"/>')
    floor = high - HEIGHT - 10
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high}" font-family="sans-serif" '
            'font-size="14" text-anchor="middle">\n'
            '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0L8 4L0 8z"/></marker></defs>\n'
            '<style>line{stroke:#555;marker-end:url(#a)}rect{stroke:#555;fill:#eef3fa}.program{fill:#dcead6}'
            '.other{fill:#f4e3cf}</style>\n<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>\n'
            + "\n".join(lines + boxes) + f'\n<rect x="{GAP_X}" y="{floor}" width="{wide - 2 * GAP_X:g}" '
            f'height="{HEIGHT}" rx="5"/>\n<text x="{wide / 2:g}" y="{floor + 22}">util/ (all rooms may use it)</text>\n</svg>\n')


def tables(rooms):
    """name: lines of the tables in the page."""
    arrows = graph(rooms)
    programs = ["| program | its `main()` | contains Mesa |", "|---|---|---|"]
    for name, room, nodes in programs_of(rooms):
        programs.append(f"| `{name}` | `{room}/` | {'yes' if 'Mesa' in nodes else 'no'} |")
    lines = ["| room | what it is | uses |", "|---|---|---|"]
    for node in sorted([*arrows, "util"], key=lambda node: (node != "util", depth(arrows, node) if node in arrows else 0, node)):
        if node != "Mesa":
            used = ", ".join(f"{to}/" if to != "Mesa" else to for to in arrows.get(node, []))
            lines.append(f"| `{node}/` | {WHAT.get(node, '')} | {used or '-'} |")
    return {"programs": programs, "rooms": lines}


def made(text, rooms):
    """The page with its tables made anew."""
    for name, lines in tables(rooms).items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, rest = text.split(start)
        text = before + start + "\n".join(lines) + "\n" + end + rest.split(end)[1]
    return text


def stale(page, drawing, rooms, write=False):
    """The files that differ from what the code says; written anew with `write`."""
    found = []
    for path, text in (page, made(page.read_text(encoding="utf-8"), rooms)), (drawing, picture(rooms)):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            found.append(path)
            if write:
                path.write_text(text, encoding="utf-8")
    return found


def self_test():
    """A page that was just written is not stale; after a change of the rooms it is."""
    rooms = {"util": [], "isa": [], "vgpu": ["isa"], "agx_runner/cli": ["vgpu", "isa"]}
    with tempfile.TemporaryDirectory() as folder:
        page, drawing = pathlib.Path(folder, "page.md"), pathlib.Path(folder, "picture.svg")
        page.write_text("".join(f"<!-- {name} -->\n<!-- end of {name} -->\n" for name in ("programs", "rooms")))
        failed = [] if len(stale(page, drawing, rooms, True)) == 2 else ["an empty page is not stale"]
        failed += ["a new page is stale"] if stale(page, drawing, rooms) else []
        more = {**rooms, "isa/assembler": ["Mesa"]}
        failed += [] if len(stale(page, drawing, more)) == 2 else ["a new arrow is not noticed"]
    if ("agx_runner", "isa") in reduced(graph(rooms)):
        failed.append("an arrow that follows from others is drawn")
    print("\n".join(failed) if failed else "self-test: passed")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1])
    spec = importlib.util.spec_from_file_location("arrows", root / "tests/arrows.py")
    arrows = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(arrows)
    check = "--check" in sys.argv[2:]
    found = stale(root / "docs/architecture.md", root / "docs/pictures/architecture.svg", arrows.ROOMS, not check)
    for path in found:
        print(f"{path.relative_to(root)}: {'stale: run docs/pictures/architecture.py .' if check else 'written'}")
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())
