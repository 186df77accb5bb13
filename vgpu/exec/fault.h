/* SPDX-License-Identifier: MIT
 *
 * Faults of a launch: raising one, and saying where in the program it happened.
 */
#ifndef VGPU_FAULT_H
#define VGPU_FAULT_H

#include <stddef.h>

#include "vgpu/exec/simd.h"

/* Ends the launch. A first fault of the worker is not replaced. */
void vgpu_raise(struct vgpu_worker *worker, enum vgpu_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for an instruction of a simdgroup: its place is appended to the message, and its operands are stored for the
 * post-mortem. */
void vgpu_raise_at(const struct vgpu_simd *simd, const struct vgpu_op *op, enum vgpu_fault fault, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* A lane's access is not mapped at va: counts it, or raises the fault if faults are hard. */
void vgpu_memory_miss(struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t va, bool store);

/* vgpu_address_print() of an address that the instruction missed. */
void vgpu_miss_print(const struct vgpu_worker *worker, const struct vgpu_op *op, uint64_t va, char *text, size_t size);

/* Where an address lies, by the buffer of the client that is nearest on either side. */
enum vgpu_where {
   VGPU_WHERE_UNKNOWN, /* the client told no buffers */
   VGPU_WHERE_BEFORE,  /* "260 bytes before buffer 1 (in)" */
   VGPU_WHERE_IN,      /* "byte 8 of buffer 1 (in)": all bytes of the access */
   VGPU_WHERE_PAST,    /* "byte 256 of buffer 1 (in), which has 256 bytes: 4 bytes past its end" */
   VGPU_WHERE_NULL,    /* "16 bytes past a null pointer" */
   VGPU_WHERE_FAR,     /* "far from every buffer" */
};
#define VGPU_WHERE_KINDS 6
/* Describes an access of `bytes` bytes. Past the end of a buffer, it tells how far. A buffer without a name is "a
 * buffer of 256 bytes at 0x1200008000". Freed and internal buffers are skipped. "": unknown. */
enum vgpu_where vgpu_address_print(const struct vgpu_range *ranges, size_t count, uint64_t address, unsigned bytes,
                                   char *text, size_t size);
/* "buffer 1 (in)", or the other form above. */
void vgpu_range_print(const struct vgpu_range *range, char *text, size_t size);

/* Which program, the offset from its entry, and the instruction: "main + 0x1c: store r4, dr4, 0, i32, x, a". Bytes that
 * are no instruction are all printed. A place far from the program has its address, and the program's too. */
void vgpu_place_print(const struct vgpu_worker *worker, const struct vgpu_op *op, char *text, size_t size);

#endif
