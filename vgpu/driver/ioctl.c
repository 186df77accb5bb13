/* SPDX-License-Identifier: MIT
 *
 * Dispatch of requests, and those that only tell something: driver, capabilities, parameters, time, counters.
 *
 * The number selects the handler; size and direction bits say only how much is copied: spec/uapi.md 1.2.
 */
#include "vgpu/driver/ioctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/refuse.h"
#include "vgpu/driver/queue.h"
#include "vgpu/driver/user.h"
#include "util/array.h"

/* The size field of a request has 14 bits. */
#define MAX_STRUCT 16384u
#define NS_PER_S UINT64_C(1000000000)

int vgpu_copy_in(struct vgpu_device *device, void *to, uint64_t from, size_t size)
{
   return vgpu_user_read(device->user_fd, to, from, size);
}

int vgpu_copy_out(struct vgpu_device *device, uint64_t to, const void *from, size_t size)
{
   return vgpu_user_write(device->user_fd, to, from, size);
}

/* 1.3 */
static int get_params(struct vgpu_file *file, void *data)
{
   const struct drm_asahi_get_params *args = data;
   const struct vgpu_chip *chip = file->device->chip;
   if (vgpu_refuse(args->param_group) || vgpu_refuse(args->pad)) {
      return -EINVAL;
   }
   if (file->device->dead) {
      return -ENODEV;
   }
   struct drm_asahi_params_global params = {
       .features = file->device->options.strict ? 0 : DRM_ASAHI_FEATURE_SOFT_FAULTS,
       .gpu_generation = chip->generation,
       .gpu_variant = chip->variant,
       .gpu_revision = chip->revision,
       .chip_id = chip->chip_id,
       .num_dies = chip->dies,
       .num_clusters_total = chip->clusters,
       .num_cores_per_cluster = chip->cores_per_cluster,
       .max_frequency_khz = chip->clock_hz / 1000,
       .vm_start = VGPU_VM_START,
       .vm_end = VGPU_VM_END,
       .vm_kernel_min_size = VGPU_VM_KERNEL_MIN_SIZE,
       .max_commands_per_submission = VGPU_MAX_COMMANDS,
       .max_attachments = VGPU_MAX_ATTACHMENTS,
       .command_timestamp_frequency_hz = NS_PER_S,
   };
   for (uint32_t i = 0; i < DRM_ASAHI_MAX_CLUSTERS; i++) {
      params.core_masks[i] = vgpu_chip_core_mask(chip, i);
   }
   return vgpu_copy_out(file->device, args->pointer, &params,
                        args->size < sizeof(params) ? args->size : sizeof(params));
}

/* 1.4 */
static int get_time(struct vgpu_file *file, void *data)
{
   struct drm_asahi_get_time *args = data;
   if (vgpu_refuse(args->flags)) {
      return -EINVAL;
   }
   args->gpu_timestamp = vgpu_device_clock(file->device);
   return 0;
}

/* A string for a buffer of *length bytes, cut without a word; *length becomes what there was to say. */
static int copy_string(struct vgpu_device *device, char *to, size_t *length, const char *text)
{
   size_t full = strlen(text), cut = *length < full ? *length : full;
   *length = full;
   return to ? vgpu_copy_out(device, (uintptr_t)to, text, cut) : 0;
}

static int get_version(struct vgpu_file *file, void *data)
{
   struct vgpu_device *device = file->device;
   struct drm_version *args = data;
   char description[96];
   snprintf(description, sizeof(description), "virtual AGX GPU of agx-runner (%s), modelled", device->chip->marketing);
   args->version_major = args->version_minor = args->version_patchlevel = 0;
   int error = copy_string(device, args->name, &args->name_len, "asahi");
   if (!error) {
      error = copy_string(device, args->date, &args->date_len, "0");
   }
   if (!error) {
      error = copy_string(device, args->desc, &args->desc_len, description);
   }
   return error;
}

