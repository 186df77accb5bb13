/* SPDX-License-Identifier: MIT
 *
 * Ties by equal code. Invariant: a program is said to be a source's only if its whole code, main program and preamble,
 * is what the source was compiled to.
 */
#include "agx_runner/program/collected/ties.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "agx_runner/program/collected/collected.h"
#include "util/array.h"
#include "util/file.h"

#define PROGRAM_MOST ((size_t)64 << 20) /* bytes of a file */

static uint64_t hash_of(const struct agx_program *program)
{
   const uint64_t main_code = XXH3_64bits(program->code + program->main_offset, program->main_size);
   return program->has_preamble
              ? XXH3_64bits_withSeed(program->code + program->preamble_offset, program->preamble_size, main_code)
              : main_code;
}

static bool add(const char *folder, const char *name, struct collected_codes *codes)
{
   char *path = NULL;
   const char *why;
   char *bytes = NULL;
   size_t size;
   if (asprintf(&path, "%s/%s", folder, name) < 0) {
      return false;
   }
   FILE *file = fopen(path, "rb");
   const bool read = file != NULL && util_read_stream(file, PROGRAM_MOST, &bytes, &size) == 0;
   struct agx_program *program = read ? collected_program((const uint8_t *)bytes, size, &why) : NULL;
   if (file != NULL) {
      fclose(file);
   }
   bool good = true;
   if (program != NULL && strcmp(program->name, "compute") == 0) {
      char *copy = strdup(name);
      good = copy != NULL && ARRAY_RESERVE_ONE(codes->list, codes->count);
      if (good) {
         codes->list[codes->count++] = (struct collected_code){hash_of(program), copy};
      } else {
         free(copy);
      }
   }
   agx_program_destroy(program);
   if (read) {
      free(bytes);
   }
   free(path);
   return good;
}

static int is_program(const struct dirent *entry)
{
   return collected_is_program(entry->d_name);
}

bool collected_codes_read(const char *folder, struct collected_codes *codes)
{
   struct dirent **entries;
   bool good = true;
   *codes = (struct collected_codes){.count = 0};
   const int count = scandir(folder, &entries, is_program, alphasort);
   for (int i = 0; i < count; i++) {
      good = good && add(folder, entries[i]->d_name, codes);
      free(entries[i]);
   }
   if (count >= 0) {
      free(entries);
   }
   return good;
}

void collected_codes_finish(struct collected_codes *codes)
{
   for (size_t i = 0; i < codes->count; i++) {
      free((char *)(uintptr_t)codes->list[i].file);
   }
   free(codes->list);
   *codes = (struct collected_codes){.count = 0};
}

const char *collected_codes_find(const struct collected_codes *codes, const struct agx_program *program)
{
   const uint64_t code = hash_of(program);
   for (size_t i = 0; i < codes->count; i++) {
      if (codes->list[i].code == code) {
         return codes->list[i].file;
      }
   }
   return NULL;
}
