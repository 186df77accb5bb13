/* SPDX-License-Identifier: MIT
 *
 * Explains where the modelled time of one launch went, and what would make it faster. All figures are those of the
 * model, for the core that takes longest.
 */
#ifndef AGX_RUNNER_EXPLAIN_H
#define AGX_RUNNER_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "agx_runner/program/program_settings.h"
#include "agx_runner/schedule/schedule.h"
#include "agx_runner/terminal/format.h"
#include "agx_runner/terminal/values.h"
#include "compiler/api/compiler.h"
#include "drm/asahi.h"
#include "isa/program.h"
#include "vgpu/profile.h"

/* A cause of lost time. Each gain is the difference to the same work, simulated with one change. */
#define EXPLAIN_BASIS_SIZE 400
struct explain_finding {
   char name[48];   /* "dependency chain" */
   double gain;     /* fraction of the time that is saved, 0 to 1 */
   bool at_most;    /* the simulated change is not possible as a whole: the gain is an upper bound */
   bool per_thread; /* relative to the time for each thread, because the change is in the number of threads */
   double rank;     /* position among the findings */
   char advice[480];
   /* what its gain rests on: "published", "assumed", "measured" or "counted"; and a sentence about it */
   const char *basis;
   char basis_text[EXPLAIN_BASIS_SIZE];
};
/* what-ifs, parts, and the attribute reqd_work_group_size */
#define EXPLAIN_FINDINGS (VGPU_WHAT_IFS + VGPU_PROFILE_PARTS + 1)
#define EXPLAIN_SHOWN 3

struct explain {
   const struct agx_program *program;
   uint32_t group_threads; /* threads of a threadgroup */
   const char *device;     /* name in the header */
   const char *source;     /* the kernel's file, for the HTML page; NULL: none */
   struct vgpu_profile_sum sum;
   struct vgpu_profile_row *rows;
   size_t count;
   struct vgpu_profile_event *events; /* in the order of issue; only the first ones if there were too many */
   size_t event_count;
   uint64_t events_dropped;
   struct explain_part {
      const char *name;            /* name of the operation */
      const struct agx_line *line; /* the first line that has it */
      unsigned lines;              /* number of lines that have it */
   } parts[VGPU_PROFILE_PARTS];    /* operations of the source that were simulated as left out */
   bool only_recorded;             /* no what-if was simulated */
   /* time of the launch if its kernel had the attribute reqd_work_group_size, relative to its time now, with the same
    * caches; 0: not tried */
   double attribute_time;
   uint64_t attribute_registers; /* its half registers in that case */
   bool attribute_spills;        /* whether it still spills in that case */
   /* the findings with a gain, the one to act on first comes first */
   struct explain_finding findings[EXPLAIN_FINDINGS];
   unsigned finding_count;
   /* The result of --schedule. If the search found nothing, both times are equal. */
   char *better;             /* the better order as text; "": none was found; NULL: not searched; owned */
   double time, better_time; /* of the launch in its own order and in the better one, ns */
};

/* Plans what a profile of this program measures: each operation that the compiler expands to several instructions is a
 * part. explain_plan_finish() must follow, after the last launch. An enum exit_code. */
struct explain_plan {
   struct vgpu_profile_plan plan;
   struct explain_part parts[VGPU_PROFILE_PARTS];
   const struct agx_line *last[VGPU_PROFILE_PARTS]; /* the highest line of each part so far */
   struct vgpu_profile_range *ranges;               /* owned */
};
int explain_plan_init(struct explain_plan *plan, const struct agx_program *program, bool record_only);
void explain_plan_finish(struct explain_plan *plan);

/* Reads the profile of the device's last launch, which must be one of this program with threadgroups of `group_threads`
 * threads. Prints messages; returns an enum exit_code. explain_finish() must follow. */
int explain_read(struct asahi_device *device, const struct agx_program *program, const struct explain_plan *plan,
                 uint32_t group_threads, struct explain *explain);
/* Fills in what a finding rests on. what: an enum vgpu_what_if; VGPU_WHAT_IFS: a costly operation, or the attribute
 * reqd_work_group_size. */
void explain_find_basis(const struct explain *explain, unsigned what, struct explain_finding *finding);
/* The kind of figure that the time of the launch is, for error_band_text(). */
const char *explain_band(const struct explain *explain);
/* Computes the findings (explain_findings.c) when all simulations are done. */
void explain_find(struct explain *explain);
/* size of "at most 12.3 % less time" or "87.0 % less time for each thread" */
#define EXPLAIN_GAIN_SIZE 64
void explain_gain(const struct explain_finding *finding, char *text, size_t size);
/* Returns the ticks of the launch: those of the core that takes longest, or of serialized atomics. */
uint64_t explain_ticks(const struct explain *explain);
void explain_finish(struct explain *explain);
/* Writes text, JSON or a page to `path` (NULL: stdout). `timeline`: simdgroups of the timeline; 0: none in the text,
 * and EXPLAIN_PAGE_SIMDS of them in the page. Returns an enum exit_code. */
#define EXPLAIN_PAGE_SIMDS 4
int explain_write(const struct explain *explain, enum output_format format, unsigned timeline, const char *path);

/* A pass of one simdgroup through the hottest block, and what its scheduler does meanwhile. The caller sets
 * simd_most. */
