/* SPDX-License-Identifier: MIT
 *
 * The destination of output: standard output, or a file that appears only when it is complete.
 */
#ifndef AGX_RUNNER_OUTPUT_H
#define AGX_RUNNER_OUTPUT_H

#include <stdio.h>

struct output {
   FILE *file;
   const char *path; /* NULL: standard output */
   char *resolved;   /* the path with links resolved; NULL: it does not exist yet */
   char *temporary;  /* NULL: written to directly (standard output, a device, a pipe) */
};

/* path NULL or "-": standard output. Prints messages; returns an enum exit_code. */
int output_open(struct output *output, const char *path);
/* Checks whether it could be opened. A pipe or a device is not tried. */
int output_probe(const char *path);
/* Completes the file: after this it exists. */
int output_commit(struct output *output);
/* Discards uncommitted output; does nothing after a commit. */
void output_discard(struct output *output);

#endif
