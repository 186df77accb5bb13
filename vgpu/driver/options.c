/* SPDX-License-Identifier: MIT
 *
 * The spec that vgpu_open() takes: a chip, then options. One row per option.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/driver/device.h"
#include "vgpu/exec/levels/levels.h"
#include "vgpu/timing/params_file.h"
#include "util/array.h"
#include "util/text.h"

#define MAX_THREADS 1024u
#define MAX_SPEC 65536u /* many faults to inject */
#define MAX_JITTER_NS 1e6
#define MAX_JITTER_PERCENT 50

static bool parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *value)
{
   char *end;
   errno = 0;
   if (*text < '0' || *text > '9') {
      return false;
   }
   *value = strtoull(text, &end, 0);
   return !errno && !*end && *value >= low && *value <= high;
}

static bool parse_timing(struct vgpu_options *options, const char *text)
{
   options->timing = !strcmp(text, "on");
   return options->timing || !strcmp(text, "off");
}

static bool parse_threads(struct vgpu_options *options, const char *text)
{
   uint64_t value;
   if (!parse_number(text, 1, MAX_THREADS, &value)) {
      return false;
   }
   options->threads = (unsigned)value;
   return true;
}

static bool parse_order(struct vgpu_options *options, const char *text)
{
   options->fixed_order = !strcmp(text, "fixed");
   return options->fixed_order || !strcmp(text, "any");
}

static bool parse_seed(struct vgpu_options *options, const char *text)
{
   return parse_number(text, 0, UINT64_MAX, &options->seed);
}

static bool parse_budget(struct vgpu_options *options, const char *text)
{
   options->budget_is_given = parse_number(text, 1, UINT64_MAX, &options->budget);
   return options->budget_is_given;
}

static bool parse_work(struct vgpu_options *options, const char *text)
{
   options->work_is_given = parse_number(text, 1, UINT64_MAX, &options->work);
   return options->work_is_given;
}

static bool parse_strict(struct vgpu_options *options, const char *text)
{
   options->strict = !text[0];
   return options->strict;
}

static bool parse_faults(struct vgpu_options *options, const char *text)
{
   options->lost = !strcmp(text, "lost");
   return options->lost || !strcmp(text, "fence");
}

static bool parse_inject(struct vgpu_options *options, const char *text)
{
   return vgpu_inject_add(&options->inject, text) == 0;
}

static bool parse_plant(struct vgpu_options *options, const char *text)
{
   return vgpu_plant_add(&options->plant, text);
}

static bool parse_scope(struct vgpu_options *options, const char *text)
{
   return text[0] && vgpu_inject_scope(&options->inject, text) == 0;
}

static bool parse_clock(struct vgpu_options *options, const char *text)
{
   options->clock.wander = !strcmp(text, "wander");
   return options->clock.wander || !strcmp(text, "fixed");
}

/* "200ns", "3us", "16.7ms". */
static bool parse_time(const char *text, size_t length, double most_ns, double *ns)
{
   static const struct {
      const char *unit;
      double ns;
   } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}};
   char number[16];
   size_t digits = strspn(text, "0123456789.");
   if (!digits || digits >= sizeof(number) || text[0] == '.') {
      return false;
   }
   snprintf(number, sizeof(number), "%.*s", (int)digits, text);
   char *end;
   double value = strtod(number, &end);
   for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
      if (!*end && length - digits == 2 && !strncmp(units[i].unit, text + digits, 2)) {
         *ns = value * units[i].ns;
         return *ns <= most_ns;
      }
   }
   return false;
}

static bool parse_jitter(struct vgpu_options *options, const char *text)
{
   char *end;
   double ns, percent = strtod(text, &end);
   if (*text >= '0' && *text <= '9' && !strcmp(end, "%")) {
      options->clock.jitter_percent = percent;
      return percent <= MAX_JITTER_PERCENT;
   }
   if (!parse_time(text, strlen(text), MAX_JITTER_NS, &ns)) {
      return false;
   }
   options->clock.jitter_ns = (uint64_t)(ns + 0.5);
   return true;
}

static bool parse_dvfs(struct vgpu_options *options, const char *text)
{
   static const struct {
      const char *name;
      unsigned parts;
   } names[] = {
       {"off", 0},
       {"real", VGPU_DVFS_REAL},
       {"clock", VGPU_DVFS_CLOCK},
       {"power", VGPU_DVFS_POWER},
       {"command", VGPU_DVFS_COMMAND},
       {"counter", VGPU_DVFS_COUNTER},
   };
   options->load.dvfs = 0;
   for (;;) {
      size_t length = strcspn(text, "+"), i = 0;
      while (i < ARRAY_COUNT(names) && (strlen(names[i].name) != length || strncmp(names[i].name, text, length))) {
         i++;
      }
      if (i == ARRAY_COUNT(names)) {
         return false;
      }
      options->load.dvfs |= names[i].parts;
      if (!text[length]) {
         return true;
      }
      text += length + 1;
   }
}

