/* SPDX-License-Identifier: MIT
 *
 * The assembler: .agx text to struct agx_program and back. The language is documented in
 * docs/agx-assembly.5.scd. Which operands an instruction takes, and how they read, comes from the instruction
 * table's rows alone (isa/table.h): there is no second list of mnemonics or names.
 */
#ifndef ISA_ASM_H
#define ISA_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"
#include "isa/program.h"

/* Limits where the options give none. A caller compares a file's size with the first before it reads the file. */
#define ISA_ASM_TEXT_MAX (64u << 20)    /* bytes of text */
#define ISA_ASM_CODE_MAX (16u << 20)    /* bytes of code, and of constants */
#define ISA_ASM_REPEATED_MAX (4u << 20) /* most lines that all .rept expand to */
#define ISA_ASM_LINE_LENGTH 64          /* characters that count as one such line */
#define ISA_ASM_DIAGNOSTICS_MAX 100u    /* errors after which the assembler stops; further warnings are only counted */

/* A constant given from outside, before the text: it wins over the text's own .equ of that name. */
struct isa_asm_define {
   const char *name;
   int64_t value;
};

struct isa_asm_options {
   const struct isa_set *set; /* NULL: isa_set_default() */
   enum isa_syntax syntax;    /* of instructions; directives are the same in both */
   bool long_forms;           /* the long form of every instruction that has two, unless its mnemonic says .short */
   const struct isa_asm_define *defines;
   size_t define_count;
   size_t text_max, code_max, repeated_max, diagnostics_max; /* 0: the limits above */
};

enum isa_severity { ISA_WARNING, ISA_ERROR };

struct isa_diagnostic {
   enum isa_severity severity;
   unsigned line;   /* from 1; 0: the program as a whole */
   unsigned column; /* bytes from 1 */
   char message[320];
};

struct isa_asm_result {
   struct agx_program *program; /* NULL unless there were no errors */
   struct isa_diagnostic *diagnostics;
   size_t diagnostic_count;
   size_t errors, warnings; /* all that were met, with those past the limit */
};
void isa_asm_result_finish(struct isa_asm_result *result); /* frees what it holds */

/* "file:3:14: error: what is wrong". Returns the length that the text has (snprintf's rule). */
int isa_diagnostic_print(const struct isa_diagnostic *diagnostic, const char *file, char *text, size_t size);

/* An assembler: the table's mnemonics in searchable order, and the options. Serves any number of calls. The
 * options are copied, what they point to must live on. NULL options: the defaults. */
struct isa_asm;
struct isa_asm *isa_asm_create(const struct isa_asm_options *options); /* NULL: out of memory */
void isa_asm_destroy(struct isa_asm *assembler);                       /* NULL is fine */

/* Assembles a whole program. 0; -EINVAL: there are errors in result->diagnostics; -ENOMEM. */
int isa_asm_program(const struct isa_asm *assembler, const char *text, size_t size, struct isa_asm_result *result);

/* Assembles one line, an instruction or .byte, without labels or anything else from other lines. Returns
 * the number of bytes (0 for an empty line), or -EINVAL with the reason in *wrong (line 1). */
#define ISA_ASM_LINE_BYTES_MAX 64
int isa_asm_line(const struct isa_asm *assembler, const char *text, size_t size, uint8_t bytes[ISA_ASM_LINE_BYTES_MAX],
                 struct isa_diagnostic *wrong);

/* A program as .agx text: isa_asm_program gives back every field and byte of a program that agx_program_check()
 * finds nothing wrong with. The assembler is the one that is to read it, without defines or long_forms.
 * NUL-terminated, from malloc; NULL: out of memory. */
char *isa_program_text(const struct isa_asm *assembler, const struct agx_program *program, size_t *size);

#endif
