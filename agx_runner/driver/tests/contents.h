/* SPDX-License-Identifier: MIT
 *
 * The contents of a script's memories, which its steps change and expect.
 */
#ifndef AGX_RUNNER_DRIVER_TESTS_CONTENTS_H
#define AGX_RUNNER_DRIVER_TESTS_CONTENTS_H

#include "agx_runner/piglit/script/script.h"
#include "agx_runner/piglit/status.h"
#include "drivers/host/formats.h"

struct content {
   uint8_t *bytes; /* of an image: its texels, row by row */
   size_t size;
   uint32_t format; /* of an image; HOST_NO_FORMAT: it is none */
};

struct contents {
   const struct script *script;
   struct content *list; /* one for each of the script's memories */
};

/* Zeros. What the steps need and no format has is refused with a reason (PIGLIT_REASON). PIGLIT_PASS: good.
 * contents_finish() must follow in any case. */
enum piglit_status contents_init(struct contents *contents, const struct script *script, char *reason);
/* A copy. false: out of memory. */
bool contents_copy(const struct contents *from, struct contents *to);
void contents_finish(struct contents *contents);

/* Whether the step writes; whether it writes the whole memory. */
bool contents_writes(const struct script_step *step);
bool contents_writes_all(const struct contents *contents, const struct script_step *step);
void contents_write(struct contents *contents, const struct script_step *step);
/* Compares with what the step expects. PIGLIT_PASS, or a reason that names file and line. */
enum piglit_status contents_judge(const struct contents *contents, const struct script_step *step, char *reason);

#endif
