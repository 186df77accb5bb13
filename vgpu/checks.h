/* SPDX-License-Identifier: MIT
 *
 * The findings of the checking device (option check= of the virtual device), and how a client reads them. Equal
 * findings are one report with a count: those with the same check, instruction and text. docs/checking.md.
 */
#ifndef VGPU_CHECKS_H
#define VGPU_CHECKS_H

#include <stdint.h>

/* X(constant, bit, name, what it finds): a check is a row here and a file of vgpu/exec/checks, which defines
 * vgpu_check_NAME(). Checks look at an instruction in this order. */
#define VGPU_CHECKS(X)                                                                                                 \
   X(HAZARDS, 8, hazards, "what hardware punishes and the emulation forgives")                                         \
   X(UNDEFINED, 4, undefined, "a value that nothing wrote is stored, branched on, or used as an address")              \
   X(BOUNDS, 1, bounds, "accesses outside of buffers and of threadgroup memory")                                       \
   X(RACES, 2, races, "two threads touch one byte without order, one writes")

enum vgpu_check {
#define VGPU_CHECK_BIT(constant, bit, name, what) VGPU_CHECK_##constant = (bit),
   VGPU_CHECKS(VGPU_CHECK_BIT)
#undef VGPU_CHECK_BIT
#define VGPU_CHECK_OR(constant, bit, name, what) | (bit)
       VGPU_CHECK_ALL = 0 VGPU_CHECKS(VGPU_CHECK_OR),
#undef VGPU_CHECK_OR
};

#define VGPU_CHECK_REPORTS 64u       /* distinct ones that a device keeps */
#define VGPU_CHECK_FORGET UINT32_MAX /* as an index: the device forgets its reports */

struct vgpu_check_report {
   uint32_t index;          /* in: which one is asked for */
   uint32_t total;          /* out: how many there are; the rest is filled when index is less */
   uint64_t dropped;        /* out: findings that had no room any more */
   uint64_t count;          /* how often: lanes' accesses (bounds, races), or simdgroups' executions */
   uint64_t address;        /* of the access, where it is one; else 0 */
   uint32_t check;          /* one bit */
   uint32_t lane;           /* of the first one */
   uint32_t thread[3];      /* in the threadgroup */
   uint32_t threadgroup[3]; /* in the grid */
   char text[256];          /* "r4 is stored, but nothing wrote it" */
   char place[160];         /* "main + 0x1c: store r4, ..." */
};

/* Of a device, or of a command that runs. */
struct vgpu_check_log {
   struct vgpu_check_report reports[VGPU_CHECK_REPORTS];
   struct {
      const char *format; /* of the text: says what kind of finding it is */
      uint64_t instruction;
   } keys[VGPU_CHECK_REPORTS];
   uint32_t count;
   uint64_t dropped;
};

#endif
