/* SPDX-License-Identifier: MIT
 *
 * Faults that the virtual device is told to have, so that what meets them on hardware can be tested without it:
 *
 *    inject=KIND[:ERRNO:REQUEST]@WHEN[/SCOPE]
 *
 * KIND is a row of the table in inject.c. WHEN: a number N, the N-th job (submit, request) of the scope;
 * or P%, each with that chance, drawn from the device's seed, its scope and the count. SCOPE: a glob; the rule counts
 * only while the scope matches: option scope=TEXT, then VGPU_IOCTL_SCOPE (`run` gives the name of the test). The option
 * may be given several times.
 */
#ifndef VGPU_INJECT_H
#define VGPU_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vgpu_inject_kind {
   VGPU_INJECT_TIMEOUT, /* jobs: */
   VGPU_INJECT_FAULT,
   VGPU_INJECT_FIRMWARE_DEATH,
   VGPU_INJECT_HANG,
   VGPU_INJECT_RECOVERY,
   VGPU_INJECT_CRASH, /* requests: */
   VGPU_INJECT_STALL,
   VGPU_INJECT_ALLOC,
   VGPU_INJECT_ERRNO,
   VGPU_INJECT_KINDS,
   VGPU_INJECT_NONE = VGPU_INJECT_KINDS
};

struct vgpu_inject_rule {
   enum vgpu_inject_kind kind;
   uint64_t nth;          /* 0: by chance */
   uint64_t chance;       /* in 2^32 */
   int error;             /* VGPU_INJECT_ERRNO */
   unsigned long request; /* likewise: counted, and failed */
   char *scope;           /* glob; NULL: everywhere */
   uint64_t count;        /* so far */
};

struct vgpu_inject {
   struct vgpu_inject_rule *rules;
   size_t count;
   char *scope; /* what this device was opened for; NULL: not told */
   uint64_t seed;
};

/* A rule as above, without "inject=". 0; -EINVAL; -ENOMEM. */
int vgpu_inject_add(struct vgpu_inject *inject, const char *text);
void vgpu_inject_finish(struct vgpu_inject *inject);
/* A rule's description, for messages. */
#define VGPU_INJECT_GRAMMAR                                                                                            \
   "timeout, fault, firmware-death, hang, recovery, crash, stall, alloc or errno:NAME:REQUEST, then @N or @P%, then "  \
   "/SCOPE"

/* Starts another scope, in which rules count from 0. Returns 0 or -ENOMEM. */
int vgpu_inject_scope(struct vgpu_inject *inject, const char *scope);

/* Returns the fault to inject into a job that starts; VGPU_INJECT_NONE: none. */
enum vgpu_inject_kind vgpu_inject_job(struct vgpu_inject *inject);
/* To be called for each request. Returns 0, the negative errno with which the request must fail, or
 * VGPU_INJECT_NO_RETURN: the request must not return before its file is closed. May also end the process. */
#define VGPU_INJECT_NO_RETURN 1
int vgpu_inject_request(struct vgpu_inject *inject, unsigned long request);

#endif
