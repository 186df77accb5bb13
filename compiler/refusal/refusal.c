/* SPDX-License-Identifier: MIT
 *
 * Formats refusals. Invariant: a refusal is one line, and its words do not depend on who prints it.
 */
#include "compiler/refusal/refusal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

static const struct {
   const char *subject;
   bool unsupported, front_end;
} rows[REFUSAL_COUNT] = {
    [REFUSAL_NONE] = {"", false, false},
    [REFUSAL_LANGUAGE] = {"OpenCL C", false, false},
    [REFUSAL_SOURCE] = {"", false, false},
    [REFUSAL_CLANG] = {"", false, true},
    [REFUSAL_FILE] = {"", false, false},
    [REFUSAL_REQUEST] = {"", false, false},
    [REFUSAL_LIBCLC] = {"libclc", true, true},
    [REFUSAL_TRANSLATOR] = {"SPIRV-LLVM-Translator", true, true},
    [REFUSAL_FRONT_END] = {"the front end (clang and SPIRV-LLVM-Translator)", false, true},
    [REFUSAL_VALIDATOR] = {"", false, false},
    [REFUSAL_SPIRV_TO_NIR] = {"Mesa's SPIR-V reader (spirv_to_nir)", true, true},
    [REFUSAL_RUNNER] = {"agx-runner", true, false},
    [REFUSAL_MESA] = {"Mesa's AGX compiler", true, false},
    [REFUSAL_GPU] = {"the GPU", true, false},
    [REFUSAL_MEMORY] = {"", false, false},
    [REFUSAL_TIME] = {"", false, false},
    [REFUSAL_CRASH] = {"", false, false},
};

static unsigned row_of(enum refusal_who who)
{
   return (unsigned)who < REFUSAL_COUNT ? (unsigned)who : REFUSAL_NONE;
}

const char *refusal_subject(enum refusal_who who)
{
   return rows[row_of(who)].subject;
}

bool refusal_is_unsupported(enum refusal_who who)
{
   return rows[row_of(who)].unsupported;
}

bool refusal_is_front_end(enum refusal_who who)
{
   return rows[row_of(who)].front_end;
}

void refusal_sentence(const struct refusal *refusal, char *text, size_t size)
{
   const char *subject = refusal_subject(refusal->who);

   snprintf(text, size, "%s%s%s", subject, subject[0] != '\0' ? " " : "", refusal->what);
}

void refusal_line(const struct refusal *refusal, const char *name, char *text, size_t size)
{
   const char *file = refusal->file[0] != '\0' ? refusal->file : name;
   char sentence[REFUSAL_WHAT + 64];

   text[0] = '\0';
   if (file != NULL && file[0] != '\0') {
      util_append(text, size, "%s:", file);
      if (refusal->line != 0) {
         util_append(text, size, "%u:", refusal->line);
      }
      if (refusal->line != 0 && refusal->column != 0) {
         util_append(text, size, "%u:", refusal->column);
      }
      util_append(text, size, " ");
   }
   if (refusal->kernel[0] != '\0') {
      util_append(text, size, "kernel %s", refusal->kernel);
      if (refusal->function[0] != '\0' && strcmp(refusal->function, refusal->kernel) != 0) {
         util_append(text, size, ", function %s", refusal->function);
      }
      util_append(text, size, ": ");
   }
   refusal_sentence(refusal, sentence, sizeof(sentence));
   util_append(text, size, "%s: %s", refusal_is_unsupported(refusal->who) ? "unsupported" : "error", sentence);
}
