/* SPDX-License-Identifier: MIT
 *
 * What a virtual device is asked for a published figure, as asked.csv writes it:
 *    mix OPERATIONS [ilp=N] [simds=N]       cycles of a mix, as run --mix measures it
 *    run BENCHMARK/METRIC                   a figure of the catalogue
 *    run A over B                           the first one in percent of the second, less 100
 *    launches N of T ms barrier MASK [wake] milliseconds of a command of N launches that take T ms each, with that
 * barrier behind each; wake: power-up and firmware count
 */
#ifndef AGX_RUNNER_CORRELATE_ASK_H
#define AGX_RUNNER_CORRELATE_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "agx_runner/runs/selection.h"

/* Benchmarks of an ask: one, or two that are compared. */
struct ask {
   struct selection parts[2];
   unsigned count; /* 0: launches, which the model of commands answers */
};

/* Returns an enum exit_code; prints messages. ask_finish() must follow in any case. */
int ask_parse(const char *text, struct ask *ask);
void ask_finish(struct ask *ask);

/* The answer to "launches ...", by the parameters of a chip (its name in the spec of the device); NAN: it is no such
 * ask, or there is no such chip. */
double ask_launches(const char *text, const char *device);

/* The model's value: operations on x from left to right, as in "x/1.296+28.9", "128/x". NAN: it is none. */
double ask_value(const char *text, double x);

#endif
