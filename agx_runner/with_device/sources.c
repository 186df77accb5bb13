/* SPDX-License-Identifier: MIT
 *
 * Has the loaders of Vulkan and OpenCL take the layers of drivers/layer, and Mesa write down GLSL. Invariant: what the
 * environment already asks of the loaders stays.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/terminal/place.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/with_device/with_device.h"
#include "drivers/layer/keep.h"
#include "util/array.h"

#define SUBFOLDER "sources"
#define VULKAN_LAYER "VK_LAYER_AGX_sources"

static const struct place layers = {NULL, "drivers/layer/libagx-sources.so", AGX_RUNNER_LIBDIR};

/* Sets the variable, behind what it has if it is a list. */
static bool set(const char *variable, const char *value, bool list)
{
   const char *before = getenv(variable);
   char *longer = NULL;
   if (!list || before == NULL || *before == '\0') {
      return setenv(variable, value, 1) == 0;
   }
   const bool good = asprintf(&longer, "%s:%s", before, value) >= 0 && setenv(variable, longer, 1) == 0;
   free(longer);
   return good;
}

static char *subfolder(const char *folder)
{
   char *path = NULL, *absolute = NULL;
   if (asprintf(&path, "%s/" SUBFOLDER, folder) < 0) {
      return NULL;
   }
   absolute = mkdir(path, 0777) == 0 || errno == EEXIST ? realpath(path, NULL) : NULL;
   if (absolute == NULL) {
      complain(EXIT_FAILED, "--collect %s: %s", path, strerror(errno));
   }
   free(path);
   return absolute;
}

int with_device_keep_sources(const char *folder)
{
   char library[PLACE_PATH], manifests[PLACE_PATH];
   const int code = place_find("--collect", &layers, library);
   if (code != EXIT_OK) {
      return code;
   }
   char *sources = subfolder(folder);
   if (sources == NULL) {
      return EXIT_FAILED;
   }
   snprintf(manifests, sizeof(manifests), "%.*s", (int)(strrchr(library, '/') - library), library);
   const struct {
      const char *variable, *value;
      bool list;
   } table[] = {
       {KEEP_FOLDER, sources, false},
       {"VK_ADD_LAYER_PATH", manifests, true},
       {"VK_INSTANCE_LAYERS", VULKAN_LAYER, true},
       {"OPENCL_LAYERS", library, true},
       {"MESA_SHADER_DUMP_PATH", sources, false}, /* GLSL as OpenGL's driver gets it: CS_HASH.glsl */
   };
   bool good = true;
   for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
      good = good && set(table[i].variable, table[i].value, table[i].list);
   }
   free(sources);
   return good ? EXIT_OK : complain(EXIT_FAILED, "out of memory");
}

void with_device_drop_sources(const char *folder)
{
   char *path = NULL;
   if (asprintf(&path, "%s/" SUBFOLDER, folder) >= 0) {
      (void)rmdir(path); /* it stays where it has files */
      free(path);
   }
}
