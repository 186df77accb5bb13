/* SPDX-License-Identifier: MIT
 *
 * Where output goes: standard output, or a file that appears only when it is whole.
 */
#ifndef AGX_RUNNER_OUTPUT_H
#define AGX_RUNNER_OUTPUT_H

#include <stdio.h>

struct output {
   FILE *file;
   const char *path; /* NULL: standard output */
   char *resolved;   /* what it names, where links lead there; NULL: not there yet */
   char *temporary;  /* NULL: written to directly (standard output, a device, a pipe) */
};

/* path NULL or "-": standard output. Messages are printed; an enum exit_code, EXIT_OK if well. */
int output_open(struct output *output, const char *path);
/* Could it be opened? A pipe or a device is not tried. */
int output_probe(const char *path);
/* Makes it whole: after this the file is there. */
int output_commit(struct output *output);
/* Gives up what was not committed; after a commit nothing is left to do. */
void output_discard(struct output *output);

#endif
