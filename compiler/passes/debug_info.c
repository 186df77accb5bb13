/* SPDX-License-Identifier: MIT
 *
 * Removes debug information from a module, except for source lines. Invariant: only instructions of the debug
 * information's extended sets use results of such instructions, so nothing that remains refers to something that was
 * removed.
 */
#include "compiler/passes/debug_info.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/spirv.h"
#include "util/array.h"

#define HEADER_WORDS 5
#define BOUND_WORD 3
#define BOUND_MAX 0x3fffffu /* SPIR-V's universal limit */

static uint32_t opcode(const uint32_t *at)
{
   return at[0] & SpvOpCodeMask;
}

static uint32_t length(const uint32_t *at)
{
   return at[0] >> SpvWordCountShift;
}

/* OpExtInstImport of such a set. */
static bool is_import(const uint32_t *at)
{
   static const char *const names[] = {"OpenCL.DebugInfo.100", "SPIRV.debug", "NonSemantic.Shader.DebugInfo.100",
                                       "NonSemantic.Shader.DebugInfo.200"};

   if (opcode(at) != SpvOpExtInstImport || length(at) < 3) {
      return false;
   }
   const size_t room = (length(at) - 2) * sizeof(*at);
   for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
      if (strlen(names[i]) < room && memcmp(at + 2, names[i], strlen(names[i]) + 1) == 0) {
         return true;
      }
   }
   return false;
}

/* Whether the instruction is removed. `gone`: by identifier, whether its definition is removed; updated with this
 * instruction. */
static bool is_debug_info(const uint32_t *at, bool *gone, uint32_t bound)
{
   const uint32_t op = opcode(at);

   if (is_import(at) && at[1] < bound) {
      gone[at[1]] = true;
      return true;
   }
   if (op == SpvOpExtInst && length(at) >= 5 && at[2] < bound && at[3] < bound && gone[at[3]]) {
      gone[at[2]] = true;
      return true;
   }
   return false;
}

static bool names_gone(const uint32_t *at, const bool *gone, uint32_t bound)
{
   const uint32_t op = opcode(at);

   return (op == SpvOpName || op == SpvOpDecorate) && length(at) >= 2 && at[1] < bound && gone[at[1]];
}

/* Marks what is removed. Returns whether there is anything; false also for a module that is not well formed. */
static bool mark(const uint32_t *words, size_t count, bool *gone)
{
   bool found = false;

   for (size_t i = HEADER_WORDS; i < count; i += length(&words[i])) {
      if (length(&words[i]) == 0 || length(&words[i]) > count - i) {
         return false;
      }
      found |= is_debug_info(&words[i], gone, words[BOUND_WORD]);
   }
   return found;
}

int compiler_debug_info_strip(const uint32_t *words, size_t count, uint32_t **stripped, size_t *stripped_count)
{
   if (count < HEADER_WORDS || words[BOUND_WORD] > BOUND_MAX) {
      return 0;
   }
   const uint32_t bound = words[BOUND_WORD];
   bool *gone = calloc(bound + 1, sizeof(*gone));
   uint32_t *kept = malloc(count * sizeof(*kept));
   int ret = gone != NULL && kept != NULL ? mark(words, count, gone) : -ENOMEM;

   if (ret == 1) {
      size_t to = HEADER_WORDS;

      memcpy(kept, words, HEADER_WORDS * sizeof(*words));
      for (size_t i = HEADER_WORDS; i < count; i += length(&words[i])) {
         const uint32_t *at = &words[i];

         /* names come before what they name */
         if (!is_debug_info(at, gone, bound) && !names_gone(at, gone, bound)) {
            memcpy(&kept[to], at, length(at) * sizeof(*at));
            to += length(at);
         }
      }
      *stripped = kept;
      *stripped_count = to;
      kept = NULL;
   }
   free(kept);
   free(gone);
   return ret;
}
