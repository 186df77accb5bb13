/* SPDX-License-Identifier: MIT
 *
 * A kernel on the virtual GPU, through the same client that the program uses.
 */
#include "tests/bench/side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/api/compiler.h"
#include "drm/asahi.h"

#define TIMEOUT_NS UINT64_C(600000000000)

struct side {
   struct asahi_device *device;
   struct compiler_result compiled;
   struct asahi_program *program;
   struct asahi_buffer *buffers[SIDE_MAX_ARGUMENTS];
   uint8_t *block;
   struct asahi_dispatch dispatch;
};

static int fail(const struct side *side, const char *what)
{
   fprintf(stderr, "virtual GPU: %s: %s\n", what, asahi_device_error(side->device));
   return -1;
}

static void release(struct side *side)
{
   for (unsigned i = 0; i < SIDE_MAX_ARGUMENTS; i++) {
      asahi_buffer_destroy(side->device, side->buffers[i]);
      side->buffers[i] = NULL;
   }
   asahi_program_destroy(side->device, side->program);
   side->program = NULL;
   free(side->block);
   side->block = NULL;
}

static void close_side(struct side *side)
{
   if (side == NULL) {
      return;
   }
   if (side->device != NULL) {
      release(side);
   }
   compiler_result_finish(&side->compiled);
   asahi_device_close(side->device);
   free(side);
}

static struct side *open_side(const char *spec, const char *source)
{
   struct side *side = calloc(1, sizeof(*side));
   char why[256] = "";

   if (side == NULL || asahi_device_open(spec, &side->device, why, sizeof(why)) < 0) {
      fprintf(stderr, "virtual GPU: %s\n", why);
      close_side(side);
      return NULL;
   }
   const struct asahi_device_info *info = asahi_device_get_info(side->device);
   const struct compiler_options options = {.atomic_coherency = info->atomic_coherency,
                                            .soft_faults = info->soft_faults};
   compiler_set_program(getenv("AGX_RUNNER_COMPILER"), "AGX_RUNNER_COMPILER names no agx-compile");
   compiler_set_cache(true);
   if (compiler_opencl("vgpu_vs_pocl.cl", source, strlen(source), &options, &side->compiled) < 0) {
      fprintf(stderr, "virtual GPU: %s\n", side->compiled.log);
      close_side(side);
      return NULL;
   }
   return side;
}

static const char *name(const struct side *side)
{
   return asahi_device_get_info(side->device)->path;
}

static const struct agx_program *find(const struct side *side, const char *kernel)
{
   for (size_t i = 0; i < side->compiled.count; i++) {
      if (strcmp(side->compiled.programs[i]->name, kernel) == 0) {
         return side->compiled.programs[i];
      }
   }
   return NULL;
}

static int set_argument(struct side *side, const struct agx_argument *argument, unsigned n,
                        const struct side_argument *given, const void *contents)
{
   if (given->bytes == 0) {
      memcpy(side->block + argument->offset, &given->value, sizeof(given->value));
      return 0;
   }
   if (asahi_buffer_create(side->device, given->bytes, &side->buffers[n]) < 0) {
      return fail(side, "a buffer");
   }
   memcpy(asahi_buffer_map(side->buffers[n]), contents, given->bytes);
   uint64_t address = asahi_buffer_address(side->buffers[n]);
   memcpy(side->block + argument->offset, &address, sizeof(address));
   return 0;
}

static int prepare(struct side *side, const struct side_work *work, const void *const *contents)
{
   const struct agx_program *program = find(side, work->kernel);

   if (program == NULL || program->argument_count != work->count) {
      fprintf(stderr, "virtual GPU: no kernel %s with %u arguments\n", work->kernel, work->count);
      return -1;
   }
   side->block = calloc(1, program->argument_bytes);
   if (side->block == NULL || asahi_program_upload(side->device, program, &side->program) < 0) {
      return fail(side, "the program");
   }
   for (unsigned i = 0; i < work->count; i++) {
      if (set_argument(side, &program->arguments[i], i, &work->arguments[i], contents[i]) < 0) {
         return -1;
      }
   }
   side->dispatch = (struct asahi_dispatch){.program = side->program,
                                            .grid = {work->threads, 1, 1},
                                            .group = {work->group, 1, 1},
                                            .work_dim = 1,
                                            .arguments = side->block,
                                            .argument_bytes = program->argument_bytes};
   return 0;
}

static int write_buffer(struct side *side, unsigned argument, const void *data, size_t size)
{
   memcpy(asahi_buffer_map(side->buffers[argument]), data, size);
   return 0;
}

static int run(struct side *side)
{
   return asahi_run(side->device, &side->dispatch, 1, TIMEOUT_NS, NULL) < 0 ? fail(side, "running") : 0;
}

static int read_buffer(struct side *side, unsigned argument, void *data, size_t size)
{
   memcpy(data, asahi_buffer_map(side->buffers[argument]), size);
   return 0;
}

const struct side_class side_vgpu = {open_side, name, prepare, write_buffer, run, read_buffer, release, close_side};

int side_vgpu_counters(struct side *side, struct vgpu_counters *counters)
{
   return asahi_device_counters(side->device, counters) < 0 ? fail(side, "its counters") : 0;
}
