#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Derives from the rows of the instruction table: derived.h (operations, timing classes, buckets) and row_bits.h (the bits
that the fields of each row cover), which lies beside it.

derive.py DERIVED.H TABLE.c... -- COMPILER...

The tables are preprocessed, so that the macros of rows.h are expanded. An operation or a timing class exists when a row
names it; a bucket exists when a table_*.c file has an array isa_rows_XX (or isa_rows_XX_YY for the rows that stand in two
buckets, because bit 6 is not part of their opcode)."""
import pathlib
import re
import subprocess
import sys

output, rest = sys.argv[1], sys.argv[2:]
tables, compiler = rest[:rest.index("--")], rest[rest.index("--") + 1:]

texts = {table: subprocess.run([*compiler, "-E", "-P", "-DISA_DERIVE", "-I", sys.path[0] + "/..", table], check=True,
                               capture_output=True, text=True).stdout for table in tables}
text = "".join(texts.values())
arrays = re.findall(r"\bisa_opcode (isa_rows_([0-9a-f]{2})(?:_([0-9a-f]{2}))?)\[\]\s*=", text)


def used(prefix, rows):
    """The names that rows use, each once, in the table's order."""
    return list(dict.fromkeys(a or b for a, b in re.findall(rf"= \{{?\s*{prefix}(\w+)|[,{{] {prefix}(\w+)", rows)))


def names(prefix, last):
    """The same of all tables, and a last one."""
    return [name for name in used(prefix, text) if name != last] + [last]


ops, timings = names("ISA_OP_", "UNKNOWN"), names("ISA_TIMING_", "OTHER")
memory = [op for table in tables if pathlib.Path(table).stem == "table_memory" for op in used("ISA_OP_", texts[table])
          if op != "UNKNOWN"]
buckets = sorted((int(at, 16), name) for name, *places in arrays for at in places if at)
if len({at for at, _ in buckets}) != len(buckets) or len(ops) < 2 or len(timings) < 2 or len(memory) < 2:
    sys.exit("derive.py: two arrays for one bucket, or no rows")

lines = ["/* Made by isa/derive.py from isa/table_*.c. */", "#ifndef ISA_DERIVED_H", "#define ISA_DERIVED_H", "",
         "enum isa_op {", *(f"   ISA_OP_{op}," for op in ops), "   ISA_OP_COUNT", "};", "",
         "enum isa_timing {", *(f"   ISA_TIMING_{timing}," for timing in timings), "   ISA_TIMING_COUNT", "};", "",
         "/* X(the operation without ISA_OP_): those of table_memory.c. What must know each of them lists it, or does not compile. */",
         "#define ISA_MEMORY_OPS(X) \\", *(f"   X({op}) \\" for op in memory), "", "",
         "/* X(enum isa_timing, its name) */",
         "#define ISA_TIMINGS(X) \\", *(f'   X(ISA_TIMING_{t}, "{t.lower()}") \\' for t in timings), "", "",
         "/* X(the low 7 bits of the opcode, the rows) */",
         "#define ISA_BUCKETS(X) \\", *(f"   X(0x{at:02x}, {name}) \\" for at, name in buckets), "", "",
         "/* X(the rows) */",
         "#define ISA_ROW_ARRAYS(X) \\", *(f"   X({name}) \\" for name, *_ in arrays), "", "", "#endif", ""]
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(lines))

# The bits of each row's fields. A list of fields is a named array or stands in the row itself; .value and .aux hold its
# pieces {at, width}. tests/isa/table.c compares the result with what the compiler makes of the rows.
constants = {name: 1 << int(shift) for name, shift in re.findall(r"\b(ISA_RULE_\w+) = 1 << (\d+)", text)}


def braces(start):
    """The text of the braces that open at or after start."""
    start = text.index("{", start)
    depth, at = 0, start
    while True:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return text[start:at]


def covered(fields):
    bits = 0
    for pieces in re.findall(r"\.(?:value|aux) = \{((?:\s*\{[^{}]*\},?)*)\s*\}", fields):
        for at, width in re.findall(r"\{([^{},]*),([^{},]*)\}", pieces):
            at, width = (int(eval(number, {"__builtins__": {}}, constants)) for number in (at, width))
            bits |= ((1 << width) - 1) << at
    return bits


lists = {}
for found in re.finditer(r"\bisa_field (\w+)\[\] =", text):
    if lists.setdefault(found[1], covered(braces(found.end()))) != covered(braces(found.end())):
        sys.exit(f"derive.py: two lists of fields are called {found[1]}")
lines = ["/* Made by isa/derive.py from isa/table_*.c. The bits of each row's fields, in the order of the rows. */",
         "#ifndef ISA_ROW_BITS_H", "#define ISA_ROW_BITS_H", ""]
for name, *_ in arrays:
    start = re.search(rf"\bisa_opcode {name}\[\]\s*=", text).end()
    rows = braces(start)
    first = text.index(rows, start)
    bits = [lists[found[1]] if found[1] else covered(braces(first + found.end() - 1))
            for found in re.finditer(r"\.fields = (?:(\w+)|\(const struct isa_field\[\]\)\s*\{)", rows)]
    lines += [f"static const struct isa_code {name}_bits[] = {{",
              *(f"   {{UINT64_C(0x{b & 2**64 - 1:x}), 0x{b >> 64:x}}}," for b in bits), "};"]
lines += ["", "static const struct isa_code *const isa_row_bits[128] = {",
          *(f"   [0x{at:02x}] = {name}_bits," for at, name in buckets), "};", "", "#endif", ""]
pathlib.Path(output).with_name("row_bits.h").write_text("\n".join(lines), encoding="utf-8")