static int get_cap(struct vgpu_file *file, void *data)
{
   (void)file;
   struct drm_get_cap *args = data;
   args->value = 0;
   switch (args->capability) {
   case DRM_CAP_TIMESTAMP_MONOTONIC:
   case DRM_CAP_SYNCOBJ:
   case DRM_CAP_SYNCOBJ_TIMELINE:
      args->value = 1;
      return 0;
   case DRM_CAP_PRIME:
      args->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
      return 0;
   default:
      return -EOPNOTSUPP; /* DRM's answer to display requests on a device without a display */
   }
}

static int get_counters(struct vgpu_file *file, void *data)
{
   struct vgpu_counters *counters = data;
   const struct vgpu_soft_faults *soft = &file->device->soft;
   *counters = file->device->counters;
   counters->checks = file->device->options.checks;
   counters->soft_fault_loads = soft->loads;
   counters->soft_fault_stores = soft->stores;
   counters->soft_fault_preamble_loads = soft->preamble_loads;
   counters->soft_fault_address = soft->address;
   _Static_assert(sizeof(counters->soft_fault_place) == sizeof(soft->place), "one place");
   struct vgpu_jit_statistics compiled;
   vgpu_jit_read_statistics(file->device->compiler, &compiled);
   counters->compiled_blocks = compiled.blocks;
   counters->compiled_instructions = compiled.instructions;
   counters->compile_ns = compiled.ns;
   memcpy(counters->compile_refusal, compiled.reason, sizeof(counters->compile_refusal));
   memcpy(counters->soft_fault_place, soft->place, sizeof(soft->place));
   _Static_assert(sizeof(counters->soft_fault_where) == sizeof(soft->where), "one text");
   memcpy(counters->soft_fault_where, soft->where, sizeof(soft->where));
   return 0;
}

static int set_scope(struct vgpu_file *file, void *data)
{
   struct vgpu_scope *args = data;
   args->name[sizeof(args->name) - 1] = '\0';
   return vgpu_inject_scope(&file->device->options.inject, args->name);
}

/* A job's work limits each of its simdgroups, too. */
static int set_work(struct vgpu_file *file, void *data)
{
   const uint64_t *work = data;
   struct vgpu_options *options = &file->device->options;
   if (!options->budget_is_given && !options->work_is_given) {
      options->work = *work ? *work : UINT64_MAX;
      options->budget = *work ? 0 : VGPU_DEFAULT_BUDGET;
   }
   return 0;
}

static int set_load(struct vgpu_file *file, void *data)
{
   const uint32_t *load = data;
   struct vgpu_device *device = file->device;
   device->repeats = *load != 0;
   device->executed = *load == 0 || *load == device->load_number ? device->executed : 0;
   device->load_number = *load ? *load : device->load_number;
   return 0;
}

static int abandon(struct vgpu_file *file, void *data)
{
   (void)data;
   vgpu_file_abandon_jobs(file);
   return 0;
}

static int get_check(struct vgpu_file *file, void *data)
{
   struct vgpu_check_report *report = data;
   struct vgpu_check_log *log = &file->device->checks;
   uint32_t index = report->index;
   if (index == VGPU_CHECK_FORGET) {
      log->count = 0;
      log->dropped = 0;
   }
   *report = index < log->count ? log->reports[index] : (struct vgpu_check_report){0};
   report->index = index;
   report->total = log->count;
   report->dropped = log->dropped;
   return 0;
}

static int get_postmortem(struct vgpu_file *file, void *data)
{
   *(struct vgpu_postmortem *)data = file->device->postmortem;
   return 0;
}

static int get_profile(struct vgpu_file *file, void *data)
{
   struct vgpu_profile_request *request = data;
   const struct vgpu_profile *profile = &file->device->profile;
   uint32_t index = request->index;
   if (!file->device->options.profile) {
      return -ENOTTY;
   }
   *request = (struct vgpu_profile_request){
       .index = index,
       .total = (uint32_t)profile->count,
       .sum = profile->sum,
       .events_total = profile->event_count,
       .events_dropped = profile->events_dropped,
   };
   if (index < profile->count) {
      request->row = profile->rows[index];
   }
   for (size_t at = (size_t)index * VGPU_PROFILE_EVENTS_EACH;
        at < profile->event_count && request->event_count < VGPU_PROFILE_EVENTS_EACH; at++) {
      request->events[request->event_count++] = profile->events[at];
   }
   return 0;
}

