/* SPDX-License-Identifier: MIT
 *
 * Finds the functions and macros of a benchmark in its OpenCL C file, or prints the NIR that its builder makes.
 * Invariant: the text is the source itself, never a copy that is kept beside it.
 */
#include "nir_kernels/source_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/nir_request.h"

const char *bench_source_language(const struct benchmark *benchmark)
{
   const bool assembly = benchmark->text != NULL || (benchmark->chain != NULL && benchmark->chain->agx != NULL);

   return benchmark->source != NULL ? "OpenCL C" : assembly ? "AGX assembly" : "NIR";
}

static const char *file_text(const char *source)
{
   char name[64];

   snprintf(name, sizeof(name), "%s.cl", source);
   for (size_t i = 0; i < bench_file_count; i++) {
      if (!strcmp(bench_files[i].name, name)) {
         return bench_files[i].text;
      }
   }
   return "";
}

static bool is_word(char c)
{
   return isalnum((unsigned char)c) || c == '_';
}

/* The line of `text` that begins with `start`, then `word`, then what belongs to no word; NULL: none. */
static const char *find_line(const char *text, const char *start, const char *word, size_t length)
{
   for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
      const char *at = text + strlen(start);

      if (!strncmp(text, start, strlen(start)) && !strncmp(at, word, length) && !is_word(at[length])) {
         return text;
      }
   }
   return NULL;
}

static void print_line(const char *line, FILE *file)
{
   fprintf(file, "%.*s\n", (int)strcspn(line, "\n"), line);
}

/* The functions of the file that a line calls: from "static" to the brace that ends them. */
static void print_functions(const char *text, const char *line, FILE *file)
{
   for (const char *function = strstr(text, "\nstatic "); function != NULL;
        function = strstr(function + 1, "\nstatic ")) {
      const char *end = strchr(function, '(');
      const char *name = end;

      while (name != NULL && is_word(name[-1])) {
         name--;
      }
      const size_t length = name != NULL ? (size_t)(end - name) + 1 : 0; /* with the parenthesis */
      const char *called = name != NULL ? memmem(line, strcspn(line, "\n"), name, length) : NULL;
      const char *closed = strstr(function, "\n}\n");

      if (called != NULL && !is_word(called[-1]) && closed != NULL) {
         fprintf(file, "%.*s\n", (int)(closed + 2 - function - 1), function + 1);
      }
   }
}

/* The definition of a macro, and of what it calls. */
static void print_macro(const char *text, const char *name, size_t length, FILE *file)
{
   const char *line = find_line(text, "#define ", name, length);

   if (line != NULL) {
      print_functions(text, line, file);
      print_line(line, file);
   }
}

/* "CHAIN(name, type, T, L, OP)" or "CHAIN_WITH(name, type, T, L, OP, WITH)": the macros, and the line itself. */
static void print_chain(const char *text, const char *kernel, FILE *file)
{
   const char *line = find_line(text, "CHAIN(", kernel, strlen(kernel));

   if (line == NULL) {
      line = find_line(text, "CHAIN_WITH(", kernel, strlen(kernel));
   }
   if (line == NULL) {
      return;
   }
   const char *word = line;
   for (unsigned comma = 0; comma < 4 && word != NULL; comma++) {
      word = strchr(word + 1, ',');
   }
   while (word != NULL && *word == ',') {
      word += strspn(word, ", ");
      const size_t length = strcspn(word, ",)");
      print_macro(text, word, length, file);
      word += length;
   }
   print_line(line, file);
}

/* All but the comment at the beginning. */
static void print_kernel(const char *text, FILE *file)
{
   const char *end = strstr(text, "*/\n");

   fputs(end != NULL ? end + 3 : text, file);
}

static char *opencl_text(const struct benchmark *benchmark)
{
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   if (file == NULL) {
      return NULL;
   }
   if (benchmark->chain != NULL) {
      print_chain(file_text(benchmark->source), benchmark->kernel, file);
   } else {
      print_kernel(file_text(benchmark->source), file);
   }
   if (fclose(file) != 0) {
      free(text);
      return NULL;
   }
   return text;
}

char *bench_source_text(const struct benchmark *benchmark)
{
   /* A control kernel has no step at all. */
   const struct bench_variant one = {1, 1, benchmark->control.repetitions == 0};

   return benchmark->source != NULL                                   ? opencl_text(benchmark)
          : benchmark->text != NULL                                   ? benchmark->text(benchmark, &one)
          : benchmark->mix != NULL || benchmark->skip != NULL         ? NULL
          : benchmark->chain != NULL && benchmark->chain->agx != NULL ? bench_chain_agx(benchmark->chain, &one)
                                                                      : bench_nir_text(benchmark, &one);
}
