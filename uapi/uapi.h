/* SPDX-License-Identifier: MIT
 *
 * The catalogue of uAPI tests: every promise of the Asahi DRM interface (spec/uapi.md) as a subtest that runs on any
 * device, a kernel's or the virtual one. Subtests speak the raw interface, each on a device file of its own.
 */
#ifndef UAPI_UAPI_H
#define UAPI_UAPI_H

#include <stdbool.h>
#include <stddef.h>

#define UAPI_GROUP "uapi"
#define UAPI_FAULTS "fault"

struct agx_program; /* isa/program.h */
struct asahi_watch; /* drm/asahi.h */
struct uapi_test;   /* uapi/test.h; the functions below tell what others need */

enum uapi_status { UAPI_PASS, UAPI_FAIL, UAPI_SKIP };

struct uapi_result {
   enum uapi_status status;
   /* Fail: the expected and the actual answer, errnos by name. Skip: why. Pass: "", or, if header and kernel differ,
    * which of them this device follows. */
   char message[400];
};

/* The catalogue, in the order that it is listed and run. */
size_t uapi_count(void);
const struct uapi_test *uapi_at(size_t index);

const char *uapi_name(const struct uapi_test *test); /* "submit/flags": area and subtest; "fault/endless" */
/* "uapi/submit/flags"; jobs that fail have a group of their own: "fault/endless". */
void uapi_full_name(const struct uapi_test *test, char *name, size_t size);
bool uapi_is_fault(const struct uapi_test *test); /* of that group: its remark says how the job failed */
/* Why it may hang or reset a real GPU, so that it runs only when it is asked for; NULL: it should not. */
const char *uapi_risk(const struct uapi_test *test);
const char *uapi_promise(const struct uapi_test *test); /* what the header promises */
const char *uapi_today(const struct uapi_test *test); /* what today's kernel does instead; NULL: it keeps the promise */

/* Runs one subtest on a device file opened for it. spec: see asahi_device_open(). helper: the program of
 * asahi_device_set_helper() for tests of scratch memory; NULL: these are skipped on hardware. watch: called at each
 * SUBMIT; may be NULL. */
void uapi_run(const struct uapi_test *test, const char *spec, const struct agx_program *helper,
              const struct asahi_watch *watch, struct uapi_result *result);

/* Whether the device still does a trivial job right, on a device file of its own; else why not. */
bool uapi_check(const char *spec, char *why, size_t why_size);

#endif