static int get_launch(struct vgpu_file *file, void *data)
{
   struct vgpu_launch_request *request = data;
   const struct vgpu_programs *programs = &file->device->programs;
   const bool stages = request->index & VGPU_LAUNCH_STAGE;
   const uint32_t index = request->index & ~VGPU_LAUNCH_STAGE;
   const struct vgpu_launch_info *list = stages ? programs->stages : programs->launches;
   const size_t count = stages ? programs->stage_count : programs->launch_count;
   *request = (struct vgpu_launch_request){
       .index = request->index, .total = (uint32_t)count, .dropped = stages ? 0 : programs->ended - count};
   if (index < count) {
      request->launch = list[index];
   }
   return 0;
}

static int set_profile_plan(struct vgpu_file *file, void *data)
{
   const struct vgpu_profile_plan_request *request = data;
   if (!file->device->options.profile) {
      return -ENOTTY;
   }
   file->device->profile_plan = request->plan;
   return 0;
}

static int get_trace(struct vgpu_file *file, void *data)
{
   struct vgpu_trace_request *request = data;
   const struct vgpu_trace *trace = &file->device->trace;
   const uint32_t index = request->index;
   if (!file->device->options.trace || !file->device->options.checks) {
      return -ENOTTY;
   }
   *request = (struct vgpu_trace_request){.index = index, .total = trace->count, .dropped = trace->dropped};
   if (index < trace->count) {
      request->entry = trace->entries[index];
   }
   return 0;
}

static int set_range(struct vgpu_file *file, void *data)
{
   const struct vgpu_range_request *range = data;
   struct vgpu_vm *vm = vgpu_ids_get(&file->vms, range->vm_id);
   const bool checked = file->device->options.checks & VGPU_CHECK_BOUNDS;
   if (!vm || range->address >= VGPU_VM_END || range->bytes > VGPU_VM_END - range->address) {
      return -EINVAL;
   }
   switch ((enum vgpu_range_kind)range->kind) {
   case VGPU_RANGE_BUFFER:
   case VGPU_RANGE_INTERNAL:
      if (range->bytes == 0) {
         vgpu_ranges_remove(&vm->buffers, range->address, checked);
         return 0;
      }
      return vgpu_ranges_add(&vm->buffers, range);
   case VGPU_RANGE_THREADGROUP:
      return checked ? vgpu_ranges_set(&vm->threadgroups, range->address, range->bytes) : -ENOTTY;
   }
   return -EINVAL;
}

/* Requests that only a primary node answers, to an authenticated client. */
static int not_on_render_nodes(struct vgpu_file *file, void *data)
{
   (void)file, (void)data;
   return vgpu_refuse(true) ? -EACCES : 0;
}

