/* SPDX-License-Identifier: MIT
 *
 * The files of a run of Piglit's tests, without duplicates, sorted by path.
 */
#ifndef PIGLIT_FILES_H
#define PIGLIT_FILES_H

#include <stddef.h>

struct piglit_path {
   char *path;
   char *name; /* piglit_test_name(), with "?" for control characters */
};

struct piglit_files {
   struct piglit_path *items;
   size_t count;
};

/* Adds a file, or all files of tests below a folder: programs of OpenCL (.cl, .program_test) and those of
 * script_is_one(). 0 or a negative errno with a message. */
int piglit_files_add(struct piglit_files *files, const char *path, char *message, size_t message_size);
/* Sorts the files. None may be added afterwards. */
void piglit_files_sort(struct piglit_files *files);
/* Keeps each `of`th file, from `number` on, which counts from 1. */
void piglit_files_shard(struct piglit_files *files, unsigned number, unsigned of);
void piglit_files_finish(struct piglit_files *files);

#endif
