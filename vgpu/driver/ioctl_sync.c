/* SPDX-License-Identifier: MIT
 *
 * Synchronisation objects and exported sync files, as the DRM core (drm_syncobj.c) and sync_file.c answer them.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drm/uapi/asahi_drm.h"
#include "util/clock.h"
#include "vgpu/driver/ioctl.h"
#include "vgpu/refuse.h"

/* A hint newer than libdrm's header: "finish before that time, please". */
#define WAIT_FLAGS_WAIT_DEADLINE (1u << 3)
/* How long the kernel waits for a point to appear when a transfer asks for that (drm_syncobj_find_fence). */
#define SUBMIT_WAIT_NS INT64_C(5000000000)
/* Handles in one request: the kernel takes room for them all with kmalloc(), which gives 4 MiB at most. */
#define MAX_HANDLES (1u << 20)

int vgpu_ioctl_syncobj_create(struct vgpu_file *file, void *data)
{
   struct drm_syncobj_create *args = data;
   if (vgpu_refuse(args->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)) {
      return -EINVAL;
   }
   struct vgpu_syncobj *syncobj = vgpu_syncobj_create();
   if (!syncobj) {
      return -ENOMEM;
   }
   if (args->flags & DRM_SYNCOBJ_CREATE_SIGNALED) {
      vgpu_syncobj_replace(syncobj, file->device->signaled);
   }
   int error = vgpu_ids_add(&file->syncobjs, syncobj, &args->handle);
   if (error) {
      vgpu_syncobj_unref(syncobj);
   }
   return error;
}

int vgpu_ioctl_syncobj_destroy(struct vgpu_file *file, void *data)
{
   const struct drm_syncobj_destroy *args = data;
   if (vgpu_refuse(args->pad)) {
      return -EINVAL;
   }
   struct vgpu_syncobj *syncobj = vgpu_ids_remove(&file->syncobjs, args->handle);
   if (vgpu_refuse(!syncobj)) {
      return -EINVAL;
   }
   vgpu_syncobj_unref(syncobj);
   return 0;
}

static int export_sync_file(struct vgpu_file *file, uint32_t handle)
{
   struct vgpu_syncobj *syncobj = vgpu_ids_get(&file->syncobjs, handle);
   struct vgpu_fence *fence;
   if (vgpu_refuse(!syncobj)) {
      return -ENOENT;
   }
   if (vgpu_refuse(!vgpu_syncobj_find(syncobj, 0, &fence))) {
      return -EINVAL;
   }
   int fd = vgpu_fd_add(file->device, (struct vgpu_fd){.kind = VGPU_FD_SYNC_FILE, .fence = fence});
   if (fd < 0) {
      vgpu_fence_unref(fence);
   }
   return fd;
}

static int export_syncobj(struct vgpu_file *file, uint32_t handle)
{
   struct vgpu_syncobj *syncobj = vgpu_ids_get(&file->syncobjs, handle);
   if (vgpu_refuse(!syncobj)) {
      return -EINVAL;
   }
   int fd = vgpu_fd_add(file->device, (struct vgpu_fd){.kind = VGPU_FD_SYNCOBJ, .syncobj = vgpu_syncobj_ref(syncobj)});
   if (fd < 0) {
      vgpu_syncobj_unref(syncobj);
   }
   return fd;
}

int vgpu_ioctl_syncobj_handle_to_fd(struct vgpu_file *file, void *data)
{
   struct drm_syncobj_handle *args = data;
   if (vgpu_refuse(args->pad) ||
       vgpu_refuse(args->flags && args->flags != DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)) {
      return -EINVAL;
   }
   int fd = args->flags ? export_sync_file(file, args->handle) : export_syncobj(file, args->handle);
   if (fd < 0) {
      return fd;
   }
   args->fd = fd;
   return 0;
}

int vgpu_ioctl_syncobj_fd_to_handle(struct vgpu_file *file, void *data)
{
   struct drm_syncobj_handle *args = data;
   struct vgpu_device *device = file->device;
   struct vgpu_fd entry;
   if (vgpu_refuse(args->pad) ||
       vgpu_refuse(args->flags && args->flags != DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)) {
      return -EINVAL;
   }
   if (vgpu_refuse(vgpu_fd_get(device, args->fd, args->flags ? VGPU_FD_SYNC_FILE : VGPU_FD_SYNCOBJ, &entry))) {
      return -EINVAL;
   }
   if (!args->flags) {
      int error = vgpu_ids_add(&file->syncobjs, vgpu_syncobj_ref(entry.syncobj), &args->handle);
      if (error) {
         vgpu_syncobj_unref(entry.syncobj);
      }
      return error;
   }
   struct vgpu_syncobj *syncobj = vgpu_ids_get(&file->syncobjs, args->handle);
   if (vgpu_refuse(!syncobj)) {
      return -ENOENT;
   }
   vgpu_syncobj_replace(syncobj, entry.fence);
   pthread_cond_broadcast(&device->changed);
   return 0;
}

