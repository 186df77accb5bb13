/* SPDX-License-Identifier: MIT
 *
 * Every row of spec/uapi.md section 7, and the order of checks where two errors meet (1.3 to 1.13, 3.1 to 3.7).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/exec/levels/levels.h"
#include "vgpu/vgpu.h"

#define PAGE 0x4000u
#define VM_END UINT64_C(0x7FFFFF8000)
#define KERNEL UINT64_C(0x7800000000) /* client_vm() */
#define R DRM_ASAHI_BIND_READ
#define W DRM_ASAHI_BIND_WRITE
#define UNBIND DRM_ASAHI_BIND_UNBIND
#define SINGLE DRM_ASAHI_BIND_SINGLE_PAGE
#define WILD UINT64_C(0x10) /* never mapped */

/* The request with this struct gives that errno. */
#define TRY(expected, client, name, type, ...)                                                                         \
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_##name, &(struct drm_asahi_##type){__VA_ARGS__}), expected)
#define TRY_DRM(expected, client, name, type, ...)                                                                     \
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_##name, &(struct drm_##type){__VA_ARGS__}), expected)
#define TRY_BIND(expected, client, vm, ...)                                                                            \
   CHECK_EQUAL(client_bind(client, vm, (struct drm_asahi_gem_bind_op){__VA_ARGS__}), expected)

static void test_dispatch(struct client *client)
{
   struct drm_asahi_get_time time = {0};
   CHECK_EQUAL(client_ioctl(client, DRM_IOW(0x4B, struct drm_asahi_get_time), &time), EINVAL);
   CHECK_EQUAL(client_ioctl(client, DRM_IOW(0x9F, struct drm_asahi_get_time), &time), EINVAL);
   CHECK_EQUAL(client_ioctl(client, _IOWR('e', 0x41, struct drm_asahi_get_time), &time), ENOTTY);
   CHECK_EQUAL(client_ioctl(client, _IOWR('v', 200, struct drm_asahi_get_time), &time), ENOTTY);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GET_TIME, NULL), EFAULT);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GET_TIME, (void *)WILD), EFAULT);
   CHECK_EQUAL(client_fd_ioctl(client, 0, DRM_IOCTL_ASAHI_GET_TIME, &time), EBADF);
   CHECK_EQUAL(client_fd_ioctl(client, client->fd + 1, DRM_IOCTL_ASAHI_GET_TIME, &time), EBADF);
   CHECK_EQUAL(client_fd_ioctl(client, -1, DRM_IOCTL_ASAHI_GET_TIME, &time), EBADF);
   TRY_DRM(EACCES, client, GEM_FLINK, gem_flink, 0);
   TRY_DRM(EACCES, client, SET_VERSION, set_version, 0);

   /* Shorter: the rest is zero. Longer: the rest is ignored, and comes back. */
   struct {
      struct drm_asahi_get_time time;
      uint64_t tail;
   } longer = {{0, 0}, 42};
   CHECK_EQUAL(client_ioctl(client, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x41, sizeof(longer)), &longer), 0);
   CHECK(longer.time.gpu_timestamp > 0);
   CHECK_EQUAL(longer.tail, 42);
   time.gpu_timestamp = 7;
   CHECK_EQUAL(client_ioctl(client, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x41, 8), &time), 0);
   CHECK_EQUAL(time.gpu_timestamp, 7);
   CHECK_EQUAL(client_ioctl(client, _IOC(_IOC_WRITE, 'd', 0x41, 16), &time), 0); /* not asked to write back */
   CHECK_EQUAL(time.gpu_timestamp, 7);
   /* Not asked to read: flags count as zero. */
   time.flags = 1;
   CHECK_EQUAL(client_ioctl(client, _IOC(_IOC_READ, 'd', 0x41, 16), &time), 0);
   CHECK_EQUAL(time.flags, 0);
   /* Written back after a failure too: into read-only memory that is EFAULT, not EINVAL. */
   struct drm_asahi_get_time *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   page->flags = 1;
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GET_TIME, page), EINVAL);
   mprotect(page, PAGE, PROT_READ);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GET_TIME, page), EFAULT);
   munmap(page, PAGE);
}

static void test_drm_core(struct client *client)
{
   char name[4] = "???", date[16] = "", description[128] = "";
   struct drm_version version = {.name_len = 3,
                                 .name = name,
                                 .date_len = sizeof(date),
                                 .date = date,
                                 .desc_len = sizeof(description),
                                 .desc = description};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_VERSION, &version), 0);
   CHECK_EQUAL(version.name_len, 5);
   CHECK(!strcmp(name, "asa"));
   CHECK_EQUAL(version.version_major | version.version_minor | version.version_patchlevel, 0);
   CHECK(strstr(description, "virtual") != NULL);
   version = (struct drm_version){.name_len = 0};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_VERSION, &version), 0);
   CHECK_EQUAL(version.name_len, 5);

   struct drm_get_cap cap = {.capability = DRM_CAP_SYNCOBJ};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GET_CAP, &cap), 0);
   CHECK_EQUAL(cap.value, 1);
   cap = (struct drm_get_cap){.capability = DRM_CAP_SYNCOBJ_TIMELINE};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GET_CAP, &cap), 0);
   CHECK_EQUAL(cap.value, 1);
   TRY_DRM(EOPNOTSUPP, client, GET_CAP, get_cap, .capability = DRM_CAP_DUMB_BUFFER);
}

