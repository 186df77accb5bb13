/* SPDX-License-Identifier: MIT
 *
 * Proves that a reordered block computes the same, independently of the dependencies from which the order was made.
 */
#ifndef AGX_RUNNER_SCHEDULE_VERIFY_H
#define AGX_RUNNER_SCHEDULE_VERIFY_H

#include "agx_runner/schedule/code.h"

/* Returns why the items do not compute what the block computes, which may be "out of memory"; NULL: they do. */
const char *schedule_verify(const struct schedule_block *block, const struct schedule_item *items, uint32_t count);

#endif
