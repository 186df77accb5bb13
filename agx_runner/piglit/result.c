/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/format/name.h"

int piglit_result_init(struct piglit_result *result, const char *path)
{
   *result = (struct piglit_result){.path = strdup(path), .name = piglit_test_name(path)};
   if (result->path == NULL || result->name == NULL) {
      piglit_result_finish(result);
      return -ENOMEM;
   }
   return 0;
}

void piglit_result_finish(struct piglit_result *result)
{
   for (size_t i = 0; i < result->count; i++) {
      free(result->subtests[i].name);
      free(result->subtests[i].reason);
   }
   free(result->subtests);
   if (result->stream != NULL) {
      fclose(result->stream);
   }
   free(result->text);
   free(result->reason);
   free(result->name);
   free(result->path);
   *result = (struct piglit_result){0};
}

/* The names come from a file: what JSON cannot hold is escaped. */
static void print_string(FILE *out, const char *text)
{
   fputc('"', out);
   for (; *text != 0; text++) {
      unsigned char c = (unsigned char)*text;
      if (c == '"' || c == '\\') {
         fprintf(out, "\\%c", c);
      } else if (c < 0x20) {
         fprintf(out, "\\u%04x", c);
      } else {
         fputc(c, out);
      }
   }
   fputc('"', out);
}

void piglit_print_subtest(FILE *out, const char *name, enum piglit_status status)
{
   fputs("PIGLIT: {\"subtest\": {", out);
   print_string(out, name);
   fprintf(out, " : \"%s\"}}\n", piglit_status_name(status));
}

void piglit_print_result(FILE *out, enum piglit_status status)
{
   fprintf(out, "# Result:\nPIGLIT: {\"result\": \"%s\" }\n", piglit_status_name(status));
}

static void set_reason(struct piglit_result *result, char **reason, const char *text)
{
   free(*reason);
   *reason = text[0] != 0 ? strdup(text) : NULL;
   result->no_memory |= text[0] != 0 && *reason == NULL;
}

static FILE *stream(struct piglit_result *result)
{
   if (result->stream == NULL) {
      result->stream = open_memstream(&result->text, &result->text_size);
      result->no_memory |= result->stream == NULL;
   }
   return result->stream;
}

static void sink_plan(void *data, const char *name)
{
   struct piglit_result *result = data;
   struct piglit_subtest *grown = realloc(result->subtests, (result->count + 1) * sizeof(*grown));
   char *copy = strdup(name);

   if (grown != NULL) {
      result->subtests = grown;
   }
   if (grown == NULL || copy == NULL) {
      free(copy);
      result->no_memory = true;
      return;
   }
   grown[result->count++] = (struct piglit_subtest){.name = copy};
}

static void sink_begin(void *data, size_t test)
{
   struct piglit_result *result = data;

   if (test < result->count) {
      result->subtests[test].begun = true;
   }
}

static void sink_end(void *data, size_t test, enum piglit_status status, const char *reason)
{
   struct piglit_result *result = data;

   if (test >= result->count) {
      return;
   }
   struct piglit_subtest *subtest = &result->subtests[test];
   subtest->ended = true;
   subtest->status = status;
   set_reason(result, &subtest->reason, reason);
   if (stream(result) != NULL) {
      piglit_print_subtest(result->stream, subtest->name, status);
   }
}

static void sink_print(void *data, const char *line)
{
   struct piglit_result *result = data;

   if (stream(result) != NULL) {
      fprintf(result->stream, "%s\n", line);
   }
}

struct piglit_sink piglit_result_sink(struct piglit_result *result)
{
   return (struct piglit_sink){
       .data = result, .plan = sink_plan, .begin = sink_begin, .end = sink_end, .print = sink_print};
}

/* A test that the process did not come back from has the process's fate; those behind it were never reached. */
static void end_open_tests(struct piglit_result *result, enum piglit_status status, const char *reason)
{
   const char *culprit = NULL;
   char text[256];

   for (size_t i = 0; i < result->count; i++) {
      struct piglit_subtest *subtest = &result->subtests[i];
      if (subtest->ended) {
         continue;
      }
      subtest->status = status;
      if (culprit == NULL) {
         set_reason(result, &subtest->reason, reason);
      } else {
         snprintf(text, sizeof(text), "not reached after \"%.200s\"", culprit);
         set_reason(result, &subtest->reason, text);
      }
      if (subtest->begun) {
         culprit = subtest->name;
         if (stream(result) != NULL) {
            piglit_print_subtest(result->stream, subtest->name, status);
         }
      }
   }
}

void piglit_result_done(struct piglit_result *result, enum piglit_status status, const char *reason, double seconds)
{
   result->done = true;
   result->status = status;
   result->seconds = seconds;
   set_reason(result, &result->reason, reason);
   end_open_tests(result, status, reason);
   if (stream(result) != NULL) {
      piglit_print_result(result->stream, status);
      result->no_memory |= fclose(result->stream) != 0;
      result->stream = NULL;
   }
}
