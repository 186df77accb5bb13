/* SPDX-License-Identifier: MIT
 *
 * The memory of a saved job: as it was before the job or after it, and where the GPU sees it.
 */
#ifndef AGX_RUNNER_REPLAY_IMAGE_H
#define AGX_RUNNER_REPLAY_IMAGE_H

#include "agx_runner/replay/submit.h"

/* Bytes [start, start + size) of a buffer before the saved job, or after it, but for the timestamps: they are those of
 * this run. */
void replay_image(const struct replay *replay, uint32_t buffer, uint64_t start, uint64_t size, bool after,
                  uint8_t *image);
/* Where the GPU sees that byte of a buffer; 0: nowhere. */
uint64_t saved_job_address(const struct saved_job *job, uint32_t buffer, uint64_t offset);
/* The memory at a GPU address, and how many bytes are there to the end of the mapping. NULL: none is bound. */
const uint8_t *replay_bytes_at(const struct replay *replay, uint64_t address, uint64_t *size);

#endif
