/* SPDX-License-Identifier: MIT
 *
 * Describes the machine: chip, kernel, firmware, operating points. Nothing identifies its owner: no host name, no
 * serial number, no path of a home folder.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agx_runner/survey/step.h"
#include "agx_runner/terminal/runner.h"
#include "drm/raw.h"

#define TREE "/proc/device-tree"

static void hex_fact(struct sheet *sheet, const char *name, const void *data, size_t size)
{
   const uint8_t *bytes = data;
   char *text = malloc(2 * size + 1);

   if (text == NULL) {
      sheet->out_of_memory = true;
      return;
   }
   text[0] = '\0';
   for (size_t i = 0; i < size; i++) {
      snprintf(text + 2 * i, 3, "%02x", bytes[i]);
   }
   sheet_fact(sheet, name, text);
   free(text);
}

/* Adds a property that is a list of strings: the first ones, separated by spaces. */
static void tree_text(struct sheet *sheet, const char *name, const char *path)
{
   char text[256] = "";
   FILE *file = fopen(path, "re");
   const size_t size = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;

   if (file != NULL) {
      fclose(file);
   }
   for (size_t i = 0; i + 1 < size; i++) {
      text[i] = text[i] == '\0' ? ' ' : text[i];
   }
   sheet_fact(sheet, name, size > 0 ? text : "not there");
}

static void operating_points(struct sheet *sheet, const struct asahi_device_info *info)
{
   char list[32 * ASAHI_OPERATING_POINTS_MAX] = "";
   size_t used = 0;

   for (uint32_t i = 0; i < info->operating_point_count; i++) {
      used +=
          (size_t)snprintf(list + used, sizeof(list) - used, "%s%" PRIu64, i > 0 ? " " : "", info->operating_points[i]);
   }
   sheet_fact(sheet, "operating-points-hz", used > 0 ? list : "not there");
}

static int raw_params(struct session *session, struct sheet *sheet)
{
   struct asahi_raw raw;
   struct drm_asahi_params_global params = {0};
   struct drm_asahi_get_params request = {.pointer = (uintptr_t)&params, .size = sizeof(params)};
   char why[512];
   int ret = asahi_raw_open(session->info->path, &raw, why, sizeof(why));

   if (ret < 0) {
      sheet_fact(sheet, "get-params", why);
      return 0;
   }
   ret = raw.kernel->ioctl(raw.kernel, raw.fd, DRM_IOCTL_ASAHI_GET_PARAMS, &request) < 0 ? -errno : 0;
   raw.kernel->close(raw.kernel, raw.fd);
   if (ret == 0) {
      hex_fact(sheet, "get-params", &params, sizeof(params));
   }
   return ret;
}

int survey_facts(struct session *session, struct sheet *sheet)
{
   const struct asahi_device_info *info = session->info;
   struct utsname system;
   struct sysinfo memory;
   char text[512];

   sheet_fact(sheet, "device", info->name);
   sheet_fact(sheet, "chip", info->chip);
   sheet_fact(sheet, "kind", info->is_virtual ? "virtual, modelled: not a measurement of hardware" : "hardware");
   sheet_fact(sheet, "disturbance", info->disturbance);
   snprintf(text, sizeof(text), "%u", info->cores);
   sheet_fact(sheet, "cores", text);
   snprintf(text, sizeof(text), "%u", info->max_frequency_khz);
   sheet_fact(sheet, "max-frequency-khz", text);
   if (uname(&system) == 0) {
      snprintf(text, sizeof(text), "%s %s %s", system.sysname, system.release, system.machine);
      sheet_fact(sheet, "kernel", text);
   }
   if (sysinfo(&memory) == 0) {
      snprintf(text, sizeof(text), "%llu MiB", (unsigned long long)memory.totalram * memory.mem_unit >> 20);
      sheet_fact(sheet, "memory", text);
   }
   snprintf(text, sizeof(text), "%ld", sysconf(_SC_PAGESIZE));
   sheet_fact(sheet, "page-size", text);
   tree_text(sheet, "model", TREE "/model");
   tree_text(sheet, "compatible", TREE "/compatible");
   tree_text(sheet, "os-firmware-version", TREE "/chosen/asahi,os-fw-version");
   tree_text(sheet, "system-firmware-version", TREE "/chosen/asahi,system-fw-version");
   operating_points(sheet, info);
   return raw_params(session, sheet);
}
