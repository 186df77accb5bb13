/* SPDX-License-Identifier: MIT
 *
 * What the command line asks of `run`.
 */
#ifndef AGX_RUNNER_RUN_OPTIONS_H
#define AGX_RUNNER_RUN_OPTIONS_H

#include "agx_runner/cli/shared/kept.h"
#include "agx_runner/options/options.h"

struct run_options {
   struct kept_options kept;
   bool full, no_cache;
   bool hazardous;           /* tests that may hang or reset the GPU run, too */
   struct string_list mixes; /* measured instead of benchmarks */
   uint32_t ilp, simds;      /* for --mix; 0: not given */
   double compile_seconds;   /* limits of the compiler */
   uint32_t compile_mib;
   struct string_list compilers;       /* at most COMPILERS agx-compiles; none: the default one */
   struct string_list fail_on;         /* values of --fail-on */
   const char *store;                  /* file of runs; NULL: none */
   const char *fails, *skips, *flakes; /* files of expectations; NULL: none */
};

extern const struct option_row run_rows[];
extern const struct option_info option_clock; /* an option of sweep, too */

#endif
