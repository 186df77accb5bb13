/* SPDX-License-Identifier: MIT
 *
 * What all hosts do alike: their start, the count of saved jobs, and the bytes of a probe's arguments.
 */
#ifndef DRIVERS_HOST_LAUNCHES_H
#define DRIVERS_HOST_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "drivers/host/records.h"

/* Reads the request that the command line names, and begins the result. NULL: a message is written. */
FILE *host_start(int argc, char **argv, struct host_records *request);
/* Whether a device of that name is the one to use: an Apple GPU, or any if agx-runner asks for Mesa's drivers for the
 * processor (HOST_SOFTWARE is set). */
#define HOST_SOFTWARE "AGX_MESA_SOFTWARE"
bool host_takes_device(const char *name);
/* The jobs that the preloaded library has saved in the folder; NULL: there is none. */
uint32_t host_count_jobs(const char *folder);
/* Fills bytes that no other argument of the request has: of a buffer, so that its address is found by its contents; of
 * a value, so that it is found among the uniforms. */
void host_fill_marker(uint8_t *bytes, size_t size, uint32_t entry, uint32_t number);

#endif
