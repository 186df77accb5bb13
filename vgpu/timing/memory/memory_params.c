/* SPDX-License-Identifier: MIT
 *
 * The table of the memory system's parameters. Invariant: every parameter has a row.
 */
#include "vgpu/timing/memory/memory_params.h"

#include "vgpu/timing/memory/memory_rows.h"

#define VALUES(...)                                                                                                    \
   {                                                                                                                   \
      __VA_ARGS__                                                                                                      \
   }
#define MEMORY_ROW(param, text, of, values, least, most, trust, from, reason)                                          \
   [VGPU_MEMORY_##param] = {.name = "memory/" text,                                                                    \
                            .unit = (of),                                                                              \
                            .value = VALUES values,                                                                    \
                            .low = (least),                                                                            \
                            .high = (most),                                                                            \
                            .confidence = (trust),                                                                     \
                            .source = (from),                                                                          \
                            .why = (reason)},
#define COUNT(...) +1

const struct vgpu_memory_row vgpu_memory_rows[VGPU_MEMORY_PARAMS] = {VGPU_MEMORY_ROWS(MEMORY_ROW)};

_Static_assert(0 VGPU_MEMORY_ROWS(COUNT) == VGPU_MEMORY_PARAMS, "a parameter of the memory system without a row");
