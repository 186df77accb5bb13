/* SPDX-License-Identifier: MIT
 *
 * A dispatch in GPU memory: its USC words, its uniform data, its launch.
 */
#ifndef DRM_DISPATCH_H
#define DRM_DISPATCH_H

#include "drm/device.h"
#include "drm/stream.h"

/* Returns -EINVAL or -ENOTSUP with a reason if no device, or not this one, accepts the dispatch. */
int asahi_dispatch_check(struct asahi_device *device, const struct asahi_dispatch *dispatch);

/* Returns the stack words of each thread, the larger number of main program and preamble; 0: none. */
uint32_t asahi_dispatch_scratch(const struct asahi_dispatch *dispatch);

/* Return the bytes of USC words and of data, multiples of ASAHI_USC_ALIGN and ASAHI_DATA_ALIGN. */
#define ASAHI_DATA_ALIGN 128
size_t asahi_dispatch_usc_size(const struct asahi_dispatch *dispatch);
size_t asahi_dispatch_data_size(const struct asahi_dispatch *dispatch);

/* Writes both to memory of those sizes, advances the pieces past the written bytes, and fills in the launch. -EOVERFLOW
 * with a reason: the memory is too small; nothing is written past its end. */
int asahi_dispatch_write(struct asahi_device *device, const struct asahi_dispatch *dispatch, struct asahi_piece *usc,
                         struct asahi_piece *data, struct asahi_launch *launch);

#endif