static void test_params(struct client *client)
{
   uint8_t params[600];
   uint64_t pointer = (uintptr_t)params;
   TRY(EINVAL, client, GET_PARAMS, get_params, .param_group = 1, .pointer = pointer, .size = 592);
   TRY(EINVAL, client, GET_PARAMS, get_params, .param_group = UINT32_MAX, .pointer = pointer, .size = 592);
   TRY(EINVAL, client, GET_PARAMS, get_params, .pad = 1, .pointer = pointer, .size = 592);
   TRY(EINVAL, client, GET_PARAMS, get_params, .pad = 1, .pointer = WILD, .size = 592);
   TRY(EFAULT, client, GET_PARAMS, get_params, .pointer = WILD, .size = 592);
   TRY(EFAULT, client, GET_PARAMS, get_params, .pointer = WILD, .size = 1);
   TRY(0, client, GET_PARAMS, get_params, .pointer = WILD, .size = 0);
   memset(params, 0xAA, sizeof(params));
   TRY(0, client, GET_PARAMS, get_params, .pointer = pointer, .size = 20);
   CHECK_EQUAL(params[19], 0); /* revision 0x11, high byte */
   CHECK_EQUAL(params[20], 0xAA);
   TRY(0, client, GET_PARAMS, get_params, .pointer = pointer, .size = 600);
   CHECK_EQUAL(params[592], 0xAA);

   TRY(EINVAL, client, GET_TIME, get_time, .flags = 1);
   TRY(EINVAL, client, GET_TIME, get_time, .flags = UINT64_C(1) << 63);
   TRY(0, client, GET_TIME, get_time, 0);
}

/* spec/uapi.md 1.3, second table, and its core masks of full parts. */
static void test_chips(void)
{
   static const struct {
      const char *spec;
      uint32_t chip_id, generation, variant, dies, clusters, cores_per_cluster, cores;
      uint64_t first_mask;
   } chips[] = {
       {"m1", 0x8103, 13, 'G', 1, 1, 8, 8, 0xFF},        {"m1-pro", 0x6000, 13, 'S', 1, 2, 8, 16, 0xFF},
       {"m1-max", 0x6001, 13, 'C', 1, 4, 8, 32, 0xFF},   {"m1-ultra", 0x6002, 13, 'D', 2, 8, 8, 64, 0xFF},
       {"m2", 0x8112, 14, 'G', 1, 1, 10, 10, 0x3FF},     {"m2-pro", 0x6020, 14, 'S', 1, 2, 10, 19, 0x3FF},
       {"m2-max", 0x6021, 14, 'C', 1, 4, 10, 38, 0x3FF}, {"m2-ultra", 0x6022, 14, 'D', 2, 8, 10, 76, 0x3FF},
   };
   const char *const *name = vgpu_chip_names();
   for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++, name++) {
      struct client client;
      struct drm_asahi_params_global params;
      CHECK(*name && !strcmp(*name, chips[i].spec));
      client_open(&client, chips[i].spec);
      TRY(0, &client, GET_PARAMS, get_params, .pointer = (uintptr_t)&params, .size = sizeof(params));
      CHECK_EQUAL(params.features, 1);
      CHECK_EQUAL(params.chip_id, chips[i].chip_id);
      CHECK_EQUAL(params.gpu_generation, chips[i].generation);
      CHECK_EQUAL(params.gpu_variant, chips[i].variant);
      CHECK_EQUAL(params.num_dies, chips[i].dies);
      CHECK_EQUAL(params.num_clusters_total, chips[i].clusters);
      CHECK_EQUAL(params.num_cores_per_cluster, chips[i].cores_per_cluster);
      CHECK_EQUAL(params.core_masks[0], chips[i].first_mask);
      CHECK_EQUAL(params.core_masks[chips[i].clusters], 0);
      int cores = 0;
      for (unsigned j = 0; j < DRM_ASAHI_MAX_CLUSTERS; j++) {
         cores += __builtin_popcountll(params.core_masks[j]);
      }
      CHECK_EQUAL(cores, chips[i].cores);
      CHECK_EQUAL(params.vm_start, 0x4000);
      CHECK_EQUAL(params.vm_end, VM_END);
      CHECK_EQUAL(params.vm_kernel_min_size, 0x20000000);
      CHECK_EQUAL(params.max_commands_per_submission, 64);
      CHECK_EQUAL(params.max_attachments, 16);
      CHECK_EQUAL(params.command_timestamp_frequency_hz, 1000000000);
      client_close(&client);
   }
   CHECK(!*name);
}

