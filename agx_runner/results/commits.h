/* SPDX-License-Identifier: MIT
 *
 * The commits that this program was built from. program/sources.py writes them, with every build.
 */
#ifndef AGX_RUNNER_COMMITS_H
#define AGX_RUNNER_COMMITS_H

#include <stdbool.h>

struct sources_commit {
   const char *commit; /* 12 digits; "unknown": not built from a checkout */
   bool dirty;         /* files differ from it */
};
extern const struct sources_commit sources_agx_runner, sources_mesa;

#endif
