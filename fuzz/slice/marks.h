/* SPDX-License-Identifier: MIT
 *
 * A listing of machine code, with > before some instructions.
 */
#ifndef AGX_RUNNER_FUZZ_MARKS_H
#define AGX_RUNNER_FUZZ_MARKS_H

#include <stddef.h>
#include <stdint.h>

/* The meaning of >. */
enum marks_kind {
   MARKS_NONE,     /* nothing is marked */
   MARKS_PASS,     /* not in the code without the blamed pass of the backend */
   MARKS_ONE,      /* the wrong instruction */
   MARKS_SOME,     /* one of these is wrong */
   MARKS_REPORTED, /* a check reported it */
   MARKS_UNKNOWN,  /* nothing is marked: it was searched, but not found */
};

struct marks {
   enum marks_kind kind;
   const char *right_code;  /* the listing without the blamed pass; NULL or "": no pass is blamed */
   const uint32_t *offsets; /* offsets of the marked instructions; none for MARKS_PASS */
   uint32_t count;
};

/* The line in a listing between main and its preamble. */
#define MARKS_PREAMBLE "the preamble, which comes first:"
/* Returns the text for people; "" for MARKS_NONE. */
const char *marks_text(enum marks_kind kind);
/* If a pass is blamed: chooses MARKS_PASS, unless all marked instructions are missing in the code without it. Registers
 * change with a pass, so many right instructions are missing there. */
void marks_choose(struct marks *marks, const char *listing);
/* Writes `listing`, which is modified, with marks to `text`, and truncates it to the size. */
void marks_print(const struct marks *marks, char *listing, char *text, size_t size);

#endif
