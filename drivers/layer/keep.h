/* SPDX-License-Identifier: MIT
 *
 * What both layers share: files of sources, named by the hash of their contents, and what is known of handles.
 */
#ifndef DRIVERS_LAYER_KEEP_H
#define DRIVERS_LAYER_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KEEP_FOLDER "AGX_SOURCES" /* the variable of the environment that names the folder */
#define KEEP_HASH 33u             /* bytes of a hash in hexadecimal, its closing zero counted */

/* Writes HASH and the suffix into the folder, if no file of that name is there. Returns false, with a message the first
 * time, where it cannot be written; the hash is valid in any case. */
bool keep_file(const void *bytes, size_t size, const char *suffix, char hash[KEEP_HASH]);

/* A text that is being written. */
struct keep_text {
   char *text;
   size_t size;
   FILE *file; /* NULL: out of memory */
};
void keep_start(struct keep_text *text);
/* Ends the text, which free() must release; NULL: out of memory. */
char *keep_end(struct keep_text *text);
/* Ends the text and keeps it as a file. */
void keep_end_file(struct keep_text *text, const char *suffix);

/* Says what a handle is, in place of what was said of an earlier one of that number. kind: handles of different kinds
 * may have one number. Takes the text, which may be NULL. */
void keep_note(char kind, const void *owner, uint64_t handle, char *text);
/* A copy of what was said, which free() must release; NULL: nothing. */
char *keep_noted(char kind, const void *owner, uint64_t handle);

#endif
