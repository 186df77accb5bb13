/* SPDX-License-Identifier: MIT
 *
 * Hashes a kernel's source: its files, and those that they include. The hash changes with the text of the kernel.
 */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "agx_runner/program/sources.h"
#include "nir_kernels/benchmark.h"

#define INCLUDE "#include \""
#define INCLUDE_DEPTH 8 /* deeper ones are left out: files may include each other */

static const struct source_file *find(const struct source_table *table, const char *name, size_t length)
{
   for (unsigned i = 0; i < table->count; i++) {
      if (strlen(table->files[i].name) == length && memcmp(table->files[i].name, name, length) == 0) {
         return &table->files[i];
      }
   }
   return NULL;
}

const struct source_file *source_file_find(const char *name)
{
   const struct source_table table = {source_files, source_file_count};
   char full[64];

   snprintf(full, sizeof(full), "%s%s", name, strchr(name, '.') == NULL ? ".cl" : "");
   return find(&table, full, strlen(full));
}

static bool is_opencl(const char *name)
{
   const char *suffix = strrchr(name, '.');

   return suffix != NULL && (!strcmp(suffix, ".cl") || !strcmp(suffix, ".clh"));
}

/* The file, and what it includes. A .c file's headers hold no kernel text. */
static uint64_t hash_file(const struct source_table *table, const struct source_file *file, uint64_t hash,
                          unsigned depth)
{
   hash = XXH3_64bits_withSeed(file->text, strlen(file->text), hash);
   if (!is_opencl(file->name) || depth == INCLUDE_DEPTH) {
      return hash;
   }
   for (const char *at = strstr(file->text, INCLUDE); at != NULL; at = strstr(at, INCLUDE)) {
      at += strlen(INCLUDE);
      const struct source_file *included = find(table, at, strcspn(at, "\"\n"));

      hash = included != NULL ? hash_file(table, included, hash, depth + 1) : hash;
   }
   return hash;
}

uint64_t source_hash_in(const struct source_table *table, const char *const names[2])
{
   uint64_t hash = 0;

   for (unsigned i = 0; i < 2; i++) {
      char full[64];

      if (names[i] == NULL) {
         continue;
      }
      snprintf(full, sizeof(full), "%s%s", names[i], strchr(names[i], '.') == NULL ? ".cl" : "");
      const struct source_file *file = find(table, full, strlen(full));
      hash = file != NULL ? hash_file(table, file, hash, 0) : hash;
   }
   return hash;
}

uint64_t source_hash(const struct benchmark *benchmark)
{
   const struct source_table table = {source_files, source_file_count};
   const char *const names[] = {benchmark->file, benchmark->source};

   return source_hash_in(&table, names);
}