static bool parse_check(struct vgpu_options *options, const char *text)
{
   static const struct {
      const char *name;
      unsigned checks;
   } names[] = {{"off", 0},
                {"all", VGPU_CHECK_ALL},
#define NAME(constant, bit, name, what) {#name, bit},
                VGPU_CHECKS(NAME)
#undef NAME
   };
   options->checks = 0;
   for (;;) {
      size_t length = strcspn(text, "+"), i = 0;
      while (i < ARRAY_COUNT(names) && (strlen(names[i].name) != length || strncmp(names[i].name, text, length))) {
         i++;
      }
      if (i == ARRAY_COUNT(names)) {
         return false;
      }
      options->checks |= names[i].checks;
      if (!text[length]) {
         return true;
      }
      text += length + 1;
   }
}

/* "PERIOD:LENGTH", or nothing. */
static bool parse_compositor(struct vgpu_options *options, const char *text)
{
   struct vgpu_load_options *load = &options->load;
   const char *length = strchr(text, ':');
   load->compositor = true;
   if (!*text) {
      return true;
   }
   return length && parse_time(text, (size_t)(length - text), 1e10, &load->compositor_period_ns) &&
          parse_time(length + 1, strlen(length + 1), 1e10, &load->compositor_busy_ns) &&
          load->compositor_period_ns >= 1e3 && load->compositor_busy_ns < load->compositor_period_ns;
}

static bool parse_hosttime(struct vgpu_options *options, const char *text)
{
   double ns;
   options->fixed_idle = parse_time(text, strlen(text), 1e10, &ns);
   options->idle_ns = options->fixed_idle ? (uint64_t)(ns + 0.5) : 0;
   return options->fixed_idle || !strcmp(text, "host");
}

static bool parse_caches(struct vgpu_options *options, const char *text)
{
   options->cold_caches = !strcmp(text, "cold");
   return options->cold_caches || !strcmp(text, "warm");
}

static bool parse_profile(struct vgpu_options *options, const char *text)
{
   options->profile = true;
   options->profiled = UINT64_MAX;
   return !text[0] || parse_number(text, 0, UINT64_MAX - 1, &options->profiled);
}

static bool parse_trace(struct vgpu_options *options, const char *text)
{
   options->trace = true;
   return !text[0];
}

static bool parse_collect(struct vgpu_options *options, const char *text)
{
   return text[0] &&
          (size_t)snprintf(options->collect, sizeof(options->collect), "%s", text) < sizeof(options->collect);
}

static bool parse_record(struct vgpu_options *options, const char *text)
{
   return text[0] && (size_t)snprintf(options->record, sizeof(options->record), "%s", text) < sizeof(options->record);
}

static bool parse_params(struct vgpu_options *options, const char *text)
{
   return text[0] && vgpu_params_read(&options->params, text, options->reason, sizeof(options->reason)) == 0;
}

static bool parse_jit(struct vgpu_options *options, const char *text)
{
   static const char *const names[] = {[VGPU_JIT_OFF] = "off", [VGPU_JIT_AUTO] = "auto", [VGPU_JIT_ON] = "on"};
   for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
      if (!strcmp(text, names[i])) {
         options->jit = (enum vgpu_jit_mode)i;
         return true;
      }
   }
   return false;
}

static bool parse_level(struct vgpu_options *options, const char *text)
{
   const struct vgpu_level *level = vgpu_find_level(text);
   if (!level) {
      snprintf(options->reason, sizeof(options->reason), "this host or this build has no level %.64s; they have", text);
      for (size_t i = 0; i < vgpu_level_count; i++) {
         if (vgpu_levels[i].usable()) {
            util_append(options->reason, sizeof(options->reason), "%s %s", i ? "," : "", vgpu_levels[i].name);
         }
      }
      return false;
   }
   options->level = level;
   return true;
}

