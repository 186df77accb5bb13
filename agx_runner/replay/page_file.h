/* SPDX-License-Identifier: MIT
 *
 * The file of pages that saved jobs share (drm/uapi/saved_job.h). Invariant: a page that saved_pages_find() returns
 * has the requested hash.
 */
#ifndef AGX_RUNNER_REPLAY_PAGE_FILE_H
#define AGX_RUNNER_REPLAY_PAGE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/saved_job.h"

struct saved_pages;

/* Opens the file `name` in the folder of the job's file. NULL: `why` has what is wrong with it. */
struct saved_pages *saved_pages_open(const char *job_path, const char *name, char *why, size_t why_size);
void saved_pages_close(struct saved_pages *pages); /* NULL is fine */
/* Returns DRM_ASAHI_PAGE_SIZE bytes, which are valid until the file is closed. NULL: `why` has the reason. */
const uint8_t *saved_pages_find(struct saved_pages *pages, struct saved_hash hash, char *why, size_t why_size);

#endif