#define EXPLAIN_WINDOW_SIMDS 32
struct explain_window {
   uint64_t start, end;                             /* addresses of the block */
   uint32_t simd, scheduler;                        /* the simdgroup of the pass, and its scheduler */
   uint64_t from, until;                            /* ticks */
   uint32_t simds[EXPLAIN_WINDOW_SIMDS], simd_most; /* simdgroups that are shown */
   unsigned simd_count;
};
/* Returns 1; 0: the recorded events contain no pass; -ENOMEM. */
int explain_window_find(const struct explain *explain, struct explain_window *window);
/* Returns the index of the event's simdgroup among those that are shown, in the order of their appearance; -1: the
 * window does not show the event. */
int explain_window_lane(struct explain_window *window, const struct vgpu_profile_event *event);

/* Appends to the explanation how `simds` simdgroups of one scheduler pass through the hottest block, cycle by cycle. */
int explain_timeline(const struct explain *explain, unsigned simds, FILE *file);
/* Writes all events in Chrome's trace format, which Perfetto reads. Returns an enum exit_code. */
int explain_trace(const struct explain *explain, const char *path);

/* Searches better orders for the hot blocks, with the simdgroups of the launch (agx_runner/schedule/schedule.h) and
 * this level (enum vgpu_memory_level) serving device memory. Returns an enum exit_code; schedule_finish() must follow
 * in any case. */
int explain_schedule(const struct explain *explain, unsigned level, struct schedule *schedule);
/* Writes the program as .agx. Returns an enum exit_code. */
int explain_schedule_write(const struct agx_program *program, const char *path);

/* Settings to rank kernels without a launch. */
struct explain_rank_settings {
   const struct string_list *paths; /* files and folders */
   const struct program_settings *program;
   const struct compiler_options *compiler;
   const char *baseline; /* file with the JSON of another ranking; NULL: none */
};
/* Ranks the kernels by what the order of their instructions loses. An enum exit_code: EXIT_FAILED also when they take
 * longer than in the baseline. */
int explain_rank(const struct explain_rank_settings *settings, enum output_format format, const char *path);

/* Settings to explain kernels without a launch, with loop counts that the user gives. */
#define EXPLAIN_TRIPS 8
struct explain_static_settings {
   const struct string_list *paths; /* files and folders */
   const struct program_settings *program;
   const struct compiler_options *compiler;
   /* iterations of the outer loop and of the loops within it; the last one applies to deeper loops */
   uint32_t trips[EXPLAIN_TRIPS];
   unsigned trip_count;
};
/* Prints bounds and cycles of each kernel. An enum exit_code. */
int explain_static(const struct explain_static_settings *settings, enum output_format format, const char *path);

/* The output formats (explain_text.c, explain_json.c, explain_html.c). Each returns an enum exit_code. */
int explain_text(const struct explain *explain, FILE *file);
int explain_json(const struct explain *explain, FILE *file);
int explain_html(const struct explain *explain, unsigned simds, FILE *file);
extern const char explain_style[];

extern const char *const explain_stall_names[VGPU_STALLS];
extern const char *const explain_pipe_names[VGPU_PROFILE_PIPES];
extern const char *const explain_level_names[VGPU_PROFILE_LEVELS];
extern const char *const explain_limit_names[VGPU_LIMIT_GRID + 1];
/* Returns the fraction of the time for which a pipe or a way to memory is busy, 0 to 1. */
double explain_pipe_use(const struct explain *explain, unsigned pipe);
double explain_level_use(const struct explain *explain, unsigned level);
/* Returns the fraction of lanes that are active when an instruction issues, 0 to 1. */
double explain_lanes(const struct explain *explain);
/* Returns the ticks of all simdgroups that are charged to the row. */
uint64_t explain_row_time(const struct vgpu_profile_row *row);
/* Writes the row's instruction as text; "?" if the address is not in the program. */
void explain_instruction(const struct explain *explain, uint64_t address, char *text, size_t size);

/* ---- Source lines, where the program has them (agx_program.lines) ---- */

/* Returns the line of the instruction at that address of the main program; NULL: it is not known. */
const struct agx_line *explain_line(const struct explain *explain, uint64_t address);
/* Whether the line is one of the kernel's file, not of an included file. */
bool explain_line_is_own(const struct explain *explain, const struct agx_line *line);
/* size of "12"; "~12": inferred; "util.h:12": of an included file; "": not known */
#define EXPLAIN_LINE_SIZE 48
void explain_line_text(const struct explain *explain, uint64_t address, char *text, size_t size);

/* The kernel's file with the time of each line. */
struct explain_source {
   char *text;
   struct explain_source_line {
      const char *text;
      uint64_t time, inferred; /* ticks of simdgroups: all, and those of instructions whose line is inferred */
   } * lines;
   size_t count;
};
/* Returns false if the source is not text, is too long, or cannot be read. explain_source_finish() is needed after true
 * only. */
bool explain_read_source(const struct explain *explain, struct explain_source *source);
void explain_source_finish(struct explain_source *source);
/* Returns "~" if most of the line's time belongs to instructions whose line is inferred. */
const char *explain_line_mark(const struct explain_source_line *line);

/* ---- Blocks ---- */

struct blocks; /* agx_runner/program/blocks.h */
struct explain_block {
   uint64_t address, time; /* address relative to the program's start; ticks of simdgroups in all its rows */
   uint32_t first, end;    /* indices of instructions in `blocks` */
   size_t row, row_end;    /* rows of the profile */
};
#define EXPLAIN_COLD 0.01 /* fraction of the time: blocks with less are folded */
/* Returns the executed blocks, the one with the most time first. free() releases them. NULL: out of memory. */
struct explain_block *explain_blocks(const struct explain *explain, const struct blocks *code, size_t *count);

#endif
