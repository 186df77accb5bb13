/* SPDX-License-Identifier: MIT
 *
 * Request numbers, and structs that are shorter or longer than the kernel's: spec/uapi.md 1.1 and 1.2.
 */
#include <string.h>
#include <sys/mman.h>

#include "uapi/test.h"

#define TAIL 8u /* additional bytes of a longer struct */
#define BAD_POINTER ((void *)16)

static unsigned long resized(unsigned long request, size_t size)
{
   return _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size);
}

static void check_number(struct uapi *u, uapi_builder *build, unsigned long number, size_t size)
{
   struct uapi_call call = {0};
   build(u, &call);
   uapi_equal(u, _IOC_SIZE(number), size, "bytes in the request number");
   uapi_expect(u, uapi_ioctl(u, number, &call.args), OK, "request 0x%lx", number);
}

static void check_short(struct uapi *u, uapi_builder *build, size_t size, uint64_t answers)
{
   struct uapi_call call = {0};
   build(u, &call);
   memset(call.args.bytes + size, 0xA5, sizeof(call.args) - size);
   uapi_expect(u, uapi_ioctl(u, resized(call.request, size), &call.args), answers, "a struct of %zu bytes", size);
   for (size_t i = size; i < sizeof(call.args); i++) {
      uapi_equal(u, call.args.bytes[i], 0xA5, "byte %zu, past the end of a struct of %zu bytes", i, size);
   }
}

static void check_long(struct uapi *u, uapi_builder *build)
{
   struct uapi_call call = {0};
   build(u, &call);
   size_t size = _IOC_SIZE(call.request);
   memset(call.args.bytes + size, 0xA5, TAIL);
   uapi_expect(u, uapi_ioctl(u, resized(call.request, size + TAIL), &call.args), OK, "a struct that is %u bytes longer",
               TAIL);
   for (size_t i = size; i < size + TAIL; i++) {
      uapi_equal(u, call.args.bytes[i], 0xA5, "byte %zu, in what the kernel does not know", i);
   }
}

static void check_pointer(struct uapi *u, uapi_builder *build)
{
   struct uapi_call call = {0};
   build(u, &call);
   uapi_expect(u, uapi_ioctl(u, call.request, BAD_POINTER), E(EFAULT), "a bad pointer to the struct");
}

/* name, builder, number and size by spec/uapi.md 1.1, a shorter size, and the answer to that: what is missing is 0. */
#define REQUESTS(X)                                                                                                    \
   X(get_params, uapi_call_get_params, 0x40186440, 24, 16, OK)                                                         \
   X(get_time, uapi_call_get_time, 0xC0106441, 16, 8, OK)                                                              \
   X(vm_create, uapi_call_vm_create, 0xC0186442, 24, 16, OK)                                                           \
   X(vm_destroy, uapi_call_vm_destroy, 0x40086443, 8, 4, OK)                                                           \
   X(vm_bind, uapi_call_vm_bind, 0x40186444, 24, 16, E(EFAULT))                                                        \
   X(gem_create, uapi_call_gem_create, 0xC0186445, 24, 16, OK)                                                         \
   X(gem_mmap_offset, uapi_call_mmap_offset, 0xC0106446, 16, 8, OK)                                                    \
   X(gem_bind_object, uapi_call_object_bind, 0xC0286447, 40, 32, OK)                                                   \
   X(queue_create, uapi_call_queue_create, 0xC0186448, 24, 16, OK | E(EINVAL))                                         \
   X(queue_destroy, uapi_call_queue_destroy, 0x40086449, 8, 4, OK)                                                     \
   X(submit, uapi_call_submit, 0x4028644A, 40, 36, OK)

#define FUNCTIONS(name, build, number, size, short_size, answers)                                                      \
   static void number_##name(struct uapi *u)                                                                           \
   {                                                                                                                   \
      check_number(u, build, number, size);                                                                            \
   }                                                                                                                   \
   static void short_##name(struct uapi *u)                                                                            \
   {                                                                                                                   \
      check_short(u, build, short_size, answers);                                                                      \
   }                                                                                                                   \
   static void long_##name(struct uapi *u)                                                                             \
   {                                                                                                                   \
      check_long(u, build);                                                                                            \
   }                                                                                                                   \
   static void pointer_##name(struct uapi *u)                                                                          \
   {                                                                                                                   \
      check_pointer(u, build);                                                                                         \
   }
REQUESTS(FUNCTIONS)

/* Fields that a short struct lacks read as zero: here the size of the answer, so nothing is written. */
static void missing_is_zero(struct uapi *u)
{
   struct uapi_call call = {0};
   uapi_call_get_params(u, &call);
   memset(&call.params, 0xA5, sizeof(call.params));
   uapi_expect(u, uapi_ioctl(u, resized(call.request, 16), &call.args), OK, "GET_PARAMS without its size field");
   uapi_equal(u, call.params.features, UINT64_C(0xA5A5A5A5A5A5A5A5), "the untouched answer");
}

