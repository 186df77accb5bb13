/* SPDX-License-Identifier: MIT
 *
 * A compilation's request and its result as bytes, for another process of the same program on the same machine. The
 * reader trusts nothing: every size is checked against the remaining bytes, and every program for consistency.
 */
#ifndef COMPILER_WIRE_H
#define COMPILER_WIRE_H

#include "compiler/api/compiler.h"

/* A growing byte buffer, zeroed at first. `failed`: memory ran out, and later writes are missing. */
struct compiler_writer {
   uint8_t *bytes;
   size_t size, room;
   bool failed;
};
void compiler_write(struct compiler_writer *writer, const void *data, size_t size);
void compiler_write_string(struct compiler_writer *writer, const char *text); /* may be NULL */
void compiler_write_options(struct compiler_writer *writer, const struct compiler_options *options);
void compiler_write_result(struct compiler_writer *writer, int ret, const struct compiler_result *result);
void compiler_writer_finish(struct compiler_writer *writer);

/* Bytes that are read. `failed`: they ended early or are malformed. */
struct compiler_reader {
   const uint8_t *at;
   size_t left;
   bool failed;
};
void compiler_read(struct compiler_reader *reader, void *data, size_t size);
/* Returns a string inside the bytes, or NULL if NULL was written. */
const char *compiler_read_string(struct compiler_reader *reader);
/* The strings of the options are inside the bytes. */
void compiler_read_options(struct compiler_reader *reader, struct compiler_options *options);
/* Returns false, with an empty result, if the bytes are malformed or memory runs out. */
bool compiler_read_result(struct compiler_reader *reader, int *ret, struct compiler_result *result);

#endif