/* The objects that an array of handles names, each with a reference. */
static int find_array(struct vgpu_file *file, uint64_t handles, uint32_t count, struct vgpu_syncobj ***out)
{
   if (count > MAX_HANDLES) {
      return -ENOMEM;
   }
   struct vgpu_syncobj **found = calloc(count, sizeof(*found));
   uint32_t *ids = calloc(count, sizeof(*ids));
   int error = found && ids ? vgpu_copy_in(file->device, ids, handles, count * sizeof(*ids)) : -ENOMEM;
   for (uint32_t i = 0; i < count && !error; i++) {
      found[i] = vgpu_ids_get(&file->syncobjs, ids[i]);
      error = vgpu_refuse(!found[i]) ? -ENOENT : 0;
   }
   free(ids);
   if (error) {
      free(found);
      return error;
   }
   for (uint32_t i = 0; i < count; i++) {
      vgpu_syncobj_ref(found[i]);
   }
   *out = found;
   return 0;
}

static void free_array(struct vgpu_syncobj **syncobjs, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      vgpu_syncobj_unref(syncobjs[i]);
   }
   free(syncobjs);
}

/* Timeline points, one per object; a null pointer means 0 for all. */
static int copy_points(struct vgpu_file *file, uint64_t pointer, uint32_t count, uint64_t **out)
{
   uint64_t *points = calloc(count, sizeof(*points));
   if (!points) {
      return -ENOMEM;
   }
   int error = pointer ? vgpu_copy_in(file->device, points, pointer, count * sizeof(*points)) : 0;
   if (error) {
      free(points);
      return error;
   }
   *out = points;
   return 0;
}

struct wait {
   struct vgpu_syncobj **syncobjs;
   const uint64_t *points;
   struct vgpu_fence **fences; /* NULL: the point has not appeared yet */
   uint32_t count, flags;
   uint32_t first; /* index of the first one found signalled */
};

/* The fences as far as they exist. Which fence a wait is for is settled when it is first seen. */
static bool find_fences(struct vgpu_device *device, struct wait *wait)
{
   bool all = true;
   for (uint32_t i = 0; i < wait->count; i++) {
      if (wait->fences[i]) {
         continue;
      }
      if (!vgpu_syncobj_find(wait->syncobjs[i], wait->points[i], &wait->fences[i])) {
         all = false;
      } else if (!wait->fences[i]) {
         wait->fences[i] = vgpu_fence_ref(device->signaled);
      }
   }
   return all;
}

static bool satisfied(struct wait *wait)
{
   bool available = wait->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
   uint32_t reached = 0;
   for (uint32_t i = 0; i < wait->count; i++) {
      if (wait->fences[i] && (available || vgpu_fence_signaled(wait->fences[i])) && !reached++) {
         wait->first = i;
      }
   }
   return reached == wait->count || (reached && !(wait->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL));
}

static int wait_for(struct vgpu_file *file, struct wait *wait, int64_t deadline_ns)
{
   const uint32_t later = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
   int error = 0;
   wait->first = UINT32_MAX;
   wait->fences = calloc(wait->count, sizeof(*wait->fences));
   if (!wait->fences) {
      return -ENOMEM;
   }
   if (vgpu_refuse(!find_fences(file->device, wait) && !(wait->flags & later))) {
      error = -EINVAL;
   }
   while (!error && !satisfied(wait)) {
      error = vgpu_file_wait(file, deadline_ns);
      find_fences(file->device, wait);
   }
   for (uint32_t i = 0; i < wait->count; i++) {
      vgpu_fence_unref(wait->fences[i]);
   }
   free(wait->fences);
   return error;
}

/* Both kinds of wait; pointer to points 0: binary. */
static int wait_array(struct vgpu_file *file, uint64_t handles, uint64_t points_pointer, uint32_t count, uint32_t flags,
                      int64_t deadline_ns, uint32_t *first)
{
   struct wait wait = {.count = count, .flags = flags};
   uint64_t *points;
   int error = find_array(file, handles, count, &wait.syncobjs);
   if (error) {
      return error;
   }
   error = copy_points(file, points_pointer, count, &points);
   if (!error) {
      wait.points = points;
      error = wait_for(file, &wait, deadline_ns);
      free(points);
   }
   if (!error) {
      *first = wait.first;
   }
   free_array(wait.syncobjs, count);
   return error;
}

