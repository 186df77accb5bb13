/* SPDX-License-Identifier: MIT
 *
 * Parameters by name, and the parser of params=. Invariant: after a refused file every value is in its range.
 */
#include "vgpu/timing/params_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

#define MOST_TIMES 8 /* a property of the core may be at most this many times its published value */

enum group { GROUP_INTERVAL, GROUP_LATENCY, GROUP_CORE, GROUP_MEMORY, GROUP_FORWARD, GROUP_COMMAND, GROUPS };

static const size_t sizes[GROUPS] = {
    ISA_TIMING_COUNT,   ISA_TIMING_COUNT,          VGPU_CORE_PARAMS,
    VGPU_MEMORY_PARAMS, 2 * VGPU_FORWARD_DISTANCE, VGPU_COMMAND_PARAMS,
};

/* Returns the group of the parameter; *index becomes the index in that group. */
static enum group group_of(size_t *index)
{
   unsigned group = 0;
   while (group + 1 < GROUPS && *index >= sizes[group]) {
      *index -= sizes[group++];
   }
   return (enum group)group;
}

size_t vgpu_param_count(void)
{
   size_t count = 0;
   for (unsigned i = 0; i < GROUPS; i++) {
      count += sizes[i];
   }
   return count;
}

void vgpu_param_name(size_t index, char name[VGPU_PARAM_NAME])
{
   switch (group_of(&index)) {
   case GROUP_INTERVAL:
      snprintf(name, VGPU_PARAM_NAME, "interval/%s", isa_timing_name((enum isa_timing)index));
      break;
   case GROUP_LATENCY:
      snprintf(name, VGPU_PARAM_NAME, "latency/%s", isa_timing_name((enum isa_timing)index));
      break;
   case GROUP_CORE:
      snprintf(name, VGPU_PARAM_NAME, "core/%s", vgpu_core_rows[index].name);
      break;
   case GROUP_MEMORY:
      snprintf(name, VGPU_PARAM_NAME, "%s", vgpu_memory_rows[index].name);
      break;
   case GROUP_FORWARD:
      snprintf(name, VGPU_PARAM_NAME, "forward/%d/%zu", index < VGPU_FORWARD_DISTANCE ? 16 : 32,
               index % VGPU_FORWARD_DISTANCE + 1);
      break;
   default:
      snprintf(name, VGPU_PARAM_NAME, "%s", vgpu_command_rows[index].name);
      break;
   }
   for (; *name; name++) {
      *name = *name == '_' ? '-' : (char)tolower((unsigned char)*name);
   }
}

size_t vgpu_param_find(const char *name)
{
   size_t count = vgpu_param_count(), index = 0;
   char known[VGPU_PARAM_NAME];
   for (; index < count; index++) {
      vgpu_param_name(index, known);
      if (!strcmp(known, name)) {
         break;
      }
   }
   return index;
}

const char *vgpu_param_unit(size_t index)
{
   switch (group_of(&index)) {
   case GROUP_CORE:
      return vgpu_core_rows[index].unit;
   case GROUP_MEMORY:
      return vgpu_memory_rows[index].unit;
   case GROUP_COMMAND:
      return vgpu_command_rows[index].unit;
   default:
      return "cycles";
   }
}

const char *vgpu_param_source(size_t index)
{
   switch (group_of(&index)) {
   case GROUP_INTERVAL:
   case GROUP_LATENCY:
      return vgpu_class_rows[index].source;
   case GROUP_CORE:
      return vgpu_core_rows[index].source;
   case GROUP_MEMORY:
      return vgpu_memory_rows[index].source;
   case GROUP_FORWARD:
      return "ilp_occupancy.csv, FMUL/FADD/IADD at 88 simdgroups a core";
   default:
      return vgpu_command_rows[index].source;
   }
}

static uint16_t *forward_of(struct vgpu_params *params, size_t index)
{
   return &params->forward[index / VGPU_FORWARD_DISTANCE][index % VGPU_FORWARD_DISTANCE + 1];
}

