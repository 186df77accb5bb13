/* SPDX-License-Identifier: MIT
 *
 * Reads and checks JSON text before json-c sees it.
 */
#include "agx_runner/results/json_text.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "agx_runner/terminal/markup.h"

struct json_object *json_text(const char *text)
{
   char *mended = NULL;
   size_t size;

   if (markup_is_utf8(text)) {
      return json_object_new_string(text);
   }
   FILE *file = open_memstream(&mended, &size);
   if (file == NULL) {
      return NULL;
   }
   markup_utf8(text, file);
   struct json_object *json = fclose(file) == 0 ? json_object_new_string(mended) : NULL;
   free(mended);
   return json;
}
