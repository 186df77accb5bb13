/* SPDX-License-Identifier: MIT
 *
 * Reads collected programs (drm/uapi/collected.h): a program's file, and what a folder says of all of its programs.
 */
#ifndef AGX_RUNNER_COLLECTED_H
#define AGX_RUNNER_COLLECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/collected.h"
#include "isa/program.h"

bool collected_is_program(const char *path); /* by its name */

/* Makes a program of a file's bytes. The name is its stage and the first digits of its hash: "vertex-0123abcd". Its
 * uniforms and arguments are the driver's, and are not known. NULL: `why` says what is wrong. */
struct agx_program *collected_program(const uint8_t *bytes, size_t size, const char **why);

/* A program of a folder. */
struct collected_entry {
   char hash[33]; /* the name of its file without the suffix */
   /* "ffmpeg:1/0003": the process's name, its number among the processes of that name, and the place among its first
    * launches */
   char name[160];
   uint64_t launches; /* by all processes */
};
struct collected_folder {
   struct collected_entry *entries; /* in the order of hashes */
   size_t count, processes;
   char (*programs)[64]; /* the names of the processes */
   char drivers[256];    /* versions, separated by ", "; "" : not known */
};
/* Reads the uses' files of the folder; without one the count is 0. false: out of memory. collected_folder_finish() must
 * follow in any case. */
bool collected_folder_read(const char *path, struct collected_folder *folder);
void collected_folder_finish(struct collected_folder *folder);
/* Writes the name by which two collections of the same program are compared: "ffmpeg:1/0003-compute", or the file's
 * where no process has counted it. stage: the program's name. */
void collected_name(const struct collected_folder *folder, const char *file, const char *stage, char *name,
                    size_t size);
/* The entry of the program's file; NULL: no process has counted it. */
const struct collected_entry *collected_find(const struct collected_folder *folder, const char *file);

#endif
