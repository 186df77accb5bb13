/* SPDX-License-Identifier: MIT
 *
 * A pipeline of a script as the driver has it: what its host compiles, and the memory that each argument is.
 */
#ifndef AGX_RUNNER_DRIVER_TESTS_BUILD_H
#define AGX_RUNNER_DRIVER_TESTS_BUILD_H

#include "agx_runner/driver/kernel.h"
#include "agx_runner/driver/tests/contents.h"
#include "agx_runner/driver/source.h"

#define BUILT_NO_MEMORY SIZE_MAX

struct built {
   bool made;
   struct driver_source source;
   struct string_list constants;
   struct driver_answer answer;
   struct driver_kernels kernels;
   const struct driver_kernel *kernel;
   size_t *memories; /* of each parameter; BUILT_NO_MEMORY: a value that the script does not give, which is zero */
};

/* Starts a request with the pipeline's source. Returns an enum exit_code. */
int built_request(const struct built *built, const struct script *script, const struct piglit_run *run,
                  struct driver_request *request);
/* Compiles the pipeline. PIGLIT_PASS, or a reason; *refused: it is the driver that does not compile the shader.
 * built_finish() must follow in any case. */
enum piglit_status built_make(struct built *built, const struct script *script, size_t pipeline,
                              const struct piglit_run *run, char *reason, bool *refused);
void built_finish(struct built *built);
/* Finds the memory of each parameter for a launch; line: of the launch, for refusals. */
enum piglit_status built_resolve(struct built *built, const struct contents *contents, size_t pipeline, unsigned line,
                                 char *reason);

#endif
