/* SPDX-License-Identifier: MIT
 *
 * Measures on a disturbed virtual device without emulating each program again. A program's modelled cycles are always
 * the same, so it is emulated once, on a quiet device. Each later run of it takes the time that the disturbed device's
 * own code (vgpu/driver/job_time.h) makes of those cycles. A run of 100 ms of modelled time costs microseconds so.
 *
 * The linker puts the functions of replay.c in front of run_submit(), warm_up(), session_submit() and the device's
 * clock
 * (--wrap). The sampler, its statistics and the model of the clock are the product's. Answers are checked in the
 * emulated runs only. The host's time is a fixed multiple of the modelled one, and the device's clock holds modelled
 * time only: two runs with the same seed give the same figures.
 */
#ifndef TESTS_BENCH_REPLAY_H
#define TESTS_BENCH_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "agx_runner/measure/session.h"

/* Opens `chip` ("m1") without disturbance in `session`, which says of itself what the device CHIP,OPTIONS would say.
 * Prints why not. */
bool replay_open(struct session *session, const char *chip, const char *options);
void replay_close(struct session *session);
/* A device that was just opened, with this seed. */
void replay_restart(uint64_t seed);

#endif
