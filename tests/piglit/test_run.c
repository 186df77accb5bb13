/* SPDX-License-Identifier: MIT
 *
 * The files of data/, run by the pool on a virtual M1: each test must end as its file was written to make it end.
 * Then the same records as every format renders them.
 */
#include <stdlib.h>

#include <json-c/json.h>

#include "agx_runner/piglit/device.h"
#include "agx_runner/piglit/pool.h"
#include "agx_runner/piglit/session.h"
#include "tests/piglit/check.h"

struct wanted {
   const char *name; /* its end */
   enum piglit_status status;
   const char *reason; /* part of it */
};

static const struct wanted all_wanted[] = {
    {"known@a sum", PIGLIT_PASS, ""},
    {"known@a wrong sum", PIGLIT_PASS, ""},
    {"known@nothing written", PIGLIT_PASS, ""},
    {"known@values and vectors", PIGLIT_PASS, ""},
    {"known@vectors of three", PIGLIT_PASS, ""},
    {"known@in place", PIGLIT_PASS, ""},
    {"known@local memory at launch", PIGLIT_PASS, ""},
    {"known@two dimensions, offset, chosen groups", PIGLIT_PASS, ""},
    {"known@tolerance", PIGLIT_PASS, ""},
    {"known@too small a tolerance", PIGLIT_PASS, ""},
    {"malformed", PIGLIT_WARN, "malformed.program_test:6: value 1 of argument 0, \"one\": not an integer"},
    {"must_not_build", PIGLIT_PASS, ""},
    {"needs_double@half of it", PIGLIT_SKIP, "needs cl_khr_fp64"},
    {"needs_newer@never run", PIGLIT_SKIP, "needs OpenCL C 9.9"},
    {"needs_other@never run", PIGLIT_SKIP, "does not match device_regex Radeon"},
    {"separate@the answer", PIGLIT_PASS, ""},
    {"syntax_error@never reached", PIGLIT_FAIL, "syntax_error.cl:12:9: error: expected expression"},
    {"talks@good", PIGLIT_PASS, ""},
    {"talks@talks", PIGLIT_SKIP, "kernel talks: unsupported: printf"},
    {"uses_double@half of it", PIGLIT_SKIP, "unsupported: double precision"},
    {"wrong@passes", PIGLIT_PASS, ""},
    {"wrong@a wrong answer", PIGLIT_FAIL, "argument 0, int[0]: expected 2 (0x00000002), got 1 (0x00000001)"},
    {"wrong@no such kernel", PIGLIT_FAIL, "there is no kernel \"two\""},
    {"wrong@too many arguments", PIGLIT_FAIL, "argument 1: the kernel has 1 arguments"},
    {"wrong@too few arguments", PIGLIT_FAIL, "argument 0 is not given"},
    {"wrong@a value for a pointer", PIGLIT_FAIL, "argument 0: what the test gives does not suit a global"},
    {"wrong@uneven groups", PIGLIT_FAIL, "local size 2 in dimension 0: the global size is 3"},
    {"wrong@unexpectedly right", PIGLIT_FAIL, "the outputs are right, which the test does not expect"},
    {"wrong@large groups", PIGLIT_SKIP, "a local size of more than 1024 threads"},
};
#define WANTED (sizeof(all_wanted) / sizeof(all_wanted[0]))

static bool ends_with(const char *text, const char *end)
{
   size_t length = strlen(text), part = strlen(end);

   return length >= part && strcmp(text + length - part, end) == 0;
}

static void check_record(void *data, const struct piglit_record *record)
{
   size_t *next = data;

   if (*next >= WANTED || !ends_with(record->name, all_wanted[*next].name) ||
       record->status != all_wanted[*next].status || strstr(record->reason, all_wanted[*next].reason) == NULL) {
      printf("got %s: %s: \"%s\"\nwanted %s: %s: \"%s\"\n", record->name, piglit_status_name(record->status),
             record->reason, *next < WANTED ? all_wanted[*next].name : "nothing",
             *next < WANTED ? piglit_status_name(all_wanted[*next].status) : "",
             *next < WANTED ? all_wanted[*next].reason : "");
      failures++;
   }
   ++*next;
}

