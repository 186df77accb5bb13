/* SPDX-License-Identifier: MIT
 *
 * See cases.h. Invariant: a case's device is closed before the next case runs.
 */
#include <string.h>

#include "tests/driver/cases.h"

const char *cases_shaders;

static bool is_wanted(const struct driver_case *one, int argc, char **argv)
{
   bool wanted = argc == 2 && !one->by_name;
   for (int a = 2; a < argc; a++) {
      wanted |= !strcmp(argv[a], one->name);
   }
   return wanted;
}

int cases_main(int argc, char **argv, const struct driver_case *cases, size_t count)
{
   if (argc < 2) {
      fprintf(stderr, "usage: %s SHADERS [CASE...] | --list\n", argv[0]);
      return 79;
   }
   const bool list = !strcmp(argv[1], "--list");
   cases_shaders = argv[1];
   for (size_t i = 0; i < count; i++) {
      if (list) {
         puts(cases[i].name);
         continue;
      }
      if (!is_wanted(&cases[i], argc, argv)) {
         continue;
      }
      const unsigned done = check_done, failures = check_failures;
      struct vulkan vulkan;
      vulkan_open(&vulkan);
      cases[i].test(&vulkan);
      vulkan_close(&vulkan);
      printf("%-12s %s (%u checks)\n", cases[i].name, check_failures > failures ? "FAIL" : "pass", check_done - done);
      fflush(stdout);
   }
   return list ? 0 : check_result();
}