static void test_vm(struct client *client)
{
   const uint64_t min = 0x20000000;
   TRY(EINVAL, client, VM_CREATE, vm_create, .kernel_start = VM_END - min + PAGE, .kernel_end = VM_END);
   TRY(EINVAL, client, VM_CREATE, vm_create, .kernel_start = 0, .kernel_end = min);
   TRY(EINVAL, client, VM_CREATE, vm_create, .kernel_start = VM_END - min, .kernel_end = VM_END + PAGE);
   TRY(EINVAL, client, VM_CREATE, vm_create, .kernel_start = PAGE + 1, .kernel_end = min + 2 * PAGE);
   TRY(EINVAL, client, VM_CREATE, vm_create, .kernel_start = PAGE, .kernel_end = min + 2 * PAGE + 0x1000);
   TRY(EINVAL, client, VM_CREATE, vm_create, .kernel_start = VM_END, .kernel_end = PAGE);
   TRY(EINVAL, client, VM_CREATE, vm_create, .kernel_start = PAGE, .kernel_end = PAGE);
   struct drm_asahi_vm_create args = {.kernel_start = PAGE, .kernel_end = min + PAGE, .vm_id = 9, .pad = 9};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_VM_CREATE, &args), 0); /* neither is checked */
   CHECK_EQUAL(args.vm_id, 1);
   args.vm_id = 0;
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_VM_CREATE, &args), 0);
   CHECK_EQUAL(args.vm_id, 2);
   TRY(ENOENT, client, VM_DESTROY, vm_destroy, .vm_id = 0);
   TRY(ENOENT, client, VM_DESTROY, vm_destroy, .vm_id = 3);
   TRY(0, client, VM_DESTROY, vm_destroy, .vm_id = 1, .pad = 1);
   TRY(ENOENT, client, VM_DESTROY, vm_destroy, .vm_id = 1);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_VM_CREATE, &args), 0);
   CHECK_EQUAL(args.vm_id, 1); /* the lowest free one */
   TRY(0, client, VM_DESTROY, vm_destroy, .vm_id = 1);
   TRY(0, client, VM_DESTROY, vm_destroy, .vm_id = 2);
}

static void test_bind_array(struct client *client, uint32_t vm, uint32_t bo)
{
   struct drm_asahi_gem_bind_op ops[3] = {
       {.flags = R, .handle = bo, .range = PAGE, .addr = 0x100000},
       {.flags = R, .handle = bo, .range = PAGE, .addr = 0x200000},
   };
   uint64_t pointer = (uintptr_t)ops;
   TRY(EINVAL, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = 1, .stride = 0, .userptr = pointer);
   TRY(EINVAL, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = 0, .stride = 0, .userptr = pointer);
   TRY(EINVAL, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = 1, .stride = 32, .pad = 1, .userptr = pointer);
   TRY(EINVAL, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = UINT32_MAX, .stride = 32, .userptr = pointer);
   TRY(EFAULT, client, VM_BIND, vm_bind, .vm_id = 77, .num_binds = 1, .stride = 32, .userptr = WILD);
   TRY(0, client, VM_BIND, vm_bind, .vm_id = 77, .num_binds = 0, .stride = 32, .userptr = WILD);
   TRY(0, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = 2, .stride = 32, .userptr = pointer);
   TRY(ENOENT, client, VM_BIND, vm_bind, .vm_id = 77, .num_binds = 2, .stride = 32, .userptr = pointer);

   /* A stride of 24 cuts the address off, which then is 0; one of 48 is honoured, if the rest is zero. */
   TRY(EINVAL, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = 1, .stride = 24, .userptr = pointer);
   uint64_t wide[12] = {0};
   memcpy(wide, &ops[0], 32);
   memcpy(wide + 6, &ops[1], 32);
   pointer = (uintptr_t)wide;
   TRY(0, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = 2, .stride = 48, .userptr = pointer);
   wide[11] = 1;
   TRY(EINVAL, client, VM_BIND, vm_bind, .vm_id = vm, .num_binds = 2, .stride = 48, .userptr = pointer);
}

