/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "agx_runner/program/sources.h"
#include "nir_kernels/benchmark.h"

const struct source_file *source_file_find(const char *name)
{
   char full[64];

   snprintf(full, sizeof(full), "%s%s", name, strchr(name, '.') == NULL ? ".cl" : "");
   for (unsigned i = 0; i < source_file_count; i++) {
      if (!strcmp(source_files[i].name, full)) {
         return &source_files[i];
      }
   }
   return NULL;
}

uint64_t source_hash(const struct benchmark *benchmark)
{
   const char *const names[] = {benchmark->file, benchmark->source};
   uint64_t hash = 0;

   for (unsigned i = 0; i < 2; i++) {
      const struct source_file *file = names[i] != NULL ? source_file_find(names[i]) : NULL;

      if (file != NULL) {
         hash = XXH3_64bits_withSeed(file->text, strlen(file->text), hash);
      }
   }
   return hash;
}
