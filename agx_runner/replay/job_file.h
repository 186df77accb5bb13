/* SPDX-License-Identifier: MIT
 *
 * Saved jobs read from a file (drm/uapi/saved_job.h). Invariant: a job that saved_job_read() accepts needs no further
 * checks: buffers exist, and pieces, mappings and timestamps are inside them.
 */
#ifndef AGX_RUNNER_REPLAY_JOB_FILE_H
#define AGX_RUNNER_REPLAY_JOB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/replay/page_file.h"
#include "drm/uapi/saved_job.h"

#define SAVED_COMMANDS_MAX 64u

/* Bytes of a buffer; they are in the file's memory, or are a page of the file of pages. */
struct saved_piece {
   uint32_t buffer;
   uint64_t offset, size;
   const uint8_t *bytes;
};

struct saved_job {
   uint8_t *data;             /* the whole file */
   struct saved_pages *pages; /* NULL: of a file of AGXJOB1 */
   char info[128];
   struct saved_queue queue;
   struct saved_buffer *buffers;
   struct saved_mapping *mappings;
   struct saved_either *commands;
   struct saved_piece *before, *after;
   size_t buffer_count, mapping_count, command_count, before_count, after_count;
   int error; /* the error with which it ended when it was saved */
};

/* Whether a file is meant to be a saved job: by its name's end, or by its beginning. */
bool saved_job_is(const char *path);
/* Returns false if `why` has what is wrong with the file. saved_job_finish() must follow in any case. */
bool saved_job_read(const char *path, struct saved_job *job, char *why, size_t why_size);
void saved_job_finish(struct saved_job *job);

#endif
