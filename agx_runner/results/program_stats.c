/* SPDX-License-Identifier: MIT
 *
 * The names of the counts, and whether each is better when higher or lower. One row describes one count.
 */
#include "agx_runner/results/program_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct program_stat_info program_stat_infos[PROGRAM_STAT_COUNT] = {
    [PROGRAM_INSTRUCTIONS] = {"instructions", "instructions", false},
    [PROGRAM_BYTES] = {"bytes", "bytes", false},
    [PROGRAM_HALF_REGISTERS] = {"half_registers", "half registers", false},
    [PROGRAM_OCCUPANCY] = {"occupancy", "simdgroups a core", true},
    [PROGRAM_SCRATCH] = {"scratch_bytes", "scratch bytes (spills)", false},
    [PROGRAM_UNIFORMS] = {"uniform_halves", "uniform halves", false},
    [PROGRAM_LOOPS] = {"loops", "loops", false},
    [PROGRAM_CYCLES] = {"predicted_cycles", "predicted cycles", false},
    [PROGRAM_LATENCY] = {"predicted_latency", "predicted latency", false},
};

void program_stats_finish(struct program_stats *stats)
{
   free(stats->mnemonics);
   *stats = (struct program_stats){0};
}

/* One of a list of mnemonics; length 0: the list has ended. */
struct mnemonic {
   const char *name;
   size_t length;
   long count;
};

static struct mnemonic first_of(const char *list)
{
   char *end = NULL;
   struct mnemonic mnemonic = {list, strcspn(list, " "), 0};

   if (mnemonic.length > 0 && list[mnemonic.length] == ' ') {
      mnemonic.count = strtol(list + mnemonic.length, &end, 10);
   }
   return mnemonic;
}

/* Returns the rest of the list. */
static const char *behind(const char *list)
{
   list += strcspn(list, " ");
   list += strspn(list, " ");
   list += strcspn(list, " ");
   return list + strspn(list, " ");
}

static int order(const struct mnemonic *a, const struct mnemonic *b)
{
   if (a->length == 0 || b->length == 0) {
      return a->length == 0 ? 1 : -1; /* the rest of the other list */
   }
   const int names = strncmp(a->name, b->name, a->length < b->length ? a->length : b->length);

   return names != 0 ? names : (a->length > b->length) - (a->length < b->length);
}

int program_stats_difference(const struct program_stats *a, const struct program_stats *b, char *text, size_t size)
{
   const char *left = a->mnemonics != NULL ? a->mnemonics : "", *right = b->mnemonics != NULL ? b->mnemonics : "";
   size_t used = 0;

   if (size > 0) {
      text[0] = '\0';
   }
   while (*left != '\0' || *right != '\0') {
      const struct mnemonic one = first_of(left), other = first_of(right);
      const int which = order(&one, &other);
      const long more = (which >= 0 ? other.count : 0) - (which <= 0 ? one.count : 0);

      if (more != 0) {
         const struct mnemonic *shown = which <= 0 ? &one : &other;
         const int length = snprintf(used < size ? text + used : NULL, used < size ? size - used : 0, "%s%+ld %.*s",
                                     used > 0 ? ", " : "", more, (int)shown->length, shown->name);

         used += length > 0 ? (size_t)length : 0;
      }
      left = which <= 0 ? behind(left) : left;
      right = which >= 0 ? behind(right) : right;
   }
   return (int)used;
}
