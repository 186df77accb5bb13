/* SPDX-License-Identifier: MIT
 *
 * Programs in the USC window: constants first, then the code, in Mesa's order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm/device.h"

#define CODE_ALIGN 128

/* The hardware prefetches code. Mesa therefore ends its binaries with eight trap instructions (agx_pack.c); other code
 * may lack them, and the page behind the buffer is unmapped. How far the hardware prefetches is not known: this margin
 * is one line of code alignment. */
#define PREFETCH_BYTES 128
static const uint8_t trap[2] = {0x08, 0x00};

/* Copies the facts about a program that dispatches need after its upload. */
static struct agx_program *copy_facts(const struct agx_program *program)
{
   struct agx_program shallow = *program;
   shallow.code = NULL;
   shallow.code_size = 0;
   shallow.constants = NULL;
   shallow.constants_size = 0;
   return agx_program_copy(&shallow);
}

/* Computes where the code starts in the buffer, and the size of the buffer. */
static bool measure(const struct agx_program *program, size_t *code, size_t *total)
{
   size_t end;
   if (__builtin_add_overflow(program->constants_size, CODE_ALIGN - 1, code)) {
      return false;
   }
   *code &= ~(size_t)(CODE_ALIGN - 1);
   return !__builtin_add_overflow(*code, program->code_size, &end) &&
          !__builtin_add_overflow(end, PREFETCH_BYTES + 1, total);
}

static void write_bytes(const struct agx_program *program, uint8_t *map, size_t code)
{
   if (program->constants_size != 0) {
      memcpy(map, program->constants, program->constants_size);
   }
   memcpy(map + code, program->code, program->code_size);
   size_t end = code + program->code_size + program->code_size % 2;
   for (size_t i = 0; i < PREFETCH_BYTES; i += sizeof(trap)) {
      memcpy(map + end + i, trap, sizeof(trap));
   }
}

int asahi_program_upload(struct asahi_device *device, const struct agx_program *program, struct asahi_program **out)
{
   size_t code, total;
   *out = NULL;
   const char *wrong = agx_program_check(program);
   if (wrong != NULL) {
      return asahi_fail(device, EINVAL, "program %.63s: %s", agx_program_name(program), wrong);
   }
   struct asahi_program *uploaded = calloc(1, sizeof(*uploaded));
   if (uploaded != NULL) {
      uploaded->facts = copy_facts(program);
   }
   if (uploaded == NULL || uploaded->facts == NULL || !measure(program, &code, &total)) {
      asahi_program_destroy(device, uploaded);
      return asahi_fail(device, ENOMEM, "out of memory for program %.63s", agx_program_name(program));
   }
   int error = asahi_buffer_allocate(device, total, CODE_ALIGN, ASAHI_BUFFER_WINDOW, "the memory of a program",
                                     &uploaded->buffer);
   if (error != 0) {
      asahi_program_destroy(device, uploaded);
      return error;
   }
   write_bytes(program, uploaded->buffer->map, code);

   uint32_t offset = (uint32_t)(uploaded->buffer->address - device->usc_base + code);
   uploaded->main_offset = offset + program->main_offset;
   uploaded->preamble_offset = offset + program->preamble_offset;
   uploaded->constants = uploaded->buffer->address;
   *out = uploaded;
   return 0;
}

void asahi_program_destroy(struct asahi_device *device, struct asahi_program *program)
{
   if (program == NULL) {
      return;
   }
   asahi_buffer_destroy(device, program->buffer);
   agx_program_destroy(program->facts);
   free(program);
}

int asahi_device_set_helper(struct asahi_device *device, const struct agx_program *program)
{
   if (program->has_preamble || program->uniform_count != 0 || program->scratch_bytes != 0 ||
       program->threadgroup_bytes != 0) {
      return asahi_fail(device, EINVAL,
                        "program %.63s cannot be the helper: that one starts without preamble, uniforms, threadgroup "
                        "memory and scratch",
                        agx_program_name(program));
   }
   struct asahi_program *helper;
   int error = asahi_program_upload(device, program, &helper);
   if (error != 0) {
      return error;
   }
   asahi_program_destroy(device, device->helper);
   device->helper = helper;
   return 0;
}
