/* SPDX-License-Identifier: MIT
 *
 * A compilation's request and its result as bytes, for another process of the same program on the same machine. The
 * reader trusts nothing: every size is checked against the bytes that are left, and every program against itself.
 */
#ifndef COMPILER_WIRE_H
#define COMPILER_WIRE_H

#include "compiler/compiler.h"

/* Bytes that grow; zeroed to begin with. `failed`: no memory, and what was written since is missing. */
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

/* Bytes that are read. `failed`: they ended early or make no sense. */
struct compiler_reader {
   const uint8_t *at;
   size_t left;
   bool failed;
};
void compiler_read(struct compiler_reader *reader, void *data, size_t size);
/* A string inside the bytes, or NULL where NULL was written. */
const char *compiler_read_string(struct compiler_reader *reader);
/* The strings of the options lie inside the bytes. */
void compiler_read_options(struct compiler_reader *reader, struct compiler_options *options);
/* False, with an empty result: the bytes make no sense, or there is no memory. */
bool compiler_read_result(struct compiler_reader *reader, int *ret, struct compiler_result *result);

#endif
