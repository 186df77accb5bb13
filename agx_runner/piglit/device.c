/* SPDX-License-Identifier: MIT
 *
 * A virtual device runs without its timing model unless the spec asks for it, because no test measures time.
 */
#include "agx_runner/piglit/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/api/compiler.h"
#include "util/cores.h"

static int set_helper(struct asahi_device *device, char *why, size_t why_size)
{
   struct agx_program *helper = compiler_helper_program();
   /* Without a compiler there is none: a kernel that needs it is refused when it is run. */
   const int ret = helper != NULL ? asahi_device_set_helper(device, helper) : 0;

   if (ret < 0) {
      snprintf(why, why_size, "the helper program: %s", asahi_device_error(device));
   }
   agx_program_destroy(helper);
   return ret;
}

static bool has_option(const char *spec, const char *option)
{
   const char *at = strstr(spec, option);

   return at != NULL && at[-1] == ',';
}

char *piglit_device_spec(const char *spec, const struct asahi_device_info *info, size_t processes, bool check)
{
   char *text, threads[32] = "";

   if (!info->is_virtual) {
      return strdup(strcmp(spec, "auto") == 0 ? info->path : spec);
   }
   const char *name = strncmp(spec, "auto", 4) == 0 ? info->path : spec;
   if (processes > 1 && !has_option(name, "threads=")) {
      const size_t share = util_cores() / processes;
      snprintf(threads, sizeof(threads), ",threads=%zu", share > 0 ? share : 1);
   }
   const int length = asprintf(&text, "%s%s%s%s", name, has_option(name, "timing=") ? "" : ",timing=off", threads,
                               check && !has_option(name, "check=") ? ",check=all" : "");

   return length < 0 ? NULL : text;
}

int piglit_device_open(const char *spec, struct asahi_device **out, char *why, size_t why_size)
{
   int ret = asahi_device_open(spec, out, why, why_size);

   if (ret == 0) {
      ret = set_helper(*out, why, why_size);
      if (ret < 0) {
         asahi_device_close(*out);
         *out = NULL;
      }
   }
   return ret;
}
