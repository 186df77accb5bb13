/* SPDX-License-Identifier: MIT
 *
 * What virtual:m1,strict refuses and virtual:m1 lets pass, as the kernel and the hardware do: reserved bits of the
 * stream and of USC words, a shader's access to unmapped memory, addresses that are not mapped. Pads and the like: the
 * uapi subtests, run on it with notes-strict.txt.
 */
#include <stdio.h>
#include <string.h>

#include "util/array.h"

#include "uapi/test.h"

/* A bit of a slot of uapi/job.c: the stream, then at 0xC0 the USC words UNIFORM, SHARED, SHADER, REGISTERS and
 * NO_PRESHADER. Those of spec/uapi.md 4.2 and 4.3 that have no name, or none for compute. */
static const struct {
   unsigned byte, bit;
   const char *what;
} reserved[] = {
    {0x00, 0, "launch word 0, bit 0"},
    {0x02, 0, "launch word 0, bit 16"},
    {0x03, 2, "launch word 0, bit 26"},
    {0x04, 0, "launch word 1, bit 0"},
    {0x22, 4, "barrier, bit 20"},
    {0x24, 0, "terminate, bit 0"},
    {0x2B, 7, "terminate's second word, bit 31"},
    {0xC2, 0, "UNIFORM, bit 16"},
    {0xC9, 1, "SHARED, bit 9"},
    {0xCA, 0, "SHARED, samples"},
    {0xCD, 0, "SHADER, varyings"},
    {0xD3, 5, "REGISTERS, bit 13"},
    {0xD5, 7, "REGISTERS, bit 31"},
    {0xD7, 0, "NO_PRESHADER, bit 8"},
};

/* 1, or the fence's error, of a job with that bit set. */
static int status_with(struct uapi *u, unsigned byte, unsigned bit)
{
   struct drm_asahi_cmd_compute command = uapi_append(u, 1, UAPI_NO_GATE);
   u->exec[command.cdm_ctrl_stream_base - UAPI_EXEC + byte] ^= (uint8_t)(1u << bit);
   return uapi_run_command(u, command);
}

static void check_device(struct uapi *u)
{
   bool strict = uapi_strict(u);
   for (size_t i = 0; i < ARRAY_COUNT(reserved); i++) {
      uapi_equal(u, (uint64_t)(int64_t)status_with(u, reserved[i].byte, reserved[i].bit), strict ? (uint64_t)-EIO : 1,
                 "the fence of a job with %s", reserved[i].what);
   }
   uapi_equal(u, (uint64_t)(int64_t)uapi_run_command(u, uapi_copy(u, UAPI_FREE, UAPI_DATA)),
              strict ? (uint64_t)-EIO : 1, "the fence of a job that loads from unmapped memory");
   uapi_equal(u, (uint64_t)(int64_t)uapi_run_command(u, uapi_copy(u, UAPI_DATA, UAPI_FREE)),
              strict ? (uint64_t)-EIO : 1, "the fence of a job that stores to unmapped memory");

   struct drm_asahi_cmd_compute command = uapi_append(u, 1, UAPI_NO_GATE);
   command.helper.binary = 0x80;
   uapi_expect(u, uapi_submit_one(u, command, 0), strict ? E(EINVAL) : OK, "a helper without bit 0");
   command.helper.binary = 0x81;
   command.helper.data = UAPI_FREE;
   uapi_expect(u, uapi_submit_one(u, command, 0), strict ? E(EINVAL) : OK, "a helper with unmapped data");
   command = uapi_append(u, 1, UAPI_NO_GATE);
   command.cdm_ctrl_stream_base += 2;
   uapi_expect(u, uapi_submit_one(u, command, 0), strict ? E(EINVAL) : OK, "a stream at an odd half word");
   uapi_equal(u, (uint64_t)uapi_run_command(u, uapi_append(u, 1, UAPI_NO_GATE)), 1, "the fence of a sound job");
}

int main(void)
{
   static const char *const specs[] = {"virtual:m1,strict", "virtual:m1"};
   int failures = 0;
   for (size_t i = 0; i < ARRAY_COUNT(specs); i++) {
      struct uapi u;
      struct uapi_result result;
      if (uapi_open(&u, specs[i], NULL, &result)) {
         check_device(&u);
      }
      uapi_close(&u);
      if (result.status != UAPI_PASS) {
         fprintf(stderr, "%s: %s\n", specs[i], result.message);
         failures++;
      }
   }
   return failures != 0;
}
