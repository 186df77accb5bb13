/* SPDX-License-Identifier: MIT
 *
 * disasm: machine code as text: of a file of nothing else, of what a kernel's source becomes, of lines of hex, of a
 * saved job.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/program/assembly.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/terminal/runner.h"
#include "isa/isa.h"

/* Where the last instruction begins if the code ends before it does, else `size`. *length: what it would have, were the
 * missing bytes zero. */
static size_t find_cut(const uint8_t *code, size_t size, unsigned *length)
{
   struct isa_insn insn;

   for (size_t at = 0; at < size; at += insn.length) {
      isa_decode(code + at, size - at, &insn);
      if (insn.row == NULL && size - at < ISA_MAX_LENGTH) {
         uint8_t longer[2 * ISA_MAX_LENGTH] = {0};
         struct isa_insn whole;
         memcpy(longer, code + at, size - at);
         isa_decode(longer, sizeof(longer), &whole);
         if (whole.row != NULL && whole.length > size - at) {
            *length = whole.length;
            return at;
         }
      }
   }
   return size;
}

/* Zeros decode as a jump that no known program has (spec/isa.md 1.1), so they are shown as a hole, not as code. */
static bool is_zero(const uint8_t *code, size_t size)
{
   return code[0] == 0 && memcmp(code, code + 1, size - 1) == 0;
}

static int disassemble(const char *path, const uint8_t *code, size_t size, const struct options *options)
{
   const enum program_form form = program_form(&options->program, options->output, PROGRAM_LISTING);

   if (size == 0) {
      return complain(EXIT_FAILED, "%s: is empty", path);
   }
   if (is_zero(code, size)) {
      return complain(EXIT_FAILED, "%s: %zu bytes, all of them zero: no machine code", path, size);
   }
   if (form == PROGRAM_TEXT || form == PROGRAM_CODE) {
      return complain(EXIT_INVALID,
                      "%s: bare machine code says nothing of registers, uniforms and arguments, which a "
                      "program has; --program takes .agx, .cl or .spv",
                      path);
   }
   unsigned length = 0;
   const size_t cut = find_cut(code, size, &length);
   if (cut == size) {
      return code_write(code, size, form, &options->program, options->output);
   }
   if (options->output == NULL) { /* a file keeps what it had, a person sees what there is */
      (void)code_write(code, size, form, &options->program, options->output);
   }
   return complain(EXIT_FAILED, "%s: the last instruction, at byte %zu, is cut off: %zu of %u bytes are there", path,
                   cut, size - cut, length);
}

int cmd_disasm(const struct options *options)
{
   const char *path = options->operands.items[0];
   uint8_t *data;
   size_t size;

   if (options->hex) {
      return assembly_from_hex(path, &options->program, options->output);
   }
   if (is_saved_job(options)) {
      return cmd_saved_job(options, SAVED_JOB_DISASM);
   }
   int code = file_read(path, &data, &size);
   if (code != EXIT_OK) {
      return code;
   }
   code = kernel_file_is_source(path, data, size) ? cmd_compile(options) : disassemble(path, data, size, options);
   free(data);
   return code;
}