/* A request that names no direction copies nothing. */
static void direction(struct uapi *u)
{
   struct drm_asahi_get_time args = {.flags = 1, .gpu_timestamp = 1};
   unsigned long request = DRM_IOCTL_ASAHI_GET_TIME;
   unsigned long none = _IOC(_IOC_NONE, _IOC_TYPE(request), _IOC_NR(request), _IOC_SIZE(request));
   unsigned long out = _IOC(_IOC_READ, _IOC_TYPE(request), _IOC_NR(request), _IOC_SIZE(request));
   uapi_expect(u, uapi_ioctl(u, none, &args), OK, "GET_TIME with no direction, its flags therefore not read");
   uapi_equal(u, args.gpu_timestamp, 1, "the time, not written back");
   uapi_expect(u, uapi_ioctl(u, out, &args), OK, "GET_TIME with direction out alone");
   uapi_true(u, args.gpu_timestamp > 1 && !args.flags, "GET_TIME with direction out wrote no time, or left its flags");
}

/* A struct that goes both ways comes back after a refusal too. */
static void written_back_on_failure(struct uapi *u)
{
   struct drm_asahi_queue_create args = {.flags = 1, .vm_id = u->vm, .queue_id = 77};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_QUEUE_CREATE, &args), E(EINVAL), "QUEUE_CREATE with flags");
   uapi_equal(u, args.queue_id, 77, "the queue id after a refusal");
   uapi_equal(u, args.vm_id, u->vm, "the VM id after a refusal");
}

/* The struct can be read from there, but not written back. */
static void read_only(struct uapi *u)
{
   void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (uapi_true(u, page != MAP_FAILED, "out of memory")) {
      uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_GET_TIME, page), E(EFAULT), "GET_TIME with a read-only struct");
      struct drm_asahi_vm_destroy *args = page;
      uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_VM_DESTROY, args), E(ENOENT),
                  "VM_DESTROY, which only goes in, with a read-only struct");
      munmap(page, 4096);
   }
}

static void expect_number(struct uapi *u, unsigned number)
{
   struct drm_asahi_submit args = {0};
   uapi_expect(u, uapi_ioctl(u, DRM_IOWR(number, struct drm_asahi_submit), &args), E(EINVAL), "request number 0x%x",
               number);
}

static void number_next(struct uapi *u)
{
   expect_number(u, DRM_COMMAND_BASE + DRM_ASAHI_IOCTL_COUNT);
}

static void number_last(struct uapi *u)
{
   expect_number(u, DRM_COMMAND_END - 1);
}

static void type(struct uapi *u)
{
   struct drm_asahi_get_time args = {0};
   char name[24];
   int answer = uapi_ioctl(u, _IOWR('e', DRM_COMMAND_BASE + DRM_ASAHI_GET_TIME, struct drm_asahi_get_time), &args);
   if (uapi_expect(u, answer, E(ENOTTY) | OK, "a request of type 'e'")) {
      uapi_note(u, "%s: %s", uapi_answer_name(answer, name),
                answer ? "the type is checked" : "an older kernel, which looks at the number alone");
   }
}

static void version(struct uapi *u)
{
   char name[16] = "";
   struct drm_version args = {.name = name, .name_len = sizeof(name) - 1};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_VERSION, &args), OK, "VERSION");
   uapi_true(u, !strcmp(name, "asahi") && args.name_len == 5, "the driver is named %s", name);
}

static void expect_capability(struct uapi *u, uint64_t capability, uint64_t value)
{
   struct drm_get_cap args = {.capability = capability};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_GET_CAP, &args), OK, "capability %u", (unsigned)capability);
   uapi_equal(u, args.value & value, value, "capability %u", (unsigned)capability);
}

static void capabilities(struct uapi *u)
{
   expect_capability(u, DRM_CAP_SYNCOBJ, 1);
   expect_capability(u, DRM_CAP_SYNCOBJ_TIMELINE, 1);
   expect_capability(u, DRM_CAP_PRIME, DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT);
}

static void primary_only(struct uapi *u)
{
   struct drm_gem_flink args = {.handle = u->data_bo};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_GEM_FLINK, &args), E(EACCES), "GEM_FLINK on a render node");
}

#define ROWS(name, build, number, size, short_size, answers)                                                           \
   {"structs/number-" #name, "request " #number ", a struct of " #size " bytes", .run = number_##name},                \
       {"structs/short-" #name, "a shorter struct is legal: what is missing is zero", .run = short_##name},            \
       {"structs/long-" #name, "a longer struct is legal: the rest is ignored, and echoed", .run = long_##name},       \
       {"structs/pointer-" #name, "a bad pointer to the struct: EFAULT", .run = pointer_##name},

static const struct uapi_test tests[] = {
    REQUESTS(ROWS){"structs/missing-is-zero", "fields that a short struct leaves out are zero", .run = missing_is_zero},
    {"structs/direction", "the request's direction bits say what is copied", .run = direction},
    {"structs/written-back-on-failure", "a struct that goes both ways is written back after a refusal",
     .run = written_back_on_failure},
    {"structs/read-only", "a struct that cannot be written back: EFAULT", .run = read_only},
    {"structs/number-next", "the number after the last: EINVAL", .run = number_next},
    {"structs/number-last", "the last number of the driver's range: EINVAL", .run = number_last},
    {"structs/type", "a request of another type than 'd': ENOTTY", "older kernels look at the number alone",
     .run = type},
    {"structs/version", "the driver is named asahi", .run = version},
    {"structs/capabilities", "syncobj, timeline syncobj and PRIME are there", .run = capabilities},
    {"structs/primary-only", "render nodes refuse what only a primary node does: EACCES", .run = primary_only},
};
UAPI_AREA(structs);