static void test_bind(struct client *client)
{
   const uint64_t a = 0x1000000;
   uint32_t vm = client_vm(client), other = client_vm(client);
   uint32_t bo = client_bo(client, 4 * PAGE - 1, 0, 0), private = client_bo(client, PAGE, 2, other);
   test_bind_array(client, vm, bo);

   TRY_BIND(EINVAL, client, vm, R, bo, 0, PAGE, a + 0x1000);
   TRY_BIND(EINVAL, client, vm, R, bo, 0, PAGE + 0x1000, a);
   TRY_BIND(EINVAL, client, vm, R, bo, 0x1000, PAGE, a);
   TRY_BIND(EINVAL, client, vm, R, 99, 0, PAGE, a + 1);  /* a before c */
   TRY_BIND(EINVAL, client, vm, R | 16, 99, 0, PAGE, a); /* b before c */
   TRY_BIND(ENOENT, client, vm, R, 99, 0, PAGE, a);
   TRY_BIND(ENOENT, client, vm, R, 0, 0, PAGE, a);
   TRY_BIND(ENOENT, client, vm, 0, 99, 0, PAGE, VM_END); /* c before f, g */
   TRY_BIND(EINVAL, client, vm, R, bo, 0, PAGE, -(uint64_t)PAGE);
   TRY_BIND(EINVAL, client, vm, R, bo, 4 * PAGE, PAGE, a);
   TRY_BIND(EINVAL, client, vm, R, bo, 0, 5 * PAGE, a);
   TRY_BIND(EINVAL, client, vm, R, bo, -(uint64_t)PAGE, PAGE, a);
   TRY_BIND(EINVAL, client, vm, R | SINGLE, bo, 4 * PAGE, PAGE, a);
   TRY_BIND(EINVAL, client, vm, R, bo, 0, PAGE, 0);
   TRY_BIND(EINVAL, client, vm, R, bo, 0, PAGE, VM_END);
   TRY_BIND(EINVAL, client, 99, 0, bo, 0, PAGE, a);      /* g before h */
   TRY_BIND(ENOENT, client, 99, R, bo, 0, PAGE, KERNEL); /* h before i */
   TRY_BIND(EINVAL, client, vm, R, bo, 0, PAGE, KERNEL);
   TRY_BIND(EINVAL, client, vm, R, bo, 0, 2 * PAGE, KERNEL - PAGE);
   TRY_BIND(EINVAL, client, vm, R, bo, 0, PAGE, VM_END - PAGE);
   TRY_BIND(EINVAL, client, vm, R, bo, 0, 0, a);
   TRY_BIND(EINVAL, client, vm, R, private, 0, PAGE, a);
   TRY_BIND(0, client, other, R, private, 0, PAGE, a);
   TRY_BIND(0, client, vm, R | W, bo, 0, 4 * PAGE, a);
   TRY_BIND(0, client, vm, W, bo, PAGE, PAGE, PAGE);
   TRY_BIND(0, client, vm, R, bo, 0, PAGE, KERNEL - PAGE);
   TRY_BIND(0, client, vm, R | SINGLE, bo, 3 * PAGE, 1000 * PAGE, a);

   TRY_BIND(EINVAL, client, vm, UNBIND, 0, PAGE, PAGE, a);
   TRY_BIND(EINVAL, client, vm, UNBIND | R, 0, 0, PAGE, a);
   TRY_BIND(EINVAL, client, vm, UNBIND, bo, 0, PAGE, a);
   TRY_BIND(EINVAL, client, vm, UNBIND, 0, 0, PAGE, a + 0x1000);
   TRY_BIND(EINVAL, client, vm, UNBIND, 0, 0, PAGE, -(uint64_t)PAGE);
   TRY_BIND(EINVAL, client, vm, UNBIND, 0, 0, 0, a);
   TRY_BIND(EINVAL, client, 99, UNBIND, 0, 0, PAGE, VM_END);
   TRY_BIND(ENOENT, client, 99, UNBIND, 0, 0, PAGE, KERNEL);
   TRY_BIND(EINVAL, client, vm, UNBIND, 0, 0, PAGE, KERNEL);
   TRY_BIND(0, client, vm, UNBIND, 0, 0, KERNEL - PAGE, PAGE); /* holes and all */
   TRY(0, client, VM_DESTROY, vm_destroy, .vm_id = vm);
   TRY(0, client, VM_DESTROY, vm_destroy, .vm_id = other);
   TRY_DRM(0, client, GEM_CLOSE, gem_close, .handle = bo);
   TRY_DRM(0, client, GEM_CLOSE, gem_close, .handle = private);
}

static void test_odd_kernel_range(struct client *client)
{
   /* Shrunk inwards to 32 KiB: the first half of an odd start is the user's. */
   struct drm_asahi_vm_create args = {.kernel_start = 0x7000004000, .kernel_end = 0x700000C000 + 0x20000000};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_VM_CREATE, &args), 0);
   uint32_t bo = client_bo(client, PAGE, 0, 0);
   TRY_BIND(0, client, args.vm_id, R, bo, 0, PAGE, 0x7000004000);
   TRY_BIND(EINVAL, client, args.vm_id, R, bo, 0, PAGE, 0x7000008000);
   TRY_BIND(EINVAL, client, args.vm_id, R, bo, 0, PAGE, 0x7000004000 + 0x20000000);
   TRY_BIND(0, client, args.vm_id, R, bo, 0, PAGE, 0x7000008000 + 0x20000000);
   TRY(0, client, VM_DESTROY, vm_destroy, .vm_id = args.vm_id);
   TRY_DRM(0, client, GEM_CLOSE, gem_close, .handle = bo);
}

