/* SPDX-License-Identifier: MIT
 *
 * Rules of inject=: reading them, and counting jobs and requests against them. A rule counts only in its scope, and
 * the same seed draws the same jobs.
 */
#include "vgpu/driver/inject.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/refuse.h"
#include "util/array.h"

enum event { EVENT_JOB, EVENT_SUBMIT, EVENT_ALLOCATION, EVENT_REQUEST };

/* The kinds of rules, and the events that each one counts. */
static const struct {
   const char *name;
   enum event event;
} kinds[VGPU_INJECT_KINDS] = {
    [VGPU_INJECT_TIMEOUT] = {"timeout", EVENT_JOB},               /* the job's fence carries ETIMEDOUT */
    [VGPU_INJECT_FAULT] = {"fault", EVENT_JOB},                   /* ... EIO */
    [VGPU_INJECT_FIRMWARE_DEATH] = {"firmware-death", EVENT_JOB}, /* ENODEV, from now on */
    [VGPU_INJECT_HANG] = {"hang", EVENT_JOB},                     /* the job does not end before its file is closed */
    [VGPU_INJECT_RECOVERY] = {"recovery", EVENT_JOB},             /* ... ECANCELED: killed by another's recovery */
    [VGPU_INJECT_CRASH] = {"crash", EVENT_SUBMIT},                /* the process dies of SIGSEGV */
    [VGPU_INJECT_STALL] = {"stall", EVENT_SUBMIT},                /* SUBMIT does not return before its file is closed */
    [VGPU_INJECT_ALLOC] = {"alloc", EVENT_ALLOCATION},            /* ENOMEM of a request that needs memory */
    [VGPU_INJECT_ERRNO] = {"errno", EVENT_REQUEST},               /* the request fails with that errno */
};

static const struct {
   const char *name;
   unsigned long request;
   bool allocates;
} requests[] = {
    {"GET_PARAMS", DRM_IOCTL_ASAHI_GET_PARAMS, false},
    {"GET_TIME", DRM_IOCTL_ASAHI_GET_TIME, false},
    {"VM_CREATE", DRM_IOCTL_ASAHI_VM_CREATE, true},
    {"VM_DESTROY", DRM_IOCTL_ASAHI_VM_DESTROY, false},
    {"VM_BIND", DRM_IOCTL_ASAHI_VM_BIND, true},
    {"GEM_CREATE", DRM_IOCTL_ASAHI_GEM_CREATE, true},
    {"GEM_MMAP_OFFSET", DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, false},
    {"GEM_BIND_OBJECT", DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, false},
    {"QUEUE_CREATE", DRM_IOCTL_ASAHI_QUEUE_CREATE, true},
    {"QUEUE_DESTROY", DRM_IOCTL_ASAHI_QUEUE_DESTROY, false},
    {"SUBMIT", DRM_IOCTL_ASAHI_SUBMIT, true},
    {"GEM_CLOSE", DRM_IOCTL_GEM_CLOSE, false},
    {"SYNCOBJ_CREATE", DRM_IOCTL_SYNCOBJ_CREATE, true},
    {"SYNCOBJ_WAIT", DRM_IOCTL_SYNCOBJ_WAIT, false},
    {"SYNCOBJ_HANDLE_TO_FD", DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, false},
};
#define REQUEST_COUNT ARRAY_COUNT(requests)
#define ERRNO_MAX 134

static bool parse_errno(const char *name, int *error)
{
   for (*error = 1; *error < ERRNO_MAX; ++*error) {
      const char *known = strerrorname_np(*error);
      if (known && !strcmp(known, name)) {
         return true;
      }
   }
   return false;
}

static bool parse_request(const char *name, unsigned long *request)
{
   for (size_t i = 0; i < REQUEST_COUNT; i++) {
      if (!strcmp(requests[i].name, name)) {
         *request = requests[i].request;
         return true;
      }
   }
   return false;
}

static bool parse_kind(char *text, struct vgpu_inject_rule *rule)
{
   const char *name = strsep(&text, ":"), *error = text ? strsep(&text, ":") : NULL;
   rule->kind = 0;
   while (rule->kind < VGPU_INJECT_KINDS && strcmp(kinds[rule->kind].name, name)) {
      rule->kind++;
   }
   if (rule->kind != VGPU_INJECT_ERRNO) {
      return rule->kind < VGPU_INJECT_KINDS && !vgpu_refuse(error);
   }
   return error && text && !vgpu_refuse(!parse_errno(error, &rule->error)) &&
          !vgpu_refuse(!parse_request(text, &rule->request));
}