int vgpu_ioctl_syncobj_wait(struct vgpu_file *file, void *data)
{
   struct drm_syncobj_wait *args = data;
   const uint32_t known =
       DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | WAIT_FLAGS_WAIT_DEADLINE;
   if (vgpu_refuse(args->flags & ~known)) {
      return -EINVAL;
   }
   if (!args->count_handles) {
      return 0;
   }
   return wait_array(file, args->handles, 0, args->count_handles, args->flags, args->timeout_nsec,
                     &args->first_signaled);
}

int vgpu_ioctl_syncobj_timeline_wait(struct vgpu_file *file, void *data)
{
   struct drm_syncobj_timeline_wait *args = data;
   const uint32_t known = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                          DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE | WAIT_FLAGS_WAIT_DEADLINE;
   if (vgpu_refuse(args->flags & ~known)) {
      return -EINVAL;
   }
   if (!args->count_handles) {
      return 0;
   }
   return wait_array(file, args->handles, args->points, args->count_handles, args->flags, args->timeout_nsec,
                     &args->first_signaled);
}

/* Gives each object of the array that fence; NULL: none. */
static int replace_array(struct vgpu_file *file, const struct drm_syncobj_array *args, struct vgpu_fence *fence)
{
   struct vgpu_syncobj **syncobjs;
   if (vgpu_refuse(args->pad) || vgpu_refuse(!args->count_handles)) {
      return -EINVAL;
   }
   int error = find_array(file, args->handles, args->count_handles, &syncobjs);
   if (error) {
      return error;
   }
   for (uint32_t i = 0; i < args->count_handles; i++) {
      vgpu_syncobj_replace(syncobjs[i], fence);
   }
   free_array(syncobjs, args->count_handles);
   pthread_cond_broadcast(&file->device->changed);
   return 0;
}

int vgpu_ioctl_syncobj_reset(struct vgpu_file *file, void *data)
{
   return replace_array(file, data, NULL);
}

int vgpu_ioctl_syncobj_signal(struct vgpu_file *file, void *data)
{
   return replace_array(file, data, file->device->signaled);
}

static int add_points(struct vgpu_device *device, struct vgpu_syncobj **syncobjs, const uint64_t *points,
                      uint32_t count)
{
   struct vgpu_fence **chains = calloc(count, sizeof(*chains));
   bool complete = chains != NULL;
   for (uint32_t i = 0; i < count && complete; i++) {
      chains[i] = vgpu_fence_create_chain();
      complete = chains[i] != NULL;
   }
   for (uint32_t i = 0; i < count && chains; i++) {
      if (complete) {
         vgpu_syncobj_add_point(syncobjs[i], chains[i], device->signaled, points[i], vgpu_device_serial(device));
      } else {
         vgpu_fence_unref(chains[i]);
      }
   }
   free(chains);
   return complete ? 0 : -ENOMEM;
}

int vgpu_ioctl_syncobj_timeline_signal(struct vgpu_file *file, void *data)
{
   const struct drm_syncobj_timeline_array *args = data;
   struct vgpu_syncobj **syncobjs;
   uint64_t *points;
   if (vgpu_refuse(args->flags) || vgpu_refuse(!args->count_handles)) {
      return -EINVAL;
   }
   int error = find_array(file, args->handles, args->count_handles, &syncobjs);
   if (error) {
      return error;
   }
   error = copy_points(file, args->points, args->count_handles, &points);
   if (!error) {
      error = add_points(file->device, syncobjs, points, args->count_handles);
      free(points);
   }
   free_array(syncobjs, args->count_handles);
   pthread_cond_broadcast(&file->device->changed);
   return error;
}

int vgpu_ioctl_syncobj_query(struct vgpu_file *file, void *data)
{
   const struct drm_syncobj_timeline_array *args = data;
   struct vgpu_syncobj **syncobjs;
   if (vgpu_refuse(args->flags & ~(uint32_t)DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED) ||
       vgpu_refuse(!args->count_handles)) {
      return -EINVAL;
   }
   int error = find_array(file, args->handles, args->count_handles, &syncobjs);
   if (error) {
      return error;
   }
   for (uint32_t i = 0; i < args->count_handles && !error; i++) {
      uint64_t point = vgpu_syncobj_query(syncobjs[i], args->flags & DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED);
      error = vgpu_copy_out(file->device, args->points + i * sizeof(point), &point, sizeof(point));
   }
   free_array(syncobjs, args->count_handles);
   return error;
}

