/* SPDX-License-Identifier: MIT
 *
 * A test that needs a feature which the device lacks is skipped with the reason.
 */
#include "agx_runner/piglit/offer.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "compiler/api/compiler.h"
#include "util/array.h"

/* Reasons why the compiler does not support an extension. */
static const struct {
   const char *name;
   const char *why;
} lacks[] = {
    {"cl_khr_fp64", "AGX has no double precision"},
    {"cl_khr_int64_base_atomics", "AGX has no 64-bit atomics but umin and umax on G14"},
    {"cl_khr_int64_extended_atomics", "AGX has no 64-bit atomics but umin and umax on G14"},
    {"cl_khr_3d_image_writes", "kernels get no images"},
    {"cl_khr_depth_images", "kernels get no images"},
};

/* Whether one of the words of the space-separated list is `word`. */
static bool has_word(const char *list, const char *word, size_t length)
{
   for (; *list != 0; list += strcspn(list, " "), list += strspn(list, " ")) {
      if (strcspn(list, " ") == length && memcmp(list, word, length) == 0) {
         return true;
      }
   }
   return false;
}

static enum piglit_status check_extensions(const char *required, const char *offered, char *reason, size_t size)
{
   for (; required != NULL && *required != 0; required += strspn(required, " \t")) {
      const char *word = required, *why = "not offered";
      size_t length = strcspn(word, " \t");
      required += length;
      if (length == 0 || has_word(offered, word, length)) {
         continue;
      }
      for (size_t i = 0; i < ARRAY_COUNT(lacks); i++) {
         if (strlen(lacks[i].name) == length && memcmp(lacks[i].name, word, length) == 0) {
            why = lacks[i].why;
         }
      }
      snprintf(reason, size, "needs %.*s: %s", (int)length, word, why);
      return PIGLIT_SKIP;
   }
   return PIGLIT_PASS;
}

/* Piglit's regular expressions are POSIX extended ones, matched against any part of the name. */
static enum piglit_status check_regex(const char *what, const char *expression, const char *name, char *reason,
                                      size_t size)
{
   regex_t regex;

   if (expression == NULL) {
      return PIGLIT_PASS;
   }
   if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0) {
      snprintf(reason, size, "%s_regex %s: not a POSIX extended regular expression", what, expression);
      return PIGLIT_WARN;
   }
   bool matches = regexec(&regex, name, 0, NULL, 0) == 0;
   regfree(&regex);
   if (!matches) {
      snprintf(reason, size, "the %s \"%s\" does not match %s_regex %s", what, name, what, expression);
   }
   return matches ? PIGLIT_PASS : PIGLIT_SKIP;
}

static enum piglit_status check_version(const struct piglit_file *file, int64_t *version, char *reason, size_t size)
{
   *version = PIGLIT_CLC_VERSION;
   if (file->clc_version_max > 0 && file->clc_version_max < *version) {
      *version = file->clc_version_max;
   }
   if (file->clc_version_min <= *version) {
      return PIGLIT_PASS;
   }
   snprintf(reason, size, "needs OpenCL C %d.%d: agx-runner offers %d.%d", (int)file->clc_version_min / 10,
            (int)file->clc_version_min % 10, PIGLIT_CLC_VERSION / 10, PIGLIT_CLC_VERSION % 10);
   return PIGLIT_SKIP;
}

enum piglit_status piglit_offer(const struct piglit_file *file, const char *device_name, int64_t *version, char *reason,
                                size_t size)
{
   enum piglit_status status = check_regex("platform", file->platform_regex, PIGLIT_PLATFORM_NAME, reason, size);

   if (status == PIGLIT_PASS) {
      status = check_regex("device", file->device_regex, device_name, reason, size);
   }
   if (status == PIGLIT_PASS) {
      status = check_extensions(file->require_platform_extensions, "", reason, size);
   }
   if (status == PIGLIT_PASS) {
      status = check_extensions(file->require_device_extensions, compiler_opencl_extensions(), reason, size);
   }
   if (status == PIGLIT_PASS && file->need_image_support) {
      snprintf(reason, size, "needs images: kernels get none");
      status = PIGLIT_SKIP;
   }
   return status == PIGLIT_PASS ? check_version(file, version, reason, size) : status;
}
