/* SPDX-License-Identifier: MIT
 *
 * Words of AGX_MESA_DEBUG that Mesa does not know. Mesa ignores them without a message, so a misspelled "nosched" would
 * measure the scheduled code.
 */
#include "compiler/debug_switches.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* The switches of Mesa 25.0 (agx_compile.c, agx_debug_options), and the words that Mesa's parser accepts for every
 * variable. */
static const char *const switches[] = {"shaders",    "shaderdb", "verbose", "internal", "novalidate", "noopt", "wait",
                                       "nopreamble", "demand",   "nosched", "spill",    "nopromote",  "all",   "help"};

void compiler_warn_of_switches(void)
{
   const char *text = getenv("AGX_MESA_DEBUG");

   for (size_t length; text != NULL && *text != '\0'; text += length) {
      bool known = false;

      text += strspn(text, ", \n");
      length = strcspn(text, ", \n");
      for (size_t i = 0; i < ARRAY_COUNT(switches) && !known; i++) {
         known = strlen(switches[i]) == length && strncmp(switches[i], text, length) == 0;
      }
      if (!known && length > 0) {
         fprintf(stderr, "agx-compile: warning: AGX_MESA_DEBUG: Mesa's AGX compiler has no switch '%.*s'; it has",
                 (int)length, text);
         for (size_t i = 0; i < ARRAY_COUNT(switches); i++) {
            fprintf(stderr, "%s %s", i > 0 ? "," : "", switches[i]);
         }
         fputc('\n', stderr);
      }
   }
}
