/* SPDX-License-Identifier: MIT
 *
 * Finds out which feature refused source needs: compiles it again with optional features enabled, or as a newer OpenCL
 * C, and then searches for names that clang does not know. Invariant: an error of the source is never reported as a
 * missing feature. If no attempt compiles and no known name occurs, clang's own messages remain.
 */
#include "compiler/front_end/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "util/macros.h"

#include "compiler/api/result.h"
#include "compiler/spirv.h"

/* ---- What clang said ---- */

/* Names and messages of clang that identify a missing feature. All texts must be in one error; `pragma` may be in any
 * message, which is about a requested extension. */
static const struct gap {
   const char *text, *pragma;
   enum refusal_who who;
   const char *what;
} gaps[] = {
    {"GNU-style inline assembly is disabled", NULL, REFUSAL_TRANSLATOR, "has no inline assembly"},
    {"'atom_", "cl_khr_int64_", REFUSAL_GPU, "has no 64-bit atomics"},
    {"'atomic_ulong'", NULL, REFUSAL_GPU, "has no 64-bit atomics"},
    {"'atomic_long'", NULL, REFUSAL_GPU, "has no 64-bit atomics"},
    {"'atomic_double'", NULL, REFUSAL_GPU, "has no double precision"},
    {"'atomic_size_t'", NULL, REFUSAL_GPU, "has no 64-bit atomics, which atomic_size_t takes"},
    {"'atomic_ptrdiff_t'", NULL, REFUSAL_GPU, "has no 64-bit atomics, which atomic_ptrdiff_t takes"},
    {"'atomic_intptr_t'", NULL, REFUSAL_GPU, "has no 64-bit atomics, which atomic_intptr_t takes"},
    {"'atomic_uintptr_t'", NULL, REFUSAL_GPU, "has no 64-bit atomics, which atomic_uintptr_t takes"},
    {"use of type 'double'", NULL, REFUSAL_GPU, "has no double precision"},
    {"'atomic_float'", NULL, REFUSAL_RUNNER, "offers no floating-point atomics"},
    {"atomic_fetch_add' is ambiguous", NULL, REFUSAL_RUNNER, "offers no floating-point atomics"},
    {"'queue_t'", NULL, REFUSAL_SPIRV_TO_NIR, "has no device enqueue (blocks that kernels enqueue)"},
    {"'ndrange_t'", NULL, REFUSAL_SPIRV_TO_NIR, "has no device enqueue (blocks that kernels enqueue)"},
    {"'enqueue_kernel'", NULL, REFUSAL_SPIRV_TO_NIR, "has no device enqueue (blocks that kernels enqueue)"},
    {"'pipe' type qualifier", NULL, REFUSAL_SPIRV_TO_NIR, "has no pipes"},
    {"'read_pipe'", NULL, REFUSAL_SPIRV_TO_NIR, "has no pipes"},
    {"'write_pipe'", NULL, REFUSAL_SPIRV_TO_NIR, "has no pipes"},
    {"'reserve_id_t'", NULL, REFUSAL_SPIRV_TO_NIR, "has no pipes"},
    {"'intel_sub_group", NULL, REFUSAL_RUNNER, "does not offer cl_intel_subgroups"},
    {"'sub_group_non_uniform_", NULL, REFUSAL_RUNNER, "does not offer cl_khr_subgroup_non_uniform_arithmetic"},
    {"'sub_group_clustered_", NULL, REFUSAL_RUNNER, "does not offer cl_khr_subgroup_clustered_reduce"},
    {"'dot_acc_sat", NULL, REFUSAL_RUNNER, "does not offer cl_khr_integer_dot_product"},
    {"'dot_4x8packed_", NULL, REFUSAL_RUNNER, "does not offer cl_khr_integer_dot_product"},
};

struct findings {
   unsigned errors;
   struct compiler_diagnostic first; /* the first error */
   const struct gap *gap;            /* NULL: none was found */
   struct compiler_diagnostic asks;  /* the error in which it was found */
   bool pragmas[ARRAY_SIZE(gaps)];   /* whether the extension of each feature is requested */
};

static void find_gap(struct findings *findings, const struct compiler_diagnostic *error)
{
   for (size_t i = 0; i < ARRAY_SIZE(gaps) && findings->gap == NULL; i++) {
      if (strstr(error->text, gaps[i].text) != NULL && (gaps[i].pragma == NULL || findings->pragmas[i])) {
         findings->gap = &gaps[i];
         findings->asks = *error;
      }
   }
}

static void take_diagnostic(void *data, const struct compiler_diagnostic *diagnostic)
{
   struct findings *findings = data;

   for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
      findings->pragmas[i] |= gaps[i].pragma != NULL && strstr(diagnostic->text, gaps[i].pragma) != NULL;
   }
   if (!compiler_diagnostic_is_error(diagnostic)) {
      return;
   }
   if (findings->errors++ == 0) {
      findings->first = *diagnostic;
   }
   find_gap(findings, diagnostic);
}

static void refuse_at(struct compiler_result *result, const struct compiler_diagnostic *diagnostic)
{
   compiler_refuse_at(result, diagnostic->file, (uint32_t)strtoul(diagnostic->line, NULL, 10),
                      (uint32_t)strtoul(diagnostic->column, NULL, 10));
}

/* ---- Attempts ---- */

/* These features cannot be enabled from the start: with double precision, a plain 1.0 is a double. */
static struct clc_optional_features with_all(const struct clc_optional_features *features)
{
   struct clc_optional_features all = *features;

