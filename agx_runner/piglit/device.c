/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "compiler/compiler.h"

static int set_helper(struct asahi_device *device, char *why, size_t why_size)
{
   struct agx_program *helper = compiler_helper_program();
   int ret = helper != NULL ? asahi_device_set_helper(device, helper) : -ENOMEM;

   if (ret < 0) {
      snprintf(why, why_size, "the helper program: %s", helper != NULL ? asahi_device_error(device) : "out of memory");
   }
   agx_program_destroy(helper);
   return ret;
}

static bool has_option(const char *spec, const char *option)
{
   const char *at = strstr(spec, option);

   return at != NULL && at[-1] == ',';
}

int piglit_device_open(const char *spec, bool alone, struct asahi_device **out, char *used, size_t used_size, char *why,
                       size_t why_size)
{
   int ret = asahi_device_open(spec, out, why, why_size);

   if (ret < 0) {
      return ret;
   }
   const struct asahi_device_info *info = asahi_device_get_info(*out);
   const bool is_virtual = info->is_virtual;
   snprintf(used, used_size, "%s", strncmp(spec, "auto", 5) == 0 ? info->path : spec);
   if (is_virtual) {
      size_t length = strlen(used);
      snprintf(used + length, used_size - length, "%s%s", has_option(used, "timing=") ? "" : ",timing=off",
               alone || has_option(used, "threads=") ? "" : ",threads=1");
      asahi_device_close(*out);
      ret = asahi_device_open(used, out, why, why_size);
   }
   if (ret == 0) {
      ret = set_helper(*out, why, why_size);
      if (ret < 0) {
         asahi_device_close(*out);
         *out = NULL;
      }
   }
   return ret;
}
