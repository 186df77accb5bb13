/* SPDX-License-Identifier: MIT
 *
 * A part of a search: some kernels that follow each other. A process tries it.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_PART_H
#define AGX_RUNNER_DRIVER_SEARCH_PART_H

#include <stdint.h>
#include <stdio.h>

#include "agx_runner/driver/search/settings.h"

#define SEARCH_PART 4u /* kernels of a part, at most */
#define SEARCH_PATH 4096

struct search_part {
   const struct driver_search_settings *settings;
   const char *version;               /* of the Mesa */
   const char *folder;                /* of the kernels */
   FILE *out;                         /* gets the findings */
   uint64_t tried, refused, findings; /* so far */
};

/* Tries the kernels from `first` on. Prints messages to stderr; returns an enum exit_code. */
int search_part_run(struct search_part *part, uint64_t first, uint64_t count);
/* Removes what it has left in the folder. */
void search_part_remove(const struct search_part *part, uint64_t first, uint64_t count);

#endif
