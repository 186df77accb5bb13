/* SPDX-License-Identifier: MIT
 *
 * A kernel file and the Mesa that compiles it: what each request to a host starts with.
 */
#ifndef AGX_RUNNER_DRIVER_SOURCE_H
#define AGX_RUNNER_DRIVER_SOURCE_H

#include "agx_runner/driver/host.h"
#include "agx_runner/program/program_settings.h"

struct driver_source {
   struct mesa mesa;
   const char *path, *options;          /* options: NULL: none */
   const struct string_list *constants; /* specialization constants, "ID=VALUE" */
   enum host_language language;
   enum mesa_api api; /* that takes the language */
   char *built;       /* the text of a file of drivers/layer (driver/built.h); NULL: it is another file */
   uint8_t *data;     /* what the host compiles: of GLSL the SPIR-V */
   size_t size;
};

/* Reads the file and looks for the Mesa, which must have a driver for the file's language: GLSL and SPIR-V of Vulkan go
 * through Vulkan, else it is OpenCL. settings: mesa, constants. Prints messages; returns an enum exit_code.
 * driver_source_finish() must follow in any case. */
int driver_source_read(struct driver_source *source, const char *path, const struct program_settings *settings,
                       const char *options);
void driver_source_finish(struct driver_source *source);

/* Starts a request with the source. jobs: the folder of saved jobs; NULL: none. */
int driver_source_request(const struct driver_source *source, const char *jobs, struct driver_request *request);

#endif
