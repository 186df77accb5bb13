/* SPDX-License-Identifier: MIT
 *
 * A job that overflows scratch memory. Helper program and scratch header are as in spec/uapi.md 4.5, but each
 * simdgroup's blocks are smaller than the program's stack. The same job with enough memory runs first and must succeed,
 * so that the overflow is the only cause of the second one's failure.
 */
#include <string.h>

#include "drm/scratch.h"
#include "uapi/test.h"
#include "util/array.h"

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

/* A scratch header with all that it points to. */
struct scratch {
   uint64_t address;
   uint8_t *bytes;
   uint64_t list; /* offset of the first core's block list */
};

/* Lays out scratch memory of `words` words a thread. */
static bool make_scratch(struct uapi *u, uint32_t words, uint64_t address, struct scratch *scratch)
{
   struct asahi_scratch_layout layout;
   if (!uapi_true(u, !asahi_scratch_plan(&u->params, words, &layout), "scratch of %u words cannot be laid out",
                  words)) {
      return false;
   }
   uint64_t size = (layout.size + UAPI_PAGE - 1) / UAPI_PAGE * UAPI_PAGE;
   uint32_t bo = uapi_bo(u, size, DRM_ASAHI_GEM_VM_PRIVATE, u->vm);
   uint8_t *bytes = bo && uapi_bind_at(u, bo, 0, size, address) ? uapi_map(u, bo, size) : NULL;
   if (!bytes) {
      return false;
   }
   asahi_scratch_fill(&u->params, &layout, address, bytes);
   *scratch = (struct scratch){address, bytes, layout.lists_offset};
   return true;
}

static struct drm_asahi_cmd_compute stack_job(struct uapi *u, const struct scratch *scratch)
{
   struct drm_asahi_cmd_compute command =
       uapi_stack_program(u, stack_code, sizeof(stack_code), asahi_scratch_bucket(STACK_WORDS), ANSWER);
   command.helper.data = scratch->address;
   u->data[UAPI_SPARE] = 0;
   return command;
}

/* Runs the job that must succeed before the failing one means anything. */
static bool works(struct uapi *u, const struct scratch *scratch)
{
   int status = uapi_run_command(u, stack_job(u, scratch));
   return uapi_equal(u, (uint64_t)(int64_t)status, 1, "the status of the fence of a job with enough scratch memory") &&
          uapi_equal(u, u->data[UAPI_SPARE], STORED, "what that job found in its stack's last word");
}

static void scratch_overflow(struct uapi *u)
{
   struct scratch enough, fewer;
   if (!u->helper && !u->raw.is_virtual) {
      uapi_skip(u, "no helper program at hand, without which no job has scratch memory");
      return;
   }
   if (make_scratch(u, STACK_WORDS, UAPI_FREE, &enough) &&
       make_scratch(u, FEWER_WORDS, UAPI_FREE + (UINT64_C(1) << 32), &fewer) && works(u, &enough)) {
      uapi_expect_fault(u, stack_job(u, &fewer), EIO);
   }
}

/* ---- What makes a scratch header, or the helper's words in the command, malformed ---- */

#define ONE_BLOCK_WORDS 32u /* a block of the second size is all that a list then has */
#define CORES 128u
#define CORE_LIST(core) (8 + 88 * (core)) /* offset of a core's pointer to its block list */
#define LARGE (UAPI_FREE + (UINT64_C(1) << 32))
#define LARGE_SIZE (UINT64_C(16) << 20) /* a block one size above the largest */
#define NOWHERE (UAPI_FREE + (UINT64_C(2) << 32))
#define HELPER(member) offsetof(struct drm_asahi_helper_program, member)

enum place { HEADER, LIST, COMMAND };

static const struct {
   const char *what;
   enum place place;
   uint8_t offset, size;
   uint64_t value;
} mistakes[] = {
    {"no subgroups", HEADER, 0, 4, 0},
    {"129 subgroups", HEADER, 0, 4, 129},
    {"an unmapped block list", HEADER, CORE_LIST(0), 8, NOWHERE},
    {"a first block without a size", LIST, 0, 4, UAPI_FREE >> 8},
    {"a first block of a size beyond the largest", LIST, 0, 4, LARGE >> 8 | 0xFF},
    {"a second block without its bit", LIST, 4, 4, UAPI_FREE >> 8},
    {"a second block off its alignment", LIST, 4, 4, UAPI_FREE >> 8 | 3},
    {"an unmapped second block", LIST, 4, 4, NOWHERE >> 8 | 1},
    {"a helper word of 0", COMMAND, HELPER(binary), 4, 0},
    {"a helper word without bit 0", COMMAND, HELPER(binary), 4, UAPI_EXEC - UAPI_USC},
    {"an unmapped helper program", COMMAND, HELPER(binary), 4, UINT64_C(0x80000001)},
    {"an unmapped scratch header", COMMAND, HELPER(data), 8, NOWHERE},
};

/* All cores share one list, so that a subgroup beyond the last possible one has blocks, too. The large block is mapped,
 * so that its size is the only error. */
static bool prepare(struct uapi *u, const struct scratch *scratch)
{
   const uint64_t list = scratch->address + scratch->list;
   for (unsigned core = 0; core < CORES; core++) {
      memcpy(scratch->bytes + CORE_LIST(core), &list, sizeof(list));
   }
   return uapi_expect(u,
                      uapi_bind(u, u->vm,
                                (struct drm_asahi_gem_bind_op){.flags = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE |
                                                                        DRM_ASAHI_BIND_SINGLE_PAGE,
                                                               .handle = u->data_bo,
                                                               .range = LARGE_SIZE,
                                                               .addr = LARGE}),
                      OK, "VM_BIND of one page over 16 MiB");
}

static void scratch_malformed(struct uapi *u)
{
   struct scratch scratch;
   if (!make_scratch(u, ONE_BLOCK_WORDS, UAPI_FREE, &scratch) || !prepare(u, &scratch)) {
      return;
   }
   for (size_t i = 0; i < ARRAY_COUNT(mistakes) && works(u, &scratch); i++) {
      struct drm_asahi_cmd_compute command = stack_job(u, &scratch);
      uint8_t *const places[] = {
          [HEADER] = scratch.bytes, [LIST] = scratch.bytes + scratch.list, [COMMAND] = (uint8_t *)&command.helper};
      uint8_t *at = places[mistakes[i].place] + mistakes[i].offset, saved[8];
      memcpy(saved, at, mistakes[i].size);
      memcpy(at, &mistakes[i].value, mistakes[i].size);
      bool refused = uapi_strict(u) && uapi_submit_one(u, command, 0) == EINVAL;
      if (!refused) {
         uapi_equal(u, (uint64_t)(int64_t)uapi_run_command(u, command), (uint64_t)-EIO,
                    "the status of the fence of a job with %s", mistakes[i].what);
      }
      memcpy(at, saved, mistakes[i].size);
   }
   works(u, &scratch);
}

static const struct uapi_test tests[] = {
    {"fault/scratch-overflow", "a stack that is larger than the job's scratch memory fails the job",
     .run = scratch_overflow},
    {"fault/scratch-malformed", "a stack without a well-formed helper program and scratch header fails the job",
     .run = scratch_malformed, .hazard = "the helper program would hand out memory that is not there"},
};
UAPI_AREA(fault_scratch);
