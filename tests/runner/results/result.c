/* SPDX-License-Identifier: MIT
 *
 * A run survives the way to JSON and back, whatever its results hold, and what is no run is refused.
 */
#include "agx_runner/results/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/check.h"

static char *text_of(const struct result_run *run)
{
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   CHECK(file != NULL && result_write_json(run, file) == 0 && fclose(file) == 0, "not written");
   return text;
}

static void write_file(const char *path, const char *text, size_t length)
{
   FILE *file = fopen(path, "wb");

   CHECK(file != NULL && fwrite(text, 1, length, file) == length && fclose(file) == 0, "%s", path);
}

static void fill(struct result_run *run)
{
   const struct asahi_device_info device = {.name = "Apple M2 Max (G14C B1)",
                                            .chip = "m2-max",
                                            .path = "/dev/dri/renderD128",
                                            .chip_class = ASAHI_G14X,
                                            .revision = 7,
                                            .cores = 38,
                                            .features = UINT64_C(0x8000000000000001),
                                            .max_frequency_khz = 1398000,
                                            .operating_points = {720000000, 1296000000},
                                            .operating_point_count = 2};

   CHECK(result_run_init(run, &device, "agx-runner run \"a\\b\"\n\001", 5), "no memory");
   for (unsigned status = 0; status < RESULT_STATUS_COUNT; status++) {
      struct result *result = result_add(run, "float/x/throughput");

      result_set(result, status, status == RESULT_PASS ? "%.0s" : "because \"%s\" \xc3\xa4",
                 result_status_names[status]);
   }
   struct result *pass = &run->results[RESULT_PASS];
   pass->value = 1.0 / 3;
   pass->low = 1e-300;
   pass->high = 12345678.9;
   pass->samples = calloc(2, sizeof(double));
   pass->samples[0] = 0.25;
   pass->samples[1] = 3;
   pass->sample_count = 2;
   pass->reference = 2;
   snprintf(pass->unit, sizeof(pass->unit), "cycles");
   snprintf(pass->reference_qualifier, sizeof(pass->reference_qualifier), "<=");
   snprintf(pass->reference_source, sizeof(pass->reference_source), "somewhere");
   pass->likeness = REFERENCE_OTHER_SEQUENCE;
   snprintf(pass->instruction, sizeof(pass->instruction), "in sequence");
   snprintf(pass->sequence, sizeof(pass->sequence), "2 imadd, bitop");
   pass->expected = pass->found = 64;
   pass->check = RESULT_CHECK_PASS;
   pass->occupancy = 24;
   pass->clock_hz = 1295500000;
   pass->operating_point_hz = 1296000000;
   pass->program_hash = UINT64_C(0xfedcba9876543210);
   pass->source_hash = 1;
   pass->program.known = true;
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      pass->program.values[i] = i == PROGRAM_LATENCY ? NAN : 1.5 * i;
   }
   snprintf(run->mesa_debug, sizeof(run->mesa_debug), "nosched,\"");
   snprintf(run->mesa_commit, sizeof(run->mesa_commit), "0123456789ab+changes");
}

static void test_round_trip(const char *path)
{
   struct result_run run, back;
   char message[256] = "";

   fill(&run);
   char *once = text_of(&run);
   write_file(path, once, strlen(once));
   CHECK(result_run_load(path, &back, message, sizeof(message)) == 0, "%s", message);
   CHECK(back.count == RESULT_STATUS_COUNT && back.results[0].sample_count == 2 && !isnan(back.results[0].low),
         "%zu results", back.count);
   char *twice = text_of(&back);
   CHECK(!strcmp(once, twice), "differs:\n%s\n%s", once, twice);
   for (size_t i = 0; i < run.count; i++) {
      struct result one;
      char *line = result_to_line(&run.results[i]);

      CHECK(line != NULL && !strchr(line, '\n'), "more than a line: %s", line);
      CHECK(result_from_line(line, &one, message, sizeof(message)) == 0, "%s", message);
      char *again = result_to_line(&one);
      CHECK(again != NULL && !strcmp(line, again), "%s became %s", line, again);
      result_finish(&one);
      free(again);
      free(line);
   }
   /* Every file that stops short is refused. */
   for (size_t length = 0; length < strlen(once) - 2; length += 1 + length / 16) {
      write_file(path, once, length);
      struct result_run none;
      CHECK(result_run_load(path, &none, message, sizeof(message)) == -EINVAL && message[0], "%zu bytes", length);
   }
   free(twice);
   free(once);
   result_run_finish(&back);
   result_run_finish(&run);
}