static void test_gem(struct client *client, uint32_t vm, uint32_t bo, uint32_t shared)
{
   TRY(EINVAL, client, GEM_CREATE, gem_create, .size = PAGE, .flags = 4);
   TRY(EINVAL, client, GEM_CREATE, gem_create, .size = PAGE, .vm_id = vm);
   TRY(EINVAL, client, GEM_CREATE, gem_create, .size = PAGE, .flags = 4 | 2, .vm_id = 99);
   TRY(ENOENT, client, GEM_CREATE, gem_create, .size = PAGE, .flags = 2, .vm_id = 99);
   TRY(ENOENT, client, GEM_CREATE, gem_create, .size = PAGE, .flags = 2);
   TRY(EINVAL, client, GEM_CREATE, gem_create, .size = 0);
   TRY(EINVAL, client, GEM_CREATE, gem_create, .size = UINT64_MAX);
   TRY(ENOMEM, client, GEM_CREATE, gem_create, .size = UINT64_C(1) << 62);
   TRY(EINVAL, client, GEM_MMAP_OFFSET, gem_mmap_offset, .handle = 99, .flags = 1);
   TRY(ENOENT, client, GEM_MMAP_OFFSET, gem_mmap_offset, .handle = 99);
   TRY(ENOENT, client, GEM_MMAP_OFFSET, gem_mmap_offset, .handle = 0);

   TRY_DRM(EINVAL, client, PRIME_HANDLE_TO_FD, prime_handle, .handle = bo);
   TRY_DRM(ENOENT, client, PRIME_HANDLE_TO_FD, prime_handle, .handle = 99);
   TRY_DRM(EINVAL, client, PRIME_HANDLE_TO_FD, prime_handle, .handle = shared, .flags = 1);
   TRY_DRM(EBADF, client, PRIME_FD_TO_HANDLE, prime_handle, .fd = 1);
   TRY_DRM(EINVAL, client, PRIME_FD_TO_HANDLE, prime_handle, .fd = client->fd);
   TRY_DRM(EINVAL, client, GEM_CLOSE, gem_close, .handle = 99);
   TRY_DRM(EINVAL, client, GEM_CLOSE, gem_close, .handle = 0);
}

/* Timestamp objects. */
static void test_bind_object(struct client *client, uint32_t vm, uint32_t bo, uint32_t shared)
{
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = shared, .range = PAGE, .pad = 1);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = shared, .range = PAGE, .vm_id = vm);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .op = 2, .flags = 1, .handle = shared, .range = PAGE);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = 99, .range = PAGE + 8);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = 99, .range = PAGE, .offset = 8);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 0, .handle = 99, .range = PAGE);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 3, .handle = shared, .range = PAGE);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = 99, .range = PAGE,
       .offset = -(uint64_t)PAGE);
   TRY(ENOENT, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = 99, .range = PAGE);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = shared, .range = 3 * PAGE);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = bo, .range = PAGE);
   TRY(ENOSPC, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = shared, .range = 0);
   uint32_t large = client_bo(client, 64 << 20, 0, 0);
   struct drm_asahi_gem_bind_object whole = {.flags = 1, .handle = large, .range = 64 << 20};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &whole), 0);
   TRY(ENOSPC, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = shared, .range = PAGE);
   const uint32_t op = DRM_ASAHI_BIND_OBJECT_OP_UNBIND, object = whole.object_handle;
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = object, .range = PAGE);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = object, .offset = PAGE);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = object, .flags = 1);
   TRY(EINVAL, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = object, .handle = shared);
   TRY(ENOENT, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = object + 1);
   TRY(ENOENT, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = 0);
   TRY(0, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = object);
   TRY(ENOENT, client, GEM_BIND_OBJECT, gem_bind_object, .op = op, .object_handle = object);
   TRY(0, client, GEM_BIND_OBJECT, gem_bind_object, .flags = 1, .handle = shared, .range = PAGE);
}

static void test_queue(struct client *client, uint32_t vm)
{
   TRY(EINVAL, client, QUEUE_CREATE, queue_create, .flags = 1, .vm_id = vm);
   TRY(EINVAL, client, QUEUE_CREATE, queue_create, .priority = 2, .vm_id = vm);
   TRY(EINVAL, client, QUEUE_CREATE, queue_create, .priority = 3, .vm_id = 99);
   TRY(EINVAL, client, QUEUE_CREATE, queue_create, .priority = 4, .vm_id = vm);
   TRY(ENOENT, client, QUEUE_CREATE, queue_create, .vm_id = 99);
   TRY(0, client, QUEUE_CREATE, queue_create, .vm_id = vm, .usc_exec_base = 12345); /* not validated */
   TRY(ENOENT, client, QUEUE_DESTROY, queue_destroy, .queue_id = 2);
   TRY(ENOENT, client, QUEUE_DESTROY, queue_destroy, .queue_id = 0);
   TRY(0, client, QUEUE_DESTROY, queue_destroy, .queue_id = 1, .pad = 1);
   TRY(ENOENT, client, QUEUE_DESTROY, queue_destroy, .queue_id = 1);
}

static void test_memory_errors(void)
{
   struct client client;
   client_open(&client, "m1");
   test_vm(&client);
   test_bind(&client);
   test_odd_kernel_range(&client);
   uint32_t vm = client_vm(&client), bo = client_bo(&client, 1, 3, vm), shared = client_bo(&client, 2 * PAGE, 0, 0);
   test_gem(&client, vm, bo, shared);
   test_bind_object(&client, vm, bo, shared);
   test_queue(&client, vm);
   client_close(&client);
}

#define NONE DRM_ASAHI_BARRIER_NONE

/* One command alone in a submit. */
static int submit_one(struct kit *kit, uint16_t type, const void *payload, uint16_t size, uint16_t vdm, uint16_t cdm)
{
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, type, payload, size, vdm, cdm);
   return client_submit(&kit->client, kit->queue, &commands, NULL, 0, 0);
}

