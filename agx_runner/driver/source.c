/* SPDX-License-Identifier: MIT
 *
 * Reads what a host shall compile.
 */
#include "agx_runner/driver/source.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/refusal/file_kind.h"

int driver_source_read(struct driver_source *source, const char *path, const char *which, const char *options)
{
   *source = (struct driver_source){.path = path, .options = options};
   mesa_describe(which, &source->mesa);
   if (source->mesa.why[0] != '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", which, source->mesa.why);
   }
   if (source->mesa.drivers[MESA_OPENCL][0] == '\0') {
      return complain(EXIT_INVALID, "--mesa %s: it has no OpenCL driver (rusticl), which kernels of this kind need: %s",
                      which, source->mesa.path);
   }
   return file_read(path, &source->data, &source->size);
}

void driver_source_finish(struct driver_source *source)
{
   free(source->data);
   *source = (struct driver_source){.size = 0};
}

int driver_source_request(const struct driver_source *source, const char *jobs, struct driver_request *request)
{
   const int code = driver_request_start(request);
   if (code != EXIT_OK) {
      return code;
   }
   host_record_write(request->file, HOST_SOURCE,
                     file_kind_is_spirv(source->data, source->size) ? HOST_SPIRV_KERNEL : HOST_OPENCL_C, source->data,
                     source->size);
   if (source->options != NULL) {
      host_record_write_text(request->file, HOST_OPTIONS, 0, source->options);
   }
   if (jobs != NULL) {
      host_record_write_text(request->file, HOST_JOBS, 0, jobs);
   }
   return EXIT_OK;
}
