/* SPDX-License-Identifier: MIT
 *
 * run --power: the machine's power rails, and the ALU ceiling, the best matrix products and their energy side by side.
 */
#ifndef AGX_RUNNER_POWER_H
#define AGX_RUNNER_POWER_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/results/result.h"

#define POWER_HWMON "/sys/class/hwmon"
#define POWER_RAILS_MAX 16u
#define POWER_INTERVAL_MS RESULT_ENERGY_INTERVAL_MS /* between two readings */

struct power_rail {
   char path[320], label[64];
   double sum, most; /* watts, of all readings */
   unsigned readings;
};

struct power_rails {
   struct power_rail rails[POWER_RAILS_MAX];
   unsigned count;
};

/* The rails of Apple's SMC (hwmon name "macsmc_hwmon") below the folder `hwmon`. False: there are none; why says it. */
bool power_find(struct power_rails *rails, const char *hwmon, char *why, size_t why_size);
/* Takes one reading of each rail. A rail that cannot be read is left out. */
void power_read(struct power_rails *rails);

/* A process of its own that reads until power_stop(). */
struct power_monitor;
/* NULL: it cannot be started. */
struct power_monitor *power_start(const struct power_rails *rails);
/* Ends the process, and gives what it has read to `rails`. NULL is fine. */
void power_stop(struct power_monitor *monitor, struct power_rails *rails);

/* Ceiling, best passed matrix product of each kernel, and the energy of each of these, side by side. */
void power_write(const struct result_run *run, FILE *file);

#endif
