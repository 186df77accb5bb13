/* SPDX-License-Identifier: MIT
 *
 * Finds rows in the tables of published figures, which reference.py makes from results/reference/.
 */
#include "agx_runner/results/reference.h"

#include <stddef.h>
#include <string.h>

const char *const reference_likeness_names[REFERENCE_LIKENESS_COUNT] = {
    [REFERENCE_SAME_INSTRUCTION] = "same instruction",
    [REFERENCE_SAME_SEQUENCE] = "same sequence",
    [REFERENCE_OTHER_SEQUENCE] = "other sequence",
    [REFERENCE_UNKNOWN_SEQUENCE] = "unknown sequence",
};

enum reference_likeness reference_likeness(const struct reference *reference, bool sequence, bool listed)
{
   return !sequence && !reference->sequence                   ? REFERENCE_SAME_INSTRUCTION
          : listed                                            ? REFERENCE_SAME_SEQUENCE
          : reference->sequence && reference->made_of == NULL ? REFERENCE_UNKNOWN_SEQUENCE
                                                              : REFERENCE_OTHER_SEQUENCE;
}

const struct reference *reference_find(const char *name)
{
   for (unsigned i = 0; i < reference_count; i++) {
      if (!strcmp(reference_table[i].name, name)) {
         return &reference_table[i];
      }
   }
   return NULL;
}

const struct reference_control *reference_control_find(unsigned bits, unsigned repetitions)
{
   for (unsigned i = 0; i < reference_control_count; i++) {
      if (reference_controls[i].bits == bits && reference_controls[i].repetitions == repetitions) {
         return &reference_controls[i];
      }
   }
   return NULL;
}
