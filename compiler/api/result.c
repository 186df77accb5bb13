/* SPDX-License-Identifier: MIT
 *
 * The log, the programs and the refusals of a struct compiler_result. Invariant: an addition that
 * fails leaves the result as it was.
 */
#include "compiler/api/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

int compiler_result_init(struct compiler_result *result)
{
   *result = (struct compiler_result){.log = calloc(1, 1)};
   return result->log == NULL ? -ENOMEM : 0;
}

void compiler_result_drop(struct compiler_result *result)
{
   for (size_t i = 0; i < result->count; i++) {
      agx_program_destroy(result->programs[i]);
   }
   free(result->programs);
   result->programs = NULL;
   result->count = 0;
   for (size_t i = 0; i < result->refused_count; i++) {
      free(result->refused[i].kernel);
      free(result->refused[i].reason);
   }
   free(result->refused);
   result->refused = NULL;
   result->refused_count = 0;
   for (size_t i = 0; i < result->pending.kernel_count; i++) {
      free(result->pending.kernels[i]);
   }
   free(result->pending.kernels);
   free(result->pending.words);
   result->pending = (struct compiler_pending){0};
}

void compiler_result_finish(struct compiler_result *result)
{
   compiler_result_drop(result);
   free(result->log);
   *result = (struct compiler_result){0};
}

void compiler_log(struct compiler_result *result, const char *format, ...)
{
   va_list args;

   va_start(args, format);
   int length = vsnprintf(NULL, 0, format, args);
   va_end(args);
   if (length <= 0) {
      return;
   }

   size_t old = strlen(result->log);
   char *log = realloc(result->log, old + (size_t)length + 1);
   if (log == NULL) {
      return;
   }
   result->log = log;
   va_start(args, format);
   vsnprintf(log + old, (size_t)length + 1, format, args);
   va_end(args);
}

int compiler_result_add(struct compiler_result *result, struct agx_program *program)
{
   if (!ARRAY_RESERVE_ONE(result->programs, result->count)) {
      agx_program_destroy(program);
      return -ENOMEM;
   }
   result->programs[result->count++] = program;
   return 0;
}

int compiler_result_add_refusal(struct compiler_result *result, const struct compiler_refusal *refusal)
{
   if (!ARRAY_RESERVE_ONE(result->refused, result->refused_count)) {
      return -ENOMEM;
   }
   struct compiler_refusal copy = *refusal;
   copy.kernel = strdup(refusal->kernel);
   copy.reason = strdup(refusal->reason);
   if (copy.kernel == NULL || copy.reason == NULL) {
      free(copy.kernel);
      free(copy.reason);
      return -ENOMEM;
   }
   result->refused[result->refused_count++] = copy;
   return 0;
}

int compiler_refuse(struct compiler_result *result, enum refusal_who who, const char *format, ...)
{
   va_list args;

   if (result->why.who == REFUSAL_NONE) {
      result->why.who = who;
      va_start(args, format);
      vsnprintf(result->why.what, sizeof(result->why.what), format, args);
      va_end(args);
   }
   return -EINVAL;
}

void compiler_refuse_at(struct compiler_result *result, const char *file, uint32_t line, uint32_t column)
{
   if (line != 0 && result->why.line == 0) {
      snprintf(result->why.file, sizeof(result->why.file), "%s", file != NULL ? file : "");
      result->why.line = line;
      result->why.column = column;
   }
}

void compiler_log_refusal(struct compiler_result *result, const char *name)
{
   char line[2 * REFUSAL_WHAT + REFUSAL_FILE_NAME];

   refusal_line(&result->why, name, line, sizeof(line));
   compiler_log(result, "%s\n", line);
}

bool compiler_result_is_unsupported(const struct compiler_result *result)
{
   return result->count == 0 && refusal_is_unsupported(result->why.who);
}

bool compiler_result_is_front_end(const struct compiler_result *result)
{
   bool found = refusal_is_front_end(result->why.who);

   for (size_t i = 0; i < result->refused_count; i++) {
      found = found || refusal_is_front_end(result->refused[i].why.who);
   }
   return result->count == 0 && found;
}

int compiler_result_refuse(struct compiler_result *result, const char *kernel, size_t from)
{
   const struct compiler_refusal refusal = {
       .kernel = (char *)(uintptr_t)kernel, .reason = result->log + from, .why = result->why};

   return compiler_result_add_refusal(result, &refusal);
}

int compiler_result_add_pending(struct compiler_result *result, const char *kernel)
{
   struct compiler_pending *pending = &result->pending;
   if (!ARRAY_RESERVE_ONE(pending->kernels, pending->kernel_count)) {
      return -ENOMEM;
   }
   pending->kernels[pending->kernel_count] = strdup(kernel);
   if (pending->kernels[pending->kernel_count] == NULL) {
      return -ENOMEM;
   }
   pending->kernel_count++;
   return 0;
}

int compiler_result_move(struct compiler_result *result, struct compiler_result *from)
{
   compiler_log(result, "%s", from->log != NULL ? from->log : "");
   for (size_t i = 0; i < from->count; i++) {
      struct agx_program *program = from->programs[i];

      from->programs[i] = NULL;
      if (compiler_result_add(result, program) < 0) {
         return -ENOMEM;
      }
   }
   for (size_t i = 0; i < from->refused_count; i++) {
      if (compiler_result_add_refusal(result, &from->refused[i]) < 0) {
         return -ENOMEM;
      }
   }
   return 0;
}

const struct compiler_refusal *compiler_result_refusal(const struct compiler_result *result, const char *kernel)
{
   for (size_t i = 0; i < result->refused_count; i++) {
      if (strcmp(result->refused[i].kernel, kernel) == 0) {
         return &result->refused[i];
      }
   }
   return NULL;
}
