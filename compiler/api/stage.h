/* SPDX-License-Identifier: MIT
 *
 * How a compilation in a process of its own reports its stage to its caller: each stage is announced before it starts,
 * so the last one announced is the one that crashed.
 */
#ifndef COMPILER_STAGE_H
#define COMPILER_STAGE_H

#include <stdint.h>

#include "compiler/api/compiler.h"

/* Runs in the job's process. `data`: the bytes of the request. Returns what a compilation returns. */
typedef int compiler_job(const void *data, size_t size, struct compiler_result *result);

enum compiler_stage {
   COMPILER_STAGE_START,      /* before any code of Mesa */
   COMPILER_STAGE_CLANG,      /* OpenCL C to LLVM IR */
   COMPILER_STAGE_TRANSLATOR, /* LLVM IR to SPIR-V: SPIRV-LLVM-Translator */
   COMPILER_STAGE_LINK,       /* SPIRV-Tools' linker */
   COMPILER_STAGE_VALIDATE,   /* SPIRV-Tools' validator */
   COMPILER_STAGE_NIR,        /* SPIR-V to NIR, and Mesa's common passes */
   COMPILER_STAGE_BACKEND,    /* NIR to machine code: Mesa's AGX compiler */
   COMPILER_STAGE_DONE,       /* the result is being handed over */
   COMPILER_STAGES,
};

#define COMPILER_STAGE_KERNEL 128

/* The announced stage. It is in memory that the waiting process shares, so it survives a crash. */
struct compiler_progress {
   uint32_t stage;                     /* enum compiler_stage */
   char kernel[COMPILER_STAGE_KERNEL]; /* the kernel that is compiled, truncated; "": no particular one */
   uint32_t no_memory;                 /* not 0: it crashed after a failed allocation */
};

/* Returns "the SPIR-V translator", as in messages. */
const char *compiler_stage_name(uint32_t stage);

/* Announces the stage that starts now. */
void compiler_stage(enum compiler_stage stage);
/* Announces the kernel of the following stages; NULL: none. */
void compiler_stage_kernel(const char *kernel);

/* Announces that an allocation has failed. May be called in a signal handler. */
void compiler_stage_no_memory(void);

/* Whether this process compiles a kernel for the second time, because Mesa's register allocator ran out of numbers for
 * spilled values (docs/mesa-bugs.md, 7). The backend then avoids what uses most of them. */
void compiler_set_second_try(bool second);
bool compiler_is_second_try(void);

/* Sets where announcements are stored; NULL: nowhere. It applies to the whole process, like Mesa's own state. */
void compiler_stage_set(struct compiler_progress *progress);

#endif
