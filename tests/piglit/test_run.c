/* SPDX-License-Identifier: MIT
 *
 * The files of data/, run by the pool on a virtual M1: each test must end as its file was written to make it end.
 * Then the same records as every format renders them.
 */
#include <json-c/json.h>

#include "agx_runner/piglit/report.h"
#include "tests/piglit/run_files.h"

struct wanted {
   const char *name; /* its end */
   enum result_status status;
   const char *reason; /* part of it */
};

static const struct wanted all_wanted[] = {
    {"known@a sum", RESULT_PASS, ""},
    {"known@a wrong sum", RESULT_PASS, ""},
    {"known@nothing written", RESULT_PASS, ""},
    {"known@values and vectors", RESULT_PASS, ""},
    {"known@vectors of three", RESULT_PASS, ""},
    {"known@in place", RESULT_PASS, ""},
    {"known@local memory at launch", RESULT_PASS, ""},
    {"known@two dimensions, offset, chosen groups", RESULT_PASS, ""},
    {"known@tolerance", RESULT_PASS, ""},
    {"known@too small a tolerance", RESULT_PASS, ""},
    {"malformed", RESULT_INVALID, "malformed.program_test:6: value 1 of argument 0, \"one\": not an integer"},
    {"must_not_build", RESULT_PASS, ""},
    {"needs_double@half of it", RESULT_SKIP, "needs cl_khr_fp64"},
    {"needs_newer@never run", RESULT_SKIP, "needs OpenCL C 9.9"},
    {"needs_other@never run", RESULT_SKIP, "does not match device_regex Radeon"},
    {"no_test", RESULT_SKIP, "no test in it: there is no comment /*! ... !*/ with a [config] section"},
    {"separate@the answer", RESULT_PASS, ""},
    {"syntax_error@never reached", RESULT_FAIL, "syntax_error.cl:12:9: error: expected expression"},
    {"talks@good", RESULT_PASS, ""},
    {"talks@talks", RESULT_SKIP, "agx-runner has no printf in kernels"},
    {"uses_double@half of it", RESULT_SKIP, "the GPU has no double precision"},
    {"wrong@passes", RESULT_PASS, ""},
    {"wrong@a wrong answer", RESULT_FAIL, "argument 0, int[0]: expected 2 (0x00000002), got 1 (0x00000001)"},
    {"wrong@no such kernel", RESULT_FAIL, "there is no kernel \"two\""},
    {"wrong@too many arguments", RESULT_FAIL, "argument 1: the kernel has 1 arguments"},
    {"wrong@too few arguments", RESULT_FAIL, "argument 0 is not given"},
    {"wrong@a value for a pointer", RESULT_FAIL, "argument 0: what the test gives does not suit a global"},
    {"wrong@uneven groups", RESULT_FAIL, "local size 2 in dimension 0: the global size is 3"},
    {"wrong@unexpectedly right", RESULT_FAIL, "the outputs are right, which the test does not expect"},
    {"wrong@large groups", RESULT_SKIP, "a local size of more than 1024 threads"},
};
#define WANTED (sizeof(all_wanted) / sizeof(all_wanted[0]))

static bool ends_with(const char *text, const char *end)
{
   size_t length = strlen(text), part = strlen(end);

   return length >= part && strcmp(text + length - part, end) == 0;
}

static void check_results(const struct result_run *run)
{
   CHECK(run->count == WANTED);
   for (size_t i = 0; i < run->count && i < WANTED; i++) {
      const struct result *result = &run->results[i];
      const struct wanted *wanted = &all_wanted[i];

      if (!ends_with(result->name, wanted->name) || result->status != wanted->status ||
          strstr(result->reason, wanted->reason) == NULL) {
         printf("got %s: %s: \"%s\"\nwanted %s: %s: \"%s\"\n", result->name, result_status_names[result->status],
                result->reason, wanted->name, result_status_names[wanted->status], wanted->reason);
         check_failures++;
      }
      CHECK(result->file != NULL && result->seconds >= 0);
   }
}

static size_t wanted_count(enum result_status status)
{
   size_t count = 0;

   for (size_t i = 0; i < WANTED; i++) {
      count += all_wanted[i].status == status;
   }
   return count;
}

static int summary(const struct result_run *run, FILE *out)
{
   return piglit_write_summary(run, false, 1, out);
}

static char *render(const struct result_run *run, int (*write)(const struct result_run *run, FILE *out))
{
   char *text = NULL;
   size_t size;
   FILE *out = open_memstream(&text, &size);

   if (out == NULL || write(run, out) != 0 || fclose(out) != 0) {
      printf("rendering failed\n");
      exit(1);
   }
   return text;
}

static void check_summary(const struct result_run *run)
{
   char line[256];
   char *text = render(run, summary);

   snprintf(line, sizeof(line),
            ": %zu pass, %zu fail, %zu skip, 1 invalid; 1 pass is of a program without a [test], whose build alone is "
            "tested\n",
            wanted_count(RESULT_PASS), wanted_count(RESULT_FAIL), wanted_count(RESULT_SKIP));
   CHECK(ends_with(text, line));
   CHECK(strstr(text, "      1 needs cl_khr_fp64: AGX has no double precision\n") != NULL);
   CHECK(strstr(text, "@wrong@a wrong answer: argument 0, int[0]: expected 2") != NULL);
   free(text);
}

/* The same renderers as for all results. */
static void check_formats(const struct result_run *run)
{
   char *text = render(run, result_write_json);
   struct json_object *root = json_tokener_parse(text), *value, *results, *first;

   CHECK(root != NULL && json_object_object_get_ex(root, "results", &results) &&
         json_object_array_length(results) == WANTED);
   first = json_object_array_get_idx(results, 0);
   CHECK(json_object_object_get_ex(first, "status", &value));
   CHECK_TEXT(json_object_get_string(value), "pass");
   CHECK(json_object_object_get_ex(first, "file", &value) && ends_with(json_object_get_string(value), "known.cl"));
   json_object_put(root);
   free(text);
   text = render(run, result_write_junit);
   char counts[96];
   snprintf(counts, sizeof(counts), "tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", WANTED,
            wanted_count(RESULT_FAIL) + 1, wanted_count(RESULT_SKIP));
   CHECK(strstr(text, counts) != NULL);
   CHECK(strstr(text, "/data/known.cl\" name=\"too small a tolerance\"") != NULL);
   CHECK(strstr(text, "/data/must_not_build.cl\" name=\"must_not_build.cl\"") != NULL);
   free(text);
}

/* The lines that Piglit's framework reads. */
static void check_protocol(const struct result_run *run)
{
   char *text = render(run, piglit_write_protocol);

   CHECK(strstr(text, "\nPIGLIT: {\"subtest\": {\"a sum\" : \"pass\"}}\n") != NULL);
   CHECK(strstr(text, "\nPIGLIT: {\"subtest\": {\"large groups\" : \"skip\"}}\n") != NULL);
   CHECK(strstr(text, "\n# Result:\nPIGLIT: {\"result\": \"warn\" }\n") != NULL);
   CHECK(ends_with(text, "\n# Result:\nPIGLIT: {\"result\": \"fail\" }\n"));
   free(text);
}

int main(int argc, char **argv)
{
   struct piglit_files files = {0};

   if (argc != 2) {
      return 1;
   }
   add_path(&files, argv[1]);
   struct result_run run = run_files(&files, "virtual:m1,timing=off,threads=1");
   check_results(&run);
   check_summary(&run);
   check_formats(&run);
   check_protocol(&run);
   result_run_finish(&run);
   piglit_files_finish(&files);
   return check_result();
}
