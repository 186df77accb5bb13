/* SPDX-License-Identifier: MIT
 *
 * Which pass makes a program wrong. Mesa's global state is used: call it in a process of its own.
 */
#ifndef COMPILER_FUZZ_BLAME_H
#define COMPILER_FUZZ_BLAME_H

#include "fuzz/nir/program.h"

#define FUZZ_RULE_TEXT 224

struct fuzz_blame {
   bool in_nir;        /* a NIR pass changed the answer */
   char pass[96];      /* its function; "": not found, or not in NIR */
   bool from_start;    /* the answer was wrong as soon as the kernel could be interpreted: no pass of NIR changed it */
   char byte_pass[96]; /* made the ops of 8 bits that the last NIR has and the backend does not know; "": none */
   /* Rules of Mesa's tables, of those two where they are algebraic passes: algebra/rule_blame.h. "": not found, or no
    * such pass
    */
   char rule[FUZZ_RULE_TEXT], byte_rule[FUZZ_RULE_TEXT];
   unsigned number;  /* of the pass in the order they ran, from 1 */
   unsigned unknown; /* observations that the interpreter could not make */
   char why[96];     /* the first reason for that */
};

/* Interprets the NIR after each pass of Mesa's AGX compiler. */
void fuzz_blame_nir(const struct fuzz_program *program, const struct compiler_options *options,
                    struct fuzz_blame *blame);

/* The same for a kernel in any form: `compile` compiles it in this process, with `data`. `compared` names the bytes of
 * the outputs that count. */
struct fuzz_memory;
struct fuzz_kernel {
   const struct fuzz_memory *memory;
   const uint8_t *expected, *compared;
   void (*compile)(void *data);
   void *data;
};
void fuzz_blame_kernel(const struct fuzz_kernel *kernel, struct fuzz_blame *blame);

/* The call stack of a crash. It lies in memory that the process shares with the one which asks for the pass: its
 * parent, so that both have the same code at the same addresses. */
#define FUZZ_CRASH_FRAMES 64
struct fuzz_crash {
   int count;
   void *helped;
   void *frames[FUZZ_CRASH_FRAMES];
};
/* From now on a crash of this process, and the end of its alarm(), is written there. The process ends as before. */
void fuzz_crash_watch(struct fuzz_crash *crash);
/* The pass, of NIR or the backend, that a crash was in. False: it was in none, and the name is that of a library's
 * function or file, or "". */
bool fuzz_crash_place(const struct fuzz_crash *crash, char *name, size_t size);
/* The innermost two places of this program's code in the call stack: a pass may crash in several ways. 0: not known. */
uint64_t fuzz_crash_site(const struct fuzz_crash *crash);

/* The optimizations of the backend that can be left out, one at a time. */
unsigned fuzz_backend_pass_count(void);
const char *fuzz_backend_pass_name(unsigned pass);
/* From now on it is left out in this process; fuzz_backend_pass_count(): none is. */
#define FUZZ_BACKEND_ALL 1000 /* leaves all of them out */
void fuzz_backend_skip(unsigned pass);

#endif
