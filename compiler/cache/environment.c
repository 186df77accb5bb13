/* SPDX-License-Identifier: MIT
 *
 * What a compilation depends on besides its source and the compiler: the environment, other files. Invariant: what is
 * not known to leave the result unchanged changes the key, or switches the cache off.
 */
#include "compiler/cache/cache.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"

/* ---- Environment ---- */

#define DEBUG_VARIABLE "AGX_MESA_DEBUG="

/* The beginnings of the names of variables that Mesa, LLVM and clang look at. */
static const char *const looked_at[] = {
    "AGX_MESA_",
    "AGXDECODE_",
    "ASAHI_",
    "MESA_",
    "NIR_",
    "CLC_",
    "GALLIUM_",
    "LLVM_",
    "SPIRV_",
    "PRINT_BEFORE=",
    "BUILD_FULL_PATH=",
    "CCC_",
    "CPATH=",
    "C_INCLUDE_PATH=",
    "OBJC_INCLUDE_PATH=",
    "SOURCE_DATE_EPOCH=",
};
/* Switches of AGX_MESA_DEBUG that change the code and print nothing. */
static const char *const silent[] = {"noopt", "nosched", "nopreamble", "nopromote", "spill", "demand", "wait"};

static bool is_silent(const char *switches)
{
   while (*switches != '\0') {
      const size_t length = strcspn(switches, ", ");
      bool known = length == 0;

      for (size_t i = 0; i < ARRAY_COUNT(silent) && !known; i++) {
         known = strlen(silent[i]) == length && !memcmp(silent[i], switches, length);
      }
      if (!known) {
         return false;
      }
      switches += length + (switches[length] != '\0');
   }
   return true;
}

const char *compiler_cache_environment(void)
{
   const char *text = "";

   for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
      for (size_t i = 0; i < ARRAY_COUNT(looked_at); i++) {
         if (strncmp(*variable, looked_at[i], strlen(looked_at[i])) != 0) {
            continue;
         }
         if (strncmp(*variable, DEBUG_VARIABLE, strlen(DEBUG_VARIABLE)) != 0 ||
             !is_silent(*variable + strlen(DEBUG_VARIABLE))) {
            return NULL;
         }
         text = *variable;
      }
   }
   return text;
}

/* ---- Other files, and the time ---- */

/* The options that read no file. The word after -D, -U or -I may stand by itself. */
static const char *const harmless[] = {"-D", "-U", "-I", "-cl-", "-O", "-W", "-w"};

static bool options_are_harmless(const char *options)
{
   bool operand = false;

   while (*options != '\0') {
      const size_t length = strcspn(options, " \t\n\r\f\v");
      bool fine = length == 0 || (operand && *options != '-' && *options != '@');

      for (size_t i = 0; i < ARRAY_COUNT(harmless) && !fine; i++) {
         fine = !strncmp(options, harmless[i], strlen(harmless[i]));
      }
      if (!fine) {
         return false;
      }
      if (length > 0) {
         operand = length == 2 && options[0] == '-' && strchr("DUI", options[1]) != NULL;
      }
      options += length + (options[length] != '\0');
   }
   return true;
}

/* Without what joins two lines: a backslash, blanks and a newline, or the trigraph of a backslash. Words broken over
 * two lines are whole in the copy. NULL: out of memory. */
static char *join_lines(const char *text)
{
   char *joined = malloc(strlen(text) + 1), *out = joined;

   while (joined != NULL && *text != '\0') {
      const size_t mark = *text == '\\' ? 1 : !strncmp(text, "?\?/", 3) ? 3 : 0;
      const size_t blanks = mark != 0 ? strspn(text + mark, " \t\r\f\v") : 0;

      if (mark != 0 && text[mark + blanks] == '\n') {
         text += mark + blanks + 1;
      } else {
         *out++ = *text++;
      }
   }
   if (joined != NULL) {
      *out = '\0';
   }
   return joined;
}

/* A date that macros paste together from parts is not seen. */
static bool mentions_others(const char *text)
{
   static const char *const words[] = {"include", "import", "embed", "__DATE__", "__TIME"};
   char *joined = join_lines(text);
   bool found = joined == NULL;

   for (size_t i = 0; i < ARRAY_COUNT(words) && !found; i++) {
      found = strstr(joined, words[i]) != NULL;
   }
   free(joined);
   return found;
}

bool compiler_cache_is_closed(const char *source, const char *arguments)
{
   return !mentions_others(source) &&
          (arguments == NULL || (!mentions_others(arguments) && options_are_harmless(arguments)));
}
