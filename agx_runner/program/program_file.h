/* SPDX-License-Identifier: MIT
 *
 * The form in which a command writes programs: a listing, counts, .agx text or bare machine code.
 */
#ifndef AGX_RUNNER_PROGRAM_FILE_H
#define AGX_RUNNER_PROGRAM_FILE_H

#include <stdint.h>

#include "agx_runner/program/program_settings.h"
#include "compiler/api/compiler.h"

enum program_form {
   PROGRAM_LISTING, /* for people: facts and code */
   PROGRAM_STATS,   /* for people: facts and counts */
   PROGRAM_TEXT,    /* .agx: the one file form of a program */
   PROGRAM_CODE,    /* machine code and nothing else */
};

/* Returns the form that the settings request (stats, whole), else that of the output file's name (.agx, .bin), else
 * `usual`. */
enum program_form program_form(const struct program_settings *settings, const char *output, enum program_form usual);

/* Writes the programs to `output` (NULL: stdout; "FOLDER/": each to a file there). Text and code are of one program,
 * chosen with --kernel. `path` is the input's, for messages. An enum exit_code. */
int program_files_write(const char *path, const struct compiler_result *programs, enum program_form form,
                        const struct program_settings *settings, const char *output);

/* Listing or counts of bare machine code. An enum exit_code. */
int code_write(const struct isa_set *set, const uint8_t *code, size_t size, enum program_form form,
               const struct program_settings *settings, const char *output);

#endif
