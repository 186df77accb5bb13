/* SPDX-License-Identifier: MIT
 *
 * Every benchmark has a source for people to read, in the language that it is said to be in.
 */
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/source_text.h"
#include "tests/check.h"

int main(void)
{
   static const struct {
      const char *language, *part; /* something that each source of it holds */
   } languages[] = {{"OpenCL C", "("}, {"AGX assembly", ".kernel"}, {"NIR", "MESA_SHADER_COMPUTE"}};

   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);
      const char *language = bench_source_language(benchmark);
      const char *part = NULL;

      if (benchmark->skip != NULL) {
         continue;
      }
      for (size_t j = 0; j < sizeof(languages) / sizeof(languages[0]); j++) {
         part = !strcmp(languages[j].language, language) ? languages[j].part : part;
      }
      char *text = bench_source_text(benchmark);
      CHECK(text != NULL && part != NULL && strstr(text, part) != NULL, "%s/%s, %s: %s", benchmark->group,
            benchmark->name, language, text != NULL ? text : "no source");
      if (text != NULL && benchmark->source != NULL && benchmark->chain != NULL) {
         /* The chain's line, and at least the operation's definition before it. */
         const char *chain = strstr(text, "\nCHAIN");

         CHECK(chain != NULL && !strncmp(text, "static", 6) + !strncmp(text, "#define", 7) == 1, "%s/%s: %s",
               benchmark->group, benchmark->name, text);
      }
      free(text);
   }
   return check_result();
}
