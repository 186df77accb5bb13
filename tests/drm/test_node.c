/* SPDX-License-Identifier: MIT
 *
 * The road to a real GPU, all of it but the GPU: nodes as libdrm lists them, opened and asked by system calls, which
 * virtual GPUs answer here. So drm/ takes what it opens for hardware, and what a user of hardware is told when
 * something is wrong can be read. The linker turns the calls of libdrm and of the kernel into the functions below.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "drm/asahi.h"
#include "drm/uapi/kernel.h"
#include "vgpu/vgpu.h"
#include "tests/check.h"

#define NODES 3
#define SECOND UINT64_C(1000000000)
/* A render node's place is taken by files that anybody may open for reading and writing. */
static const char *const paths[NODES] = {"/dev/null", "/dev/zero", "/dev/full"};

/* What is behind a node. */
struct node {
   const char *driver;  /* NULL: DRM_IOCTL_VERSION fails with `error` */
   const char *virtual; /* spec of the virtual GPU */
   int error, type;     /* DRM_NODE_* */
   int denied;          /* errno of open(2) */
};
static const struct node *nodes;
static int node_count;
static const char *device_tree; /* a file; NULL: none */

/* The file that is open at a time. */
static struct asahi_kernel *kernel;
static int real_fd = -1, virtual_fd;
static void *maps[64];

int __wrap_drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int count);
void __wrap_drmFreeDevices(drmDevicePtr devices[], int count);
drmVersionPtr __wrap_drmGetVersion(int fd);
void __wrap_drmFreeVersion(drmVersionPtr version);
int __wrap_drmGetNodeTypeFromFd(int fd);
int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__real_mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t length);
int __wrap_munmap(void *address, size_t length);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

int __wrap_drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int count)
{
   static drmDevice found[NODES];
   static char *names[NODES][DRM_NODE_MAX];
   (void)flags;
   for (int i = 0; i < node_count && i < count; i++) {
      names[i][DRM_NODE_RENDER] = (char *)paths[i];
      found[i] = (drmDevice){.nodes = names[i], .available_nodes = 1 << DRM_NODE_RENDER};
      devices[i] = &found[i];
   }
   return node_count;
}

void __wrap_drmFreeDevices(drmDevicePtr devices[], int count)
{
   (void)devices, (void)count;
}

static const struct node *node_of(int fd)
{
   char link[32], path[64] = "";
   snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
   (void)!readlink(link, path, sizeof(path) - 1);
   for (int i = 0; i < node_count; i++) {
      if (strcmp(path, paths[i]) == 0) {
         return &nodes[i];
      }
   }
   abort();
}

drmVersionPtr __wrap_drmGetVersion(int fd)
{
   static drmVersion version;
   const struct node *node = node_of(fd);
   version = (drmVersion){.name = (char *)node->driver};
   errno = node->error;
   return node->error != 0 ? NULL : &version;
}

void __wrap_drmFreeVersion(drmVersionPtr version)
{
   (void)version;
}

int __wrap_drmGetNodeTypeFromFd(int fd)
{
   return node_of(fd)->type;
}

/* The first request opens what answers it. */
static void connect_to(int fd)
{
   char message[200] = "";
   virtual_fd = vgpu_open(node_of(fd)->virtual, &kernel, message, sizeof(message));
   if (virtual_fd < 0) {
      printf("%s\n", message);
      abort();
   }
   real_fd = fd;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
   va_list arguments;
   va_start(arguments, request);
   void *argument = va_arg(arguments, void *);
   va_end(arguments);
   if (kernel == NULL) {
      connect_to(fd);
   }
   return kernel->ioctl(kernel, fd == real_fd ? virtual_fd : fd, request, argument);
}

