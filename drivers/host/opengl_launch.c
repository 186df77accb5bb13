/* SPDX-License-Identifier: MIT
 *
 * Launches: what the request gives becomes objects of the context, which are bound and dispatched. Invariant: each
 * repetition starts from the contents of the request, and its jobs have nothing else in them.
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/launches.h"
#include "drivers/host/opengl.h"

#define PROBE_BUFFER_BYTES 4096u

/* ---- One launch ---- */

static bool bind(struct opengl *opengl, const struct opengl_argument *argument, struct given *given)
{
   static const GLenum targets[] = {[OPENGL_STORAGE] = GL_SHADER_STORAGE_BUFFER,
                                    [OPENGL_UNIFORMS] = GL_UNIFORM_BUFFER,
                                    [OPENGL_COUNTERS] = GL_ATOMIC_COUNTER_BUFFER};
   struct host_parameter parameter;
   opengl_parameter(argument, &parameter);
   if (!given->set || given->argument.kind != parameter.kind) {
      return opengl_refuse(opengl, HOST_NO_LAUNCH, "%s is not given", argument->name);
   }
   if (given->has_sampler && argument->class != OPENGL_TEXTURE) {
      return opengl_refuse(opengl, HOST_NO_LAUNCH, "%s takes no sampler: it is not sampled", argument->name);
   }
   switch (argument->class) {
   case OPENGL_VALUE:
      opengl_set_value(argument, given->bytes);
      break;
   case OPENGL_IMAGE:
   case OPENGL_TEXTURE:
      return opengl_bind_image(opengl, argument, given);
   default:
      gl.glCreateBuffers(1, &given->buffer);
      gl.glNamedBufferData(given->buffer, (GLsizeiptr)given->argument.size, given->bytes, GL_DYNAMIC_COPY);
      gl.glBindBufferBase(targets[argument->class], argument->place, given->buffer);
   }
   return opengl_check(opengl, HOST_NO_LAUNCH, argument->name);
}

static void dispatch(const struct host_launch *request, const GLuint groups[3])
{
   GLuint buffer = 0;
   if (!request->indirect) {
      gl.glDispatchCompute(groups[0], groups[1], groups[2]);
      return;
   }
   gl.glCreateBuffers(1, &buffer);
   gl.glNamedBufferData(buffer, 3 * sizeof(GLuint), groups, GL_STATIC_DRAW);
   gl.glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffer);
   gl.glDispatchComputeIndirect(0);
   gl.glDeleteBuffers(1, &buffer);
}

static bool launch_once(struct opengl *opengl, const struct host_launch *request, struct given *given,
                        struct host_launched *launched)
{
   GLuint groups[3];
   for (unsigned i = 0; i < 3; i++) {
      const uint32_t size = (uint32_t)opengl->group[i];
      groups[i] = request->grid[i] / size;
      if (request->grid[i] % size != 0 || (request->group[0] != 0 && request->group[i] != size)) {
         return opengl_refuse(opengl, HOST_NO_LAUNCH,
                              "the grid must be a multiple of the workgroup's size, which is %d,%d,%d",
                              opengl->group[0], opengl->group[1], opengl->group[2]);
      }
   }
   for (uint32_t i = 0; i < opengl->argument_count; i++) {
      if (!bind(opengl, &opengl->arguments[i], &given[i])) {
         return false;
      }
   }
   gl.glFinish();
   launched->first_job = host_count_jobs(opengl->folder);
   dispatch(request, groups);
   gl.glMemoryBarrier(GL_ALL_BARRIER_BITS);
   gl.glFinish();
   launched->jobs = host_count_jobs(opengl->folder) - launched->first_job;
   return opengl_check(opengl, HOST_NO_LAUNCH, "the dispatch");
}

static void write_results(struct opengl *opengl, struct given *given)
{
   for (uint32_t i = 0; i < opengl->argument_count; i++) {
      const size_t size = given[i].argument.size;
      uint8_t *bytes = given[i].buffer != 0 || given[i].texture != 0 ? calloc(1, size + 1) : NULL;
      if (bytes == NULL) {
         continue;
      }
      if (given[i].buffer != 0) {
         gl.glGetNamedBufferSubData(given[i].buffer, 0, (GLsizeiptr)size, bytes);
      } else {
         opengl_read_image(&given[i], bytes);
      }
      host_record_write(opengl->result, HOST_AFTER, i, bytes, size);
      free(given[i].left);
      given[i].left = bytes;
   }
}

