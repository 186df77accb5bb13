/* SPDX-License-Identifier: MIT
 *
 * One dispatch as GPU memory: its USC words, its uniform data, its launch.
 */
#ifndef DRM_DISPATCH_H
#define DRM_DISPATCH_H

#include "drm/device.h"
#include "drm/stream.h"

/* -EINVAL or -ENOTSUP, with why, for what no device or not this one takes. */
int asahi_dispatch_check(struct asahi_device *device, const struct asahi_dispatch *dispatch);

/* Stack words a thread that the dispatch needs, the larger of main program and preamble; 0: none. */
uint32_t asahi_dispatch_scratch(const struct asahi_dispatch *dispatch);

/* Bytes of USC words and of data, multiples of ASAHI_USC_ALIGN and ASAHI_DATA_ALIGN. */
#define ASAHI_DATA_ALIGN 128
size_t asahi_dispatch_usc_size(const struct asahi_dispatch *dispatch);
size_t asahi_dispatch_data_size(const struct asahi_dispatch *dispatch);

/* Writes both to memory of those sizes, moves the pieces past what was written, and fills in the launch. -EOVERFLOW,
 * with why: the memory is too small; nothing is written past its end. */
int asahi_dispatch_write(struct asahi_device *device, const struct asahi_dispatch *dispatch, struct asahi_piece *usc,
                         struct asahi_piece *data, struct asahi_launch *launch);

#endif
