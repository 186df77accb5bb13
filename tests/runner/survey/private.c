/* SPDX-License-Identifier: MIT
 *
 * What is removed of a survey's texts, for users who are called as a step or a value is.
 */
#include "agx_runner/survey/private.h"

#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

static const struct private_words names = {{"/home/steps", "steps", "m1"}, 3};

static void check_text(const char *text, const char *expected)
{
   char *copy = strdup(text);
   size_t size = strlen(text);

   CHECK(private_remove(&names, &copy, &size) == 0, "%s", text);
   CHECK(size == strlen(expected) && !memcmp(copy, expected, size), "%s becomes %.*s", text, (int)size, copy);
   free(copy);
}

static void test_text(void)
{
   check_text("", "");
   check_text("opened /home/steps/a by steps on m1", "opened [removed]/a by [removed] on [removed]");
   check_text("steps", "[removed]");
   check_text("footsteps steps_2 m12 /home/stepsister", "footsteps steps_2 m12 /home/stepsister");
}

static void test_json(void)
{
   struct json_object *value = json_tokener_parse("{\"steps\": {\"m1\": [\"steps\", \"memory/steps\", \"steps ran\", "
                                                  "\"/data/steps\", \"virtual:m1,params=/home/steps/p\", 3]}}");

   CHECK(private_remove_json(&names, value) == 0, "out of memory");
   const char *got = json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE);
   CHECK(!strcmp(got, "{\"steps\":{\"m1\":[\"steps\",\"memory/steps\",\"[removed] ran\",\"/data/[removed]\","
                      "\"virtual:m1,params=[removed]/p\",3]}}"),
         "%s", got);
   json_object_put(value);
}

int main(void)
{
   test_text();
   test_json();
   return check_result();
}