static void release(const struct opengl *opengl, struct given *given)
{
   for (uint32_t i = 0; i < opengl->argument_count; i++) {
      opengl_release(&given[i]);
   }
}

static bool launch(struct opengl *opengl, const struct host_launch *request, struct given *given)
{
   struct host_launched launched = {.error = 0};
   bool good = true;
   do {
      release(opengl, given);
      good = launch_once(opengl, request, given, &launched);
      launched.repeats += good;
   } while (good && launched.repeats < request->repeat);
   if (good) {
      host_record_write(opengl->result, HOST_LAUNCHED, 0, &launched, sizeof(launched));
      write_results(opengl, given);
      good = opengl_check(opengl, HOST_NO_LAUNCH, "the results");
   }
   release(opengl, given);
   return good;
}

/* ---- The probe ---- */

static bool probe_argument(struct opengl *opengl, uint32_t index, struct given *given)
{
   struct host_parameter parameter;
   opengl_parameter(&opengl->arguments[index], &parameter);
   given->set = true;
   given->argument.kind = parameter.kind;
   given->argument.size = parameter.kind == HOST_BUFFER  ? PROBE_BUFFER_BYTES
                          : parameter.kind == HOST_IMAGE ? opengl_probe_image(&opengl->arguments[index], &given->image)
                                                         : parameter.size;
   uint8_t *bytes = calloc(1, given->argument.size + 1);
   if (bytes == NULL) {
      return opengl_refuse(opengl, HOST_NO_LAUNCH, "out of memory");
   }
   host_fill_marker(bytes, given->argument.size, 0, index);
   given->bytes = bytes;
   host_record_write_two(opengl->result, HOST_MARKER, index, &given->argument, sizeof(given->argument), bytes,
                         given->argument.size);
   return true;
}

static void probe(struct opengl *opengl)
{
   struct given given[OPENGL_ARGUMENTS] = {0};
   struct host_launch request = {.dimensions = 3};
   bool good = true;
   host_record_write(opengl->result, HOST_PROBED, 0, "", 0);
   for (unsigned i = 0; i < 3; i++) {
      request.grid[i] = (uint32_t)opengl->group[i];
   }
   for (uint32_t i = 0; good && i < opengl->argument_count; i++) {
      good = probe_argument(opengl, i, &given[i]);
   }
   if (good) {
      launch(opengl, &request, given);
   }
   for (uint32_t i = 0; i < opengl->argument_count; i++) {
      free((void *)(uintptr_t)given[i].bytes);
      free(given[i].left);
   }
}

/* ---- The request ---- */

static void take_argument(struct given *given, const uint8_t *payload, size_t size)
{
   struct host_argument argument;
   memcpy(&argument, payload, sizeof(argument));
   payload += sizeof(argument);
   size -= sizeof(argument);
   if (argument.kind == HOST_SAMPLER && size >= sizeof(given->sampler)) {
      memcpy(&given->sampler, payload, sizeof(given->sampler));
      given->has_sampler = true;
      return;
   }
   if (argument.kind == HOST_IMAGE && size >= sizeof(given->image)) {
      memcpy(&given->image, payload, sizeof(given->image));
      payload += sizeof(given->image);
      size -= sizeof(given->image);
   }
   given->argument = argument;
   given->bytes = payload;
   given->set = argument.size <= size;
}

/* The contents before the next launch are what the last one has left. */
static void keep(struct given *given)
{
   if (given->left != NULL) {
      free(given->kept);
      given->bytes = given->kept = given->left;
      given->left = NULL;
   }
}

void opengl_serve_launches(struct opengl *opengl, struct host_records *request)
{
   struct given given[OPENGL_ARGUMENTS] = {0};
   const struct host_record *record;
   const void *payload;
   bool good = true;
   while (good && (record = host_records_next(request, &payload)) != NULL) {
      if (record->kind == HOST_ARGUMENT && record->number < OPENGL_ARGUMENTS &&
          record->size >= sizeof(struct host_argument)) {
         take_argument(&given[record->number], payload, record->size);
      } else if (record->kind == HOST_KEEP && record->number < OPENGL_ARGUMENTS) {
         keep(&given[record->number]);
      } else if (record->kind == HOST_LAUNCH && record->size == sizeof(struct host_launch)) {
         good = launch(opengl, payload, given);
      } else if (record->kind == HOST_PROBE) {
         probe(opengl);
      }
   }
   for (uint32_t i = 0; i < OPENGL_ARGUMENTS; i++) {
      free(given[i].left);
      free(given[i].kept);
   }
}
