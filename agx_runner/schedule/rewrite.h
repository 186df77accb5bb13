/* SPDX-License-Identifier: MIT
 *
 * Makes a program whose main part has its instructions in another order.
 */
#ifndef AGX_RUNNER_SCHEDULE_REWRITE_H
#define AGX_RUNNER_SCHEDULE_REWRITE_H

#include "agx_runner/schedule/code.h"

/* The new main part. */
struct schedule_text {
   const struct schedule_code *code;
   uint8_t *bytes;
   uint32_t size, capacity;
   uint32_t *moved; /* by node: its new offset in bytes from the start; UINT32_MAX: none */
   bool out_of_memory;
   const char *wrong; /* an instruction that could not be encoded again; NULL: none */
};

/* schedule_text_finish() must follow in any case. */
bool schedule_text_init(struct schedule_text *text, const struct schedule_code *code);
void schedule_text_finish(struct schedule_text *text);
/* Appends a block. Blocks must be appended in the program's order. */
void schedule_text_append(struct schedule_text *text, uint32_t first, const struct schedule_item *items,
                          uint32_t count);
/* Adjusts the branches. Prints messages; returns an enum exit_code. The caller destroys *program, the new one. */
int schedule_text_program(struct schedule_text *text, struct agx_program **program);

#endif
