/* SPDX-License-Identifier: MIT
 *
 * Frees a script. Invariant: it owns all that its members point to.
 */
#include "agx_runner/piglit/script/script.h"

#include <stdlib.h>

static void finish_list(char **list, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      free(list[i]);
   }
   free(list);
}

void script_destroy(struct script *script)
{
   for (size_t i = 0; script != NULL && i < script->shader_count; i++) {
      free(script->shaders[i].name);
      free(script->shaders[i].text);
   }
   for (size_t i = 0; script != NULL && i < script->pipeline_count; i++) {
      struct script_pipeline *pipeline = &script->pipelines[i];
      free(pipeline->name);
      free(pipeline->bindings);
      finish_list(pipeline->constants, pipeline->constant_count);
   }
   for (size_t i = 0; script != NULL && i < script->step_count; i++) {
      free(script->steps[i].bytes);
      free(script->steps[i].values);
   }
   if (script != NULL) {
      finish_list(script->extensions, script->extension_count);
      free(script->shaders);
      free(script->memories);
      free(script->pipelines);
      free(script->steps);
      free(script->path);
   }
   free(script);
}
