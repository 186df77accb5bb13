/* SPDX-License-Identifier: MIT
 *
 * A saved job on a device: an address space, buffers and a queue as they were, and the submission.
 */
#ifndef AGX_RUNNER_REPLAY_SUBMIT_H
#define AGX_RUNNER_REPLAY_SUBMIT_H

#include <stdbool.h>

#include "agx_runner/replay/job_file.h"
#include "drm/raw.h"
#include "vgpu/postmortem.h"

struct replay {
   struct asahi_raw raw;
   const struct saved_job *job;
   struct replay_buffer {
      uint32_t handle;
      uint8_t *bytes; /* mapped */
   } * buffers;       /* of the job's, in the same order */
   bool borrowed;     /* the device is not the replay's */
   uint32_t vm, queue, syncobj;
   int error;                         /* of the fence: 0 or a negative errno */
   char fault[400];                   /* the virtual device's description of it */
   struct vgpu_postmortem postmortem; /* likewise */
   uint64_t compiled;                 /* instructions that were compiled to host code */
   char why[512];                     /* what failed, if a function returned false */
};

/* Uses a device that stays open; otherwise as replay_open(). */
bool replay_open_on(struct replay *replay, struct asahi_device *device, const struct saved_job *job);
/* Opens the device, creates what the job needs, and fills its memory. replay_close() must follow in any case. */
bool replay_open(struct replay *replay, const char *device, const struct saved_job *job);
/* Submits the job and waits up to `seconds`. Returns true if it ended, with replay->error. */
bool replay_submit(struct replay *replay, double seconds);
/* Releases bytes of a buffer that are no longer needed. On a virtual device, whose memory is sparse, they then take no
 * memory. */
void replay_release(const struct replay *replay, size_t buffer, uint64_t offset, uint64_t size);
void replay_close(struct replay *replay);

#endif