/* The virtual GPU maps memory too, of files of its own. */
void *__wrap_mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
   if (fd < 0 || fd != real_fd) {
      return __real_mmap64(address, length, protection, flags, fd, offset);
   }
   size_t i = 0;
   while (maps[i] != NULL) {
      i++;
   }
   void *map = kernel->mmap(kernel, length, protection, flags, virtual_fd, (uint64_t)offset);
   maps[i] = map != MAP_FAILED ? map : NULL;
   return map;
}

int __wrap_munmap(void *address, size_t length)
{
   for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
      if (maps[i] == address) {
         maps[i] = NULL;
         return kernel->munmap(kernel, address, length);
      }
   }
   return __real_munmap(address, length);
}

int __wrap_open64(const char *path, int flags, ...)
{
   va_list arguments;
   va_start(arguments, flags);
   int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
   va_end(arguments);
   for (int i = 0; i < node_count; i++) {
      if (strcmp(path, paths[i]) == 0 && nodes[i].denied != 0) {
         errno = nodes[i].denied;
         return -1;
      }
   }
   return __real_open64(path, flags, mode);
}

int __wrap_close(int fd)
{
   if (kernel != NULL && fd >= 0x40000000) { /* a sync file of the virtual GPU's */
      return kernel->close(kernel, fd);
   }
   if (fd >= 0 && fd == real_fd) {
      struct asahi_kernel *closing = kernel;
      kernel = NULL;
      real_fd = -1;
      closing->close(closing, virtual_fd);
   }
   return __real_close(fd);
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
   if (strcmp(path, "/proc/device-tree/compatible") != 0) {
      return __real_fopen64(path, mode);
   }
   return device_tree != NULL ? __real_fopen64(device_tree, mode) : NULL;
}

/* ---- What is found ---- */

static void set_nodes(const struct node *list, int count)
{
   nodes = list;
   node_count = count;
}
#define NODE_LIST(...)                                                                                                 \
   set_nodes((const struct node[]){__VA_ARGS__}, sizeof((const struct node[]){__VA_ARGS__}) / sizeof(struct node))
#define ASAHI(spec) .driver = "asahi", .virtual = (spec), .type = DRM_NODE_RENDER

static void test_found(void)
{
   struct asahi_device *device;
   struct vgpu_counters counters;
   char why[1024];

   NODE_LIST({.driver = "i915", .type = DRM_NODE_RENDER}, {ASAHI("m1-max")});
   int error = asahi_device_open("auto", &device, why, sizeof(why));
   if (!CHECK(error == 0, "auto: %d, %s", error, why)) {
      return;
   }
   const struct asahi_device_info *info = asahi_device_get_info(device);
   CHECK(strcmp(why, "/dev/zero: the first asahi render node") == 0, "auto: \"%s\"", why);
   CHECK(!info->is_virtual && strcmp(info->path, "/dev/zero") == 0 && strcmp(info->chip, "m1-max") == 0,
         "%s, %s, virtual %d", info->path, info->chip, info->is_virtual);
   CHECK(info->clock_hz == 0 && info->disturbance[0] == 0, "a clock that was not measured");
   CHECK(asahi_device_counters(device, &counters) == -ENOTTY, "counters of hardware");
   CHECK(asahi_device_set_scope(device, "x") == -ENOTTY, "a scope of hardware");
   asahi_device_close(device);

   struct asahi_candidate list[2];
   asahi_candidates(list, 2);
   CHECK(!list[0].usable && strstr(list[0].description, "i915") != NULL, "\"%s\"", list[0].description);
   CHECK(list[1].usable && strstr(list[1].description, "Apple M1 Max (G13C") != NULL, "\"%s\"", list[1].description);
}

/* auto goes on without hardware, and leaves out none of the reasons. */
static void expect_fallback(const char *first, const char *second)
{
   struct asahi_device *device;
   char why[1024];
   int error = asahi_device_open("auto", &device, why, sizeof(why));
   if (!CHECK(error == 0, "auto: %d, %s", error, why)) {
      return;
   }
   CHECK(asahi_device_get_info(device)->is_virtual, "auto is no virtual device");
   CHECK(strstr(why, "virtual:m1") != NULL && strstr(why, first) != NULL && strstr(why, second) != NULL,
         "auto without \"%s\" or \"%s\": %s", first, second, why);
   asahi_device_close(device);
}

