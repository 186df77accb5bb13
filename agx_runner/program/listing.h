/* SPDX-License-Identifier: MIT
 *
 * Machine code and programs as text.
 */
#ifndef AGX_RUNNER_LISTING_H
#define AGX_RUNNER_LISTING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/isa.h"
#include "isa/program.h"

/* Writes one line for each instruction, as isa_list() does. Addresses are relative to `base`. Returns 0 or -ENOMEM. */
int listing_code(const struct isa_set *set, const uint8_t *code, size_t size, uint32_t base, enum isa_syntax syntax,
                 FILE *file);
/* Counts the program's instructions with isa_count(). 0, or -ENOMEM. */
int listing_code_stats(const struct isa_set *set, const uint8_t *code, size_t size, FILE *file);

/* Writes the program's settings for the hardware, then its code. Returns 0 or -ENOMEM. */
int listing_program(const struct agx_program *program, enum isa_syntax syntax, FILE *file);
/* The same with counts instead of the code. Returns 0 or -ENOMEM. */
int listing_stats(const struct agx_program *program, FILE *file);

#endif
