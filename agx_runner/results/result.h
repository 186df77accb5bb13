/* SPDX-License-Identifier: MIT
 *
 * The results of a run: one model in memory, which every output format renders. docs/result-schema.md describes the
 * JSON.
 */
#ifndef AGX_RUNNER_RESULT_H
#define AGX_RUNNER_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "agx_runner/results/program_stats.h"
#include "agx_runner/results/reference.h"
#include "drm/asahi.h"

struct error_band; /* agx_runner/bands/bands.h */

#define RESULT_SCHEMA 2
#define RESULT_NAME_MAX 512
#define RESULT_VIRTUAL_NOTE "virtual, modelled: not a measurement of hardware"

enum result_status {
   RESULT_PASS,
   RESULT_FAIL,       /* a wrong answer, or the device failed */
   RESULT_SKIP,       /* cannot be measured here */
   RESULT_INVALID,    /* the machine code is not what the figure would be about */
   RESULT_WARN,       /* a pass with a remark, for instance that the kernel and the header differ */
   RESULT_CRASH,      /* the test's process died */
   RESULT_TIMEOUT,    /* the test's process exceeded its time */
   RESULT_HANG,       /* the device did not recover */
   RESULT_INCOMPLETE, /* the run was interrupted during it */
   /* set by expectation files: */
   RESULT_EXPECTED_FAIL,
   RESULT_UNEXPECTED_PASS,
   RESULT_FLAKE,       /* it passed on a second try */
   RESULT_KNOWN_FLAKE, /* it did not pass, as a flaky test may */
   RESULT_STATUS_COUNT
};
extern const char *const result_status_names[RESULT_STATUS_COUNT];
/* Whether this status makes a run fail. */
bool result_status_is_bad(enum result_status status);

enum result_check { RESULT_CHECK_NONE, RESULT_CHECK_PASS, RESULT_CHECK_FAIL };

/* Energy of one whole dispatch, above idle (agx_runner/power/energy.h). */
struct result_energy {
   char rail[64]; /* "": not measured */
   double joules; /* NAN: the GPU was busy for too small a part of the time */
   double idle_w, busy_w;
   double operations; /* of a dispatch */
   /* number and total time of the dispatches during which the busy power was read; fraction of that time in which the
    * GPU was busy */
   double dispatches, seconds, busy_part;
   unsigned readings; /* readings of the busy power */
};
#define RESULT_ENERGY_INTERVAL_MS 100u /* between two readings */

/* The times from which a sample's cost was computed, in ns of the device. */
enum result_time {
   RESULT_TIME_SHORTER,   /* the program with n repetitions, or the only one */
   RESULT_TIME_LONGER,    /* the program with 2n repetitions */
   RESULT_TIME_CONTROL,   /* of raw latencies */
   RESULT_TIME_REFERENCE, /* result_run.ffma_cycles each: from which the clock is inferred */
   RESULT_TIME_COUNT
};
extern const char *const result_time_names[RESULT_TIME_COUNT];
/* A figure of other code than that of a row's name. */
struct result_figure {
   double value, low, high; /* value NAN: none */
   double *samples;
   size_t sample_count;
};

struct result {
   char name[RESULT_NAME_MAX]; /* group/instruction/metric, or a mix as it was given */
   enum result_status status;
   char reason[240]; /* "" for a pass */
   char unit[16];    /* "cycles", "Gop/s", "GB/s" */

   /* For a pass: the median, its 95 % interval, and the samples. */
   double value, low, high;
   /* the part of the interval's half width that comes from the steps of the timestamps; 0: none */
   double resolution;
   /* For "invalid": the figure of the actual machine code, whose answer was right. Only comparisons show it. */
   struct result_figure other_code;
   bool lower_bound; /* the value is a lower bound: more was not tried */
   double *samples;
   size_t sample_count;
   double *times;               /* RESULT_TIME_COUNT of each sample; 0: not timed. NULL: not kept */
   double reference_operations; /* FFMAs of a scheduler in the reference's time; 0: no clock was inferred */
   char clock_states[128];      /* "984 MHz (5 samples), 1278 MHz (4)": clock_states_name() */
   unsigned discarded;          /* discarded samples, within which the clock changed */

   char finding[384]; /* a line about the answer besides the figure (struct benchmark's finding); "": none */

   double reference;            /* NAN: none */
   char reference_qualifier[3]; /* "<", "<=", ">=", "~" or "" */
   char reference_source[128];
   enum reference_likeness likeness; /* of the reference's code */