static const struct vgpu_ioctl_row upstream[] = {
    {DRM_IOCTL_VERSION, get_version, 0},
    {DRM_IOCTL_GET_CAP, get_cap, 0},
    {DRM_IOCTL_GEM_CLOSE, vgpu_ioctl_gem_close, 0},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, vgpu_ioctl_prime_handle_to_fd, 0},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, vgpu_ioctl_prime_fd_to_handle, 0},
    {DRM_IOCTL_SYNCOBJ_CREATE, vgpu_ioctl_syncobj_create, 0},
    {DRM_IOCTL_SYNCOBJ_DESTROY, vgpu_ioctl_syncobj_destroy, 0},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, vgpu_ioctl_syncobj_handle_to_fd, 0},
    {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, vgpu_ioctl_syncobj_fd_to_handle, 0},
    {DRM_IOCTL_SYNCOBJ_WAIT, vgpu_ioctl_syncobj_wait, 0},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, vgpu_ioctl_syncobj_timeline_wait, 0},
    {DRM_IOCTL_SYNCOBJ_RESET, vgpu_ioctl_syncobj_reset, 0},
    {DRM_IOCTL_SYNCOBJ_SIGNAL, vgpu_ioctl_syncobj_signal, 0},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, vgpu_ioctl_syncobj_timeline_signal, 0},
    {DRM_IOCTL_SYNCOBJ_QUERY, vgpu_ioctl_syncobj_query, 0},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, vgpu_ioctl_syncobj_transfer, 0},
    {DRM_IOCTL_ASAHI_GET_PARAMS, get_params, 0},
    {DRM_IOCTL_ASAHI_GET_TIME, get_time, 0},
    {DRM_IOCTL_ASAHI_VM_CREATE, vgpu_ioctl_vm_create, 0},
    {DRM_IOCTL_ASAHI_VM_DESTROY, vgpu_ioctl_vm_destroy, 0},
    {DRM_IOCTL_ASAHI_VM_BIND, vgpu_ioctl_vm_bind, 0},
    {DRM_IOCTL_ASAHI_GEM_CREATE, vgpu_ioctl_gem_create, 0},
    {DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, vgpu_ioctl_gem_mmap_offset, 0},
    {DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, vgpu_ioctl_gem_bind_object, 0},
    {DRM_IOCTL_ASAHI_QUEUE_CREATE, vgpu_ioctl_queue_create, 0},
    {DRM_IOCTL_ASAHI_QUEUE_DESTROY, vgpu_ioctl_queue_destroy, 0},
    {DRM_IOCTL_ASAHI_SUBMIT, vgpu_ioctl_submit, 0},
    {VGPU_IOCTL_COUNTERS, get_counters, 0},
    {VGPU_IOCTL_SCOPE, set_scope, 0},
    {VGPU_IOCTL_CHECK, get_check, 0},
    {VGPU_IOCTL_RANGE, set_range, 0},
    {VGPU_IOCTL_PROFILE, get_profile, 0},
    {VGPU_IOCTL_PROFILE_PLAN, set_profile_plan, 0},
    {VGPU_IOCTL_WORK, set_work, 0},
    {VGPU_IOCTL_TRACE, get_trace, 0},
    {VGPU_IOCTL_POSTMORTEM, get_postmortem, 0},
    {VGPU_IOCTL_LAUNCH, get_launch, 0},
    {VGPU_IOCTL_ABANDON, abandon, 0},
    {VGPU_IOCTL_LOAD, set_load, 0},
    {DRM_IOCTL_GET_UNIQUE, not_on_render_nodes, 0},
    {DRM_IOCTL_GET_MAGIC, not_on_render_nodes, 0},
    {DRM_IOCTL_SET_VERSION, not_on_render_nodes, 0},
    {DRM_IOCTL_GEM_FLINK, not_on_render_nodes, 0},
    {DRM_IOCTL_GEM_OPEN, not_on_render_nodes, 0},
    {DRM_IOCTL_SET_CLIENT_CAP, not_on_render_nodes, 0},
    {DRM_IOCTL_AUTH_MAGIC, not_on_render_nodes, 0},
    {DRM_IOCTL_SET_MASTER, not_on_render_nodes, 0},
    {DRM_IOCTL_DROP_MASTER, not_on_render_nodes, 0},
    {DRM_IOCTL_MODE_GETRESOURCES, not_on_render_nodes, 0},
    {DRM_IOCTL_MODE_CREATE_DUMB, not_on_render_nodes, 0},
};

/* Type and number only: the rest of a request may differ from ours. */
static const struct vgpu_ioctl_row *find_row(const struct vgpu_ioctl_row *rows, size_t count, unsigned long request)
{
   for (size_t i = 0; i < count; i++) {
      if (_IOC_TYPE(rows[i].request) == _IOC_TYPE(request) && _IOC_NR(rows[i].request) == _IOC_NR(request)) {
         return &rows[i];
      }
   }
   return NULL;
}

/* Requests by which a client may learn that a job has ended, or make others wait for it outside of this device. */
static bool asks_for_end(unsigned long request)
{
   static const unsigned long requests[] = {DRM_IOCTL_SYNCOBJ_WAIT,         DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
                                            DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, DRM_IOCTL_SYNCOBJ_TRANSFER,
                                            DRM_IOCTL_SYNCOBJ_QUERY,        DRM_IOCTL_PRIME_HANDLE_TO_FD};
   for (size_t i = 0; i < ARRAY_COUNT(requests); i++) {
      if (requests[i] == request) {
         return true;
      }
   }
   return false;
}

