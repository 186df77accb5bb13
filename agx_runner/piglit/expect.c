/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/expect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const char *const statuses[] = {"Fail", "Crash", "Timeout", "Warn", NULL};

static int load_file(const char *folder, const char *name, enum expect_file kind, struct expectations *expectations,
                     char *message, size_t message_size)
{
   char *path;

   if (asprintf(&path, "%s/%s", folder, name) < 0) {
      snprintf(message, message_size, "out of memory");
      return -ENOMEM;
   }
   const int ret = expectations_load(expectations, kind, path, statuses, message, message_size);
   free(path);
   return ret == -ENOENT ? 0 : ret;
}

int piglit_expectations_load(const char *folder, struct expectations **out, char *message, size_t message_size)
{
   static const char *const names[] = {
       [EXPECT_FAILS] = "fails.txt", [EXPECT_SKIPS] = "skips.txt", [EXPECT_FLAKES] = "flakes.txt"};
   struct expectations *expectations = expectations_create();
   int ret = 0;

   *out = NULL;
   if (expectations == NULL) {
      snprintf(message, message_size, "out of memory");
      return -ENOMEM;
   }
   for (enum expect_file kind = EXPECT_FAILS; ret == 0 && kind <= EXPECT_FLAKES; kind++) {
      ret = load_file(folder, names[kind], kind, expectations, message, message_size);
   }
   if (ret < 0) {
      expectations_destroy(expectations);
      return ret;
   }
   *out = expectations;
   return 0;
}

enum piglit_verdict piglit_expect(const struct expectations *expectations, const char *name, enum piglit_status status)
{
   const bool good = status == PIGLIT_PASS || status == PIGLIT_SKIP;
   const char *fail = expect_fail(expectations, name);

   if (fail != NULL ? strcasecmp(fail, piglit_status_name(status)) == 0 : good) {
      return PIGLIT_EXPECTED;
   }
   if (expect_flake(expectations, name)) {
      return PIGLIT_FLAKE;
   }
   return good ? PIGLIT_IMPROVED : PIGLIT_UNEXPECTED;
}