/* An Apple GPU that cannot be used is an error, and the remedy is said. */
static void expect_no_fallback(int expected, const char *words)
{
   struct asahi_device *device;
   char why[1024];
   int error = asahi_device_open("auto", &device, why, sizeof(why));
   CHECK(error == expected && strstr(why, words) != NULL, "auto: error %d, not %d; \"%s\" without \"%s\"", error,
         expected, why, words);
   CHECK(!asahi_spec_is_virtual("auto"), "auto is virtual beside an asahi node");
   if (error == 0) {
      asahi_device_close(device);
   }
}

static void expect_refusal(int expected, const char *words)
{
   struct asahi_device *device;
   char why[1024];
   int error = asahi_device_open(paths[0], &device, why, sizeof(why));
   CHECK(error == expected && strstr(why, words) != NULL, "%s: error %d, not %d; \"%s\" without \"%s\"", paths[0],
         error, expected, why, words);
   if (nodes[0].driver != NULL && strcmp(nodes[0].driver, "asahi") == 0) {
      expect_no_fallback(expected, words);
   } else {
      expect_fallback(words, paths[0]);
      CHECK(asahi_spec_is_virtual("auto"), "auto is not virtual without an asahi node");
   }
}

/* What "devices" shows must not be called usable either, as far as asking tells. */
static void expect_listed(const char *words)
{
   struct asahi_candidate first;
   asahi_candidates(&first, 1);
   CHECK(!first.usable && strstr(first.description, words) != NULL, "candidate: %s \"%s\" without \"%s\"",
         first.usable ? "usable," : "", first.description, words);
}

static void test_refused(void)
{
   NODE_LIST({ASAHI("m1,inject=errno:EINVAL:GET_PARAMS@1")});
   expect_refusal(-ENOTSUP, "update the kernel"); /* the unstable uAPI's answer */
   expect_listed("Mesa later than 25.0 works on");
   NODE_LIST({ASAHI("m1,inject=errno:ENOTTY:GET_PARAMS@1")});
   expect_refusal(-ENOTSUP, "update the kernel");
   NODE_LIST({ASAHI("m1,inject=errno:ENODEV:GET_PARAMS@1")});
   expect_refusal(-ENODEV, "a reboot");
   expect_listed("a reboot");
   NODE_LIST({ASAHI("m1,inject=errno:ENOMEM:QUEUE_CREATE@1")});
   expect_refusal(-ENOMEM, "QUEUE_CREATE");
   NODE_LIST({ASAHI("m1,inject=errno:EINVAL:VM_CREATE@1")});
   expect_refusal(-EINVAL, "uapi/*");
   NODE_LIST({.driver = "asahi", .type = DRM_NODE_PRIMARY});
   expect_refusal(-ENOTSUP, "renderD");
   NODE_LIST({.driver = "i915", .type = DRM_NODE_RENDER});
   expect_refusal(-ENOTSUP, "driven by i915");
   NODE_LIST({.type = DRM_NODE_RENDER});
   expect_refusal(-ENOTSUP, "unnamed driver");
   NODE_LIST({.denied = EACCES});
   expect_refusal(-EACCES, "group render");
   NODE_LIST({.denied = EPERM});
   expect_refusal(-EACCES, "--device /dev/dri");
   NODE_LIST({.denied = EMFILE});
   expect_refusal(-EMFILE, "Too many open files");
   NODE_LIST({ASAHI("m1,inject=errno:ENOSPC:GEM_BIND_OBJECT@1")});
   expect_refusal(-ENOSPC, "end other users");
   NODE_LIST({.error = ENOTTY});
   expect_refusal(-ENOTSUP, "not a DRM device");
   NODE_LIST({.error = ENODEV});
   expect_refusal(-ENODEV, "the device is gone");
   NODE_LIST({ASAHI("m1,inject=errno:EINVAL:GET_PARAMS@1")}, {.driver = "vgem", .type = DRM_NODE_RENDER});
   expect_no_fallback(-ENOTSUP, "update the kernel");
}

