/* SPDX-License-Identifier: MIT
 *
 * Which instruction of the machine code is wrong, where the final NIR is right and no optimization of the backend is to
 * blame: instruction selection, register allocation, packing or the device.
 */
#ifndef AGX_RUNNER_FUZZ_GUILT_H
#define AGX_RUNNER_FUZZ_GUILT_H

#include "agx_runner/fuzz/attempt.h"
#include "agx_runner/fuzz/guilt/slice.h"

/* Runs the program, which differs there, on a virtual device that checks what it executes (`spec` has check=), several
 * times: the lanes that are not asked for get other inputs. Leaves count 0 where the device has no trace. It compiles
 * in this process, after which no NIR pass can be blamed in it. */
void guilt_find(const char *spec, const struct fuzz_program *program, const struct fuzz_difference *difference,
                struct guilt *guilt);

#endif
