/* SPDX-License-Identifier: MIT
 *
 * Reads a host's answer. Invariant: a record whose size does not fit its kind is passed over, as if it were missing.
 */
#include "agx_runner/driver/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

#define DRIVERS_NAME HOST_SOURCE_NAME ":"

/* ---- Reading ---- */

static char *copy_text(const struct host_record *record, const void *payload)
{
   return strndup(payload, record->size);
}

static bool add_kernel(struct driver_kernels *kernels, const struct host_facts *facts)
{
   if (!ARRAY_RESERVE_ONE(kernels->list, kernels->count)) {
      return false;
   }
   struct driver_kernel *kernel = &kernels->list[kernels->count++];
   *kernel = (struct driver_kernel){.facts = facts};
   kernel->parameters = calloc((size_t)facts->parameters + DRIVER_BEHIND, sizeof(*kernel->parameters));
   return kernel->parameters != NULL;
}

/* Returns the parameter with that number; NULL: there is none. */
static struct driver_parameter *parameter(struct driver_kernel *kernel, uint32_t number)
{
   return kernel != NULL && number < kernel->facts->parameters + DRIVER_BEHIND ? &kernel->parameters[number] : NULL;
}

/* Returns the kernel that a record with that number is about. */
static struct driver_kernel *kernel_at(struct driver_kernels *kernels, uint32_t number)
{
   return number < kernels->count ? &kernels->list[number] : NULL;
}

struct reader {
   struct driver_kernels *kernels;
   struct driver_kernel *launched; /* that the following buffers are of */
   struct driver_kernel *probed;   /* that the following markers and the next refusal are of */
};

static bool read_record(struct reader *reader, const struct host_record *record, const void *payload)
{
   struct driver_kernels *kernels = reader->kernels;
   struct driver_parameter *of = NULL;
   switch (record->kind) {
   case HOST_DRIVER:
      return (kernels->driver = copy_text(record, payload)) != NULL;
   case HOST_LOG:
      return (kernels->log = copy_text(record, payload)) != NULL;
   case HOST_REFUSAL:
      if (reader->probed != NULL) {
         reader->probed->refusal = copy_text(record, payload);
         return reader->probed->refusal != NULL;
      }
      kernels->refused = record->number;
      return kernels->refusal != NULL || (kernels->refusal = copy_text(record, payload)) != NULL;
   case HOST_FACTS:
      return record->size != sizeof(struct host_facts) || add_kernel(kernels, payload);
   case HOST_PARAMETER:
      of = parameter(kernels->count > 0 ? &kernels->list[kernels->count - 1] : NULL, record->number);
      if (of != NULL && record->size == sizeof(*of->facts)) {
         of->facts = payload;
      }
      return true;
   case HOST_PROBED:
      reader->probed = kernel_at(kernels, record->number);
      return true;
   case HOST_MARKER:
      of = parameter(reader->probed, record->number);
      if (of != NULL && record->size >= sizeof(*of->marker)) {
         of->marker = payload;
         of->marker_bytes =
             (struct driver_bytes){(const uint8_t *)payload + sizeof(*of->marker), record->size - sizeof(*of->marker)};
      }
      return true;
   case HOST_LAUNCHED:
      reader->launched = kernel_at(kernels, record->number);
      if (reader->launched != NULL && record->size == sizeof(struct host_launched)) {
         reader->launched->launched = payload;
      }
      return true;
   case HOST_AFTER:
      of = parameter(reader->launched, record->number);
      if (of != NULL) {
         of->after = (struct driver_bytes){payload, record->size};
      }
      return true;
   default:
      return true;
   }
}

/* A parameter without its record would be a hole. */
static bool is_whole(const struct driver_kernels *kernels)
{
   for (size_t i = 0; i < kernels->count; i++) {
      for (uint32_t k = 0; k < kernels->list[i].facts->parameters; k++) {
         if (kernels->list[i].parameters[k].facts == NULL) {
            return false;
         }
      }
   }
   return true;
}

