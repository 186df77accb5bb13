/* SPDX-License-Identifier: MIT
 *
 * How the memory formats of loads and stores lie in memory: spec/isa.md 4.1. One row for each format.
 */
#ifndef ISA_FORMATS_H
#define ISA_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

struct isa_format_info {
   uint8_t size;       /* bytes of an element; 0: no such format */
   uint8_t components; /* of a packed word; 0: elements stand alone, a mask picks them */
   bool raw;           /* bits go as they are, zero-extended and truncated */
};
extern const struct isa_format_info isa_formats[16]; /* by enum isa_format */

#endif
