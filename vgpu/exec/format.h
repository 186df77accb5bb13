/* SPDX-License-Identifier: MIT
 *
 * Memory formats of loads and stores that are more than raw bits: spec/isa.md 4.1.
 */
#ifndef VGPU_FORMAT_H
#define VGPU_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

struct vgpu_format {
   uint8_t size;       /* bytes of an element; 0: no such format */
   uint8_t components; /* of a packed word; 0: elements stand alone, a mask picks them */
   bool raw;           /* bits go as they are, zero-extended and truncated */
};
extern const struct vgpu_format vgpu_formats[16]; /* by enum isa_format */

/* One component as a number. */
double vgpu_unpack(enum isa_format format, uint32_t word, unsigned component);
/* A component's bits, or for packed formats the whole word, from its numbers. */
uint32_t vgpu_pack(enum isa_format format, const double *value, unsigned component);

#endif
