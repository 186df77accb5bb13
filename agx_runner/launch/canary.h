/* SPDX-License-Identifier: MIT
 *
 * The memory around a buffer, filled with a pattern before a launch and compared after it: it detects on any device
 * that a kernel wrote outside of the buffer. It can detect neither what wrote there, nor reads.
 */
#ifndef AGX_RUNNER_CANARY_H
#define AGX_RUNNER_CANARY_H

#include "drm/asahi.h"

/* Bytes that are mapped before and behind a buffer of a real device, besides the rest of its last page. On a virtual
 * device nothing is mapped there, and the device itself counts lost accesses. */
#define CANARY_MARGIN 16384

struct canary_damage {
   size_t bytes;       /* that changed; 0: none */
   size_t first, last; /* of these. Before the buffer: as distances to its start, first > last; behind: offsets in it */
};

void canary_fill(struct asahi_buffer *buffer);
/* Since canary_fill(). */
struct canary_damage canary_before(struct asahi_buffer *buffer);
struct canary_damage canary_behind(struct asahi_buffer *buffer);

#endif
