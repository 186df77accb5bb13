/* SPDX-License-Identifier: MIT
 *
 * Filling a struct compiler_result: the growing log and the growing list of programs.
 */
#ifndef COMPILER_RESULT_H
#define COMPILER_RESULT_H

#include "compiler/compiler.h"

/* Clears `result` and gives it an empty log, so that `log` is never NULL afterwards. 0 or -ENOMEM. */
int compiler_result_init(struct compiler_result *result);

/* Appends to the log. Out of memory leaves the log as it was: a message less, never a missing one. */
void compiler_log(struct compiler_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes ownership of `program`, also when it fails. 0 or -ENOMEM. */
int compiler_result_add(struct compiler_result *result, struct agx_program *program);

/* Notes in result->why who refuses what is being compiled, and the rest of the sentence. The first refusal stays.
 * Returns -EINVAL. */
int compiler_refuse(struct compiler_result *result, enum refusal_who who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Where in the source; line 0: not known. */
void compiler_refuse_at(struct compiler_result *result, const char *file, uint32_t line, uint32_t column);
/* Writes result->why into the log, as one line. `name` is the file's. */
void compiler_log_refusal(struct compiler_result *result, const char *name);

/* Notes that a kernel did not become a program for result->why; what the log holds from byte `from` on says so. 0 or
 * -ENOMEM. */
int compiler_result_refuse(struct compiler_result *result, const char *kernel, size_t from);

/* Adds a copy of the refusal. 0 or -ENOMEM. */
int compiler_result_add_refusal(struct compiler_result *result, const struct compiler_refusal *refusal);

/* Adds a copy of the name to the kernels that are still to be compiled. 0 or -ENOMEM. */
int compiler_result_add_pending(struct compiler_result *result, const char *kernel);

/* Moves the log, the programs and the refusals of `from` behind those of `result`. `from` stays valid. 0 or -ENOMEM. */
int compiler_result_move(struct compiler_result *result, struct compiler_result *from);

/* Drops the programs, the refusals and the pending kernels. */
void compiler_result_drop(struct compiler_result *result);

#endif
