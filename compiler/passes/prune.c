/* SPDX-License-Identifier: MIT
 *
 * Removes functions that no entry point reaches from a module. Invariant: nothing that remains refers to something
 * that was removed. Inside functions, any word that equals a function's identifier counts as a reference, be it an
 * operand or a literal: at worst an unused function remains.
 */
#include "compiler/passes/prune.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SPV_ENABLE_UTILITY_CODE
#include "compiler/spirv/spirv.h"

/* the header defines it inline; this is its external definition */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type);

#define HEADER_WORDS 5
#define BOUND_WORD 3
#define BOUND_MAX 0x3fffffu /* SPIR-V's universal limit */
#define NONE 0u

struct function {
   size_t start, end; /* words of the module: from OpFunction to behind OpFunctionEnd */
   bool kept;
};

struct module {
   const uint32_t *words;
   size_t count;
   uint32_t bound;
   struct function *functions; /* the first one is unused: index 0 stands for no function */
   uint32_t function_count;
   uint32_t *defines; /* by identifier: the index of the function that it names */
   uint32_t *inside;  /* by identifier: the index of the function that it is defined in */
   uint32_t *work;    /* functions that are kept and have not been searched */
   uint32_t work_count;
};

static uint32_t opcode(const uint32_t *at)
{
   return at[0] & SpvOpCodeMask;
}

static uint32_t length(const uint32_t *at)
{
   return at[0] >> SpvWordCountShift;
}

/* Returns the identifier that the instruction defines; 0: none, or the instruction is too short. */
static uint32_t result_of(const struct module *module, const uint32_t *at)
{
   bool has_result, has_type;

   SpvHasResultAndType((SpvOp)opcode(at), &has_result, &has_type);
   const uint32_t word = has_type ? 2 : 1;
   return has_result && word < length(at) && at[word] < module->bound ? at[word] : NONE;
}

/* Finds the functions. Returns false if the module is not well formed, or uses decoration groups. */
static bool collect(struct module *module)
{
   uint32_t current = NONE;

   for (size_t i = HEADER_WORDS; i < module->count; i += length(&module->words[i])) {
      const uint32_t *at = &module->words[i];
      const uint32_t op = opcode(at);

      if (length(at) == 0 || length(at) > module->count - i || op == SpvOpGroupDecorate ||
          op == SpvOpGroupMemberDecorate) {
         return false;
      }
      const uint32_t result = result_of(module, at);
      if (op == SpvOpFunction) {
         if (current != NONE || result == NONE || module->defines[result] != NONE) {
            return false;
         }
         current = ++module->function_count;
         module->functions[current].start = i;
         module->defines[result] = current;
      }
      module->inside[result] = current;
      if (op == SpvOpFunctionEnd) {
         module->functions[current].end = i + length(at);
         current = NONE;
      }
   }
   return current == NONE;
}

/* Whether the instruction describes an identifier without needing it. */
static bool is_annotation(uint32_t op)
{
   return op == SpvOpName || op == SpvOpMemberName || op == SpvOpDecorate || op == SpvOpMemberDecorate ||
          op == SpvOpDecorateId || op == SpvOpDecorateString || op == SpvOpMemberDecorateString;
}

/* Whether the words of an instruction at module scope are literals, except for a type and a result. */
static bool is_literal(uint32_t op)
{
   return op == SpvOpConstant || op == SpvOpString || op == SpvOpSource || op == SpvOpSourceExtension ||
          op == SpvOpExtInstImport || op == SpvOpModuleProcessed || op == SpvOpCapability || op == SpvOpExtension;
}

static void keep(struct module *module, uint32_t function)
{
   if (function != NONE && !module->functions[function].kept) {
      module->functions[function].kept = true;
      module->work[module->work_count++] = function;
   }
}

static void keep_referenced(struct module *module, size_t from, size_t to)
{
   for (size_t i = from; i < to; i++) {
      if (module->words[i] < module->bound) {
         keep(module, module->defines[module->words[i]]);
      }
   }
}

