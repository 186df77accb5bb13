/* SPDX-License-Identifier: MIT
 *
 * The format of a saved job: one SUBMIT with everything that it needs to run again, and its results. vgpu/record
 * writes it, `agx-runner replay` reads it.
 *
 * Memory is saved in pages. All jobs of a process share one file of pages, PROCESS.agxpages, in the folder of the
 * jobs' files. It consists of SAVED_PAGES_MAGIC and entries: a struct saved_page_entry and the page as a frame of
 * zstd, padded with zeros to 8 bytes. Each page has one entry, and jobs refer to it by its hash. An entry is complete
 * before a job refers to it; a process that was killed may leave half an entry at the end.
 *
 * A job's file consists of SAVED_JOB_MAGIC and records: a struct saved_record and its payload, padded with zeros to 8
 * bytes. The last record is SAVED_END, so that a truncated file is noticed. Integers are little endian. Records of one
 * kind are in the order in which they were written; buffers are identified by their index in that order.
 */
#ifndef DRM_SAVED_JOB_H
#define DRM_SAVED_JOB_H

#include <stdint.h>

#include "drm/uapi/asahi_drm.h"

/* All magics include their terminating zero. */
#define SAVED_JOB_MAGIC "AGXJOB2"
#define SAVED_JOB_MAGIC_1 "AGXJOB1" /* the format before files of pages: memory is in the job's file */
#define SAVED_PAGES_MAGIC "AGXPAG2"
#define SAVED_PAGES_SUFFIX ".agxpages"
#define SAVED_JOB_SUFFIX ".agxjob"
#define SAVED_NO_BUFFER UINT32_MAX

enum saved_kind {
   SAVED_INFO = 1,     /* text: the device that the job ran on */
   SAVED_QUEUE,        /* struct saved_queue: one */
   SAVED_BUFFER,       /* struct saved_buffer */
   SAVED_MAPPING,      /* struct saved_mapping */
   SAVED_MEMORY,       /* struct saved_memory, then bytes: before the job. Only in files of AGXJOB1 */
   SAVED_COMMAND,      /* struct saved_command: in the order of the job */
   SAVED_RESULT,       /* struct saved_result: one */
   SAVED_MEMORY_AFTER, /* struct saved_memory, then bytes: memory that the job changed. Only in files of AGXJOB1 */
   SAVED_END,          /* empty */
   SAVED_PAGES,        /* text: the name of the file of pages, in the same folder; before all pages */
   SAVED_PAGE,         /* struct saved_page, any number: before the job. Memory without a record was zero. */
   SAVED_PAGE_AFTER,   /* struct saved_page, any number: memory that the job changed */
   SAVED_RENDER,       /* struct saved_render: in the order of the job, with those of SAVED_COMMAND */
};

struct saved_record {
   uint32_t kind;
   uint32_t pad;  /* 0 */
   uint64_t size; /* bytes of the payload without the padding */
};

struct saved_queue {
   uint64_t kernel_start, kernel_end; /* of the VM */
   uint64_t usc_exec_base;
   uint32_t priority;
   uint32_t pad;
};

struct saved_buffer {
   uint64_t size; /* bytes */
};

struct saved_mapping {
   uint32_t buffer;
   uint32_t flags; /* DRM_ASAHI_BIND_* */
   uint64_t address, range, offset;
};

struct saved_memory {
   uint32_t buffer;
   uint32_t pad;
   uint64_t offset; /* bytes into the buffer */
};

/* XXH3, 128 bits, of the DRM_ASAHI_PAGE_SIZE bytes of a page. */
struct saved_hash {
   uint64_t low, high;
};

struct saved_page {
   uint32_t buffer;
   uint32_t pad;
   uint64_t offset; /* bytes into the buffer */
   struct saved_hash hash;
};

/* An entry of a file of pages. */
struct saved_page_entry {
   struct saved_hash hash;
   uint32_t size; /* bytes of the frame that follows, without the padding */
   uint32_t pad;
};

struct saved_stamp {
   uint32_t buffer; /* SAVED_NO_BUFFER: none */
   uint32_t pad;
   uint64_t offset; /* bytes into the buffer */
};

struct saved_command {
   uint32_t barriers[2];                 /* vdm_barrier, cdm_barrier of struct drm_asahi_cmd_header */
   struct drm_asahi_cmd_compute compute; /* the handles of its timestamps are 0 */
   struct saved_stamp start, end;
};

enum { SAVED_STAMPS = 4 }; /* vertex start and end, fragment start and end; a compute command has the first two */

struct saved_render {
   uint32_t barriers[2];               /* as above */
   struct drm_asahi_cmd_render render; /* the handles of its timestamps are 0 */
   struct saved_stamp stamps[SAVED_STAMPS];
};

/* A command of either kind. It is not what a file has. */
struct saved_either {
   uint32_t kind; /* SAVED_COMMAND or SAVED_RENDER */
   uint32_t barriers[2];
   union {
      struct drm_asahi_cmd_compute compute;
      struct drm_asahi_cmd_render render;
   };
   struct saved_stamp stamps[SAVED_STAMPS];
};

struct saved_result {
   int32_t error; /* error of the job's fence: 0 or a negative errno */
   uint32_t pad;
};

_Static_assert(sizeof(struct saved_record) == 16, "saved_record");
_Static_assert(sizeof(struct saved_queue) == 32, "saved_queue");
_Static_assert(sizeof(struct saved_mapping) == 32, "saved_mapping");
_Static_assert(sizeof(struct saved_memory) == 16, "saved_memory");
_Static_assert(sizeof(struct saved_page) == 32, "saved_page");
_Static_assert(sizeof(struct saved_page_entry) == 24, "saved_page_entry");
_Static_assert(sizeof(struct saved_command) == 8 + sizeof(struct drm_asahi_cmd_compute) + 32, "saved_command");
_Static_assert(sizeof(struct saved_render) == 8 + sizeof(struct drm_asahi_cmd_render) + 64, "saved_render");

#endif
