/* SPDX-License-Identifier: MIT
 *
 * Removes extended instructions by the set that they are of. Nothing but such instructions refers to their results, so
 * what is left is a valid module.
 */
#include "drivers/host/debug_info.h"

#include <stdbool.h>
#include <string.h>

#define HEADER 5u
#define MOST_SETS 8u

enum { OP_EXT_INST_IMPORT = 11, OP_EXT_INST = 12 };

static bool is_debug_set(const uint32_t *words, uint32_t length)
{
   const char *const names[] = {"OpenCL.DebugInfo.100", "DebugInfo", "NonSemantic.Shader.DebugInfo.100"};
   const char *name = (const char *)(words + 2);
   if (length < 3 || memchr(name, '\0', (length - 2) * sizeof(*words)) == NULL) {
      return false;
   }
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      if (strcmp(name, names[i]) == 0) {
         return true;
      }
   }
   return false;
}

static bool is_whole(const uint32_t *words, size_t count)
{
   size_t at = HEADER;
   while (at < count && words[at] >> 16 != 0 && words[at] >> 16 <= count - at) {
      at += words[at] >> 16;
   }
   return at == count;
}

size_t host_drop_debug_info(uint32_t *words, size_t count)
{
   uint32_t sets[MOST_SETS];
   size_t set_count = 0, kept = HEADER;
   if (count < HEADER || !is_whole(words, count)) {
      return count;
   }
   for (size_t at = HEADER, length; at < count; at += length) {
      const uint32_t op = words[at] & 0xffff;
      bool drop = false;
      length = words[at] >> 16;
      if (op == OP_EXT_INST_IMPORT && set_count < MOST_SETS && is_debug_set(words + at, (uint32_t)length)) {
         sets[set_count++] = words[at + 1];
         drop = true;
      }
      for (size_t i = 0; op == OP_EXT_INST && length > 4 && i < set_count; i++) {
         drop |= words[at + 3] == sets[i];
      }
      if (!drop) {
         memmove(words + kept, words + at, length * sizeof(*words));
         kept += length;
      }
   }
   return kept;
}
