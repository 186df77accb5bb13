/* SPDX-License-Identifier: MIT */
#include "agx_runner/reference.h"

#include <stddef.h>
#include <string.h>

const struct reference *reference_find(const char *name)
{
   for (unsigned i = 0; i < reference_count; i++) {
      if (!strcmp(reference_table[i].name, name)) {
         return &reference_table[i];
      }
   }
   return NULL;
}
