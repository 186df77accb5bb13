/* SPDX-License-Identifier: MIT
 *
 * Constants that reach phis, held in registers.
 */
#ifndef COMPILER_PHI_CONSTANTS_H
#define COMPILER_PHI_CONSTANTS_H

#include "compiler/nir/nir.h"

/* Gives each phi source that is a constant a register at the end of its block, through an addition that no later pass
 * folds. Mesa's AGX backend puts such a constant into the phi itself. When the phi is spilled, the constant takes a
 * spill number from the start of the program to the phi, each source one of its own, and 1024 words exhaust them
 * (docs/mesa-bugs.md, 7). The program computes the same, with an addition for each such source. */
bool compiler_phi_constants(nir_shader *nir);

#endif
