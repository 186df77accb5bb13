/* SPDX-License-Identifier: MIT
 *
 * The work of `run`: each selected figure, and each subtest of the uAPI, is a unit with one result. The metrics of a
 * benchmark share a process until one of them fails; so do the subtests of an area. With two compilers each item is
 * a unit several times, in turns.
 */
#ifndef AGX_RUNNER_SELECTION_WORK_H
#define AGX_RUNNER_SELECTION_WORK_H

#include "agx_runner/runs/run_settings.h"
#include "agx_runner/runs/selection.h"
#include "process/unit.h"

/* Which compiler compiles an item, and in which of its turns. */
struct turn {
   size_t item;
   uint8_t number, compiler; /* compiler: for compiler_use() */
};

struct selection_work {
   const struct selection *selection;
   const struct run_settings *settings;
   const struct turn *turns; /* the units; NULL: each item is one, with the compiler in use */
   size_t turn_count;
};

/* The turns of two compilers, A, B, B, A for what shares a process: a linear drift adds the same to both. free()
 * releases them; NULL: out of memory. */
#define TURNS_OF_AN_ITEM 4
struct turn *selection_turns(const struct selection *selection, size_t *count);

/* `data` and what it points to must outlive the work. */
struct work selection_work(struct selection_work *data);

#endif
