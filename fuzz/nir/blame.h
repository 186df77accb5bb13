/* SPDX-License-Identifier: MIT
 *
 * Which pass makes a program wrong. It uses Mesa's global state: call it in a separate process.
 */
#ifndef COMPILER_FUZZ_BLAME_H
#define COMPILER_FUZZ_BLAME_H

#include "fuzz/nir/program.h"

#define FUZZ_RULE_TEXT 224

struct fuzz_blame {
   bool done;       /* the program was compiled */
   bool in_nir;     /* a NIR pass changed the answer */
   char pass[96];   /* function name of the pass; "": not found, or not in NIR */
   bool from_start; /* the answer was wrong when the kernel could first be interpreted: no NIR pass changed it */
   /* the pass that made the 8-bit ops of the last NIR, which the backend does not support; "": none */
   char byte_pass[96];
   /* The wrong rules of these two passes if they are algebraic (algebra/rule_blame.h). "": not found, or no such
    * pass */
   char rule[FUZZ_RULE_TEXT], byte_rule[FUZZ_RULE_TEXT];
};

/* Interprets the NIR after each pass of Mesa's AGX compiler. */
void fuzz_blame_nir(void *program, const struct compiler_options *options, struct fuzz_blame *blame);

/* The same for a kernel in any form: `compile` compiles it in this process, with `data`. `compared` marks the output
 * bytes that count. */
struct fuzz_memory;
struct fuzz_kernel {
   const struct fuzz_memory *memory;
   const uint8_t *expected, *compared;
   void (*compile)(void *data);
   void *data;
};
void fuzz_blame_kernel(const struct fuzz_kernel *kernel, struct fuzz_blame *blame);

/* The call stack of a crash. It is in memory shared with the process that looks for the pass: its parent, so that both
 * have the same code at the same addresses. */
#define FUZZ_CRASH_FRAMES 64
struct fuzz_crash {
   int count;
   void *helped;
   void *frames[FUZZ_CRASH_FRAMES];
};
/* From now on a crash of this process, and the end of its alarm(), is recorded there. The process ends as before. */
void fuzz_crash_watch(struct fuzz_crash *crash);
/* Returns the pass, of NIR or the backend, in which the crash was. Returns false if it was in none; the name is then
 * that of a library's function or file, or "". */
bool fuzz_crash_place(const struct fuzz_crash *crash, char *name, size_t size);
/* Returns the two innermost code addresses of this program in the call stack, because a pass may crash at several
 * places. 0: not known. */
uint64_t fuzz_crash_site(const struct fuzz_crash *crash);

/* Returns how many optimizations of the backend can be left out. */
unsigned fuzz_backend_pass_count(void);
const char *fuzz_backend_pass_name(unsigned pass);
/* Leaves out that optimization from now on in this process; fuzz_backend_pass_count(): none. */
#define FUZZ_BACKEND_ALL 1000 /* leaves out all of them */
void fuzz_backend_skip(unsigned pass);

#endif