/* No node at all: on an Apple machine that is worth a look. */
static void test_no_node(void)
{
   static const char apple[] = "apple,j293\0apple,t8103\0apple,arm-platform",
                     other[] = "raspberrypi,4-model-b\0brcm,bcm2711";
   char path[] = "/tmp/agx-runner-node-XXXXXX";
   struct asahi_candidate first;
   int fd = mkstemp(path);
   if (!CHECK(fd >= 0 && pwrite(fd, apple, sizeof(apple), 0) == sizeof(apple), "%s", strerror(errno))) {
      return;
   }
   set_nodes(NULL, 0);
   expect_fallback("this machine has no DRM render node", "");
   device_tree = path;
   expect_fallback("Apple machine", "dmesg");
   asahi_candidates(&first, 1);
   CHECK(!first.usable && strstr(first.description, "Apple machine") != NULL &&
             strcmp(first.description + strlen(first.description) - 4, "/sys") == 0,
         "candidate \"%s\": %s", first.path, first.description);
   /* The driver of a node that cannot be opened is not known: on an Apple machine it is asahi. */
   NODE_LIST({.denied = EACCES});
   expect_no_fallback(-EACCES, "group render");
   set_nodes(NULL, 0);
   CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, other, sizeof(other), 0) == sizeof(other), "%s", strerror(errno));
   expect_fallback("this machine has no DRM render node", "");
   device_tree = NULL;
   CHECK(close(fd) == 0 && unlink(path) == 0, "%s", strerror(errno));
}

/* ---- Work ---- */

/* Machine code from the tables of spec/isa.md 2.2, 2.9 and 2.11. The buffer's address is in u0_u1. */
static uint8_t store_code[] = {
    0x72, 0x05, 0x10, 0x04,                         /* get_sr r1, sr80: thread position in grid, x */
    0x45, 0x09, 0x20, 0x0E, 0x00, 0xC0, 0x12, 0x00, /* device_store i32 x: r1 at u0_u1 + 4 * r1 */
    0x88, 0x00,                                     /* stop */
};
static uint8_t endless_code[] = {0x00, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x88, 0x00}; /* jmp_exec_any itself */
static uint8_t lost_code[] = {0x00, 0xC0, 0x00, 0x00, 0x00, 0x10, 0x88, 0x00};    /* jmp_exec_any 256 MiB on */

static int upload(struct asahi_device *device, uint8_t *code, size_t size, struct asahi_program **out)
{
   static struct agx_uniform_range arguments = {.start = 0, .size = 4, .source = AGX_UNIFORM_ARGUMENTS};
   const struct agx_program program = {
       .name = "by hand",
       .code = code,
       .code_size = size,
       .main_size = (uint32_t)size,
       .half_registers = 8,
       .uniform_halves = 4,
       .uniforms = &arguments,
       .uniform_count = 1,
       .argument_bytes = sizeof(uint64_t),
   };
   return asahi_program_upload(device, &program, out);
}

/* A device on the first node, with a buffer and the three programs. */
struct scene {
   struct asahi_device *device;
   struct asahi_buffer *buffer;
   struct asahi_program *store, *endless, *lost;
   uint64_t address;
};

