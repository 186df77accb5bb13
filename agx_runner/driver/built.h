/* SPDX-License-Identifier: MIT
 *
 * What an application had a driver build, as the layers of drivers/layer keep it (docs/suites/collecting.md): the
 * source of a request to a host, and how it is to be built.
 */
#ifndef AGX_RUNNER_DRIVER_BUILT_H
#define AGX_RUNNER_DRIVER_BUILT_H

#include <stdbool.h>
#include <stdio.h>

#include "drivers/find.h"
#include "drivers/host/protocol.h"

#define DRIVER_BUILT_SUFFIX ".built"

struct driver_built {
   char *text; /* of the file */
   enum mesa_api api;
   enum host_language language;
   uint8_t *data; /* the source that it names */
   size_t size;
};

/* Reads the file and the source that it names. Prints messages; returns an enum exit_code. driver_built_finish() must
 * follow in any case. */
int driver_built_read(const char *path, struct driver_built *built);
void driver_built_finish(struct driver_built *built);

/* Writes the records of a request that say how it is built. options: of the command line, in place of those of the
 * text; NULL: none. */
void driver_built_write(const char *text, enum mesa_api api, const char *options, FILE *file);

#endif
