/* SPDX-License-Identifier: MIT
 *
 * --shard I/N: every Nth unit of a run, from the Ith on, so that N machines share it. `merge` joins their results.
 */
#ifndef AGX_RUNNER_SHARD_H
#define AGX_RUNNER_SHARD_H

#include "agx_runner/options/options.h"

struct shard {
   unsigned number, of; /* 1/1: all units */
};

extern const struct option_info option_shard;

/* text NULL: all. Returns an enum exit_code, with a message. */
int shard_parse(const char *text, struct shard *shard);

#endif
