/* SPDX-License-Identifier: MIT
 *
 * Half precision without the host's help: clang 14 has no _Float16 on x86.
 */
#ifndef NIR_KERNELS_HALF_H
#define NIR_KERNELS_HALF_H

#include <stdint.h>

uint16_t bench_half(double value); /* to the nearest, ties to even */
double bench_half_value(uint16_t half);

#endif
