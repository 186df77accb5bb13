/* SPDX-License-Identifier: MIT
 *
 * Mesa's command stream decoder. Apart from its user because Mesa's header brings the old uAPI, whose names are those
 * of drm/uapi/asahi_drm.h.
 */
#ifndef TESTS_DRM_MESA_DECODER_H
#define TESTS_DRM_MESA_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints the CDM stream at GPU address `stream` and all that it points to. read: copies up to `size` bytes from GPU
 * memory, and returns how many there were. False: out of memory. */
bool mesa_decoder_print(uint32_t chip_id, uint64_t usc_base, uint64_t stream,
                        size_t (*read)(uint64_t address, size_t size, void *data), FILE *out);

#endif
