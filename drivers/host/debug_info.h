/* SPDX-License-Identifier: MIT
 *
 * Takes a SPIR-V module's debug information out, which rusticl does not take.
 */
#ifndef DRIVERS_HOST_DEBUG_INFO_H
#define DRIVERS_HOST_DEBUG_INFO_H

#include <stddef.h>
#include <stdint.h>

/* Removes the instructions of the extended sets of debug information, and their imports. Returns the words that are
 * left. A module whose instructions end past its end is left alone. */
size_t host_drop_debug_info(uint32_t *words, size_t count);

#endif
