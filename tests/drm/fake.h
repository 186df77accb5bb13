/* SPDX-License-Identifier: MIT
 *
 * A struct asahi_kernel for tests: keeps books of what the client makes and destroys, complains of requests that a
 * strict kernel would refuse, fails whichever call it is told to, and never executes anything.
 */
#ifndef TESTS_DRM_FAKE_H
#define TESTS_DRM_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/asahi_drm.h"
#include "drm/uapi/kernel.h"

#define FAKE_OBJECTS 64
#define FAKE_FD 1000
#define FAKE_SYNC_FILE 1001

struct fake_object {
   bool live;
   uint64_t size;
   uint32_t flags;
   uint8_t *memory;
   uint64_t address; /* GPU VA; 0: not bound */
   unsigned maps;
};

#define FAKE_QUEUES 4

struct fake {
   struct asahi_kernel base;
   struct drm_asahi_params_global params;
   struct drm_asahi_vm_create vm;
   struct drm_asahi_queue_create queue;
   struct fake_object objects[FAKE_OBJECTS];
   unsigned vms, queues, syncobjs, bound_objects, sync_files; /* live ones */
   bool open;
   char complaint[160]; /* the first; "" none */

   unsigned calls;   /* of all functions but close and munmap, so far */
   unsigned fail_at; /* the call, counted from 1, that fails; 0: none */
   int fail_with;

   bool busy;                 /* waits end with ETIME */
   bool silent;               /* no timestamps are written */
   int fence_status;          /* what SYNC_IOC_FILE_INFO says */
   uint64_t start_ns, end_ns; /* what is written as timestamps */
   unsigned submits;
   unsigned queue_submits[FAKE_QUEUES]; /* to each queue, so far; ids count from 1 */
   uint32_t priorities[FAKE_QUEUES];
   uint32_t waited;             /* number of jobs of the last wait */
   unsigned waits, queue_waits; /* for a job, so far; before the queue was destroyed */
   int64_t wait_deadline;       /* of the last one */
   size_t commands;             /* of the last submit */
   struct drm_asahi_cmd_header headers[64];
   struct drm_asahi_cmd_compute computes[64];
   struct drm_asahi_cmd_compute compute; /* the last of these */
};

/* Open, as an 8-core M1. */
void fake_init(struct fake *fake);
/* What is wrong now that the client is done: a complaint, or something left behind. NULL: nothing. */
const char *fake_end(struct fake *fake);
/* Memory behind a GPU address, and how much follows it; NULL: unmapped. */
uint8_t *fake_memory(struct fake *fake, uint64_t address, size_t *left);

#endif
