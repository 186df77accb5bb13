/* SPDX-License-Identifier: MIT
 *
 * Each function walks once over the module. Invariant: nothing is read behind the module's end.
 */
#include "compiler/passes/functions.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compiler/spirv/spirv.h"
#include "util/macros.h"

#define SPIRV_HEADER_WORDS 5

/* A kernel is several functions that call each other: SPIRV-LLVM-Translator's entry point calls clang's kernel, and
 * from clang 21 on that calls another function, which has the kernel's code. */
static const char *const prefixes[] = {"__spirv_entry_", "__clang_ocl_kern_imp_"};

struct module {
   const uint32_t *words;
   size_t count;
};

struct instruction {
   uint32_t op;
   size_t at, length; /* in words */
};

/* Reads the instruction at a word. Returns false if there is none. */
static bool read_instruction(const struct module *module, size_t at, struct instruction *instruction)
{
   if (at >= module->count) {
      return false;
   }
   *instruction = (struct instruction){
       .op = module->words[at] & SpvOpCodeMask, .at = at, .length = module->words[at] >> SpvWordCountShift};
   return instruction->length != 0 && instruction->length <= module->count - at;
}

/* Returns the text of OpName or OpString for an id; NULL: it has none. */
static const char *find_text(const struct module *module, uint32_t op, uint32_t id)
{
   struct instruction instruction;

   for (size_t at = SPIRV_HEADER_WORDS; read_instruction(module, at, &instruction); at += instruction.length) {
      if (instruction.op == op && instruction.length > 2 && module->words[at + 1] == id) {
         const char *text = (const char *)&module->words[at + 2];
         return memchr(text, 0, (instruction.length - 2) * sizeof(*module->words)) != NULL ? text : NULL;
      }
   }
   return NULL;
}

/* The source's name of the function. */
static const char *function_name(const struct module *module, uint32_t id)
{
   const char *name = id != 0 ? find_text(module, SpvOpName, id) : NULL;

   for (size_t i = 0; name != NULL && i < ARRAY_SIZE(prefixes); i++) {
      if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
         name += strlen(prefixes[i]);
      }
   }
   return name;
}

static void set_function(const struct module *module, uint32_t id, struct refusal *why)
{
   const char *name = function_name(module, id);

   if (name != NULL) {
      snprintf(why->function, sizeof(why->function), "%s", name);
   }
}

void compiler_function_of_byte(const uint32_t *words, size_t count, size_t byte, struct refusal *why)
{
   const struct module module = {words, count};
   struct instruction instruction;
   uint32_t function = 0;

   for (size_t at = SPIRV_HEADER_WORDS; read_instruction(&module, at, &instruction); at += instruction.length) {
      if (instruction.op == SpvOpFunction && instruction.length > 2) {
         function = words[at + 2];
      }
      if (byte < (at + instruction.length) * sizeof(*words)) {
         set_function(&module, function, why);
         return;
      }
      if (instruction.op == SpvOpFunctionEnd) {
         function = 0;
      }
   }
}

/* Takes the place from an OpLine of a function, if that completes `why`. Returns whether it did. */
static bool take_line(const struct module *module, const struct instruction *line, uint32_t function,
                      struct refusal *why)
{
   const uint32_t *operands = &module->words[line->at + 1];
   const char *file = find_text(module, SpvOpString, operands[0]);
   const char *name;

   if (why->line != 0) {
      if (operands[1] != why->line || file == NULL || strcmp(file, why->file) != 0) {
         return false;
      }
      set_function(module, function, why);
      return true;
   }
   name = function_name(module, function);
   if (operands[1] == 0 || file == NULL || name == NULL || strcmp(name, why->kernel) != 0) {
      return false;
   }
   snprintf(why->file, sizeof(why->file), "%s", file);
   why->line = operands[1];
   return true;
}

void compiler_function_of_line(const uint32_t *words, size_t count, struct refusal *why)
{
   const struct module module = {words, count};
   struct instruction instruction;
   uint32_t function = 0;

   for (size_t at = SPIRV_HEADER_WORDS; read_instruction(&module, at, &instruction); at += instruction.length) {
      if (instruction.op == SpvOpFunction && instruction.length > 2) {
         function = words[at + 2];
      } else if (instruction.op == SpvOpFunctionEnd) {
         function = 0;
      } else if (instruction.op == SpvOpLine && instruction.length == 4 && function != 0 &&
                 take_line(&module, &instruction, function, why)) {
         return;
      }
   }
}
