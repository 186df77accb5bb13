/* SPDX-License-Identifier: MIT
 *
 * Proves that a block in another order computes the same, without the dependencies that the order was made with.
 */
#ifndef AGX_RUNNER_SCHEDULE_VERIFY_H
#define AGX_RUNNER_SCHEDULE_VERIFY_H

#include "agx_runner/schedule/code.h"

/* Why the items do not compute what the block does; NULL: they do. "out of memory" is such a text. */
const char *schedule_verify(const struct schedule_block *block, const struct schedule_item *items, uint32_t count);

#endif