/* The kernel's answer when a device is gone: drm_ioctl() refuses all requests. */
static bool is_lost(const struct vgpu_file *file, unsigned long request)
{
   return file->device->lost && _IOC_TYPE(request) == DRM_IOCTL_BASE;
}

int vgpu_file_ioctl(struct vgpu_file *file, unsigned long request, uint64_t argument)
{
   return vgpu_file_ioctl_rows(file, upstream, ARRAY_COUNT(upstream), request, argument);
}

int vgpu_file_ioctl_rows(struct vgpu_file *file, const struct vgpu_ioctl_row *rows, size_t count, unsigned long request,
                         uint64_t argument)
{
   const struct vgpu_ioctl_row *row = find_row(rows, count, request);
   if (vgpu_refuse(!row)) {
      return _IOC_TYPE(request) == DRM_IOCTL_BASE ? -EINVAL : -ENOTTY;
   }
   /* The client's struct may be shorter or longer than ours, and is read and written only in the directions that
    * both sides' request names. What is missing reads as zero. */
   union {
      uint8_t bytes[MAX_STRUCT];
      uint64_t align;
   } data;
   size_t size = _IOC_SIZE(request), known = _IOC_SIZE(row->request);
   size_t in = _IOC_DIR(request) & _IOC_DIR(row->request) & _IOC_WRITE ? size : 0;
   size_t out = _IOC_DIR(request) & _IOC_DIR(row->request) & _IOC_READ ? size : 0;
   size_t total = size > known ? size : known;
   int error = vgpu_copy_in(file->device, data.bytes, argument, in);
   if (vgpu_refuse(error)) {
      return error;
   }
   memset(data.bytes + in, 0, total - in);
   if (is_lost(file, request)) {
      return -ENODEV;
   }
   error = vgpu_inject_request(&file->device->options.inject, row->same_as ? row->same_as : row->request);
   while (error == VGPU_INJECT_NO_RETURN) { /* without the lock: the device answers others meanwhile */
      pthread_cond_wait(&file->device->changed, &file->device->lock);
      error = file->closing ? -ENODEV : error;
   }
   if (error) {
      return error;
   }
   file->device->synced += asks_for_end(row->request);
   error = row->handle(file, data.bytes);
   error = is_lost(file, request) ? -ENODEV : error; /* lost while it waited */
   /* Also after a failure, with what the handler has left there. */
   int copy_error = vgpu_copy_out(file->device, argument, data.bytes, out);
   return vgpu_refuse(copy_error) ? copy_error : error;
}

void vgpu_file_release(struct vgpu_file *file)
{
   uint32_t id = 0;
   for (struct vgpu_queue *queue; (queue = vgpu_ids_next(&file->queues, &id));) {
      vgpu_queue_unref(queue);
   }
   id = 0;
   for (struct vgpu_vm *vm; (vm = vgpu_ids_next(&file->vms, &id));) {
      vgpu_vm_unbind_all(vm);
      vgpu_vm_unref(vm);
   }
   id = 0;
   for (struct vgpu_object *object; (object = vgpu_ids_next(&file->objects, &id));) {
      vgpu_object_unref(object);
   }
   id = 0;
   for (struct vgpu_syncobj *syncobj; (syncobj = vgpu_ids_next(&file->syncobjs, &id));) {
      vgpu_syncobj_unref(syncobj);
   }
   id = 0;
   for (struct vgpu_bo *bo; (bo = vgpu_ids_next(&file->bos, &id));) {
      vgpu_bo_unref(bo);
   }
   vgpu_ids_finish(&file->queues);
   vgpu_ids_finish(&file->vms);
   vgpu_ids_finish(&file->objects);
   vgpu_ids_finish(&file->syncobjs);
   vgpu_ids_finish(&file->bos);
}
