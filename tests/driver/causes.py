#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a change of Mesa's compiler makes of collected sources: the causes of losses, reproduced in Mesa 25.0.7.

Usage: tests/driver/causes.py [--only TEXT] [--newer MESA]... AGX_RUNNER DRIVER SOURCES >results/corpus-causes.md

DRIVER    what ci/mesa-driver built of 25.0.7. It is not changed: copies of single files are compiled
SOURCES   the folder `sources` of a folder of --collect (docs/suites/collecting.md), with Vulkan's shaders
--only    changes with this text in their names
--newer   a Mesa whose code is shown beside; may be repeated [default: trixie-backports sid]

Each change does in 25.0.7 what a newer Mesa does. If the difference of the newer Mesa's code arises, the change causes it.
Exit: 0 the table was written, 1 a change's text is not in the tree, or a source cannot be compiled; 79 invalid use.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
from planted import COMPILER, Driver, Fault  # pylint: disable=wrong-import-position

NIR = "src/compiler/nir/"
SHOWN = "csel", "xor", "shuffle", "mov", "if", "and", "stack_load", "stack_store"  # instructions that have a column


def change(name, file, find, replace):
    return Fault(name, file, find, replace, "", "")


MIN_MAX = change("minima and maxima of a subgroup become shuffles", COMPILER + "agx_nir_lower_subgroups.c",
                 "   default:\n      /* otherwise, lower 64-bit", "   case nir_op_fmin:\n   case nir_op_fmax:\n      return true;\n\n   default:\n      /* otherwise, lower 64-bit")
CONTINUE = change("each `continue` has a copy of what the loop does then", NIR + "nir_lower_continue_constructs.c", """   } else {
      nir_lower_phis_to_regs_block(cont);
""", """   } else if (num_continue > 1) {
      nir_lower_phis_to_regs_block(cont);
      *repair_ssa = true;
      struct set *ends = _mesa_set_clone(cont->predecessors, NULL);
      nir_cf_list all, one;
      nir_cf_list_extract(&all, &loop->continue_list);
      set_foreach(ends, end) {
         nir_cf_list_clone(&one, &all, &loop->cf_node, NULL);
         nir_cf_reinsert(&one, nir_after_block_before_jump((nir_block *)end->key));
      }
      _mesa_set_destroy(ends, NULL);
      nir_cf_delete(&all);
   } else {
      nir_lower_phis_to_regs_block(cont);
""")
SELECTED = change("a load that is tested selects its address", NIR + "nir_lower_io.c", """      const unsigned load_size = bit_size / 8;
      nir_push_if(b, addr_is_in_bounds(b, addr, addr_format, load_size));

      nir_builder_instr_insert(b, &load->instr);
""", """      nir_def *in = addr_is_in_bounds(b, addr, addr_format, bit_size / 8);
      static const uint32_t outside[4] = {0, 1, 0, 0}; /* the page of zeros */
      nir_def *parts[4];
      for (unsigned i = 0; i < 4; i++)
         parts[i] = i == 2 ? nir_channel(b, addr, i) : nir_bcsel(b, in, nir_channel(b, addr, i), nir_imm_int(b, outside[i]));
      load->src[0] = nir_src_for_ssa(addr_to_global(b, nir_vec(b, parts, 4), addr_format));
      nir_builder_instr_insert(b, &load->instr);
      return intrin->def.bit_size == 1 ? nir_i2b(b, &load->def) : &load->def;
      nir_push_if(b, in);
""")
PHIS = change("phis of one value stay after spilling", COMPILER + "agx_repair_ssa.c", "   agx_opt_trivial_phi(ctx);\n", "")
COUNT = change("the count of a bit-field extract is taken modulo 32", COMPILER + "agx_compile.c", "      return agx_bfeil_to(b, dst, i0, s0, s1, m);\n   }\n\n   case nir_op_bcsel:",
               "      if (!nir_src_is_const(instr->src[1].src))\n         s1 = agx_and(b, s1, agx_immediate(31));\n      return agx_bfeil_to(b, dst, i0, s0, s1, m);\n   }\n\n   case nir_op_bcsel:")
# A cause: its changes, and the sources that lose by it.
CAUSES = [
    ([MIN_MAX], ["00de0626"]),
    ([MIN_MAX, CONTINUE], ["5a7d7c15", "8912994a", "ae0de4b4"]),
    ([SELECTED], ["76a8e4ad", "26ed3f6b"]),
    ([SELECTED, PHIS], ["5532aa88"]),
    ([PHIS], ["a8507616", "f012e450"]),
    ([COUNT], ["d605a9f9"]),
]
# Passes that AGX_MESA_DEBUG turns off in each Mesa: the pass, and the programs whose difference goes with it.
TURNED_OFF = [
    ("nosched", [("c34b6ff9", "main"), ("dad385d2", "TripleMatMul16Part2Upper"), ("dad385d2", "TripleMatMul32Part2Upper"), ("dad385d2", "TripleMatMul64Part2Upper")]),
    ("nopreamble", [("ff0363ee", "main")]),
]


