/* SPDX-License-Identifier: MIT
 *
 * Modules whose kernels are compiled one by one, each in a process of its own: a crash loses one kernel.
 */
#ifndef COMPILER_PENDING_H
#define COMPILER_PENDING_H

#include "compiler/api/compiler.h"

/* The request for a module, or for one of its kernels. As bytes, its parts come in this order. */
struct compiler_module_request {
   struct compiler_options options;
   bool split;        /* where there are several kernels, they become the result's pending ones */
   const char *name;  /* of the file */
   const void *bytes; /* the module; no alignment */
   size_t size;
};
/* Strings and module lie inside `data`. False: the bytes make no sense. */
bool compiler_read_module_request(const void *data, size_t size, struct compiler_module_request *request);

/* Compiles the result's pending kernels. Returns what a compilation returns. */
int compiler_pending_compile(const char *name, const struct compiler_options *options, struct compiler_result *result);

/* The return value of a compilation whose kernels are all programs or refusals: `ret`, or -EINVAL if there is no
 * program. */
int compiler_conclude(int ret, struct compiler_result *result);

#endif
