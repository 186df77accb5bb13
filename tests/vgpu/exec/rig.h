/* SPDX-License-Identifier: MIT
 *
 * Runs assembly on the cores alone. A rig is an address space with a program, an input and an output buffer, and a
 * launch that points to them.
 */
#ifndef TESTS_VGPU_EXEC_RIG_H
#define TESTS_VGPU_EXEC_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/vgpu/exec/flat_vm.h"
#include "vgpu/launch.h"
#include "vgpu/timing/chip.h"
#include "vgpu/exec/levels/levels.h"

#define RIG_CODE UINT64_C(0x1100000000) /* also the USC base */
#define RIG_CODE_BYTES 0x40000u
#define RIG_INPUT UINT64_C(0x1500000000)  /* in du0 */
#define RIG_OUTPUT UINT64_C(0x1600000000) /* in du2 */
#define RIG_WORDS 4                       /* words of a record: what rig_kernel() loads and stores a thread */

extern unsigned rig_failures;
/* Says what failed; the first few only. */
void rig_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The exit code of a test. */
int rig_result(void);

struct rig {
   struct flat_vm vm;
   struct vgpu_launch launch;
   struct vgpu_outcome outcome;
   uint8_t *code, *input, *output;
   size_t code_size;
};

/* threads: of the grid, in threadgroups of at most 1024. Buffers hold a record a thread. */
void rig_init(struct rig *rig, uint32_t threads);
void rig_finish(struct rig *rig);
/* Assembles; exits with the messages when it does not. */
void rig_program(struct rig *rig, const char *text);
/* A program around `body`: it finds its record in r4..r7, and what it leaves in r8..r11 (0xdeadbeef before) is
 * stored. r1 is the thread's number. */
void rig_kernel(struct rig *rig, const char *body);
/* Runs; fails the test when it ends with a fault. */
void rig_run(struct rig *rig, const struct vgpu_level *level);

uint32_t rig_random(void);
void rig_seed(uint32_t seed);
/* Random bits, with many special values of f32 and f16 among them. */
uint32_t rig_special(void);
void rig_fill(struct rig *rig);

static inline const uint32_t *rig_in(const struct rig *rig, uint32_t thread)
{
   return (const uint32_t *)(const void *)rig->input + RIG_WORDS * thread;
}

static inline const uint32_t *rig_out(const struct rig *rig, uint32_t thread)
{
   return (const uint32_t *)(const void *)rig->output + RIG_WORDS * thread;
}

/* One instruction or a few against a host function: every usable level, the best one with timing too, all threads.
 * expect() writes what r8..r11 must be; `lanes` are the 32 records of the simdgroup, `lane` the one that it answers
 * for. */
struct rig_case {
   const char *body;
   void (*expect)(const uint32_t (*lanes)[RIG_WORDS], unsigned lane, uint32_t *out);
};
void rig_cases(const struct rig_case *cases, size_t count, uint32_t threads, void (*fill)(struct rig *rig));

/* The same with a launch that has more than the usual. */
struct rig_wants {
   uint32_t group; /* threads of a threadgroup; 0: as usual */
   uint32_t threadgroup_bytes;
   uint32_t spill;   /* bucket; 0: no scratch memory */
   bool interpreted; /* not compiled, too: of many random programs, which LLVM takes its time for */
   bool whole;       /* not with inactive lanes, too */
};
void rig_cases_with(const struct rig_case *cases, size_t count, uint32_t threads, void (*fill)(struct rig *rig),
                    struct rig_wants wants);

#endif
