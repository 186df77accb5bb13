/* SPDX-License-Identifier: MIT
 *
 * Machine code as a listing, and what can be counted in it. Any bytes are accepted: those that are no instruction are
 * listed as ".byte".
 */
#ifndef ISA_LISTING_H
#define ISA_LISTING_H

#include <stdio.h>

#include "isa/isa.h"

struct isa_listing_options {
   enum isa_syntax syntax;
   uint64_t base; /* address of code[0] */
   bool plain;    /* labels and instructions only, as an assembler takes them: no addresses, no bytes */
};

/* Writes one line an instruction: address, bytes, text. Places that a branch goes to have a line with a label,
 * "L1:" and up in the order of addresses, and the branch names it; a branch to elsewhere keeps its distance.
 * 0, or -ENOMEM. Errors of `file` are the caller's to look for (ferror). */
int isa_list(const struct isa_set *set, const uint8_t *code, size_t size, const struct isa_listing_options *options,
             FILE *file);

struct isa_stats {
   uint64_t bytes, instructions, unknown_bytes;
   uint64_t padding;  /* instructions after a stop that no branch leads to: traps */
   uint64_t branches; /* forward ones; backward ones are loops */
   uint64_t loops;
   uint32_t half_registers;              /* the highest that is named, plus 1; 0: none */
   uint32_t max_threads;                 /* threads of a core with this number of registers */
   uint64_t by_timing[ISA_TIMING_COUNT]; /* instructions, padding left out */
};

/* Counts. 0, or -ENOMEM. */
int isa_count(const struct isa_set *set, const uint8_t *code, size_t size, struct isa_stats *stats);
void isa_stats_print(const struct isa_stats *stats, FILE *file);

/* Threads that fit on a core when each has so many half registers: results/reference/occupancy_registers.csv
 * (Rosenzweig, "Dissecting the Apple M1 GPU, part III"). half_registers <= 256. */
uint32_t isa_max_threads(uint32_t half_registers);

#define ISA_HEX_LINE_MAX 4096 /* bytes that a line of hex digits is likely to hold at most */

/* Reads a line of hex digits: pairs in the order of the bytes, with or without blanks, commas and 0x between them.
 * Returns the number of bytes, or -EINVAL (no hex, half a byte, no byte) or -E2BIG (more than limit), and then *column
 * is where, from 1. */
int isa_parse_hex(const char *line, uint8_t *bytes, size_t limit, size_t *column);

/* The line of assembly that these bytes are: one instruction that takes all of them, or a ".byte" line. Returns the
 * length that the text has (snprintf's rule). */
int isa_print_exact(const struct isa_set *set, const uint8_t *bytes, size_t count, enum isa_syntax syntax, char *text,
                    size_t size);

#endif
