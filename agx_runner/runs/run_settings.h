/* SPDX-License-Identifier: MIT
 *
 * Settings of a run: the device, how it is measured, and the limits of its processes.
 */
#ifndef AGX_RUNNER_RUN_SETTINGS_H
#define AGX_RUNNER_RUN_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "agx_runner/measure/settings.h"

struct run_settings {
   const char *device; /* spec: "auto", a render node, "virtual:CHIP,..." */
   uint32_t samples;
   double precision; /* measure_settings's */
   uint64_t seed;
   uint32_t clock;                                 /* enum measure_clock */
   double ffma_cycles;                             /* measure_settings's */
   double timeout;                                 /* time limit of a submission in seconds */
   double test_timeout, idle_timeout, run_timeout; /* in seconds; run_timeout 0: none */
   uint32_t reruns;                                /* repetitions of a test that fails unexpectedly */
   const char *results;                            /* folder that stores the run; NULL: none */
   /* measure the energy of each whole dispatch if there are power rails */
   bool power;
   const char *mesa, *mesa_version; /* whose driver compiles, as --mesa takes it; NULL: the linked one compiles */
};

#endif
