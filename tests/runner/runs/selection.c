/* SPDX-License-Identifier: MIT
 *
 * Tests that may hang or reset a GPU run on hardware only when they are asked for, and last.
 */
#include "agx_runner/runs/selection.h"

#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "tests/check.h"

static struct selection make(const char *pattern, bool guarded)
{
   struct string_list patterns = {.items = &pattern, .count = pattern != NULL};
   struct selection selection;

   (void)selection_make(&selection, &patterns, &(struct selection_scope){.guarded = guarded});
   return selection;
}

static size_t risks(const char *pattern, bool guarded)
{
   struct selection selection = make(pattern, guarded);
   const size_t count = selection_risks(&selection);

   selection_finish(&selection);
   return count;
}

/* By their names, not by the function that the program itself asks. */
static bool is_known_risk(const char *name)
{
   return !strncmp(name, "fault/", 6) || !strcmp(name, "uapi/vm/destroy-unmaps") ||
          !strcmp(name, "uapi/timestamps/unaligned");
}

int main(void)
{
   struct selection all = make(NULL, false), guarded = make(NULL, true);
   size_t known = 0;
   bool last = false;

   for (size_t i = 0; i < all.count; i++) {
      const bool risk = is_known_risk(all.items[i].name);

      known += risk;
      CHECK(risk || !last, "%s runs after a test that may hang the GPU", all.items[i].name);
      last |= risk;
   }
   CHECK(known > 2 && selection_risks(&all) == known, "%zu of %zu risks", selection_risks(&all), known);
   CHECK(guarded.count == all.count - known, "%zu of %zu tests, %zu risks", guarded.count, all.count, known);
   for (size_t i = 0; i < guarded.count; i++) {
      CHECK(!is_known_risk(guarded.items[i].name), "%s", guarded.items[i].name);
   }
   CHECK(risks("*", true) == 0 && risks("uapi", true) == 0 && risks("uapi/vm/*", true) == 0, "by a glob");
   CHECK(risks("fault", true) == known - 2 && risks("fault/*", true) == known - 2, "by the group");
   CHECK(risks("uapi/vm/destroy-unmaps", true) == 1, "by name");
   CHECK(risks("uapi/vm/*", false) == 1, "on a virtual device");
   selection_finish(&all);
   selection_finish(&guarded);
   return check_result();
}
