/* SPDX-License-Identifier: MIT
 *
 * Exit codes of all programs: igt-gpu-tools' codes, so that its users need not learn others.
 */
#ifndef UTIL_EXIT_CODE_H
#define UTIL_EXIT_CODE_H

enum exit_code {
   EXIT_OK = 0,
   EXIT_SKIPPED = 77,
   EXIT_INVALID = 79, /* invalid use of the command line */
   EXIT_FAILED = 98,
   EXIT_ABORTED = 112, /* interrupted, or out of time */
   EXIT_LOST = 113,    /* the GPU no longer works: nothing more could be run */
};

#endif
