/* SPDX-License-Identifier: MIT
 *
 * Why a kernel or a file did not become a program: who refuses it, what is missing, and where the source needs it. The
 * code that detects the reason makes the refusal, the result of the compilation contains it, and refusal_line() writes
 * it in one line. No type of Mesa is visible here.
 */
#ifndef COMPILER_REFUSAL_H
#define COMPILER_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program that lacks the feature or sets the limit. */
enum refusal_who {
   REFUSAL_NONE,         /* there is no refusal */
   REFUSAL_LANGUAGE,     /* OpenCL C forbids the source, but clang does not report it */
   REFUSAL_SOURCE,       /* the source or the module is incomplete */
   REFUSAL_CLANG,        /* clang's own error in the source, or in the build options */
   REFUSAL_FILE,         /* agx-runner cannot read this kind of file */
   REFUSAL_REQUEST,      /* the requested kernel is not in the file */
   REFUSAL_LIBCLC,       /* the library of OpenCL C's functions */
   REFUSAL_TRANSLATOR,   /* SPIRV-LLVM-Translator lacks it */
   REFUSAL_FRONT_END,    /* clang and SPIRV-LLVM-Translator made an invalid module */
   REFUSAL_VALIDATOR,    /* an external module is not valid SPIR-V */
   REFUSAL_SPIRV_TO_NIR, /* Mesa's reader of SPIR-V */
   REFUSAL_RUNNER,       /* agx-runner */
   REFUSAL_MESA,         /* Mesa's AGX compiler */
   REFUSAL_GPU,          /* the hardware */
   REFUSAL_MEMORY,       /* the compilation's memory limit */
   REFUSAL_TIME,         /* its time limit */
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
   uint32_t line, column;           /* in the source, from 1; 0: not known */
   char kernel[REFUSAL_FUNCTION];   /* "": no particular one */
   char function[REFUSAL_FUNCTION]; /* the function that needs it; "": the kernel itself, or not known */
};

/* Returns "Mesa's AGX compiler"; "" if the sentence has another subject. */
const char *refusal_subject(enum refusal_who who);

/* Whether the kernel may be correct, and needs a feature that is missing. Otherwise it is an error of the source or of
 * the compiler. */
bool refusal_is_unsupported(enum refusal_who who);

/* Whether something between the source and NIR refused it: clang, SPIRV-LLVM-Translator, spirv_to_nir, or a gap in
 * libclc. If the kernel is valid and needs nothing optional, that is a fault of the front end. */
bool refusal_is_front_end(enum refusal_who who);

/* Writes one line without its end: "fm.cl:2:97: kernel m: unsupported: libclc has no fmod(half, half)". `name` is that
 * of the file, for a refusal without one. */
void refusal_line(const struct refusal *refusal, const char *name, char *text, size_t size);

/* Writes the sentence alone: "libclc has no fmod(half, half)". */
void refusal_sentence(const struct refusal *refusal, char *text, size_t size);

#endif
