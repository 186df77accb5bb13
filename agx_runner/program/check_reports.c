/* SPDX-License-Identifier: MIT
 *
 * Reads the findings of a virtual device's checks, and formats them.
 */
#include "agx_runner/program/check_reports.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *check_name(uint32_t check)
{
   switch (check) {
#define NAME(constant, bit, name, what)                                                                                \
   case bit:                                                                                                           \
      return #name;
      VGPU_CHECKS(NAME)
#undef NAME
   default:
      return "unknown check";
   }
}

static bool is_of(const char *text, uint32_t check)
{
   const char *name = check_name(check);

   return strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':';
}

bool check_report_is_bounds(const char *text)
{
   return is_of(text, VGPU_CHECK_BOUNDS);
}

bool check_report_is_one(const char *text)
{
   for (uint32_t check = 1; check < VGPU_CHECK_ALL; check *= 2) {
      if (is_of(text, check)) {
         return true;
      }
   }
   return false;
}

void check_names(uint32_t checks, char text[CHECK_NAMES_TEXT])
{
   text[0] = '\0';
   for (uint32_t check = 1; check < VGPU_CHECK_ALL; check *= 2) {
      const size_t used = strlen(text);

      if (checks & check) {
         snprintf(text + used, CHECK_NAMES_TEXT - used, "%s%s", used > 0 ? ", " : "", check_name(check));
      }
   }
}

void check_report_line(const char *place, const struct agx_program *program, char *text, size_t size)
{
   uint32_t offset;
   const struct agx_line *line = NULL;

   text[0] = '\0';
   if (program == NULL) {
      return;
   }
   if (sscanf(place, "main + 0x%" SCNx32, &offset) == 1) {
      line = agx_program_line(program, program->main_offset + offset);
   } else if (sscanf(place, "preamble + 0x%" SCNx32, &offset) == 1) {
      line = agx_program_line(program, program->preamble_offset + offset);
   }
   if (line != NULL) {
      const char *file = agx_program_line_file(program, line), *slash = strrchr(file, '/');
      snprintf(text, size, "; %s%.80s:%" PRIu32, line->inferred ? "~" : "", slash != NULL ? slash + 1 : file,
               line->line);
   }
}

void check_report_format(const struct vgpu_check_report *report, const struct agx_program *program,
                         char text[CHECK_REPORT_TEXT])
{
   char line[112];

   check_report_line(report->place, program, line, sizeof(line));
   snprintf(text, CHECK_REPORT_TEXT,
            "%s: %s; %s%s; lane %" PRIu32 ", thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 " of threadgroup %" PRIu32
            ",%" PRIu32 ",%" PRIu32 "; %" PRIu64 " %s",
            check_name(report->check), report->text, report->place, line, report->lane, report->thread[0],
            report->thread[1], report->thread[2], report->threadgroup[0], report->threadgroup[1],
            report->threadgroup[2], report->count, report->count == 1 ? "time" : "times");
}

uint32_t check_reports_each(struct asahi_device *device, const struct agx_program *program,
                            void (*found)(void *data, const char *text), void *data)
{
   struct vgpu_check_report report;
   char text[CHECK_REPORT_TEXT];
   uint32_t index = 0;

   if (!asahi_device_get_info(device)->is_virtual) {
      return 0;
   }
   while (asahi_device_check(device, index, &report) == 0 && index < report.total) {
      check_report_format(&report, program, text);
      found(data, text);
      index++;
   }
   if (index > 0 && report.dropped > 0) {
      snprintf(text, sizeof(text), "%" PRIu64 " more findings are not listed", report.dropped);
      found(data, text);
   }
   return index;
}

void check_reports_forget(struct asahi_device *device)
{
   struct vgpu_check_report report;

   if (asahi_device_get_info(device)->is_virtual) {
      (void)asahi_device_check(device, VGPU_CHECK_FORGET, &report);
   }
}

char *check_device_spec(const char *spec, const char *path)
{
   char *text;
   const char *name = strncmp(spec, "auto", 4) == 0 ? path : spec;

   return asprintf(&text, "%s%s", name, strstr(name, ",check=") != NULL ? "" : ",check=all") < 0 ? NULL : text;
}

bool check_spec_is_on(const char *spec)
{
   static const char option[] = ",check=", off[] = "off";
   const char *value = NULL;

   for (const char *at = strstr(spec, option); at != NULL; at = strstr(value, option)) {
      value = at + strlen(option); /* the last one wins */
   }
   return value != NULL && (strcspn(value, ",") != strlen(off) || strncmp(value, off, strlen(off)) != 0);
}
