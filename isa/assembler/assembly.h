/* SPDX-License-Identifier: MIT
 *
 * A program while it is assembled: what asm.c, directives.c and finish.c share.
 */
#ifndef ISA_ASSEMBLY_H
#define ISA_ASSEMBLY_H

#include "isa/assembler/hazards.h"
#include "isa/assembler/parse.h"

struct isa_bytes {
   uint8_t *data;
   size_t size, capacity;
};

/* A position in the text, for later messages. */
struct isa_place {
   unsigned line, column;
};

/* The two entry points. */
enum isa_section { ISA_SECTION_MAIN, ISA_SECTION_PREAMBLE, ISA_SECTION_NONE };
struct isa_section_marks {
   bool begun, ended;
   uint32_t start, end; /* bytes into the code */
   struct isa_place place;
};

/* What the code of a section needs. */
struct isa_usage {
   unsigned half_registers, uniform_halves;
   bool atomics; /* on device memory */
};

struct isa_repeat {
   const char *body; /* where the line after the .rept begins */
   unsigned body_line;
   struct isa_place place;
   int64_t count, index;
};

/* A branch whose distance is checked, and where it has a label filled in, when the whole program is known. */
struct isa_branch {
   const struct isa_opcode *row;
   struct isa_word label; /* length 0: `distance` is given */
   int32_t distance;
   uint32_t offset; /* of the instruction */
   struct isa_place place;
};

#define ISA_DIRECTIVES_MAX 32

struct isa_assembly {
   const struct isa_asm_options *options; /* all limits are set */
   const struct isa_mnemonics *mnemonics;
   struct isa_asm_result *result;
   struct agx_program *program;

   const char *end;        /* of the text */
   const char *next;       /* where the next line begins */
   const char *line_start; /* of the line that is read */
   unsigned line;          /* its number */
   bool stopped;           /* out of memory, or past a limit: nothing more is read */
   bool out_of_memory;

   struct isa_symbols symbols;
   struct isa_repeat repeats[ISA_REPEAT_DEPTH_MAX]; /* symbols.repeat_depth of them */
   unsigned skipped_repeats;                        /* .rept 0, and those within it */
   struct isa_place skipped_place;
   size_t repeated_lines;

   struct isa_bytes code, constants;
   bool in_constants;
   enum isa_section section;
   struct isa_section_marks sections[ISA_SECTION_NONE];
   struct isa_branch *branches;
   size_t branch_count;

   struct isa_place *uniform_places, *argument_places; /* of each range and argument of the program */
   struct isa_place given[ISA_DIRECTIVES_MAX];         /* directives that may stand once; line 0: not yet */

   struct isa_hazards hazards;
   struct isa_usage usage[ISA_SECTION_NONE + 1];
};

__attribute__((format(printf, 4, 5))) void isa_report(struct isa_assembly *assembly, enum isa_severity severity,
                                                      struct isa_place place, const char *format, ...);
struct isa_place isa_place_of(const struct isa_assembly *assembly, const char *at);
/* false, and the assembly is stopped: out of memory, or past the limit of code. */
bool isa_append(struct isa_assembly *assembly, const void *bytes, size_t size);
/* A new symbol, or NULL: isa_wrong() was called, or memory is out. */
struct isa_symbol *isa_define(struct isa_assembly *assembly, struct isa_parser *parser, struct isa_word name);
/* Stops the assembly; false. */
bool isa_no_memory(struct isa_assembly *assembly);

/* The words of .uniform and .argument for these values. */
const char *isa_uniform_source_name(uint32_t source);
const char *isa_argument_kind_name(uint32_t kind);

struct isa_directive;
/* The cursor is behind the directive's name; `start` points at its dot. False: isa_wrong() was called. */
typedef bool isa_read_operands(struct isa_assembly *assembly, struct isa_parser *parser,
                               const struct isa_directive *directive, const char *start);
struct isa_directive {
   const char *name; /* without its dot */
   isa_read_operands *read;
   bool once;       /* may stand in a program once only */
   uint16_t offset; /* of the member of struct agx_program that a number goes to */
   uint8_t size;    /* bytes of that member, or of a piece of data */
   uint32_t low, high;
};
isa_read_operands isa_read_kernel, isa_read_field, isa_read_threadgroup, isa_read_workgroup, isa_read_uniform,
    isa_read_argument;
bool isa_read_comma(struct isa_parser *parser);
/* The index of the word at the cursor; `legal` names the words. */
bool isa_read_choice(struct isa_parser *parser, const char *const *words, size_t count, const char *legal,
                     uint32_t *choice);

/* Reads a directive. The cursor points at its dot. */
bool isa_read_directive(struct isa_assembly *assembly, struct isa_parser *parser);
/* The numbers of a .byte, .half, .word or .quad: each is appended to bytes[size], little-endian; *length counts.
 * The name is without its dot. */
bool isa_is_data(struct isa_word name);
bool isa_read_data(struct isa_parser *parser, struct isa_word name,
                   bool (*append)(void *data, const void *bytes, size_t size), void *data);
/* Skips a line within a repetition that is not assembled: only .rept and .endr are read. */
void isa_skip_repeat(struct isa_assembly *assembly, struct isa_parser *parser);
/* The position of the directive of this name; line 0: it was not given. */
struct isa_place isa_directive_place(const struct isa_assembly *assembly, const char *name);
/* Begins a section's code; the alignment is filled with trap. */
void isa_begin_section(struct isa_assembly *assembly, enum isa_section section, struct isa_place place);

/* Labels, entry points, and all fields that no directive gave. Reports what is wrong. */
void isa_finish_program(struct isa_assembly *assembly);

#endif
