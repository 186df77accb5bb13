/* SPDX-License-Identifier: MIT
 *
 * The commit that this program was built from. util/commit.py writes the definition with every build.
 */
#ifndef AGX_RUNNER_COMMIT_H
#define AGX_RUNNER_COMMIT_H

/* 12 digits, "+changes" behind them when files differ from it; "unknown": not built from a checkout. */
const char *result_agx_runner_commit(void);

#endif
