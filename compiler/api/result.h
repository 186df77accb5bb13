/* SPDX-License-Identifier: MIT
 *
 * Functions that fill a struct compiler_result: its log and its list of programs.
 */
#ifndef COMPILER_RESULT_H
#define COMPILER_RESULT_H

#include "compiler/api/compiler.h"

/* Clears `result` and gives it an empty log, so that `log` is never NULL afterwards. Returns 0 or -ENOMEM. */
int compiler_result_init(struct compiler_result *result);

/* Appends to the log. When out of memory, the log stays as it was: a message is lost, but the log exists. */
void compiler_log(struct compiler_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes ownership of `program`, even on failure. Returns 0 or -ENOMEM. */
int compiler_result_add(struct compiler_result *result, struct agx_program *program);

/* Stores in result->why which program refuses the source, and the rest of the sentence. An earlier refusal stays.
 * Returns -EINVAL. */
int compiler_refuse(struct compiler_result *result, enum refusal_who who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the place in the source; line 0: not known. */
void compiler_refuse_at(struct compiler_result *result, const char *file, uint32_t line, uint32_t column);
/* Writes result->why into the log as one line. `name` is the file's. */
void compiler_log_refusal(struct compiler_result *result, const char *name);

/* Records that a kernel did not become a program because of result->why; the log from byte `from` on has the reason.
 * Returns 0 or -ENOMEM. */
int compiler_result_refuse(struct compiler_result *result, const char *kernel, size_t from);

/* Adds a copy of the refusal. Returns 0 or -ENOMEM. */
int compiler_result_add_refusal(struct compiler_result *result, const struct compiler_refusal *refusal);

/* Adds a copy of the name to the kernels that are still to be compiled. Returns 0 or -ENOMEM. */
int compiler_result_add_pending(struct compiler_result *result, const char *kernel);

/* Moves the log, the programs and the refusals of `from` behind those of `result`. `from` stays valid. Returns 0 or
 * -ENOMEM. */
int compiler_result_move(struct compiler_result *result, struct compiler_result *from);

/* Removes the programs, the refusals and the pending kernels. */
void compiler_result_drop(struct compiler_result *result);

#endif
