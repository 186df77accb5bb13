/* SPDX-License-Identifier: MIT
 *
 * Puts constants that reach phis into registers.
 */
#ifndef COMPILER_PHI_CONSTANTS_H
#define COMPILER_PHI_CONSTANTS_H

#include "compiler/nir/nir.h"

/* Puts each constant phi source into a register at the end of its block, by an addition that no later pass folds.
 * Mesa's AGX backend puts such a constant into the phi itself. When the phi is spilled, the constant occupies a spill
 * number from the start of the program to the phi, each source another one, and 1024 words exhaust them
 * (docs/mesa-bugs.md, 7). The program computes the same, with one more addition for each such source. */
bool compiler_phi_constants(nir_shader *nir);

#endif
