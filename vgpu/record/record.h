/* SPDX-License-Identifier: MIT
 *
 * Writes a job to a file as drm/uapi/saved_job.h describes: before it runs, all memory that it may read; after its
 * end, what it changed. The file gets its final name when it is complete and its pages are in the file of pages.
 */
#ifndef VGPU_RECORD_H
#define VGPU_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/saved_job.h"
#include "vgpu/record/pages.h"

/* A buffer's memory: a mapping, and the part of a sparse memory file that it is of; fd -1: of none, all pages are read.
 */
struct vgpu_record_buffer {
   const uint8_t *host;
   int fd;
   uint64_t fd_offset, size; /* bytes */
};

struct vgpu_record_job {
   const char *info; /* the device, in words */
   struct saved_queue queue;
   struct vgpu_record_buffer *buffers;
   size_t buffer_count;
   struct saved_mapping *mappings;
   size_t mapping_count;
   struct saved_either *commands;
   size_t command_count;
};

struct vgpu_record;

/* Starts the file FOLDER/NAME.agxjob; the folder is created if needed. *pages is NULL at first, and then the same for
 * all jobs in the folder: the caller closes it. `job` and everything that it points to must live until
 * vgpu_record_end(). Returns 0, or a negative errno: then *out is NULL and no file of the job remains. */
int vgpu_record_begin(const char *folder, const char *name, const struct vgpu_record_job *job,
                      struct vgpu_pages **pages, struct vgpu_record **out);
/* Adds what changed, and the job's error; frees the record. NULL is fine. On a negative errno no file of the job
 * remains. */
int vgpu_record_end(struct vgpu_record *record, int job_error);
/* The job did not run: removes its file. NULL is fine. */
void vgpu_record_cancel(struct vgpu_record *record);

#endif