static bool set_up(struct scene *scene, const char *spec)
{
   char why[300];
   *scene = (struct scene){0};
   NODE_LIST({ASAHI(spec)});
   if (!CHECK(asahi_device_open("auto", &scene->device, why, sizeof(why)) == 0, "%s", why)) {
      return false;
   }
   bool made = asahi_buffer_create(scene->device, 4096, &scene->buffer) == 0 &&
               upload(scene->device, store_code, sizeof(store_code), &scene->store) == 0 &&
               upload(scene->device, endless_code, sizeof(endless_code), &scene->endless) == 0 &&
               upload(scene->device, lost_code, sizeof(lost_code), &scene->lost) == 0;
   if (CHECK(made, "%s", asahi_device_error(scene->device))) {
      scene->address = asahi_buffer_address(scene->buffer);
   }
   return made;
}

static void tear_down(struct scene *scene)
{
   asahi_program_destroy(scene->device, scene->store);
   asahi_program_destroy(scene->device, scene->endless);
   asahi_program_destroy(scene->device, scene->lost);
   asahi_buffer_destroy(scene->device, scene->buffer);
   asahi_device_close(scene->device);
}

static void run(struct scene *scene, struct asahi_program *program, int expected, const char *words)
{
   const struct asahi_dispatch dispatch = {.program = program,
                                           .grid = {1024, 1, 1},
                                           .group = {64, 1, 1},
                                           .arguments = &scene->address,
                                           .argument_bytes = sizeof(scene->address)};
   struct asahi_timing timing = {0};
   int error = asahi_run(scene->device, &dispatch, 1, expected == -ETIME ? SECOND / 10 : 20 * SECOND, &timing);
   CHECK(error == expected, "error %d, not %d: %s", error, expected, asahi_device_error(scene->device));
   CHECK(expected == 0 || strstr(asahi_device_error(scene->device), words) != NULL, "\"%s\" without \"%s\"",
         asahi_device_error(scene->device), words);
   CHECK(expected != 0 || (timing.start_ns != 0 && timing.end_ns > timing.start_ns), "%llu to %llu ns",
         (unsigned long long)timing.start_ns, (unsigned long long)timing.end_ns);
}

/* The device works: all words come out, whatever was run before. */
static void expect_work(struct scene *scene)
{
   uint32_t *words = asahi_buffer_map(scene->buffer);
   memset(words, 0xFF, 4096);
   run(scene, scene->store, 0, "");
   for (uint32_t i = 0; i < 1024; i++) {
      if (!CHECK(words[i] == i, "word %u is %u", i, words[i])) {
         return;
      }
   }
}

static void test_work(void)
{
   struct scene scene;
   if (set_up(&scene, "m1,budget=1000000,inject=errno:ENOMEM:SUBMIT@7")) {
      expect_work(&scene);
      run(&scene, scene.lost, -EIO, "dmesg has the details; the GPU's recovery");
      expect_work(&scene);
      run(&scene, scene.endless, -ETIMEDOUT, "gave it up");
      expect_work(&scene);
      expect_work(&scene);
      run(&scene, scene.store, -ENOMEM, "SUBMIT");
      expect_work(&scene);
   }
   tear_down(&scene);
}

/* The firmware dies, or a job does not end: words for it, and the close is none the worse. */
static void test_lost(void)
{
   struct scene scene;
   if (set_up(&scene, "m2,inject=firmware-death@2")) {
      expect_work(&scene);
      run(&scene, scene.store, -ENODEV, "a reboot");
      run(&scene, scene.store, -ENODEV, "a reboot");
   }
   tear_down(&scene);
   if (set_up(&scene, "m2,inject=hang@2")) {
      expect_work(&scene);
      run(&scene, scene.store, -ETIME, "time limit");
      run(&scene, scene.store, -ETIME, "an earlier job still runs");
   }
   tear_down(&scene);
}

int main(void)
{
   test_found();
   test_refused();
   test_no_node();
   test_work();
   test_lost();
   CHECK(kernel == NULL && real_fd == -1, "a node was left open");
   for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
      CHECK(maps[i] == NULL, "memory was left mapped");
   }
   return check_result();
}
