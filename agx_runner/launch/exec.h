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
#include "drivers/host/protocol.h"
#include "drm/asahi.h"

/* The parts of a launch that the command line gives. */
struct exec_settings {
   /* Arguments: "N=TYPE[COUNT]:INIT", "N=VALUE", "N=BYTES", "N=FORMAT[SIZES]:INIT", "N=WORDS"; N is a number or a name.
    */
   struct string_list buffers, values, locals, images, samplers;
   struct string_list dumps, prints; /* buffers to show: "N=FILE", "N" */
   struct string_list expects;       /* "N=VALUES" */
   struct string_list push;          /* fields of the argument "push": Vulkan's push constants */
   const char *tolerance;            /* of floats; NULL: none */
   uint32_t format;                  /* enum output_format: text or json */
   struct dimensions grid, group;    /* threads */
   uint32_t repeat;
   bool indirect; /* the grid comes from a buffer, where the driver's API has that */
   bool generate; /* all arguments and the grid are generated, where a driver is the compiler */
};

/* One argument of the kernel, and what it is given. */
struct exec_argument {
   const char *text;                /* text of its option, NULL: not given yet */
   const struct element_type *type; /* buffers, images: of the elements */
   size_t count;                    /* likewise: elements */
   uint8_t *initial;                /* likewise: count elements; NULL: the buffer is a null pointer */
   struct host_image image;         /* images */
   bool has_sampler;
   struct host_sampler sampler; /* samplers, images that are sampled */
   struct asahi_buffer *buffer; /* likewise */
   const uint8_t *after;        /* count elements, of a launch that had no such buffer; NULL: they are in `buffer` */
   uint32_t local_bytes;
   uint8_t *expected;                 /* buffers: count elements; NULL: nothing is expected */
   size_t different, first_different; /* elements that are not as expected */
};

/* 8 bytes of an argument that are the address of a buffer. */
struct exec_address {
   size_t place, buffer; /* arguments */
   size_t offset;        /* bytes in the elements of a buffer, or in a value */
};

struct exec {
   const struct exec_settings *settings;
   uint64_t seed; /* of random initial values */
   char *push;    /* "push=VALUE", where it is given; NULL: it is not */
   const struct agx_program *program;
   struct exec_argument *arguments; /* program->argument_count */
   uint32_t grid[3], group[3], work_dim;
   uint8_t *block; /* argument block, program->argument_bytes */
   uint32_t threadgroup_bytes;
   struct exec_address *addresses;
   size_t address_count;
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

/* Parses the value of --buf or --arg, the text behind "N=". text: the whole option, for messages. An enum exit_code. */
int exec_parse_buffer(struct exec *exec, size_t index, const char *text, const char *rest);
int exec_parse_value(struct exec *exec, size_t index, const char *text, const char *rest);
/* Notes that these bytes of the argument get the address of the buffer with that name of `length` letters. */
int exec_add_address(struct exec *exec, struct exec_address at, const char *option, const char *text, const char *name,
                     size_t length);
/* count elements as INIT says: a number, a list, random, iota, @FILE. option, text: for messages. An enum exit_code. */
int exec_fill(const char *option, const char *text, const struct element_type *type, size_t count, const char *init,
              uint64_t seed, uint8_t *bytes);

/* --image and --sampler: exec_images.c. */
int exec_take_image(struct exec *exec, const char *text);
int exec_take_sampler(struct exec *exec, const char *text);
/* "f32[64]" of a buffer, "rgba8[16,16]" of an image. */
#define EXEC_SHAPE 64
void exec_shape(const struct exec *exec, size_t index, char text[EXEC_SHAPE]);
/* Finds the argument that an option's text is about, as below; each is given once. */
int exec_take(struct exec *exec, uint32_t kind, const char *text, size_t *index, const char **rest);
/* Allocates the argument's elements, of which type and count are known. option, text: for messages. */
int exec_allocate(struct exec *exec, size_t index, const char *option, const char *text);

/* The name or number before '=', that of an argument of `kind`, or of a buffer or image; *rest is what follows.
 * Messages are printed. */
#define EXEC_CONTENTS UINT32_MAX
int exec_parse_index(const struct exec *exec, const char *option, const char *text, uint32_t kind, size_t *index,
                     const char **rest);

#endif