static char *render(const struct piglit_session *session, int (*write)(const struct piglit_session *session, FILE *out))
{
   char *text = NULL;
   size_t size;
   FILE *out = open_memstream(&text, &size);

   if (out == NULL || write(session, out) != 0 || fclose(out) != 0) {
      printf("rendering failed\n");
      exit(1);
   }
   return text;
}

static void check_summary(const struct piglit_session *session, const struct piglit_totals *totals)
{
   char line[128];
   char *text = render(session, piglit_write_summary);

   snprintf(line, sizeof(line), ": %zu pass, %zu fail, %zu skip, 1 warn\n", totals->status[PIGLIT_PASS],
            totals->status[PIGLIT_FAIL], totals->status[PIGLIT_SKIP]);
   CHECK(ends_with(text, line));
   CHECK(strstr(text, "      1 needs cl_khr_fp64: AGX has no double precision\n") != NULL);
   CHECK(strstr(text, "@wrong@a wrong answer: argument 0, int[0]: expected 2") != NULL);
   free(text);
}

static void check_json(const struct piglit_session *session, const struct piglit_totals *totals)
{
   char *text = render(session, piglit_write_json);
   struct json_object *root = json_tokener_parse(text), *value, *results;

   CHECK(root != NULL && json_object_object_get_ex(root, "results", &results) &&
         json_object_array_length(results) == WANTED);
   CHECK(json_object_object_get_ex(root, "totals", &value) && json_object_object_get_ex(value, "pass", &value) &&
         (size_t)json_object_get_int(value) == totals->status[PIGLIT_PASS]);
   CHECK(json_object_object_get_ex(json_object_array_get_idx(results, 0), "status", &value));
   CHECK_TEXT(json_object_get_string(value), "pass");
   json_object_put(root);
   free(text);
}

/* The lines that Piglit's framework reads. */
static void check_protocol(const struct piglit_session *session)
{
   char *text = render(session, piglit_write_protocol);

   CHECK(strstr(text, "\nPIGLIT: {\"subtest\": {\"a sum\" : \"pass\"}}\n") != NULL);
   CHECK(strstr(text, "\nPIGLIT: {\"subtest\": {\"large groups\" : \"skip\"}}\n") != NULL);
   CHECK(strstr(text, "\n# Result:\nPIGLIT: {\"result\": \"fail\" }\n") != NULL);
   CHECK(ends_with(text, "\n# Result:\nPIGLIT: {\"result\": \"fail\" }\n"));
   free(text);
}

/* The sum of all counts, from the table. */
static void check_totals(const struct piglit_totals *totals)
{
   size_t count[PIGLIT_STATUSES] = {0};

   for (size_t i = 0; i < WANTED; i++) {
      count[all_wanted[i].status]++;
   }
   CHECK(totals->tests == WANTED && memcmp(count, totals->status, sizeof(count)) == 0);
   CHECK(totals->unexpected == count[PIGLIT_FAIL] + count[PIGLIT_WARN] && totals->improved == 0);
}

int main(int argc, char **argv)
{
   struct piglit_session session = {0};
   struct piglit_totals totals;
   struct asahi_device *device;
   char used[192], message[256];
   size_t next = 0;

   if (argc != 2 ||
       piglit_device_open("virtual:m1", false, &device, used, sizeof(used), message, sizeof(message)) < 0 ||
       piglit_session_add(&session, argv[1], message, sizeof(message)) < 0 || piglit_session_prepare(&session) < 0) {
      printf("%s\n", message);
      return 1;
   }
   CHECK_TEXT(used, "virtual:m1,timing=off,threads=1");
   session.device = *asahi_device_get_info(device);
   asahi_device_close(device);
   const struct piglit_pool pool = {
       .device = used, .jobs = 2, .seconds = 60, .results = session.results, .count = session.count};
   CHECK(piglit_pool_run(&pool) == 0);
   CHECK(piglit_session_each(&session, check_record, &next) == 0);
   CHECK(next == WANTED);
   CHECK(piglit_session_count(&session, &totals) == 0);
   check_totals(&totals);
   check_summary(&session, &totals);
   check_json(&session, &totals);
   check_protocol(&session);
   piglit_session_finish(&session);
   return check_failures();
}
