/* SPDX-License-Identifier: MIT
 *
 * Valid requests of the driver, for subtests to change. A request that uses up an object gets its own.
 */
#include "uapi/test.h"

#define BO_SIZE (4 * UAPI_PAGE)

void uapi_call_get_params(struct uapi *u, struct uapi_call *call)
{
   (void)u;
   call->request = DRM_IOCTL_ASAHI_GET_PARAMS;
   call->args.get_params =
       (struct drm_asahi_get_params){.pointer = (uintptr_t)&call->params, .size = sizeof(call->params)};
}

void uapi_call_get_time(struct uapi *u, struct uapi_call *call)
{
   (void)u;
   call->request = DRM_IOCTL_ASAHI_GET_TIME;
}

void uapi_call_vm_create(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_VM_CREATE;
   call->args.vm_create = (struct drm_asahi_vm_create){.kernel_start = u->kernel_start, .kernel_end = u->kernel_end};
}

void uapi_call_vm_destroy(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_VM_DESTROY;
   call->args.vm_destroy.vm_id = uapi_vm(u);
}

static void make_bind(struct uapi *u, struct uapi_call *call, struct drm_asahi_gem_bind_op op)
{
   call->request = DRM_IOCTL_ASAHI_VM_BIND;
   call->op = op;
   call->args.vm_bind = (struct drm_asahi_vm_bind){
       .vm_id = u->vm, .num_binds = 1, .stride = sizeof(call->op), .userptr = (uintptr_t)&call->op};
}

/* Binds four pages of a buffer of four pages. */
void uapi_call_vm_bind(struct uapi *u, struct uapi_call *call)
{
   make_bind(u, call,
             (struct drm_asahi_gem_bind_op){.flags = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE,
                                            .handle = uapi_bo(u, BO_SIZE, 0, 0),
                                            .range = BO_SIZE,
                                            .addr = UAPI_FREE});
}

void uapi_call_vm_unbind(struct uapi *u, struct uapi_call *call)
{
   make_bind(u, call,
             (struct drm_asahi_gem_bind_op){.flags = DRM_ASAHI_BIND_UNBIND, .range = BO_SIZE, .addr = UAPI_FREE});
}

void uapi_call_gem_create(struct uapi *u, struct uapi_call *call)
{
   (void)u;
   call->request = DRM_IOCTL_ASAHI_GEM_CREATE;
   call->args.gem_create = (struct drm_asahi_gem_create){.size = BO_SIZE};
}

void uapi_call_gem_private(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_GEM_CREATE;
   call->args.gem_create =
       (struct drm_asahi_gem_create){.size = BO_SIZE, .flags = DRM_ASAHI_GEM_VM_PRIVATE, .vm_id = u->vm};
}

void uapi_call_mmap_offset(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET;
   call->args.gem_mmap_offset.handle = u->data_bo;
}

void uapi_call_object_bind(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_GEM_BIND_OBJECT;
   call->args.gem_bind_object = (struct drm_asahi_gem_bind_object){.op = DRM_ASAHI_BIND_OBJECT_OP_BIND,
                                                                   .flags = DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS,
                                                                   .handle = uapi_bo(u, BO_SIZE, 0, 0),
                                                                   .range = BO_SIZE};
}

void uapi_call_object_unbind(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_GEM_BIND_OBJECT;
   call->args.gem_bind_object =
       (struct drm_asahi_gem_bind_object){.op = DRM_ASAHI_BIND_OBJECT_OP_UNBIND,
                                          .object_handle = uapi_object(u, uapi_bo(u, UAPI_PAGE, 0, 0), 0, UAPI_PAGE)};
}

void uapi_call_queue_create(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_QUEUE_CREATE;
   call->args.queue_create = (struct drm_asahi_queue_create){
       .vm_id = u->vm, .priority = DRM_ASAHI_PRIORITY_MEDIUM, .usc_exec_base = UAPI_USC};
}

void uapi_call_queue_destroy(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_QUEUE_DESTROY;
   call->args.queue_destroy.queue_id = uapi_queue(u, u->vm, DRM_ASAHI_PRIORITY_LOW);
}

/* Makes what all submits share: a signalled in-sync, and an out-sync that has no fence yet. */
static void make_submit(struct uapi *u, struct uapi_call *call)
{
   call->request = DRM_IOCTL_ASAHI_SUBMIT;
   call->syncs[0] = (struct drm_asahi_sync){.handle = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED)};
   call->syncs[1] = (struct drm_asahi_sync){.handle = uapi_syncobj(u, 0)};
   call->args.submit = (struct drm_asahi_submit){.syncs = (uintptr_t)call->syncs,
                                                 .cmdbuf = (uintptr_t)call->commands.bytes,
                                                 .queue_id = u->queue,
                                                 .in_sync_count = 1,
                                                 .out_sync_count = 1,
                                                 .cmdbuf_size = call->commands.size};
}

void uapi_call_submit(struct uapi *u, struct uapi_call *call)
{
   uapi_add_compute(&call->commands, uapi_append(u, 1, UAPI_NO_GATE), UAPI_NONE);
   make_submit(u, call);
}

/* A command with both timestamps in a page. The object is number 1, because it is the file's first. */
void uapi_call_stamped(struct uapi *u, struct uapi_call *call)
{
   struct drm_asahi_cmd_compute compute = uapi_append(u, 1, UAPI_NO_GATE);
   uint32_t object = uapi_object(u, uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_WRITEBACK, 0), 0, UAPI_PAGE);
   compute.ts = (struct drm_asahi_timestamps){{object, 0}, {object, 8}};
   uapi_add_compute(&call->commands, compute, UAPI_NONE);
   make_submit(u, call);
}

/* A render command that passes all checks. It must not run, because there is nothing to draw: a compute command behind
 * it names a timestamp object that does not exist. The answer is ENOENT, unless the render command is refused first. */
void uapi_call_render(struct uapi *u, struct uapi_call *call)
{
   struct drm_asahi_cmd_render render = {.width_px = 64,
                                         .height_px = 64,
                                         .layers = 1,
                                         .utile_width_px = 32,
                                         .utile_height_px = 32,
                                         .samples = 1,
                                         .sample_size_B = 4};
   struct drm_asahi_cmd_compute compute = uapi_append(u, 1, UAPI_NO_GATE);
   compute.ts.start.handle = UINT32_MAX;
   uapi_add(&call->commands, DRM_ASAHI_CMD_RENDER, &render, sizeof(render), UAPI_NONE, UAPI_NONE);
   uapi_add_compute(&call->commands, compute, UAPI_NONE);
   make_submit(u, call);
   call->plain = E(ENOENT);
}

/* Two attachments, then a compute command to which they apply. */
void uapi_call_attachments(struct uapi *u, struct uapi_call *call)
{
   struct drm_asahi_attachment attachments[] = {{.pointer = UAPI_DATA, .size = UAPI_PAGE},
                                                {.pointer = UAPI_DATA + UAPI_PAGE, .size = UAPI_PAGE}};
   uapi_add(&call->commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, attachments, sizeof(attachments), UAPI_NONE, UAPI_NONE);
   uapi_add_compute(&call->commands, uapi_append(u, 1, UAPI_NO_GATE), UAPI_NONE);
   make_submit(u, call);
}
