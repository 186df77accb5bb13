/* SPDX-License-Identifier: MIT
 *
 * The words of AGX_MESA_DEBUG.
 */
#ifndef COMPILER_DEBUG_SWITCHES_H
#define COMPILER_DEBUG_SWITCHES_H

/* Prints a warning for each word of AGX_MESA_DEBUG that is no switch of Mesa's AGX compiler. */
void compiler_warn_of_switches(void);

#endif