double vgpu_param_get(const struct vgpu_params *params, size_t index)
{
   switch (group_of(&index)) {
   case GROUP_INTERVAL:
      return (double)params->interval[index] / VGPU_TICKS;
   case GROUP_LATENCY:
      return (double)params->latency[index] / VGPU_TICKS;
   case GROUP_CORE:
      return params->core[index];
   case GROUP_MEMORY:
      return params->memory[index];
   case GROUP_FORWARD:
      return (double)params->forward[index / VGPU_FORWARD_DISTANCE][index % VGPU_FORWARD_DISTANCE + 1] / VGPU_TICKS;
   default:
      return params->command[index];
   }
}

static bool set_ticks(uint16_t *ticks, double low, double cycles)
{
   if (cycles < low || cycles > (double)UINT16_MAX / VGPU_TICKS) {
      return false;
   }
   *ticks = (uint16_t)(cycles * VGPU_TICKS + 0.5);
   return true;
}

/* Sets a parameter of the core. A time or a percentage may be 0. */
static bool set_count(uint32_t *count, const struct vgpu_core_row *row, double value)
{
   bool zero = !strcmp(row->unit, "ticks") || !strcmp(row->unit, "percent");
   if (value < (zero ? 0 : 1) || value > MOST_TIMES * (double)row->value) {
      return false;
   }
   *count = (uint32_t)(value + 0.5);
   return true;
}

bool vgpu_param_set(struct vgpu_params *params, size_t index, double value)
{
   const struct vgpu_command_row *command;
   if (!isfinite(value)) {
      return false;
   }
   switch (group_of(&index)) {
   case GROUP_INTERVAL:
      return set_ticks(&params->interval[index], 1.0 / VGPU_TICKS, value);
   case GROUP_LATENCY:
      return set_ticks(&params->latency[index], 0, value);
   case GROUP_CORE:
      return !vgpu_core_rows[index].fixed && set_count(&params->core[index], &vgpu_core_rows[index], value);
   case GROUP_MEMORY:
      if (value < vgpu_memory_rows[index].low || value > vgpu_memory_rows[index].high) {
         return false;
      }
      params->memory[index] = value;
      return true;
   case GROUP_FORWARD:
      return set_ticks(forward_of(params, index), 0, value);
   default:
      command = &vgpu_command_rows[index];
      if (value < command->low || value > command->high) {
         return false;
      }
      params->command[index] = value;
      return true;
   }
}

/* Parses one line. Returns 0, or -EINVAL with the reason in `why`. */
static int read_line(struct vgpu_params *params, char *line, char *why, size_t why_size)
{
   char *rest = line, *end;
   line[strcspn(line, "#\r\n")] = '\0';
   const char *name = strtok_r(rest, " \t", &rest);
   const char *text = name ? strtok_r(NULL, " \t", &rest) : NULL;
   if (!name) {
      return 0;
   }
   size_t index = vgpu_param_find(name);
   if (index == vgpu_param_count()) {
      snprintf(why, why_size, "there is no parameter %.60s", name);
      return -EINVAL;
   }
   double value = text ? strtod(text, &end) : 0;
   if (!text || *end || strtok_r(NULL, " \t", &rest)) {
      snprintf(why, why_size, "expected \"%s VALUE\"", name);
      return -EINVAL;
   }
   if (!vgpu_param_set(params, index, value)) {
      snprintf(why, why_size, "%s cannot be %s %s", name, text, vgpu_param_unit(index));
      return -EINVAL;
   }
   return 0;
}

int vgpu_params_read(struct vgpu_params *params, const char *path, char *message, size_t message_size)
{
   char *line = NULL, why[160];
   size_t size = 0;
   unsigned number = 0;
   int error = 0;
   FILE *file = fopen(path, "re");
   if (!file) {
      error = -errno;
      snprintf(message, message_size, "option params of the virtual device: %.100s: %s", path, strerror(-error));
      return error;
   }
   while (!error && getline(&line, &size, file) >= 0) {
      number++;
      error = read_line(params, line, why, sizeof(why));
      if (error) {
         snprintf(message, message_size, "option params of the virtual device: %.100s:%u: %s", path, number, why);
      }
   }
   if (!error && ferror(file)) {
      error = -EIO;
      snprintf(message, message_size, "option params of the virtual device: %.100s: read error", path);
   }
   free(line);
   fclose(file);
   return error;
}
