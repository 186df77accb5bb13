/* SPDX-License-Identifier: MIT
 *
 * Machine code and programs as text.
 */
#ifndef AGX_RUNNER_LISTING_H
#define AGX_RUNNER_LISTING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/program.h"

/* One line an instruction, as isa_list() writes them. Addresses count from `base`. 0, or -ENOMEM. */
int listing_code(const uint8_t *code, size_t size, uint32_t base, FILE *file);

/* What the hardware is told of a program, then its code. 0, or -ENOMEM. */
int listing_program(const struct agx_program *program, FILE *file);

#endif