static bool parse_when(const char *text, struct vgpu_inject_rule *rule)
{
   char *end;
   if (vgpu_refuse(*text < '0') || vgpu_refuse(*text > '9')) {
      return false;
   }
   if (text[strlen(text) - 1] == '%') {
      double percent = strtod(text, &end);
      if (vgpu_refuse(*end != '%') || vgpu_refuse(percent <= 0) || vgpu_refuse(percent > 100)) {
         return false;
      }
      rule->chance = (uint64_t)(percent / 100 * 4294967296.0);
      return true;
   }
   errno = 0;
   rule->nth = strtoull(text, &end, 10);
   return !vgpu_refuse(*end) && !vgpu_refuse(errno) && !vgpu_refuse(!rule->nth);
}

/* Cuts the text up. */
static int parse(char *text, struct vgpu_inject_rule *rule)
{
   char *when = strchr(text, '@'), *scope = when ? strchr(when, '/') : NULL;
   if (!when) {
      return -EINVAL;
   }
   *when++ = '\0';
   if (scope) {
      *scope++ = '\0';
   }
   if (!parse_kind(text, rule) || !parse_when(when, rule)) {
      return -EINVAL;
   }
   rule->scope = scope ? strdup(scope) : NULL;
   return scope && !rule->scope ? -ENOMEM : 0;
}

int vgpu_inject_add(struct vgpu_inject *inject, const char *text)
{
   struct vgpu_inject_rule rule = {0};
   if (!ARRAY_RESERVE_ONE(inject->rules, inject->count)) {
      return -ENOMEM;
   }
   char *copy = strdup(text);
   int error = copy ? parse(copy, &rule) : -ENOMEM;
   free(copy);
   if (!error) {
      inject->rules[inject->count++] = rule;
   }
   return error;
}

void vgpu_inject_finish(struct vgpu_inject *inject)
{
   for (size_t i = 0; i < inject->count; i++) {
      free(inject->rules[i].scope);
   }
   free(inject->rules);
   free(inject->scope);
   *inject = (struct vgpu_inject){0};
}

int vgpu_inject_scope(struct vgpu_inject *inject, const char *scope)
{
   if (inject->scope && !strcmp(inject->scope, scope)) {
      return 0;
   }
   char *copy = strdup(scope);
   if (!copy) {
      return -ENOMEM;
   }
   free(inject->scope);
   inject->scope = copy;
   for (size_t i = 0; i < inject->count; i++) {
      inject->rules[i].count = 0;
   }
   return 0;
}

static bool drawn(const struct vgpu_inject *inject, size_t index)
{
   const struct vgpu_inject_rule *rule = &inject->rules[index];
   const char *scope = inject->scope ? inject->scope : "";
   const uint64_t key[] = {XXH3_64bits(scope, strlen(scope)), inject->seed, index, rule->count};
   return (XXH3_64bits(key, sizeof(key)) >> 32) < rule->chance;
}

/* One more of what the rule counts: is it the one? */
static bool hit(struct vgpu_inject *inject, size_t index)
{
   struct vgpu_inject_rule *rule = &inject->rules[index];
   if (rule->scope && (!inject->scope || fnmatch(rule->scope, inject->scope, 0))) {
      return false;
   }
   rule->count++;
   return rule->nth ? rule->count == rule->nth : drawn(inject, index);
}

enum vgpu_inject_kind vgpu_inject_job(struct vgpu_inject *inject)
{
   enum vgpu_inject_kind kind = VGPU_INJECT_NONE;
   for (size_t i = 0; i < inject->count; i++) {
      if (kinds[inject->rules[i].kind].event == EVENT_JOB && hit(inject, i) && kind == VGPU_INJECT_NONE) {
         kind = inject->rules[i].kind;
      }
   }
   return kind;
}

static bool allocates(unsigned long request)
{
   for (size_t i = 0; i < REQUEST_COUNT; i++) {
      if (requests[i].request == request) {
         return requests[i].allocates;
      }
   }
   return false;
}

static bool counts(const struct vgpu_inject_rule *rule, unsigned long request)
{
   switch (kinds[rule->kind].event) {
   case EVENT_JOB:
      return false;
   case EVENT_SUBMIT:
      return request == DRM_IOCTL_ASAHI_SUBMIT;
   case EVENT_ALLOCATION:
      return allocates(request);
   case EVENT_REQUEST:
      return request == rule->request;
   }
   return false;
}

int vgpu_inject_request(struct vgpu_inject *inject, unsigned long request)
{
   int error = 0;
   for (size_t i = 0; i < inject->count; i++) {
      const struct vgpu_inject_rule *rule = &inject->rules[i];
      if (!counts(rule, request) || !hit(inject, i)) {
         continue;
      }
      if (rule->kind == VGPU_INJECT_CRASH) {
         raise(SIGSEGV);
      }
      if (rule->kind == VGPU_INJECT_STALL) {
         return VGPU_INJECT_NO_RETURN;
      }
      error = rule->kind == VGPU_INJECT_ALLOC ? -ENOMEM : -rule->error;
   }
   return error;
}
