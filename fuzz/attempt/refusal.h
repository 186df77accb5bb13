/* SPDX-License-Identifier: MIT
 *
 * Messages of a front end that refuses a kernel, and which of them are of one kind.
 */
#ifndef AGX_RUNNER_FUZZ_REFUSAL_H
#define AGX_RUNNER_FUZZ_REFUSAL_H

#include <stddef.h>

/* Extracts the message from a log of the compiler: its first line, except for a heading, without the place. */
void refusal_message(const char *log, char *message, size_t size);

/* Removes what differs between kernels with one fault: T stands for OpenCL C's types in the name of a function, # for
 * numbers, _ for quoted text. "libclc has no convert_uint_rtz(ulong)" becomes "libclc has no convert_T_rtz". */
void refusal_kind(const char *message, char *kind, size_t size);

#endif