   char instruction[32]; /* "": no code was checked */
   /* "2 imadd, bitop": the instructions of each operation, if it is not that instruction alone; or "" */
   char sequence[320];
   unsigned expected, found;
   enum result_check check; /* of the answer */
   unsigned occupancy;      /* simdgroups a core; 0: not reached */
   /* clock that turned time into cycles, the samples' median; 0: none needed or known */
   uint64_t clock_hz;
   uint64_t operating_point_hz; /* the nearest operating point; 0: the device's operating points are not known */
   uint64_t program_hash;       /* 0: no program */
   uint64_t source_hash;        /* of the kernel's source files; 0: none, as of a mix */
   struct program_stats program;
   struct result_energy energy;
   double seconds;   /* of wall-clock time that the test took; NAN: not run in a process of its own */
   char *file;       /* file that contains the test; NULL: none */
   char *output;     /* stored output of the test; NULL: none */
   char *kernel_log; /* lines of the kernel log during the test, if it failed on hardware; NULL: none */
};

struct result_run {
   struct asahi_device_info device;
   char agx_runner[32]; /* version */
   char program[512];   /* its path, for commands that show a difference; "": not known */
   char commit[48];     /* agx-runner's, "+changes" behind it when files differ from it; "unknown" outside a checkout */
   char compiler[512];  /* path of the agx-compile; "": none, or the program contains its compiler */
   char mesa[64];       /* version */
   char mesa_commit[48];
   char mesa_name[256];  /* the Mesa whose drivers compiled, as --mesa takes it; "": the linked one compiled */
   char mesa_debug[160]; /* AGX_MESA_DEBUG, which changes the code that the compiler makes; "" */
   char kernel[160], host[72], time[32];
   char *command_line;
   uint64_t seed;
   double ffma_cycles; /* cycles of one FFMA, from which clocks are inferred */
   struct result *results;
   size_t count;
};

/* Fills in everything except the results. Returns false when out of memory. */
bool result_run_init(struct result_run *run, const struct asahi_device_info *device, const char *command_line,
                     uint64_t seed);
/* For a run whose programs another Mesa's driver compiles: its name, as --mesa takes it, and its version. */
void result_run_set_mesa(struct result_run *run, const char *name, const char *version);
/* Cycles that a scheduler takes for one FFMA, with four chains a simdgroup and many simdgroups
 * (results/reference/ilp_occupancy.csv: FFMA, ILP 4, 88 simdgroups a core). Published through Metal. */
#define RESULT_FFMA_CYCLES 1.02
void result_run_finish(struct result_run *run);
/* Initializes an empty result without figures. */
void result_init(struct result *result, const char *name);
void result_finish(struct result *result);
/* Makes a copy with its own samples and texts; when out of memory, some are left out. */
void result_copy(const struct result *from, struct result *to);
/* A new result, or NULL: out of memory. Valid until the next call. */
struct result *result_add(struct result_run *run, const char *name);
/* Sets status and reason. A figure is shown for a pass only. */
__attribute__((format(printf, 3, 4))) void result_set(struct result *result, enum result_status status,
                                                      const char *format, ...);
/* Moves a figure of other machine code than the row is about to other_code. */
void result_withhold(struct result *result);
size_t result_count_status(const struct result_run *run, enum result_status status);

/* Renderers: 0, or -ENOMEM. Errors of `file` are the caller's to look for. */
void result_write_text(const struct result_run *run, bool colour, FILE *file);
int result_write_json(const struct result_run *run, FILE *file);
int result_write_csv(const struct result_run *run, FILE *file);
int result_write_csv_samples(const struct result_run *run, FILE *file);
int result_write_junit(const struct result_run *run, FILE *file);
int result_write_tap(const struct result_run *run, FILE *file);
int result_write_markdown(const struct result_run *run, FILE *file);

/* Returns one result as one line of JSON, without the newline: the format of worker processes and journals. free()
 * releases it; NULL: out of memory. */
char *result_to_line(const struct result *result);

/* Parses it; unknown keys are ignored. Returns 0; -EINVAL: message tells what is wrong; -ENOMEM. On success
 * result_finish(), result_run_finish() must follow. */
int result_from_line(const char *line, struct result *result, char *message, size_t message_size);
/* Parses what result_write_json() writes; text[size] must be 0. */
int result_run_parse(const char *text, size_t size, struct result_run *run, char *message, size_t message_size);
/* Reads a file of result_write_json(). Also returns -ENOENT and the like: the file cannot be read. */
int result_run_load(const char *path, struct result_run *run, char *message, size_t message_size);

/* What a figure of a virtual device is worth: where a machine's figure would lie by the errors that the timing model
 * has in published figures of its kind (agx_runner/bands/bands.h). A figure of hardware has none, and neither has one
 * of a kind of which nothing is published. */
struct result_band {
   const struct error_band *errors;
   double low, high; /* in the figure's unit; high INFINITY: the model may be too slow by any factor */
};

/* Returns false if the result has none. */
bool result_band(const struct result_run *run, const struct result *result, struct result_band *band);
/* Writes "92.5 to 418 cycles". */
#define RESULT_BAND_TEXT 96
void result_band_text(const struct result *result, const struct result_band *band, char text[RESULT_BAND_TEXT]);
/* Prints the bands of all results, by kind. */
void result_print_bands(const struct result_run *run, FILE *file);

#endif
