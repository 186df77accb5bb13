/* SPDX-License-Identifier: MIT
 *
 * How a program asks the plugin count.c for a line with the count so far: by a prctl() that Linux does not have, which
 * fails and does nothing without the plugin.
 */
#ifndef BENCH_QEMU_COUNT_H
#define BENCH_QEMU_COUNT_H

#include <sys/prctl.h>

#define QEMU_COUNT_MARK 0x61677863u /* "cxga" */

static inline void qemu_count_mark(void)
{
   (void)prctl((int)QEMU_COUNT_MARK, (unsigned long)QEMU_COUNT_MARK, 0ul, 0ul, 0ul);
}

#endif
