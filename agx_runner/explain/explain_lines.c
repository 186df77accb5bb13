/* SPDX-License-Identifier: MIT
 *
 * The source beside the instructions: lines as text, and the time of each line. Invariant: the times of all lines and
 * of the instructions without a line add up to the time of all instructions.
 */
#include "agx_runner/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_BYTES_MAX (256u * 1024)

const struct agx_line *explain_line(const struct explain *explain, uint64_t address)
{
   return address < explain->program->main_size
              ? agx_program_line(explain->program, explain->program->main_offset + (uint32_t)address)
              : NULL;
}

static const char *base_name(const char *path)
{
   const char *slash = strrchr(path, '/');

   return slash != NULL ? slash + 1 : path;
}

bool explain_line_is_own(const struct explain *explain, const struct agx_line *line)
{
   const char *file = agx_program_line_file(explain->program, line);
   const char *own = explain->source != NULL ? explain->source : "";

   while (strncmp(own, "./", 2) == 0) {
      own += 2;
   }
   const size_t length = strlen(file), end = strlen(own);
   /* the compiler prepends the working directory to a relative path */
   return length >= end && strcmp(file + length - end, own) == 0 && (length == end || file[length - end - 1] == '/');
}

void explain_line_text(const struct explain *explain, uint64_t address, char *text, size_t size)
{
   const struct agx_line *line = explain_line(explain, address);

   if (line == NULL) {
      snprintf(text, size, "%s", "");
   } else if (explain_line_is_own(explain, line)) {
      snprintf(text, size, "%s%" PRIu32, line->inferred ? "~" : "", line->line);
   } else {
      snprintf(text, size, "%s%s:%" PRIu32, line->inferred ? "~" : "",
               base_name(agx_program_line_file(explain->program, line)), line->line);
   }
}

bool explain_read_source(const struct explain *explain, struct explain_source *source)
{
   const char *path = explain->source, *dot = path != NULL ? strrchr(path, '.') : NULL;
   FILE *file = dot != NULL && (!strcmp(dot, ".cl") || !strcmp(dot, ".agx")) ? fopen(path, "re") : NULL;

   *source = (struct explain_source){.text = file != NULL ? malloc(SOURCE_BYTES_MAX) : NULL};
   if (source->text != NULL) {
      const size_t size = fread(source->text, 1, SOURCE_BYTES_MAX, file);

      if (size < SOURCE_BYTES_MAX && !ferror(file)) {
         source->text[size] = '\0';
         source->lines = calloc(size + 2, sizeof(*source->lines)); /* a file has at most as many lines as bytes */
      }
   }
   if (file != NULL) {
      fclose(file);
   }
   if (source->lines == NULL) {
      explain_source_finish(source);
      return false;
   }
   for (char *at = source->text; at != NULL && *at != '\0';) {
      source->lines[source->count++].text = at;
      at = strchr(at, '\n');
      if (at != NULL) {
         *at++ = '\0';
      }
   }
   for (size_t i = 0; i < explain->count; i++) {
      const struct agx_line *line = explain_line(explain, explain->rows[i].address);

      if (line != NULL && explain_line_is_own(explain, line) && line->line >= 1 && line->line <= source->count) {
         const uint64_t time = explain_row_time(&explain->rows[i]);

         source->lines[line->line - 1].time += time;
         source->lines[line->line - 1].inferred += line->inferred ? time : 0;
      }
   }
   return true;
}

void explain_source_finish(struct explain_source *source)
{
   free(source->text);
   free(source->lines);
   *source = (struct explain_source){0};
}

const char *explain_line_mark(const struct explain_source_line *line)
{
   return line->inferred * 2 > line->time ? "~" : "";
}