def compiled(settings, mesa, source, kernel="main", debug=""):
    """A source's program as `agx-runner corpus` has it with the Mesa, and the Mesa's version. debug: AGX_MESA_DEBUG."""
    paths = sorted(settings.sources.glob(source + "*.built"))
    if len(paths) != 1:
        raise ValueError(f"{settings.sources}: {len(paths)} sources of {source}, not one")
    done = subprocess.run([settings.runner, "corpus", "--mesa", mesa, "--json", paths[0]], env=os.environ | {"MESA_SHADER_CACHE_DISABLE": "1", "AGX_MESA_DEBUG": debug},
                          capture_output=True, text=True, check=False)
    run = json.loads(done.stdout) if done.stdout.startswith("{") else {"results": []}
    programs = [result["program"] for result in run["results"] if result["program"] and result["name"].endswith("/" + kernel)]
    if len(programs) != 1:
        raise ValueError(f"{paths[0]}, {kernel} with {mesa}: {done.stderr[-500:]}")
    return programs[0], run["environment"]["mesa"]


def row(title, source, program):
    words = program["mnemonics"].split()
    counts = dict(zip(words[::2], words[1::2]))
    cells = [f"{program['instructions']:.0f}", f"{program['predicted_cycles']:.0f}", f"{program['half_registers']:.0f}", *(counts.get(name, "0") for name in SHOWN)]
    return f"| {source} | {title} | " + " | ".join(cells) + " |"


def prefix(work, library):
    """A folder that agx-runner takes as an installation with the driver."""
    folder = work / "prefix/share/vulkan/icd.d"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "asahi_icd.json").write_text(json.dumps({"ICD": {"api_version": "1.4.305", "library_path": str(library)}, "file_format_version": "1.0.0"}), encoding="utf-8")
    return str(work / "prefix")


def page(settings, work):
    yield "# Causes of losses, reproduced"
    yield ""
    yield "`tests/driver/causes.py` wrote this: a change of Mesa's compiler is made in a copy of 25.0.7, and the sources that lose by it"
    yield "are compiled. Cycles are modelled. docs/suites/losses.md explains them, and the other losses."
    yield ""
    yield "| source | Mesa | instructions | cycles (model) | half registers | " + " | ".join(f"`{name}`" for name in SHOWN) + " |"
    yield "|---|---|" + "--:|" * (3 + len(SHOWN))
    driver, newest = Driver(settings.driver, str(work)), settings.newer or ["trixie-backports", "sid"]
    for changes, sources in CAUSES:
        name = "; ".join(one.name for one in changes)
        if settings.only not in name:
            continue
        changed = prefix(work, json.loads(pathlib.Path(driver.with_faults(changes)).read_text(encoding="utf-8"))["ICD"]["library_path"])
        for source in sources:
            yield row("25.0.7", source, compiled(settings, driver.build, source)[0])
            yield row(f"25.0.7, but {name}", source, compiled(settings, changed, source)[0])
            for newer in newest:
                program, version = compiled(settings, newer, source)
                yield row(version, source, program)
    for debug, sources in TURNED_OFF:
        for source, kernel in sources if settings.only in debug else []:
            for mesa in [*([driver.build] if kernel == "main" else []), *newest]:  # 25.0.7 has no OpenCL here
                program, version = compiled(settings, mesa, source, kernel)
                without = compiled(settings, mesa, source, kernel, debug)[0]
                yield row(version, f"{source} {kernel if kernel != 'main' else ''}".strip(), program)
                yield row(f"{version}, AGX_MESA_DEBUG={debug}", f"{source} {kernel if kernel != 'main' else ''}".strip(), without)


def main():
    """Exit status: see above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--newer", action="append")
    parser.add_argument("runner", metavar="AGX_RUNNER", type=os.path.abspath)
    parser.add_argument("driver", metavar="DRIVER", type=os.path.abspath)
    parser.add_argument("sources", metavar="SOURCES", type=pathlib.Path)
    try:
        settings = parser.parse_args()
    except SystemExit as ended:
        return 79 if ended.code else 0
    with tempfile.TemporaryDirectory() as work:
        try:
            for line in page(settings, pathlib.Path(work)):
                print(line, flush=True)
        except ValueError as problem:
            print(f"causes: {problem}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
