/* SPDX-License-Identifier: MIT
 *
 * A job that overflows scratch memory: helper program and scratch header are as spec/uapi.md 4.5 wants them, but each
 * simdgroup's blocks hold fewer words than the program's stack has. The same job with enough of them comes first and
 * must end well, so that nothing but the overflow can be what the second one fails of.
 */
#include <string.h>

#include "drm/scratch.h"
#include "uapi/test.h"

#define ANSWER (UAPI_DATA + UAPI_SPARE * sizeof(uint32_t))
#define STORED 0x5CA7C4u
#define STACK_WORDS 24u /* three blocks of the smallest size */
#define FEWER_WORDS 16u /* two */

/* Stores to the last word of its stack, and puts what it then finds there where du0 says. */
static const uint8_t stack_code[] = {
    0xB5, 0x00, 0x81, 0x05, 0x21, 0x00,             /* stack_adjust 24 */
    0x62, 0x09, 0xC4, 0xA7, 0x5C, 0x00,             /* ldimm        r2, 0x5ca7c4 */
    0xB5, 0x12, 0xC0, 0x05, 0x05, 0xC0, 0x12, 0x00, /* stack_store  r2, 92, i32, x, a */
    0x38, 0x00,                                     /* wait         a */
    0x35, 0x1A, 0xC0, 0x05, 0x05, 0xC0, 0x12, 0x00, /* stack_load   r3, 92, i32, x, a */
    0x38, 0x00,                                     /* wait         a */
    0x45, 0x19, 0x00, 0x0D, 0x00, 0xC0, 0x12, 0x00, /* store        r3, du0, 0, i32, x, a */
    0x38, 0x00,                                     /* wait         a */
    0xB5, 0x00, 0x81, 0x05, 0x2E, 0x80, 0x00, 0xFF, /* stack_adjust -24 */
    0x88, 0x00,                                     /* stop */
};

/* Lays out scratch memory of so many words a thread; returns the header's address, 0: failed. */
static uint64_t make_scratch(struct uapi *u, uint32_t words, uint64_t address)
{
   struct asahi_scratch_layout layout;
   if (!uapi_true(u, !asahi_scratch_plan(&u->params, words, &layout), "scratch of %u words cannot be laid out",
                  words)) {
      return 0;
   }
   uint64_t size = (layout.size + UAPI_PAGE - 1) / UAPI_PAGE * UAPI_PAGE;
   uint32_t bo = uapi_bo(u, size, DRM_ASAHI_GEM_VM_PRIVATE, u->vm);
   uint8_t *bytes = bo && uapi_bind_at(u, bo, 0, size, address) ? uapi_map(u, bo, size) : NULL;
   if (!bytes) {
      return 0;
   }
   asahi_scratch_fill(&u->params, &layout, address, bytes);
   return address;
}

static struct drm_asahi_cmd_compute stack_job(struct uapi *u, uint64_t header)
{
   struct drm_asahi_cmd_compute command =
       uapi_stack_program(u, stack_code, sizeof(stack_code), asahi_scratch_bucket(STACK_WORDS), ANSWER);
   command.helper.data = header;
   u->data[UAPI_SPARE] = 0;
   return command;
}

static void scratch_overflow(struct uapi *u)
{
   if (!u->helper && !u->raw.is_virtual) {
      uapi_skip(u, "no helper program at hand, without which no job has scratch memory");
      return;
   }
   uint64_t enough = make_scratch(u, STACK_WORDS, UAPI_FREE);
   uint64_t fewer = make_scratch(u, FEWER_WORDS, UAPI_FREE + (UINT64_C(1) << 32));
   if (!enough || !fewer) {
      return;
   }
   uapi_equal(u, (uint64_t)(int64_t)uapi_run_command(u, stack_job(u, enough)), 1,
              "the status of the fence of a job with enough scratch memory");
   uapi_equal(u, u->data[UAPI_SPARE], STORED, "what that job found in its stack's last word");
   uapi_expect_fault(u, stack_job(u, fewer), EIO);
}

static const struct uapi_test tests[] = {
    {"fault/scratch-overflow", "a stack that is larger than the job's scratch memory fails the job",
     .run = scratch_overflow},
};
UAPI_AREA(fault_scratch);
