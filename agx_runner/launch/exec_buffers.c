/* SPDX-License-Identifier: MIT
 *
 * A launch's buffers on a device: made with their names and canaries, and looked at afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/launch/canary.h"
#include "agx_runner/launch/exec.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

void exec_finish(struct exec *exec, struct asahi_device *device)
{
   for (size_t i = 0; exec->arguments != NULL && i < exec->program->argument_count; i++) {
      if (device != NULL) {
         asahi_buffer_destroy(device, exec->arguments[i].buffer);
      }
      free(exec->arguments[i].initial);
      free(exec->arguments[i].expected);
   }
   free(exec->push);
   free(exec->arguments);
   free(exec->block);
   free(exec->addresses);
   *exec = (struct exec){0};
}

/* The addresses of buffers that values and other buffers hold. A null pointer's is 0. */
static void write_addresses(const struct exec *exec)
{
   for (size_t i = 0; i < exec->address_count; i++) {
      const struct exec_address *address = &exec->addresses[i];
      const struct asahi_buffer *buffer = exec->arguments[address->buffer].buffer;
      const uint64_t value = buffer != NULL ? asahi_buffer_address(buffer) : 0;
      uint8_t *bytes = exec->arguments[address->place].initial;

      bytes = bytes != NULL ? bytes : exec->block + exec->program->arguments[address->place].offset;
      memcpy(bytes + address->offset, &value, sizeof(value));
   }
}

int exec_create_buffers(struct exec *exec, struct asahi_device *device)
{
   const size_t margin = asahi_device_get_info(device)->is_virtual ? 0 : CANARY_MARGIN;

   for (size_t i = 0; i < exec->program->argument_count; i++) {
      struct exec_argument *argument = &exec->arguments[i];
      char name[AGX_BUFFER_NAME];

      if (exec->program->arguments[i].kind >= AGX_ARGUMENT_IMAGE) {
         return complain(EXIT_INVALID,
                         "%s: the program has images or samplers, which its driver sets: exec --mesa WHICH with the "
                         "kernel's source runs it",
                         agx_program_name(exec->program));
      }
      if (argument->initial == NULL) {
         continue;
      }
      const size_t size = argument->count * argument->type->size;
      if (asahi_buffer_create_between(device, size, margin, &argument->buffer) < 0) {
         return complain(EXIT_FAILED, "--buf %s: %s", argument->text, asahi_device_error(device));
      }
      agx_program_buffer_name(exec->program, i, name);
      asahi_buffer_name(device, argument->buffer, name);
      canary_fill(argument->buffer);
      const uint64_t address = asahi_buffer_address(argument->buffer);
      memcpy(exec->block + exec->program->arguments[i].offset, &address, sizeof(address));
   }
   write_addresses(exec);
   return EXIT_OK;
}

const uint8_t *exec_bytes(const struct exec_argument *argument)
{
   return argument->after != NULL    ? argument->after
          : argument->buffer != NULL ? asahi_buffer_map(argument->buffer)
                                     : NULL;
}

static void report_damage(const struct exec *exec, size_t index, const struct canary_damage *damage, bool before,
                          const char *advice)
{
   const char *program = agx_program_name(exec->program), *s = damage->bytes == 1 ? "" : "s";
   const size_t size = asahi_buffer_size(exec->arguments[index].buffer);
   char name[AGX_BUFFER_NAME];

   agx_program_buffer_name(exec->program, index, name);
   if (before) {
      (void)complain(EXIT_FAILED, "%s wrote before the start of %s: %zu byte%s changed, from %zu to %zu before it; %s",
                     program, name, damage->bytes, s, damage->first, damage->last, advice);
   } else {
      (void)complain(EXIT_FAILED,
                     "%s wrote past the end of %s, which has %zu bytes: %zu byte%s changed, from byte %zu to byte %zu; "
                     "%s",
                     program, name, size, damage->bytes, s, damage->first, damage->last, advice);
   }
}

int exec_check_canaries(const struct exec *exec, const char *advice)
{
   int code = EXIT_OK;

   for (size_t i = 0; i < exec->program->argument_count; i++) {
      struct asahi_buffer *buffer = exec->arguments[i].buffer;

      if (buffer == NULL) {
         continue;
      }
      const struct canary_damage damages[] = {canary_behind(buffer), canary_before(buffer)};
      for (size_t k = 0; k < ARRAY_COUNT(damages); k++) {
         if (damages[k].bytes > 0) {
            report_damage(exec, i, &damages[k], k == 1, advice);
            code = EXIT_FAILED;
         }
      }
   }
   return code;
}
