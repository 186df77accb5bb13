#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Derives isa/derived.h from the rows of the instruction table: operations, timing classes and buckets.

derive.py OUTPUT TABLE.c... -- COMPILER...

The tables are preprocessed, so that the macros of rows.h are expanded. An operation or a timing class exists when a row
names it; a bucket exists when a table_*.c file has an array isa_rows_XX (or isa_rows_XX_YY for the rows that stand in two
buckets, because bit 6 is not part of their opcode)."""
import re
import subprocess
import sys

output, rest = sys.argv[1], sys.argv[2:]
tables, compiler = rest[:rest.index("--")], rest[rest.index("--") + 1:]

text = "".join(subprocess.run([*compiler, "-E", "-P", "-DISA_DERIVE", "-I", sys.path[0] + "/..", table], check=True,
                              capture_output=True, text=True).stdout for table in tables)
arrays = re.findall(r"\bisa_opcode (isa_rows_([0-9a-f]{2})(?:_([0-9a-f]{2}))?)\[\]\s*=", text)


def names(prefix, last):
    """The names that rows use, each once, in the table's order."""
    found = list(dict.fromkeys(re.findall(rf"= \{{?\s*{prefix}(\w+)|[,{{] {prefix}(\w+)", text)))
    found = list(dict.fromkeys(a or b for a, b in found))
    return [name for name in found if name != last] + [last]


ops, timings = names("ISA_OP_", "UNKNOWN"), names("ISA_TIMING_", "OTHER")
buckets = sorted((int(at, 16), name) for name, *places in arrays for at in places if at)
if len({at for at, _ in buckets}) != len(buckets) or len(ops) < 2 or len(timings) < 2:
    sys.exit("derive.py: two arrays for one bucket, or no rows")

lines = ["/* Made by isa/derive.py from isa/table_*.c. */", "#ifndef ISA_DERIVED_H", "#define ISA_DERIVED_H", "",
         "enum isa_op {", *(f"   ISA_OP_{op}," for op in ops), "   ISA_OP_COUNT", "};", "",
         "enum isa_timing {", *(f"   ISA_TIMING_{timing}," for timing in timings), "   ISA_TIMING_COUNT", "};", "",
         "/* X(enum isa_timing, its name) */",
         "#define ISA_TIMINGS(X) \\", *(f'   X(ISA_TIMING_{t}, "{t.lower()}") \\' for t in timings), "", "",
         "/* X(the low 7 bits of the opcode, the rows) */",
         "#define ISA_BUCKETS(X) \\", *(f"   X(0x{at:02x}, {name}) \\" for at, name in buckets), "", "",
         "/* X(the rows) */",
         "#define ISA_ROW_ARRAYS(X) \\", *(f"   X({name}) \\" for name, *_ in arrays), "", "", "#endif", ""]
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(lines))