static void test_submit_syncs(struct kit *kit)
{
   struct client *client = &kit->client;
   struct drm_asahi_cmd_compute compute = kit_command(0);
   struct commands commands, empty;
   uint32_t bare = client_syncobj(client, 0), signaled = client_syncobj(client, DRM_SYNCOBJ_CREATE_SIGNALED);
   uint32_t out = client_syncobj(client, 0);
   commands.size = empty.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &compute, sizeof(compute), NONE, NONE);
   const struct {
      int error;
      struct drm_asahi_sync syncs[2];
      uint32_t ins, outs;
   } cases[] = {
       {EINVAL, {{2, signaled, 0}}, 1, 0},
       {EINVAL, {{2, 99, 0}}, 1, 0},
       {EINVAL, {{0, signaled, 1}}, 1, 0},
       {EINVAL, {{0, 99, 1}}, 0, 1},
       {ENOENT, {{0, 99, 0}}, 1, 0},
       {ENOENT, {{1, 0, 5}}, 0, 1},
       {EINVAL, {{0, bare, 0}}, 1, 0},
       {EINVAL, {{1, bare, 0}}, 1, 0},
       {EINVAL, {{1, signaled, 1}}, 1, 0}, /* a binary fence has no points */
       {EINVAL, {{0, signaled, 0}, {2, 1, 0}}, 1, 1},
       {0, {{0, signaled, 0}, {0, out, 0}}, 1, 1},
       {0, {{1, signaled, 0}, {1, out, 5}}, 1, 1},
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      int error = client_submit(client, kit->queue, &commands, cases[i].syncs, cases[i].ins, cases[i].outs);
      if (error != cases[i].error) {
         fprintf(stderr, "syncs %zu: errno %d, expected %d\n", i, error, cases[i].error);
         check_failures++;
      }
   }
   /* A sync that cannot be read; a bad sync wins over a bad command buffer, and that over an empty one. */
   struct drm_asahi_sync bad = {.sync_type = 2};
   TRY(EFAULT, client, SUBMIT, submit, .syncs = WILD, .in_sync_count = 1, .queue_id = kit->queue);
   TRY(EINVAL, client, SUBMIT, submit, .syncs = (uintptr_t)&bad, .out_sync_count = 1, .cmdbuf = WILD, .cmdbuf_size = 72,
       .queue_id = kit->queue);
   TRY(EINVAL, client, SUBMIT, submit, .in_sync_count = UINT32_MAX, .out_sync_count = 2, .syncs = WILD,
       .queue_id = kit->queue);
   /* Nothing runs and no out-sync is touched when the submit fails. */
   struct drm_asahi_sync untouched = {0, bare, 0};
   CHECK_EQUAL(client_submit(client, kit->queue, &empty, &untouched, 0, 1), EINVAL);
   CHECK_EQUAL(client_wait(client, bare, 0), EINVAL);
}

static void test_command_count(struct kit *kit)
{
   struct client *client = &kit->client;
   struct drm_asahi_cmd_compute good = kit_command(0);
   struct commands commands;
   const uint16_t size = sizeof(good);
   TRY(EINVAL, client, SUBMIT, submit, .flags = 1, .queue_id = 99);
   TRY(EINVAL, client, SUBMIT, submit, .pad = 1, .queue_id = 99);
   TRY(ENOENT, client, SUBMIT, submit, .queue_id = 99, .syncs = WILD, .in_sync_count = 1);
   TRY(EFAULT, client, SUBMIT, submit, .queue_id = kit->queue, .cmdbuf = WILD, .cmdbuf_size = 72);
   TRY(EINVAL, client, SUBMIT, submit, .queue_id = kit->queue, .cmdbuf = WILD, .cmdbuf_size = 0);

   /* 65 commands, and 64. */
   commands.size = 0;
   for (unsigned i = 0; i < 64; i++) {
      commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &good, size, NONE, NONE);
      commands_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, NULL, 0, NONE, NONE);
   }
   CHECK_EQUAL(client_submit(client, kit->queue, &commands, NULL, 0, 0), 0);
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &good, size, NONE, NONE);
   CHECK_EQUAL(client_submit(client, kit->queue, &commands, NULL, 0, 0), EINVAL);
   /* Attachments alone are no work. */
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_SET_VERTEX_ATTACHMENTS, NULL, 0, NONE, NONE), EINVAL);
}

