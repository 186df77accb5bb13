/* SPDX-License-Identifier: MIT
 *
 * Why a kernel or a file did not become a program: who refuses it, what is missing, and where it is asked for. A
 * refusal is made by the code that knows, travels with the result of the compilation, and is written in one line by
 * refusal_line(). No type of Mesa shows here.
 */
#ifndef COMPILER_REFUSAL_H
#define COMPILER_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose lack it is, or whose limit. */
enum refusal_who {
   REFUSAL_NONE,         /* there is no refusal */
   REFUSAL_LANGUAGE,     /* OpenCL C forbids what the source does, and clang does not say so */
   REFUSAL_SOURCE,       /* the source or the module is not whole */
   REFUSAL_CLANG,        /* clang's own error in the source, or in the build options */
   REFUSAL_FILE,         /* the file is of no kind that agx-runner reads */
   REFUSAL_REQUEST,      /* the kernel that was asked for is not in the file */
   REFUSAL_LIBCLC,       /* the library of OpenCL C's functions */
   REFUSAL_TRANSLATOR,   /* SPIRV-LLVM-Translator lacks it */
   REFUSAL_FRONT_END,    /* clang and SPIRV-LLVM-Translator make a module that is not valid */
   REFUSAL_VALIDATOR,    /* a module from outside is not valid SPIR-V */
   REFUSAL_SPIRV_TO_NIR, /* Mesa's reader of SPIR-V */
   REFUSAL_RUNNER,       /* agx-runner */
   REFUSAL_MESA,         /* Mesa's AGX compiler */
   REFUSAL_GPU,          /* the hardware */
   REFUSAL_MEMORY,       /* the compilation's limit of memory */
   REFUSAL_TIME,         /* its limit of time */
   REFUSAL_CRASH,        /* the compiler crashed for another reason */
   REFUSAL_COUNT,
};

#define REFUSAL_WHAT 400
#define REFUSAL_FILE_NAME 256
#define REFUSAL_FUNCTION 128

struct refusal {
   enum refusal_who who;
   char what[REFUSAL_WHAT];         /* the rest of a sentence that starts with who: "has no fmod(half, half)" */
   char file[REFUSAL_FILE_NAME];    /* "": not known */
   uint32_t line, column;           /* of the source, from 1; 0: not known */
   char kernel[REFUSAL_FUNCTION];   /* "": no single one */
   char function[REFUSAL_FUNCTION]; /* the function that asks for it; "": the kernel itself, or not known */
};

/* "Mesa's AGX compiler". "" where the sentence has another subject. */
const char *refusal_subject(enum refusal_who who);

/* The kernel may be right: somebody lacks what it asks for. Else it is an error, of the source or of the compiler. */
bool refusal_is_unsupported(enum refusal_who who);

/* What stands between the source and NIR refused it: clang, SPIRV-LLVM-Translator, spirv_to_nir, or a gap in libclc.
 * Where the kernel is valid and asks for nothing optional, that is a fault of theirs. */
bool refusal_is_front_end(enum refusal_who who);

/* One line without its end: "fm.cl:2:97: kernel m: unsupported: libclc has no fmod(half, half)". `name` is that of the
 * file, for a refusal without one. */
void refusal_line(const struct refusal *refusal, const char *name, char *text, size_t size);

/* The sentence alone: "libclc has no fmod(half, half)". */
void refusal_sentence(const struct refusal *refusal, char *text, size_t size);

#endif