static const struct {
   const char *name, *values;
   bool (*parse)(struct vgpu_options *options, const char *text);
} table[] = {
    {"timing", "on or off", parse_timing},
    {"threads", "a number from 1 to 1024", parse_threads},
    {"order", "any or fixed", parse_order},
    {"seed", "a number", parse_seed},
    {"budget", "a number of instructions, 1 or more", parse_budget},
    {"work", "a number of instructions, 1 or more", parse_work},
    {"strict", "no value", parse_strict},
    {"faults", "fence or lost", parse_faults},
    {"clock", "fixed or wander", parse_clock},
    {"jitter", "a time up to 1000us, as 200ns or 3us, or a percentage up to 50%", parse_jitter},
    {"dvfs", "off, real, or some of clock, power, command and counter with + between them", parse_dvfs},
    {"compositor", "nothing, or PERIOD:LENGTH, as 16.7ms:500us", parse_compositor},
    {"hosttime", "host, or the time between two jobs, as 50us", parse_hosttime},
    {"params", "a file", parse_params},
    {"caches", "warm or cold", parse_caches},
    {"jit", "off, auto or on", parse_jit},
    {"level", "a level of the host's vector instructions", parse_level},
    {"profile", "no value, or the number of a launch", parse_profile},
    {"trace", "no value", parse_trace},
    {"collect", "a folder, of less than 512 characters", parse_collect},
    {"record", "a folder, of less than 512 characters", parse_record},
#define NAME(constant, bit, name, what) " " #name
    {"check", "off, all, or some of these with + between them:" VGPU_CHECKS(NAME), parse_check},
#undef NAME
    {"inject", VGPU_INJECT_GRAMMAR, parse_inject},
    {"scope", "a name", parse_scope},
    {"plant", VGPU_PLANT_GRAMMAR, parse_plant},
};
#define OPTION_COUNT ARRAY_COUNT(table)

static int parse_option(char *option, struct vgpu_options *options, char *message, size_t message_size)
{
   char *value = strchr(option, '=');
   if (value) {
      *value++ = '\0';
   }
   for (size_t i = 0; i < OPTION_COUNT; i++) {
      if (strcmp(table[i].name, option)) {
         continue;
      }
      if (table[i].parse(options, value ? value : "")) {
         return 0;
      }
      if (options->reason[0]) {
         snprintf(message, message_size, "%s", options->reason);
         return -EINVAL;
      }
      snprintf(message, message_size, "option %s of the virtual device takes %s%s%s", option, table[i].values,
               value ? ", not " : "", value ? value : "");
      return -EINVAL;
   }
   int used = snprintf(message, message_size, "the virtual device has no option %s; it has", option);
   for (size_t i = 0; i < OPTION_COUNT && used >= 0 && (size_t)used < message_size; i++) {
      used += snprintf(message + used, message_size - (size_t)used, "%s %s", i ? "," : "", table[i].name);
   }
   return -EINVAL;
}

static void unknown_chip(const char *name, char *message, size_t message_size)
{
   int used = snprintf(message, message_size, "there is no virtual chip \"%s\"; there are", name);
   for (const char *const *known = vgpu_chip_names(); *known && used >= 0 && (size_t)used < message_size; known++) {
      used += snprintf(message + used, message_size - (size_t)used, " %s", *known);
   }
}

int vgpu_options_parse(const char *spec, const struct vgpu_chip **chip, struct vgpu_options *options, char *message,
                       size_t message_size)
{
   char text[MAX_SPEC];
   long processors = sysconf(_SC_NPROCESSORS_ONLN);
   *options = (struct vgpu_options){
       .timing = true,
       .jit = VGPU_JIT_AUTO,
       .level = vgpu_best_level(),
       .threads = processors < 1                   ? 1
                  : processors > (long)MAX_THREADS ? MAX_THREADS
                                                   : (unsigned)processors,
       .budget = VGPU_DEFAULT_BUDGET,
       .work = UINT64_MAX,
   };
   if ((size_t)snprintf(text, sizeof(text), "%s", spec) >= sizeof(text)) {
      snprintf(message, message_size, "the virtual device's spec is longer than %u characters", MAX_SPEC - 1);
      return -EINVAL;
   }
   char *rest = text;
   const char *name = strsep(&rest, ",");
   *chip = vgpu_chip_find(name);
   if (!*chip) {
      unknown_chip(name, message, message_size);
      return -EINVAL;
   }
   vgpu_params_init(&options->params, *chip);
   while (rest) {
      int error = parse_option(strsep(&rest, ","), options, message, message_size);
      if (error) {
         return error;
      }
   }
   if (options->clock.wander && options->load.dvfs & VGPU_DVFS_CLOCK) {
      snprintf(message, message_size,
               "the virtual device takes clock=wander or a clock that follows the load, not both");
      return -EINVAL;
   }
   options->inject.seed = options->seed;
   return 0;
}
