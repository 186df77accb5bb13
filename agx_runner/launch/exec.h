/* SPDX-License-Identifier: MIT
 *
 * The parts of exec: the command line's inputs for a kernel (exec_arguments.c), running it and showing its results
 * (cmd_exec.c, explain/launch_run.c, exec_show.c).
 */
#ifndef AGX_RUNNER_EXEC_H
#define AGX_RUNNER_EXEC_H

#include "agx_runner/launch/element.h"
#include "agx_runner/terminal/format.h"
#include "agx_runner/terminal/values.h"
#include "drm/asahi.h"

/* What a launch is made of, as the command line gives it. */
struct exec_settings {
   /* Arguments: "N=TYPE[COUNT]:INIT", "N=VALUE", "N=BYTES"; N is a number or a name. */
   struct string_list buffers, values, locals;
   struct string_list dumps, prints; /* buffers to show: "N=FILE", "N" */
   struct string_list expects;       /* "N=VALUES" */
   const char *push;                 /* value of the argument "push": Vulkan's push constants; NULL: not given */
   const char *tolerance;            /* of floats; NULL: none */
   uint32_t format;                  /* enum output_format: text or json */
   struct dimensions grid, group;    /* threads */
   uint32_t repeat;
};

/* One argument of the kernel, and what it is given. */
struct exec_argument {
   const char *text;                /* text of its option, NULL: not given yet */
   const struct element_type *type; /* buffers: of the elements */
   size_t count;                    /* buffers: elements */
   uint8_t *initial;                /* buffers: count elements; NULL: the buffer is a null pointer */
   struct asahi_buffer *buffer;     /* likewise */
   const uint8_t *after; /* count elements, of a launch that had no such buffer; NULL: they are in `buffer` */
   uint32_t local_bytes;
   uint8_t *expected;                 /* buffers: count elements; NULL: nothing is expected */
   size_t different, first_different; /* elements that are not as expected */
};

struct exec {
   const struct exec_settings *settings;
   uint64_t seed; /* of random initial values */
   char *push;    /* "push=VALUE", where it is given */
   const struct agx_program *program;
   struct exec_argument *arguments; /* program->argument_count */
   uint32_t grid[3], group[3], work_dim;
   uint8_t *block; /* argument block, program->argument_bytes */
   uint32_t threadgroup_bytes;
};

/* Reads --buf, --arg and --local against the kernel's arguments, --grid and --group against its threadgroup size.
 * Messages are printed; an enum exit_code. exec_finish() must follow. */
int exec_init(struct exec *exec, const struct agx_program *program, const struct exec_settings *settings,
              uint64_t seed);
void exec_finish(struct exec *exec, struct asahi_device *device);

/* Creates the buffers and completes the argument block. */
int exec_create_buffers(struct exec *exec, struct asahi_device *device);

/* The elements after the launch; NULL: the argument has none. */
const uint8_t *exec_bytes(const struct exec_argument *argument);

/* Checks whether the kernel wrote outside of its buffers, where that is mapped memory. Prints a message for each
 * buffer; returns an enum exit_code. advice: how to find the instruction. */
int exec_check_canaries(const struct exec *exec, const char *advice);

/* Checks --print and --dump before anything runs, and does them afterwards. */
int exec_check_shows(const struct exec *exec);
int exec_show(const struct exec *exec);
/* Whether --print asks for the buffer, or, without one, whether the kernel may write to it. */
bool exec_is_shown(const struct exec *exec, size_t index);
/* Reads --expect and --tolerance before anything runs; compares afterwards, with a message for each. */
int exec_check_expects(const struct exec *exec);
int exec_compare(const struct exec *exec);
/* All of it as JSON on stdout. times: of each repetition, ns. virtual_note: what a virtual device is called. Returns
 * code, that of the launch, or EXIT_FAILED. */
int exec_write_json(const struct exec *exec, const struct asahi_device_info *info, const char *virtual_note,
                    const double *times, int code);

/* What --buf and --arg give: the text behind "N=". text: the whole, for messages. An enum exit_code. */
int exec_parse_buffer(struct exec *exec, size_t index, const char *text, const char *rest);
int exec_parse_value(const struct agx_argument *argument, const char *text, const char *rest, uint8_t *bytes);
/* count elements as INIT says: a number, a list, random, iota, @FILE. option, text: for messages. An enum exit_code. */
int exec_fill(const char *option, const char *text, const struct element_type *type, size_t count, const char *init,
              uint64_t seed, uint8_t *bytes);

/* The name or number before '=', that of an argument of `kind`; *rest is what follows. Messages are printed. */
int exec_parse_index(const struct exec *exec, const char *option, const char *text, uint32_t kind, size_t *index,
                     const char **rest);

#endif
