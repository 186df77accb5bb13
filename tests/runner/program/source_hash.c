/* SPDX-License-Identifier: MIT
 *
 * The hash of a kernel's source changes with every file that the kernel is made of, and with no other.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/sources.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/benchmark.h"
#include "tests/check.h"
#include "util/array.h"

static const char *const names[2] = {"bench.c", "kernel"};

static uint64_t hash_with(unsigned changed)
{
   struct source_file files[] = {{"bench.c", "#include \"header.h\"\n"},
                                 {"header.h", "one"},
                                 {"kernel.cl", "#include \"step.clh\"\nx\n"},
                                 {"step.clh", "#include \"deep.clh\"\n#include \"kernel.cl\"\n"},
                                 {"deep.clh", "y"},
                                 {"other.cl", "z"}};
   const struct source_table table = {files, ARRAY_COUNT(files)};
   char text[128];

   if (changed < table.count) {
      snprintf(text, sizeof(text), "%s changed", files[changed].text);
      files[changed].text = text;
   }
   return source_hash_in(&table, names);
}

int main(void)
{
   static const bool counts[] = {true, false, true, true, true, false};
   const uint64_t plain = hash_with(UINT32_MAX);

   for (unsigned i = 0; i < ARRAY_COUNT(counts); i++) {
      CHECK((hash_with(i) != plain) == counts[i], "file %u: the hash %s", i, counts[i] ? "stays the same" : "changes");
   }
   CHECK(source_file_find("source.clh") != NULL, "source.clh is not among the sources");
   for (size_t i = 0; i < bench_count(); i++) {
      CHECK(bench_at(i)->file == NULL || source_hash(bench_at(i)) != 0, "%s: no hash", bench_at(i)->name);
   }
   return check_result();
}
