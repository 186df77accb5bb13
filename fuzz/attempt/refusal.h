/* SPDX-License-Identifier: MIT
 *
 * What the front end says when it refuses a kernel, and which messages are of one kind.
 */
#ifndef AGX_RUNNER_FUZZ_REFUSAL_H
#define AGX_RUNNER_FUZZ_REFUSAL_H

#include <stddef.h>

/* The message in a log of the compiler: its first line, but for a heading, without the place in front of it. */
void refusal_message(const char *log, char *message, size_t size);

/* A message without what differs between kernels of one fault: T stands for OpenCL C's types in the name of a function,
 * # for numbers, _ for what is quoted. "libclc has no convert_uint_rtz(ulong)" becomes "libclc has no
 * convert_T_rtz". */
void refusal_kind(const char *message, char *kind, size_t size);

#endif