/* The fence of a point, waiting for it to appear if asked to. */
static int find_source(struct vgpu_file *file, const struct drm_syncobj_transfer *args, struct vgpu_fence **out)
{
   struct vgpu_syncobj *source = vgpu_ids_get(&file->syncobjs, args->src_handle);
   int error = 0;
   if (vgpu_refuse(!source)) {
      return -ENOENT;
   }
   int64_t deadline = (int64_t)util_clock_ns() + SUBMIT_WAIT_NS;
   vgpu_syncobj_ref(source);
   while (!error && !vgpu_syncobj_find(source, args->src_point, out)) {
      error = args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT ? vgpu_file_wait(file, deadline) : -EINVAL;
   }
   vgpu_syncobj_unref(source);
   if (!error && !*out) {
      *out = vgpu_fence_ref(file->device->signaled);
   }
   return error;
}

static int transfer(struct vgpu_device *device, struct vgpu_syncobj *target, struct vgpu_fence *fence, uint64_t point)
{
   if (!point) {
      vgpu_syncobj_replace(target, fence);
      return 0;
   }
   struct vgpu_fence *flat = vgpu_fence_flatten(fence), *chain = vgpu_fence_create_chain();
   if (!flat || !chain) {
      vgpu_fence_unref(flat);
      vgpu_fence_unref(chain);
      return -ENOMEM;
   }
   vgpu_syncobj_add_point(target, chain, flat, point, vgpu_device_serial(device));
   vgpu_fence_unref(flat);
   return 0;
}

int vgpu_ioctl_syncobj_transfer(struct vgpu_file *file, void *data)
{
   const struct drm_syncobj_transfer *args = data;
   struct vgpu_fence *fence;
   if (vgpu_refuse(args->pad)) {
      return -EINVAL;
   }
   struct vgpu_syncobj *target = vgpu_ids_get(&file->syncobjs, args->dst_handle);
   if (vgpu_refuse(!target)) {
      return -ENOENT;
   }
   vgpu_syncobj_ref(target);
   int error = find_source(file, args, &fence);
   if (!error) {
      error = transfer(file->device, target, fence, args->dst_point);
      vgpu_fence_unref(fence);
   }
   vgpu_syncobj_unref(target);
   pthread_cond_broadcast(&file->device->changed);
   return error;
}

static void fill_fence_info(struct sync_fence_info *info, struct vgpu_fence *fence)
{
   snprintf(info->obj_name, sizeof(info->obj_name), "asahi-%llu", (unsigned long long)fence->context);
   snprintf(info->driver_name, sizeof(info->driver_name), "asahi");
   info->status = vgpu_fence_status(fence);
   info->timestamp_ns = info->status ? fence->timestamp_ns : 0;
}

/* If there is room, writes an entry for each fence, and the worst of their statuses as the status of the file. */
static int copy_fence_infos(struct vgpu_device *device, struct vgpu_fence *fence, struct sync_file_info *info)
{
   size_t count = vgpu_fence_leaves(fence, NULL, 0);
   struct vgpu_fence **leaves = calloc(count ? count : 1, sizeof(*leaves));
   struct sync_fence_info *infos = calloc(count ? count : 1, sizeof(*infos));
   int error = leaves && infos ? 0 : -ENOMEM;
   if (!error && vgpu_refuse(info->num_fences < count)) {
      error = -EINVAL;
   }
   if (!error) {
      info->status = 1;
      vgpu_fence_leaves(fence, leaves, count);
      for (size_t i = 0; i < count; i++) {
         fill_fence_info(&infos[i], leaves[i]);
         info->status = info->status <= 0 ? info->status : infos[i].status;
      }
      error = vgpu_copy_out(device, info->sync_fence_info, infos, count * sizeof(*infos));
   }
   free(leaves);
   free(infos);
   return error;
}

int vgpu_sync_file_ioctl(struct vgpu_device *device, struct vgpu_fence *fence, unsigned long request, uint64_t argument)
{
   struct sync_file_info info;
   if (vgpu_refuse(request != SYNC_IOC_FILE_INFO)) {
      return -ENOTTY;
   }
   int error = vgpu_copy_in(device, &info, argument, sizeof(info));
   if (vgpu_refuse(error)) {
      return error;
   }
   if (vgpu_refuse(info.flags) || vgpu_refuse(info.pad)) {
      return -EINVAL;
   }
   if (info.num_fences) {
      error = copy_fence_infos(device, fence, &info);
      if (error) {
         return error;
      }
   } else {
      info.status = vgpu_fence_status(fence);
   }
   info.num_fences = (uint32_t)vgpu_fence_leaves(fence, NULL, 0);
   snprintf(info.name, sizeof(info.name), "asahi-%llu-%llu", (unsigned long long)fence->context,
            (unsigned long long)fence->seqno);
   return vgpu_copy_out(device, argument, &info, sizeof(info));
}