bool driver_kernels_read(struct host_records *records, struct driver_kernels *kernels)
{
   const struct host_record *record;
   const void *payload;
   *kernels = (struct driver_kernels){.count = 0};
   struct reader reader = {.kernels = kernels};
   while ((record = host_records_next(records, &payload)) != NULL && record->kind != HOST_PROGRAM) {
      if (!read_record(&reader, record, payload)) {
         return false;
      }
   }
   return is_whole(kernels);
}

void driver_kernels_finish(struct driver_kernels *kernels)
{
   for (size_t i = 0; i < kernels->count; i++) {
      free(kernels->list[i].parameters);
      free(kernels->list[i].refusal);
   }
   free(kernels->list);
   free(kernels->driver);
   free(kernels->log);
   free(kernels->refusal);
   *kernels = (struct driver_kernels){.count = 0};
}

/* ---- The interface ---- */

static const uint32_t argument_kinds[] = {[HOST_BUFFER] = AGX_ARGUMENT_BUFFER, [HOST_NULL_BUFFER] = AGX_ARGUMENT_BUFFER,
                                          [HOST_VALUE] = AGX_ARGUMENT_VALUE,   [HOST_LOCAL] = AGX_ARGUMENT_LOCAL,
                                          [HOST_IMAGE] = AGX_ARGUMENT_IMAGE,   [HOST_SAMPLER] = AGX_ARGUMENT_SAMPLER,
                                          [HOST_OTHER] = AGX_ARGUMENT_VALUE};

struct agx_program *driver_kernel_interface(const struct driver_kernel *kernel)
{
   const uint32_t count = kernel->facts->parameters;
   struct agx_program *program = agx_program_create();
   if (program == NULL || (program->arguments = calloc((size_t)count + 1, sizeof(*program->arguments))) == NULL) {
      agx_program_destroy(program);
      return NULL;
   }
   snprintf(program->name, sizeof(program->name), "%s", kernel->facts->name);
   memcpy(program->workgroup_size, kernel->facts->group, sizeof(program->workgroup_size));
   program->threadgroup_bytes = kernel->facts->local_bytes != UINT64_MAX ? (uint32_t)kernel->facts->local_bytes : 0;
   program->argument_count = count;
   for (uint32_t i = 0; i < count; i++) {
      const struct host_parameter *facts = kernel->parameters[i].facts;
      struct agx_argument *argument = &program->arguments[i];
      argument->kind = facts->kind < ARRAY_COUNT(argument_kinds) ? argument_kinds[facts->kind] : AGX_ARGUMENT_VALUE;
      argument->size = argument->kind == AGX_ARGUMENT_VALUE ? (uint32_t)facts->size : sizeof(uint64_t);
      argument->offset = program->argument_bytes;
      argument->read_only = facts->read_only != 0;
      snprintf(argument->name, sizeof(argument->name), "%.*s", (int)sizeof(argument->name) - 1, facts->name);
      snprintf(argument->type, sizeof(argument->type), "%.*s", (int)sizeof(argument->type) - 1, facts->type);
      program->argument_bytes += (argument->size + 7) & ~7u;
   }
   return program;
}

/* ---- Messages ---- */

/* Writes the source's own name where the driver's stands at the start of a line. */
static void print_log(const char *log, const char *path)
{
   for (const char *line = log; *line != '\0';) {
      const size_t length = strcspn(line, "\n");
      const bool place = strncmp(line, DRIVERS_NAME, strlen(DRIVERS_NAME)) == 0;
      fprintf(stderr, "%s%.*s\n", place ? path : "", (int)length - (place ? (int)strlen(DRIVERS_NAME) - 1 : 0),
              place ? line + strlen(DRIVERS_NAME) - 1 : line);
      line += length + (line[length] == '\n');
   }
}

int driver_kernels_print(const struct driver_kernels *kernels, const char *path, const char *mesa)
{
   if (kernels->log != NULL && kernels->log[0] != '\0') {
      fflush(stdout);
      print_log(kernels->log, path);
   }
   if (kernels->refusal == NULL) {
      return EXIT_OK;
   }
   return complain(kernels->refused == HOST_NO_ENTRY || kernels->refused == HOST_BAD_REQUEST ? EXIT_INVALID
                                                                                             : EXIT_FAILED,
                   "%s: Mesa '%s': %s", path, mesa, kernels->refusal);
}
