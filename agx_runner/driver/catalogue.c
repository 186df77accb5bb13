/* SPDX-License-Identifier: MIT
 *
 * Each file of the catalogue is compiled once, with all its kernels, before the processes of a run are forked: to start
 * a driver takes longer than to compile a kernel. Invariant: a benchmark gets the program of the driver or none.
 */
#include "agx_runner/driver/catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/compile.h"
#include "agx_runner/driver/host.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/result.h"
#include "drivers/find.h"
#include "util/array.h"

struct compiled {
   const struct compiler_module *module;
   struct compiler_result result;
};

static struct {
   struct program_settings settings;
   struct compiled *list;
   size_t count;
} catalogue;

static const struct compiled *find(const struct compiler_module *module)
{
   for (size_t i = 0; i < catalogue.count; i++) {
      if (catalogue.list[i].module == module) {
         return &catalogue.list[i];
      }
   }
   return NULL;
}

static const struct compiled *compile(const struct compiler_module *module)
{
   const struct compiled *found = find(module);
   if (found != NULL || !ARRAY_RESERVE_ONE(catalogue.list, catalogue.count)) {
      return found;
   }
   struct compiled *added = &catalogue.list[catalogue.count++];
   added->module = module;
   (void)driver_compile_module(module, &catalogue.settings, &added->result);
   return added;
}

/* A bench_module_compiler. */
static int take(const struct compiler_module *module, const char *kernel, struct compiler_result *result)
{
   const struct compiled *compiled = compile(module);
   if (compiled == NULL || compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   for (size_t i = 0; i < compiled->result.count; i++) {
      if (strcmp(compiled->result.programs[i]->name, kernel) == 0) {
         struct agx_program *copy = agx_program_copy(compiled->result.programs[i]);
         return copy != NULL ? compiler_result_add(result, copy) : -ENOMEM;
      }
   }
   const struct compiler_refusal *refusal = compiler_result_refusal(&compiled->result, kernel);
   result->why = refusal != NULL ? refusal->why : compiled->result.why;
   if (result->why.what[0] == '\0') {
      compiler_refuse(result, REFUSAL_SOURCE, "the driver gave no program, for the reason on the standard error");
   }
   return -EINVAL;
}

int driver_catalogue_start(const char *name)
{
   struct mesa mesa;
   mesa_describe(name, &mesa);
   if (mesa.why[0] != '\0' || mesa.drivers[MESA_OPENCL][0] == '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", name,
                      mesa.why[0] != '\0' ? mesa.why : "it has no OpenCL driver, which takes the catalogue's kernels");
   }
   if (mesa.software) {
      return complain(EXIT_INVALID, "--mesa %s: the processor's drivers make no programs for an Apple GPU", name);
   }
   const int host = driver_host_find(MESA_OPENCL);
   if (host != EXIT_OK) {
      return host;
   }
   catalogue.settings = (struct program_settings){.mesa = name, .alone = true};
   bench_set_module_compiler(take);
   return EXIT_OK;
}

void driver_catalogue_add(const struct benchmark *benchmark)
{
   const struct compiler_module *module = benchmark->source != NULL ? bench_module(benchmark->source) : NULL;
   if (module != NULL) {
      (void)compile(module);
   }
}

void driver_catalogue_finish(void)
{
   bench_set_module_compiler(NULL);
   for (size_t i = 0; i < catalogue.count; i++) {
      compiler_result_finish(&catalogue.list[i].result);
   }
   free(catalogue.list);
   memset(&catalogue, 0, sizeof(catalogue));
}
