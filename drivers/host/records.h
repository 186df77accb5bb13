/* SPDX-License-Identifier: MIT
 *
 * Reading and writing the files of drivers/host/protocol.h, for hosts and for agx-runner. Invariant: a record that
 * host_records_next() returns lies inside the file.
 */
#ifndef DRIVERS_HOST_RECORDS_H
#define DRIVERS_HOST_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "drivers/host/protocol.h"

/* A file that was read. */
struct host_records {
   uint8_t *bytes;
   size_t size, at;
};

/* Reads the whole file. False: `why` has the reason. host_records_finish() must follow in any case. */
bool host_records_read(struct host_records *records, const char *path, const char **why);
/* Returns the next record, or NULL behind the last one. *payload: record->size bytes, aligned to 8. */
const struct host_record *host_records_next(struct host_records *records, const void **payload);
void host_records_finish(struct host_records *records);

/* Begins a file. NULL: errno has the reason. */
FILE *host_records_create(const char *path);
/* Adds a record of one or two parts. Errors stay in the stream until host_records_close(). */
void host_record_write(FILE *file, uint32_t kind, uint32_t number, const void *payload, size_t size);
void host_record_write_two(FILE *file, uint32_t kind, uint32_t number, const void *first, size_t first_size,
                           const void *second, size_t second_size);
void host_record_write_text(FILE *file, uint32_t kind, uint32_t number, const char *text);
/* Adds HOST_END and closes. False: the file is not complete. */
bool host_records_close(FILE *file);

#endif