   all.fp64 = true;
   all.images = true;
   all.images_read_write = true;
   all.images_write_3d = true;
   all.images_depth = true;
   all.images_gl_depth = true;
   all.images_gl_msaa = true;
   return all;
}

static const struct attempt {
   bool all_features;
   const char *version; /* build option; NULL: no additional one */
} attempts[] = {{true, NULL}, {false, "-cl-std=CL3.0"}, {false, "-cl-std=CL2.0"}, {true, "-cl-std=CL2.0"}};

/* Returns the most specific refusal: one of a kernel that passed the front end in this attempt. */
static const struct refusal *refusal_of(const struct compiler_result *second)
{
   return second->refused_count > 0 ? &second->refused[0].why : &second->why;
}

/* Compiles the attempt's module completely, because another feature may be missing, too. */
static bool conclude(const struct attempt *attempt, const struct findings *findings,
                     const struct compiler_front_end *front_end, struct compiler_result *second,
                     struct compiler_result *result)
{
   const struct refusal *why = refusal_of(second);

   result->why = (struct refusal){0};
   if (why->who != REFUSAL_NONE && (attempt->all_features || second->count == 0)) {
      result->why = *why;
      result->why.line = 0; /* clang's place is the one that needs the feature */
      result->why.function[0] = '\0';
   } else if (attempt->all_features) {
      /* clang has dropped the double-precision code, so there is no place to name */
      compiler_refuse(result, REFUSAL_GPU, "has no double precision");
   } else {
      compiler_refuse(result, REFUSAL_CLANG, "%.300s; it compiles with the build option %s%s", findings->first.text,
                      attempt->version,
                      front_end->options == NULL || strstr(front_end->options, "-cl-std=") == NULL
                          ? ", and without one it is OpenCL C 1.2"
                          : "");
   }
   refuse_at(result, &findings->first);
   return true;
}

static bool try(const char *name, const char *source, const struct attempt *attempt,
                const struct compiler_front_end *front_end, const struct compiler_options *options,
                const struct findings *findings, struct compiler_result *result)
{
   const struct clc_optional_features features =
       attempt->all_features ? with_all(front_end->features) : *front_end->features;
   const char **arguments = malloc((front_end->count + 1) * sizeof(*arguments));
   struct compiler_front_end other = *front_end;
   struct compiler_result second;
   struct clc_binary spirv = {0};
   bool found = false;

   if (arguments == NULL || compiler_result_init(&second) < 0) {
      free(arguments);
      return false;
   }
   memcpy(arguments, front_end->arguments, front_end->count * sizeof(*arguments));
   arguments[front_end->count] = attempt->version; /* the last option wins */
   other.features = &features;
   other.arguments = arguments;
   other.count += attempt->version != NULL;
   if (compiler_front_end_run(name, source, &other, &second, &spirv)) {
      compiler_spirv_kernels(name, spirv.data, spirv.size / sizeof(uint32_t), options, false, &second);
      clc_free_spirv(&spirv);
      found = second.why.who != REFUSAL_REQUEST && conclude(attempt, findings, front_end, &second, result);
   }
   compiler_result_finish(&second);
   free(arguments);
   return found;
}

static bool explain(const char *name, const char *source, const struct compiler_front_end *front_end,
                    const struct compiler_options *options, const struct findings *findings,
                    struct compiler_result *result)
{
   for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
      if (try(name, source, &attempts[i], front_end, options, findings, result)) {
         return true;
      }
   }
   if (findings->gap == NULL) {
      return false;
   }
   result->why = (struct refusal){0};
   compiler_refuse(result, findings->gap->who, "%s", findings->gap->what);
   refuse_at(result, &findings->asks);
   return true;
}

/* Whether the error is a #error of the source. Later errors are the consequences it warns of. */
static bool is_error_directive(const char *name, const char *source, const struct compiler_diagnostic *error)
{
   const char *line = source;

   for (unsigned long number = strtoul(error->line, NULL, 10); number > 1 && line != NULL; number--) {
      line = strchr(line, '\n');
      line = line != NULL ? line + 1 : NULL;
   }
   if (line == NULL || strcmp(error->file, name) != 0) {
      return false;
   }
   line += strspn(line, " \t");
   if (*line != '#') {
      return false;
   }
   line += 1 + strspn(line + 1, " \t");
   return strncmp(line, "error", strlen("error")) == 0;
}

void compiler_gaps_explain(const char *name, const char *source, const struct compiler_front_end *front_end,
                           const struct compiler_options *options, const struct compiler_diagnostics *diagnostics,
                           struct compiler_result *result)
{
   struct findings findings = {0};

   if (result->why.who == REFUSAL_CLANG) {
      compiler_diagnostics_each(diagnostics, take_diagnostic, &findings);
   }
   if (findings.errors == 0) {
      compiler_log_refusal(result, name);
      return;
   }
   /* the attempts write to the same file */
   char *log = NULL;
   struct compiler_result messages;
   if (compiler_result_init(&messages) == 0) {
      compiler_diagnostics_log(diagnostics, &messages);
      log = messages.log;
   }
   if (explain(name, source, front_end, options, &findings, result)) {
      compiler_log_refusal(result, name);
   } else {
      const struct compiler_diagnostic *first = &findings.first;
      if (is_error_directive(name, source, first)) {
         compiler_log(result, "%s:%s:%s: %s: %s\n", first->file, first->line, first->column, first->level, first->text);
      } else {
         compiler_log(result, "%s", log != NULL ? log : "");
      }
      result->why = (struct refusal){.who = REFUSAL_CLANG};
      snprintf(result->why.what, sizeof(result->why.what), "%.380s", findings.first.text);
      refuse_at(result, &findings.first);
   }
   free(log);
}
