/* SPDX-License-Identifier: MIT
 *
 * Which collected program has the code that a source was compiled to: the tie between a program and its source.
 */
#ifndef AGX_RUNNER_COLLECTED_TIES_H
#define AGX_RUNNER_COLLECTED_TIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"

struct collected_code {
   uint64_t code;    /* a hash of main program and preamble */
   const char *file; /* of the program */
};
struct collected_codes {
   struct collected_code *list;
   size_t count;
};

/* Reads the compute programs of the folder; one without any has the count 0. false: out of memory.
 * collected_codes_finish() must follow in any case. */
bool collected_codes_read(const char *folder, struct collected_codes *codes);
void collected_codes_finish(struct collected_codes *codes);

/* The file of a program with this code; NULL: there is none. Of several, which differ in what a launch gives, the
 * first one by name. */
const char *collected_codes_find(const struct collected_codes *codes, const struct agx_program *program);

#endif
