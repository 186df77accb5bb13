/* SPDX-License-Identifier: MIT
 *
 * Valid requests that the DRM core answers for all drivers: handles, exports, synchronisation objects.
 */
#include <fcntl.h>

#include "uapi/test.h"

void uapi_call_gem_close(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_GEM_CLOSE;
   call->args.gem_close.handle = uapi_bo(u, UAPI_PAGE, 0, 0);
}

void uapi_call_prime_export(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_PRIME_HANDLE_TO_FD;
   call->args.prime = (struct drm_prime_handle){.handle = uapi_bo(u, UAPI_PAGE, 0, 0), .flags = DRM_CLOEXEC, .fd = -1};
}

/* The descriptor stays open until the device is closed, or with it. */
void uapi_call_prime_import(struct uapi *u, struct uapi_call *call)
{
   struct uapi_call export = {0};
   uapi_call_prime_export(u, &export);
   uapi_expect(u, uapi_ioctl(u, export.request, &export.args), OK, "export of a buffer");
   call->request = DRM_IOCTL_PRIME_FD_TO_HANDLE;
   call->args.prime.fd = export.args.prime.fd;
}

void uapi_call_syncobj_create(struct uapi *u, struct uapi_call *call)
{
   (void)u;
   call->request = DRM_IOCTL_SYNCOBJ_CREATE;
}

void uapi_call_syncobj_destroy(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_SYNCOBJ_DESTROY;
   call->args.syncobj_destroy.handle = uapi_syncobj(u, 0);
}

void uapi_call_syncobj_export(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD;
   call->args.syncobj_handle =
       (struct drm_syncobj_handle){.handle = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED), .fd = -1};
}

void uapi_call_sync_file_export(struct uapi *u, struct uapi_call *call)
{
   uapi_call_syncobj_export(u, call);
   call->args.syncobj_handle.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
}

void uapi_call_syncobj_import(struct uapi *u, struct uapi_call *call)
{
   struct uapi_call export = {0};
   uapi_call_syncobj_export(u, &export);
   uapi_expect(u, uapi_ioctl(u, export.request, &export.args), OK, "export of a syncobj");
   call->request = DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE;
   call->args.syncobj_handle.fd = export.args.syncobj_handle.fd;
}

void uapi_call_sync_file_import(struct uapi *u, struct uapi_call *call)
{
   struct uapi_call export = {0};
   uapi_call_sync_file_export(u, &export);
   uapi_expect(u, uapi_ioctl(u, export.request, &export.args), OK, "export of a sync_file");
   call->request = DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE;
   call->args.syncobj_handle = (struct drm_syncobj_handle){.handle = uapi_syncobj(u, 0),
                                                           .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
                                                           .fd = export.args.syncobj_handle.fd};
}

/* Two objects, both signalled, one of them a timeline at point 5. */
static void make_array(struct uapi *u, struct uapi_call *call)
{
   call->handles[0] = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED);
   call->handles[1] = uapi_syncobj(u, 0);
   uint64_t point = 5;
   struct drm_syncobj_timeline_array args = {
       .handles = (uintptr_t)&call->handles[1], .points = (uintptr_t)&point, .count_handles = 1};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &args), OK, "SYNCOBJ_TIMELINE_SIGNAL");
}

void uapi_call_syncobj_wait(struct uapi *u, struct uapi_call *call)
{
   make_array(u, call);
   call->request = DRM_IOCTL_SYNCOBJ_WAIT;
   call->args.syncobj_wait = (struct drm_syncobj_wait){.handles = (uintptr_t)call->handles, .count_handles = 2};
}

void uapi_call_timeline_wait(struct uapi *u, struct uapi_call *call)
{
   make_array(u, call);
   call->points[1] = 5;
   call->request = DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT;
   call->args.syncobj_timeline_wait = (struct drm_syncobj_timeline_wait){
       .handles = (uintptr_t)call->handles, .points = (uintptr_t)call->points, .count_handles = 2};
}

static void make_binary_array(struct uapi *u, struct uapi_call *call, unsigned long request)
{
   make_array(u, call);
   call->request = request;
   call->args.syncobj_array = (struct drm_syncobj_array){.handles = (uintptr_t)call->handles, .count_handles = 2};
}

void uapi_call_syncobj_reset(struct uapi *u, struct uapi_call *call)
{
   make_binary_array(u, call, DRM_IOCTL_SYNCOBJ_RESET);
}

void uapi_call_syncobj_signal(struct uapi *u, struct uapi_call *call)
{
   make_binary_array(u, call, DRM_IOCTL_SYNCOBJ_SIGNAL);
}

static void make_timeline_array(struct uapi *u, struct uapi_call *call, unsigned long request)
{
   make_array(u, call);
   call->points[0] = call->points[1] = 6;
   call->request = request;
   call->args.syncobj_timeline_array = (struct drm_syncobj_timeline_array){
       .handles = (uintptr_t)call->handles, .points = (uintptr_t)call->points, .count_handles = 2};
}

void uapi_call_timeline_signal(struct uapi *u, struct uapi_call *call)
{
   make_timeline_array(u, call, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL);
}

void uapi_call_syncobj_query(struct uapi *u, struct uapi_call *call)
{
   make_timeline_array(u, call, DRM_IOCTL_SYNCOBJ_QUERY);
}

void uapi_call_syncobj_transfer(struct uapi *u, struct uapi_call *call)
{
   make_array(u, call);
   call->request = DRM_IOCTL_SYNCOBJ_TRANSFER;
   call->args.syncobj_transfer = (struct drm_syncobj_transfer){
       .src_handle = call->handles[1], .dst_handle = uapi_syncobj(u, 0), .src_point = 5, .dst_point = 7};
}
