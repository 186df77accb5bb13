/* SPDX-License-Identifier: MIT
 *
 * Whole files. Invariant: a signal's handler (EINTR) and a short read or write are no errors; all functions return 0 or
 * a negative errno.
 */
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <stddef.h>
#include <stdio.h>

/* Writes all bytes. Some of them may be written when it fails. */
int util_write_all(int fd, const void *bytes, size_t size);

/* Reads until `size` bytes or the end of the file; *got: bytes read, also when it fails. */
int util_read_all(int fd, void *bytes, size_t size, size_t *got);

/* Reads what a stream still has, at most `most` bytes, into new memory with a zero byte behind it, which the caller
 * frees. -EFBIG: there are more bytes; -ENOMEM; -EISDIR and others of read(). *bytes is NULL then. */
int util_read_stream(FILE *file, size_t most, char **bytes, size_t *size);

/* Replaces the file by these bytes so that no reader, and no crash, finds a part of them: PATH.new is written, synced
 * and renamed. When it fails, the old file is untouched and PATH.new is removed. */
int util_replace_file(const char *path, const void *bytes, size_t size);

#endif
