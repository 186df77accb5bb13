/* SPDX-License-Identifier: MIT
 *
 * The memory of a saved job: before the job or after it, and its GPU addresses.
 */
#ifndef AGX_RUNNER_REPLAY_IMAGE_H
#define AGX_RUNNER_REPLAY_IMAGE_H

#include "agx_runner/replay/submit.h"

/* Writes bytes [start, start + size) of a buffer before or after the saved job; timestamps are those of this run. */
void replay_image(const struct replay *replay, uint32_t buffer, uint64_t start, uint64_t size, bool after,
                  uint8_t *image);
/* Returns the GPU address of that byte of a buffer; 0: it is not mapped. */
uint64_t saved_job_address(const struct saved_job *job, uint32_t buffer, uint64_t offset);
/* Returns the memory at a GPU address, and the bytes up to the end of the mapping. NULL: it is not mapped. */
const uint8_t *replay_bytes_at(const struct replay *replay, uint64_t address, uint64_t *size);

#endif
