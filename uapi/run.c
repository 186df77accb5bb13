/* SPDX-License-Identifier: MIT
 *
 * The catalogue, and running one subtest of it.
 */
#include <stdio.h>
#include <string.h>

#include "util/array.h"

#include "uapi/test.h"

extern const struct uapi_area uapi_area_structs, uapi_area_params, uapi_area_time, uapi_area_vm, uapi_area_bind,
    uapi_area_map, uapi_area_gem, uapi_area_prime, uapi_area_object, uapi_area_queue, uapi_area_submit, uapi_area_sync,
    uapi_area_syncobj, uapi_area_commands, uapi_area_barriers, uapi_area_attachments, uapi_area_render,
    uapi_area_timestamps, uapi_area_stress, uapi_area_fault, uapi_area_fault_scratch;

static const struct uapi_area *const areas[] = {
    &uapi_area_structs,       &uapi_area_params, &uapi_area_time,       &uapi_area_vm,       &uapi_area_bind,
    &uapi_area_map,           &uapi_area_gem,    &uapi_area_prime,      &uapi_area_object,   &uapi_area_queue,
    &uapi_area_submit,        &uapi_area_sync,   &uapi_area_syncobj,    &uapi_area_commands, &uapi_area_barriers,
    &uapi_area_attachments,   &uapi_area_render, &uapi_area_timestamps, &uapi_area_stress,   &uapi_area_fault,
    &uapi_area_fault_scratch,
};

size_t uapi_count(void)
{
   size_t count = 0;
   for (size_t i = 0; i < ARRAY_COUNT(areas); i++) {
      count += areas[i]->count;
   }
   return count;
}

const struct uapi_test *uapi_at(size_t index)
{
   for (size_t i = 0; i < ARRAY_COUNT(areas); i++) {
      if (index < areas[i]->count) {
         return &areas[i]->tests[index];
      }
      index -= areas[i]->count;
   }
   return NULL;
}

const char *uapi_name(const struct uapi_test *test)
{
   return test->name;
}

bool uapi_is_fault(const struct uapi_test *test)
{
   return !strncmp(test->name, UAPI_FAULTS "/", strlen(UAPI_FAULTS "/"));
}

const char *uapi_risk(const struct uapi_test *test)
{
   return test->risk != NULL ? test->risk : uapi_is_fault(test) ? "its job faults, hangs or is killed" : NULL;
}

void uapi_full_name(const struct uapi_test *test, char *name, size_t size)
{
   snprintf(name, size, "%s%s", uapi_is_fault(test) ? "" : UAPI_GROUP "/", test->name);
}

const char *uapi_promise(const struct uapi_test *test)
{
   return test->promise;
}

const char *uapi_today(const struct uapi_test *test)
{
   return test->today;
}

static void apply(struct uapi_call *call, const struct uapi_edit *edit)
{
   uint8_t *const parts[] = {
       [UAPI_ARGS] = call->args.bytes,
       [UAPI_OP] = (uint8_t *)&call->op,
       [UAPI_COMMANDS] = call->commands.bytes,
       [UAPI_SYNCS] = (uint8_t *)call->syncs,
       [UAPI_HANDLES] = (uint8_t *)call->handles,
   };
   /* Little endian, like all machines with such a GPU. */
   memcpy(parts[edit->part] + edit->offset, &edit->value, edit->size);
}

static void close_descriptor(struct uapi *u, const struct uapi_call *call)
{
   if (call->request == DRM_IOCTL_PRIME_HANDLE_TO_FD) {
      u->raw.kernel->close(u->raw.kernel, call->args.prime.fd);
   } else if (call->request == DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD) {
      u->raw.kernel->close(u->raw.kernel, call->args.syncobj_handle.fd);
   }
}

/* After a success: the submit's command has run once, without an error. */
static void check_success(struct uapi *u, const struct uapi_call *call)
{
   if (call->request == DRM_IOCTL_ASAHI_SUBMIT && uapi_done(u, call->syncs[1].handle)) {
      UAPI_LIST_IS(u, 1);
   }
   close_descriptor(u, call);
}

/* After a refusal: all that the request could have changed is unchanged. */
static void check_refusal(struct uapi *u, const struct uapi_call *call, const struct uapi_call *before)
{
   if (!(_IOC_DIR(call->request) & _IOC_READ)) {
      uapi_true(u, !memcmp(&call->args, &before->args, sizeof(call->args)),
                "a request that only goes in came back "
                "changed");
   }
   if (call->request == DRM_IOCTL_ASAHI_SUBMIT) {
      uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run after a refusal");
   }
}

/* The out-sync of a refused submit has no fence. The handle is the one before the changes. */
static void check_out_sync(struct uapi *u, const struct uapi_call *call, uint32_t out)
{
   if (call->request == DRM_IOCTL_ASAHI_SUBMIT) {
      uapi_expect(u, uapi_wait(u, out, 0), E(EINVAL), "the out-sync of a refused submit, which must have no fence");
   }
}

static void say_which_way(struct uapi *u, const struct uapi_test *test, int answer)
{
   char name[24];
   if (test->today && test->today_answers) {
      uapi_note(u, "%s: %s", uapi_answer_name(answer, name),
                test->answers >> answer & 1 ? "as the header promises" : test->today);
   }
}

static void run_request(struct uapi *u, const struct uapi_test *test)
{
   struct uapi_call call = {0};
   test->request(u, &call);
   if (!uapi_good(u)) {
      return;
   }
   uint32_t out = call.syncs[1].handle;
   for (size_t i = 0; i < ARRAY_COUNT(test->edits) && test->edits[i].size; i++) {
      apply(&call, &test->edits[i]);
   }
   const struct uapi_call before = call;
   int answer = uapi_ioctl(u, call.request, &call.args);
   if (!uapi_expect(u, answer, uapi_strict(u) && test->strict ? test->strict : test->answers | test->today_answers,
                    "%s", test->promise)) {
      return;
   }
   if (!answer) {
      check_success(u, &call);
   } else {
      check_refusal(u, &call, &before);
      check_out_sync(u, &call, out);
      struct uapi_call plain = {0};
      test->request(u, &plain);
      if (uapi_good(u) &&
          uapi_expect(u, uapi_ioctl(u, plain.request, &plain.args), plain.plain ? plain.plain : OK,
                      "the same request without the mistake") &&
          !plain.plain) {
         check_success(u, &plain);
      }
   }
   say_which_way(u, test, answer);
}

void uapi_run(const struct uapi_test *test, const char *spec, const struct agx_program *helper,
              const struct asahi_watch *watch, struct uapi_result *result)
{
   struct uapi u;
   if (uapi_open(&u, spec, watch, result)) {
      u.helper = helper;
      if (test->hazard && !u.raw.is_virtual) {
         uapi_skip(&u, "not asked of hardware: %s", test->hazard);
      } else if (test->request) {
         run_request(&u, test);
      } else {
         test->run(&u);
      }
   }
   uapi_close(&u);
}

bool uapi_check(const char *spec, char *why, size_t why_size)
{
   struct uapi_result result;
   struct uapi u;
   if (uapi_open(&u, spec, NULL, &result)) {
      const uint64_t from = UAPI_DATA + UAPI_SPARE * sizeof(uint32_t);
      u.data[UAPI_SPARE] = 0x600D;
      uapi_equal(&u, uapi_peek(&u, from), 0x600D, "a job that copies a word: the word");
   }
   uapi_close(&u);
   snprintf(why, why_size, "%s", result.message);
   return result.status == UAPI_PASS;
}
