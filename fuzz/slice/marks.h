/* SPDX-License-Identifier: MIT
 *
 * A listing of machine code, with > before some instructions.
 */
#ifndef AGX_RUNNER_FUZZ_MARKS_H
#define AGX_RUNNER_FUZZ_MARKS_H

#include <stddef.h>
#include <stdint.h>

/* What > means. */
enum marks_kind {
   MARKS_NONE,     /* nothing is marked */
   MARKS_PASS,     /* not in the code without the pass of the backend that is blamed */
   MARKS_ONE,      /* the instruction that is wrong */
   MARKS_SOME,     /* one of these is wrong */
   MARKS_REPORTED, /* what a check reported */
   MARKS_UNKNOWN,  /* nothing is marked: it was looked for, and is not known */
};

struct marks {
   enum marks_kind kind;
   const char *right_code;  /* the listing without the pass that is blamed; NULL or "": none is */
   const uint32_t *offsets; /* of the instructions that are marked; of MARKS_PASS none */
   uint32_t count;
};

/* The line in a listing between main and its preamble. */
#define MARKS_PREAMBLE "the preamble, which comes first:"
/* For people; "" for MARKS_NONE. */
const char *marks_text(enum marks_kind kind);
/* Where a pass is blamed: MARKS_PASS, unless all instructions that are marked are not in the code without it. Registers
 * change with a pass, so that many instructions are not there that are right. */
void marks_choose(struct marks *marks, const char *listing);
/* `listing` is taken apart; `text` gets it with marks, cut where there is no room. */
void marks_print(const struct marks *marks, char *listing, char *text, size_t size);

#endif
