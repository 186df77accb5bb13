/* SPDX-License-Identifier: MIT
 *
 * AGX assembly in files: .agx text to a program and back, and single lines as hex.
 */
#ifndef AGX_RUNNER_ASSEMBLY_H
#define AGX_RUNNER_ASSEMBLY_H

#include <stdint.h>
#include <stdio.h>

#include "agx_runner/program/program_settings.h"
#include "isa/program.h"

/* Assembles a file's text; prints errors and warnings to stderr. Returns an enum exit_code; *program is NULL unless
 * EXIT_OK. */
int assembly_program(const char *path, const uint8_t *text, size_t size, const struct program_settings *settings,
                     struct agx_program **program);

/* Writes a program as .agx text. 0, or -ENOMEM. */
int assembly_write(const struct agx_program *program, FILE *file);

/* Converts line by line from the file of that name ("-": stdin) to `output` (NULL: stdout): hex digits to assembly, or
 * assembly to hex digits. Returns an enum exit_code. */
int assembly_from_hex(const char *path, const struct program_settings *settings, const char *output);
int assembly_to_hex(const char *path, const struct program_settings *settings, const char *output);

#endif
