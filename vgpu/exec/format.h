/* SPDX-License-Identifier: MIT
 *
 * Conversion between numbers and the memory formats that are more than raw bits: spec/isa.md 4.1.
 */
#ifndef VGPU_FORMAT_H
#define VGPU_FORMAT_H

#include <stdint.h>

#include "isa/formats.h"
#include "isa/isa.h"

/* One component as a number. */
double vgpu_unpack(enum isa_format format, uint32_t word, unsigned component);
/* A component's bits, or for packed formats the whole word, from its numbers. */
uint32_t vgpu_pack(enum isa_format format, const double *value, unsigned component);

#endif