static void test_command_size(struct kit *kit)
{
   struct client *client = &kit->client;
   struct drm_asahi_cmd_compute good = kit_command(0);
   struct commands commands;
   const uint16_t size = sizeof(good);

   /* Every length of a broken-off buffer: a header cut, or a payload cut. */
   for (uint32_t cut = 1; cut < 72; cut++) {
      commands.size = 0;
      commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &good, size, NONE, NONE);
      commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &good, size, NONE, NONE);
      commands.size -= cut;
      int error = client_submit(client, kit->queue, &commands, NULL, 0, 0);
      if (error != EINVAL) {
         fprintf(stderr, "%u bytes cut off: errno %d\n", cut, error);
         check_failures++;
      }
   }
   /* Too long: zeroes are for the future, anything else is refused. */
   uint8_t longer[sizeof(good) + 8] = {0};
   memcpy(longer, &good, sizeof(good));
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_COMPUTE, longer, sizeof(longer), NONE, NONE), 0);
   longer[sizeof(good) + 7] = 1;
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_COMPUTE, longer, sizeof(longer), NONE, NONE), EINVAL);

   CHECK_EQUAL(submit_one(kit, 5, &good, size, NONE, NONE), EINVAL);
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &good, size, NONE, NONE);
   commands_add(&commands, 5, NULL, 0, NONE, NONE);
   CHECK_EQUAL(client_submit(client, kit->queue, &commands, NULL, 0, 0), EINVAL);
}

static void test_command_fields(struct kit *kit)
{
   struct drm_asahi_cmd_compute good = kit_command(0), bad = good;
   const uint16_t size = sizeof(good);

   bad.flags = 1;
   bad.ts.start.handle = 99;
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_COMPUTE, &bad, size, NONE, NONE), EINVAL);
   bad = good;
   bad.sampler_count = UINT32_MAX;
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_COMPUTE, &bad, size, NONE, NONE), EINVAL);
   const struct {
      int error;
      struct drm_asahi_timestamps ts;
   } stamps[] = {
       {ENOENT, {.start = {99, 0}}},
       {ENOENT, {.end = {99, 0xFFFFFFFF}}},
       {EINVAL, {.start = {kit->stamp_object, 0xFFFFFFF8}}},
       {ERANGE, {.start = {kit->stamp_object, PAGE - 7}}},
       {ERANGE, {.end = {kit->stamp_object, PAGE - 7}}},
       {ERANGE, {.start = {kit->stamp_object, PAGE}, .end = {99, 0}}},
       {0, {.start = {kit->stamp_object, PAGE - 8}, .end = {kit->stamp_object, 1}}},
       {0, {.start = {0, 0xFFFFFFFF}}},
   };
   for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
      bad = good;
      bad.ts = stamps[i].ts;
      CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_COMPUTE, &bad, size, NONE, NONE), stamps[i].error);
   }
}

static void test_barriers(struct kit *kit)
{
   struct drm_asahi_cmd_compute compute = kit_command(0);
   const uint16_t size = sizeof(compute);
   /* Barriers of three compute commands in a row. */
   static const struct {
      int error;
      uint16_t vdm[3], cdm[3];
   } cases[] = {
       {0, {NONE, NONE, NONE}, {NONE, NONE, NONE}},
       {0, {0, 0, 0}, {0, 0, 0}},
       {0, {NONE, NONE, NONE}, {0, 1, 2}},
       {0, {NONE, NONE, NONE}, {NONE, NONE, 1}},
       {EINVAL, {NONE, NONE, NONE}, {1, NONE, NONE}},
       {EINVAL, {NONE, NONE, NONE}, {NONE, NONE, 3}},
       {EINVAL, {NONE, 1, NONE}, {NONE, NONE, NONE}},
       {EINVAL, {NONE, NONE, 0xFFFE}, {NONE, NONE, NONE}},
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct commands commands;
      commands.size = 0;
      for (unsigned j = 0; j < 3; j++) {
         commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &compute, size, cases[i].vdm[j], cases[i].cdm[j]);
      }
      int error = client_submit(&kit->client, kit->queue, &commands, NULL, 0, 0);
      if (error != cases[i].error) {
         fprintf(stderr, "barriers %zu: errno %d, expected %d\n", i, error, cases[i].error);
         check_failures++;
      }
   }
   /* Software commands take none. */
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, NULL, 0, NONE, 0);
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &compute, size, NONE, NONE);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, NULL, 0, 0), EINVAL);
}

static int submit_attachments(struct kit *kit, const void *attachments, uint16_t size)
{
   struct drm_asahi_cmd_compute compute = kit_command(0);
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_SET_FRAGMENT_ATTACHMENTS, attachments, size, NONE, NONE);
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &compute, sizeof(compute), NONE, NONE);
   return client_submit(&kit->client, kit->queue, &commands, NULL, 0, 0);
}

static void test_attachments(struct kit *kit)
{
   struct drm_asahi_attachment attachments[17] = {{.pointer = KIT_DATA, .size = 4096}};
   CHECK_EQUAL(submit_attachments(kit, attachments, 16 * 24), 0);
   CHECK_EQUAL(submit_attachments(kit, attachments, 17 * 24), EINVAL);
   CHECK_EQUAL(submit_attachments(kit, attachments, 25), EINVAL);
   attachments[1].flags = 1;
   CHECK_EQUAL(submit_attachments(kit, attachments, 24), 0);
   CHECK_EQUAL(submit_attachments(kit, attachments, 2 * 24), EINVAL);
   attachments[1] = (struct drm_asahi_attachment){.pad = 1};
   CHECK_EQUAL(submit_attachments(kit, attachments, 2 * 24), EINVAL);
   attachments[1] = (struct drm_asahi_attachment){.size = (UINT64_C(1) << 39) - 128};
   CHECK_EQUAL(submit_attachments(kit, attachments, 2 * 24), 0);
   attachments[1].size = (UINT64_C(1) << 39) - 127;
   CHECK_EQUAL(submit_attachments(kit, attachments, 2 * 24), EINVAL);
   attachments[1].size = UINT64_MAX;
   CHECK_EQUAL(submit_attachments(kit, attachments, 2 * 24), EINVAL);
}