static void test_refusals(const char *path)
{
   static const struct {
      const char *text, *says;
   } rows[] = {
       {"[]", "schema"},
       {"{\"schema\": 99}", "newer"},
       {"{\"schema\": 1}", "missing"},
       {"{\"schema\": 1, \"device\": [], \"environment\": {}, \"results\": []}", "device"},
       {"{\"schema\": 1, \"device\": {}, \"environment\": {}, \"results\": [{}]}", "name"},
       {"{\"schema\": 1, \"device\": {\"cores\": -1}, \"environment\": {}, \"results\": []}", "cores"},
       {"{\"schema\": 1, \"device\": {\"operating_points_hz\": [1, \"x\"]}, \"environment\": {}, \"results\": []}",
        "no number"},
       {"{\"schema\": 1, \"device\": {\"kind\": \"toy\"}, \"environment\": {}, \"results\": []}", "toy"},
       {"{\"schema\": 1, \"device\": {}, \"environment\": {}, \"results\": [{\"name\": \"a\", \"samples\": [null]}]}",
        "sample"},
       {"{\"schema\": 1, \"device\": {}, \"environment\": {}, \"results\": [{\"name\": \"a\", \"status\": \"ok\"}]}",
        "status"},
   };
   struct result_run run;
   char message[256];

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      write_file(path, rows[i].text, strlen(rows[i].text));
      message[0] = '\0';
      CHECK(result_run_load(path, &run, message, sizeof(message)) == -EINVAL && strstr(message, rows[i].says),
            "%s: '%s'", rows[i].text, message);
   }
   CHECK(result_run_load("/nowhere/at/all", &run, message, sizeof(message)) == -ENOENT, "%s", message);
}

/* A file of each schema there has been: data/result-N.json, as the program of that time wrote it. */
static void test_schemas(const char *folder)
{
   struct result_run run;
   char path[512], message[256] = "";

   for (unsigned schema = 1; schema <= RESULT_SCHEMA; schema++) {
      snprintf(path, sizeof(path), "%s/result-%u.json", folder, schema);
      CHECK(result_run_load(path, &run, message, sizeof(message)) == 0, "%s: %s", path, message);
      CHECK(run.count == 3 && run.device.is_virtual && !strcmp(run.mesa, "25.0.7"), "%s", path);
      CHECK(run.count > 0 && !strcmp(run.results[0].name, "float/fadd32/throughput"), "%s", path);
      CHECK(run.count > 0 && run.results[0].sample_count == 9 && run.results[0].value > 0.9, "%s", path);
      CHECK(run.count > 0 && run.results[0].program.known == (schema >= 2), "%s", path);
      CHECK(!strcmp(run.mesa_debug, schema >= 2 ? "nosched" : ""), "%s: '%s'", path, run.mesa_debug);
      result_run_finish(&run);
   }
}

int main(int argc, char **argv)
{
   char path[] = "/tmp/agx-runner-result-XXXXXX";
   const int fd = mkstemp(path);

   if (fd < 0) {
      return 1;
   }
   close(fd);
   test_round_trip(path);
   test_refusals(path);
   if (argc > 1) {
      test_schemas(argv[1]);
   }
   unlink(path);
   return check_result();
}
