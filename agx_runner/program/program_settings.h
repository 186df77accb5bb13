/* SPDX-License-Identifier: MIT
 *
 * The input of kernel files, and what is written.
 */
#ifndef AGX_RUNNER_PROGRAM_SETTINGS_H
#define AGX_RUNNER_PROGRAM_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "agx_runner/terminal/values.h"

enum shader_api { SHADER_VULKAN, SHADER_OPENGL };

struct program_settings {
   const char *kernel;           /* the kernel; NULL: the only one, or all */
   struct string_list defines;   /* "NAME=NUMBER": constants for the assembler */
   bool long_forms;              /* assemble the long form of every instruction that has two */
   uint32_t syntax;              /* enum isa_syntax, of listings and of what asm reads */
   bool stats;                   /* counts instead of a listing */
   bool whole;                   /* the whole program as .agx text */
   double compile_seconds;       /* of processor time that one compilation may take; 0: no limit */
   uint32_t compile_mib;         /* of memory that one compilation may allocate; 0: no limit */
   const char *compiler;         /* compiler_choose() */
   bool alone;                   /* of a driver's programs those alone that run without it */
   const char *mesa;             /* the Mesa whose drivers compile: drivers/find.h; NULL: "linked" */
   struct string_list constants; /* "ID=VALUE": SPIR-V's specialization constants, for a Vulkan driver */
   uint32_t api;                 /* enum shader_api: whose driver takes GLSL */
   bool no_cache;                /* compile everything */
};

#endif