static void test_render(struct kit *kit)
{
   const struct drm_asahi_cmd_render good = {.width_px = 16384,
                                             .height_px = 1,
                                             .layers = 2048,
                                             .utile_width_px = 32,
                                             .utile_height_px = 16,
                                             .samples = 4,
                                             .flags = 0x40007};
   const uint16_t size = sizeof(good);
   struct drm_asahi_cmd_render bad;
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_RENDER, &good, size, NONE, NONE), 0);
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_RENDER, NULL, 0, NONE, NONE), EINVAL); /* all zero */
#define BAD_RENDER(expected, field, value)                                                                             \
   do {                                                                                                                \
      bad = good;                                                                                                      \
      bad.field = (value);                                                                                             \
      CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_RENDER, &bad, size, NONE, NONE), expected);                            \
   } while (0)
   BAD_RENDER(EINVAL, flags, 8);
   BAD_RENDER(EINVAL, width_px, 0);
   BAD_RENDER(EINVAL, width_px, 16385);
   BAD_RENDER(EINVAL, height_px, 0);
   BAD_RENDER(EINVAL, height_px, 16385);
   BAD_RENDER(EINVAL, layers, 0);
   BAD_RENDER(EINVAL, layers, 2049);
   BAD_RENDER(0, utile_width_px, 16);
   BAD_RENDER(EINVAL, utile_width_px, 8);
   BAD_RENDER(EINVAL, utile_height_px, 8);
   BAD_RENDER(EINVAL, samples, 3);
   BAD_RENDER(EINVAL, samples, 0);
   BAD_RENDER(ENOENT, ts_vtx.start.handle, 99);
   BAD_RENDER(ENOENT, ts_frag.end.handle, 99);
   uint8_t longer[sizeof(good) + 1] = {0};
   memcpy(longer, &good, sizeof(good));
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_RENDER, longer, sizeof(longer), NONE, NONE), 0);
   longer[sizeof(good)] = 1;
   CHECK_EQUAL(submit_one(kit, DRM_ASAHI_CMD_RENDER, longer, sizeof(longer), NONE, NONE), EINVAL);
   /* A third of an attachment, before a command whose first bytes would pass for the rest. */
   struct commands third;
   third.size = 0;
   commands_add(&third, DRM_ASAHI_SET_VERTEX_ATTACHMENTS, &(uint64_t){KIT_DATA}, 8, NONE, NONE);
   bad = good;
   bad.flags = 0;
   commands_add(&third, DRM_ASAHI_CMD_RENDER, &bad, size, 0, 0);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &third, NULL, 0, 0), EINVAL);
   /* A barrier on the one render command of this submit, and one too far. */
   for (uint16_t barrier = 1; barrier <= 2; barrier++) {
      struct drm_asahi_cmd_compute compute = kit_command(0);
      struct commands commands;
      commands.size = 0;
      commands_add(&commands, DRM_ASAHI_CMD_RENDER, &good, size, NONE, NONE);
      commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &compute, sizeof(compute), barrier, NONE);
      CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, NULL, 0, 0), barrier == 1 ? 0 : EINVAL);
   }
}

static void test_open(void)
{
   static const char *const bad[] = {"",
                                     "m3",
                                     "m1,",
                                     "m1,timing",
                                     "m1,timing=maybe",
                                     "m1,threads=0",
                                     "m1,threads=x",
                                     "m1,budget=-1",
                                     "m1,budget=99999999999999999999",
                                     "m1,frobnicate=1",
                                     "m1,level=",
                                     "m1,level=x86-64-v5"};
   for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
      struct asahi_kernel *kernel;
      char message[256] = "";
      CHECK_EQUAL(vgpu_open(bad[i], &kernel, message, sizeof(message)), -EINVAL);
      CHECK(!kernel && message[0]);
   }
   struct client client;
   client_open(&client, "m1-ultra,timing=off,threads=3,seed=0x10,budget=1000");
   client_close(&client);
   char last[64];
   snprintf(last, sizeof(last), "m1,level=%s", vgpu_levels[vgpu_level_count - 1].name); /* every host has it */
   client_open(&client, last);
   client_close(&client);
}

int main(void)
{
   struct kit kit;
   test_open();
   test_chips();
   test_memory_errors();

   kit_open(&kit, "m1");
   kit_program(&kit, 0, (struct test_program){TEST_APPEND, 0, 0, 0}, 0);
   test_dispatch(&kit.client);
   test_drm_core(&kit.client);
   test_params(&kit.client);
   test_submit_syncs(&kit);
   test_command_count(&kit);
   test_command_size(&kit);
   test_command_fields(&kit);
   test_barriers(&kit);
   test_attachments(&kit);
   test_render(&kit);
   kit_close(&kit);
   return check_result();
}
