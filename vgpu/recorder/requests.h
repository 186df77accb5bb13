/* SPDX-License-Identifier: MIT
 *
 * What a client's requests change, and its jobs. The caller holds the recorder's lock.
 */
#ifndef VGPU_RECORDER_REQUESTS_H
#define VGPU_RECORDER_REQUESTS_H

#include "vgpu/recorder/objects.h"

/* Is it one of those that recorder_request() must see? */
bool recorder_follows(unsigned long request);
/* Makes the request of the real device and notes what it changed. The answer is the device's, errno too. */
int recorder_request(struct recorder_client *client, int fd, unsigned long request, void *argument);
/* The same for SUBMIT: the job is waited for and saved (submit.c). */
int recorder_submit(struct recorder_client *client, int fd, void *argument);

#endif