/* Keeps what instructions outside of functions need: entry points, and functions that anything else names. */
static void keep_roots(struct module *module)
{
   uint32_t function = 0;
   size_t next;

   for (size_t i = HEADER_WORDS; i < module->count; i = next) {
      const uint32_t op = opcode(&module->words[i]);

      next = i + length(&module->words[i]);
      if (op == SpvOpFunction) {
         next = module->functions[++function].end;
      } else if (op == SpvOpEntryPoint) {
         keep_referenced(module, i + 2, next < i + 3 ? next : i + 3); /* the rest is its name */
      } else if (!is_annotation(op) && !is_literal(op)) {
         keep_referenced(module, i + 1, next);
      }
   }
}

static void keep_reachable(struct module *module)
{
   keep_roots(module);
   while (module->work_count > 0) {
      const struct function *function = &module->functions[module->work[--module->work_count]];

      for (size_t i = function->start; i < function->end; i += length(&module->words[i])) {
         keep_referenced(module, i + 1, i + length(&module->words[i]));
      }
   }
}

static bool is_kept(const struct module *module, uint32_t function)
{
   return function == NONE || module->functions[function].kept;
}

/* Copies what is kept. Returns the number of words. */
static size_t copy_kept(const struct module *module, uint32_t *out)
{
   size_t used = HEADER_WORDS;
   uint32_t function = 0;

   memcpy(out, module->words, HEADER_WORDS * sizeof(*out));
   for (size_t i = HEADER_WORDS; i < module->count;) {
      const uint32_t *at = &module->words[i];
      size_t size = length(at);
      bool kept = true;

      if (opcode(at) == SpvOpFunction) {
         function++;
         size = module->functions[function].end - i;
         kept = module->functions[function].kept;
      } else if (is_annotation(opcode(at)) && size > 1 && at[1] < module->bound) {
         kept = is_kept(module, module->inside[at[1]]);
      }
      if (kept) {
         memcpy(out + used, at, size * sizeof(*out));
         used += size;
      }
      i += size;
   }
   return used;
}

static int prune(struct module *module, uint32_t **pruned, size_t *pruned_count)
{
   if (!collect(module)) {
      return 0;
   }
   keep_reachable(module);
   bool all = true;
   for (uint32_t f = 1; f <= module->function_count; f++) {
      all = all && module->functions[f].kept;
   }
   if (all) {
      return 0;
   }
   *pruned = malloc(module->count * sizeof(**pruned));
   if (*pruned == NULL) {
      return -ENOMEM;
   }
   *pruned_count = copy_kept(module, *pruned);
   return 1;
}

static size_t count_functions(const uint32_t *words, size_t count)
{
   size_t functions = 0;

   for (size_t i = HEADER_WORDS; i < count && length(&words[i]) > 0; i += length(&words[i])) {
      functions += opcode(&words[i]) == SpvOpFunction;
   }
   return functions;
}

int compiler_prune(const uint32_t *words, size_t count, uint32_t **pruned, size_t *pruned_count)
{
   if (count < HEADER_WORDS || words[BOUND_WORD] == 0 || words[BOUND_WORD] > BOUND_MAX) {
      return 0;
   }
   const size_t functions = count_functions(words, count) + 1;
   struct module module = {.words = words, .count = count, .bound = words[BOUND_WORD]};
   module.functions = calloc(functions, sizeof(*module.functions));
   module.defines = calloc(module.bound, sizeof(*module.defines));
   module.inside = calloc(module.bound, sizeof(*module.inside));
   module.work = calloc(functions, sizeof(*module.work));
   const bool complete =
       module.functions != NULL && module.defines != NULL && module.inside != NULL && module.work != NULL;
   const int ret = complete ? prune(&module, pruned, pruned_count) : -ENOMEM;
   free(module.functions);
   free(module.defines);
   free(module.inside);
   free(module.work);
   return ret;
}
