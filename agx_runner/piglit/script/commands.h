/* SPDX-License-Identifier: MIT
 *
 * The commands of a [test] section: what its reader keeps from line to line.
 */
#ifndef PIGLIT_SCRIPT_COMMANDS_H
#define PIGLIT_SCRIPT_COMMANDS_H

#include "agx_runner/piglit/script/parse.h"

#define COMMANDS_NO_IMAGE SIZE_MAX

struct commands {
   struct script_parser *parser;
   bool vulkan;
   size_t target; /* the image that is the framebuffer, or COMMANDS_NO_IMAGE */
   double clear_color[4];
   double tolerance; /* of "~=" */
   bool percent;
};

/* Reads the command of the parser's line. 0 or a negative errno with a message. */
int commands_parse(struct commands *commands);

/* ---- For the parts ---- */

struct command_row {
   const char *words[3]; /* that the line starts with; NULL: any */
   int (*parse)(struct commands *commands);
};
/* The commands about images. */
extern const struct command_row commands_images[];
extern const size_t commands_images_count;

/* Index of the memory at that place; *found false: there is none. */
size_t commands_find(const struct commands *commands, enum script_place_kind kind, const char *name, unsigned number,
                     bool *found);
/* The same; makes it if there is none. name: for messages. */
int commands_memory(struct commands *commands, enum script_place_kind kind, const char *place, unsigned number,
                    const char *name, size_t *memory);

#endif
