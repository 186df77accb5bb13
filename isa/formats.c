/* SPDX-License-Identifier: MIT
 *
 * The table of the memory formats. Invariant: a packed format's components share one element.
 */
#include "isa/formats.h"

#include "isa/isa.h"

const struct isa_format_info isa_formats[16] = {
    [ISA_FORMAT_I8] = {.size = 1, .raw = true},
    [ISA_FORMAT_I16] = {.size = 2, .raw = true},
    [ISA_FORMAT_I32] = {.size = 4, .raw = true},
    [ISA_FORMAT_F16] = {.size = 2, .raw = true},
    [ISA_FORMAT_U8NORM] = {.size = 1},
    [ISA_FORMAT_S8NORM] = {.size = 1},
    [ISA_FORMAT_U16NORM] = {.size = 2},
    [ISA_FORMAT_S16NORM] = {.size = 2},
    [ISA_FORMAT_RGB10A2] = {.size = 4, .components = 4},
    [ISA_FORMAT_SRGBA8] = {.size = 1},
    [ISA_FORMAT_RG11B10F] = {.size = 4, .components = 3},
    [ISA_FORMAT_RGB9E5] = {.size = 4, .components = 3},
    [ISA_FORMAT_RG11B10F_RTZ] = {.size = 4, .components = 3},
    [ISA_FORMAT_RGB9E5_RTZ] = {.size = 4, .components = 3},
};
