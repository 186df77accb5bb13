/* SPDX-License-Identifier: MIT
 *
 * What a compilation depends on besides its source: the compiling code, the environment, other files. Invariant:
 * anything that might change the result changes the key, or disables the cache.
 */
#include "compiler/cache/cache.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "util/array.h"

/* ---- Code ---- */

/* Finds the build ID of a loaded object; 0: it has none. */
static size_t find_build_id(const struct dl_phdr_info *info, const uint8_t **id)
{
   for (size_t i = 0; i < info->dlpi_phnum; i++) {
      const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
      const uint8_t *at = (const uint8_t *)info->dlpi_addr + segment->p_vaddr;
      size_t left = segment->p_memsz;

      while (segment->p_type == PT_NOTE && left >= sizeof(ElfW(Nhdr))) {
         ElfW(Nhdr) note;
         memcpy(&note, at, sizeof(note));
         const size_t name = (note.n_namesz + (size_t)3) & ~(size_t)3, data = (note.n_descsz + (size_t)3) & ~(size_t)3;
         const size_t size = sizeof(note) + name + data;

         if (size > left) {
            break;
         }
         if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at + sizeof(note), "GNU", 4)) {
            *id = at + sizeof(note) + name;
            return note.n_descsz;
         }
         at += size;
         left -= size;
      }
   }
   return 0;
}

/* Identifies a file by its path, size and modification time. */
static void add_file(XXH3_state_t *state, const char *path)
{
   struct stat file;

   if (stat(path, &file) == 0) {
      const int64_t facts[] = {file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
      XXH3_128bits_update(state, facts, sizeof(facts));
   }
   XXH3_128bits_update(state, path, strlen(path) + 1);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *state)
{
   const uint8_t *id;
   const size_t bytes = find_build_id(info, &id);

   (void)size;
   if (bytes != 0) {
      XXH3_128bits_update(state, id, bytes);
   } else {
      add_file(state, info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe");
   }
   return 0;
}

struct compiler_cache_key compiler_cache_identity(void)
{
   static struct compiler_cache_key identity;
   static bool known;
   XXH3_state_t *state = known ? NULL : XXH3_createState();

   if (state != NULL) {
      XXH3_128bits_reset(state);
      dl_iterate_phdr(add_object, state);
      add_file(state, COMPILER_LIBCLC_DIR "/spirv64-mesa3d-.spv"); /* up to LLVM 21, and in Debian's 22 */
      add_file(state, COMPILER_LIBCLC_DIR "/spirv64-unknown-unknown/libclc.spv"); /* since LLVM 22 */
      const XXH128_hash_t hash = XXH3_128bits_digest(state);
      identity = (struct compiler_cache_key){hash.low64, hash.high64};
      known = true;
      XXH3_freeState(state);
   }
   return identity;
}

/* ---- Environment ---- */

#define DEBUG_VARIABLE "AGX_MESA_DEBUG="

/* Prefixes of the variables that Mesa, LLVM and clang read. */
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
/* Flags of AGX_MESA_DEBUG that change the code and print nothing. */
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

/* Options that read no file. The word after -D, -U or -I may be separate. */
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

/* Returns a copy without line continuations (a backslash, blanks and a newline, or the trigraph of a backslash), so
 * that words broken over two lines are whole. NULL: out of memory. */
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

/* Whether the text names other files or the time. Does not detect a date that macros assemble. */
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
