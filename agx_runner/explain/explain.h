/* SPDX-License-Identifier: MIT
 *
 * Explains where the modelled time of one launch went, and what would make it faster. All figures are the model's, of
 * the core that takes longest.
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
#include "compiler/compiler.h"
#include "drm/asahi.h"
#include "isa/program.h"
#include "vgpu/profile.h"

/* Something that costs time. Each gain is of the same work, simulated with one thing changed. */
struct explain_finding {
   char name[48];   /* "dependency chain" */
   double gain;     /* the part of the time that is saved, 0 to 1 */
   bool at_most;    /* what was left out cannot be left out as a whole: the gain is a bound */
   bool per_thread; /* of the time for each thread: the change is one of the number of threads */
   double rank;     /* the findings are in its order */
   char advice[480];
};
/* What-ifs, parts, and the attribute reqd_work_group_size. */
#define EXPLAIN_FINDINGS (VGPU_WHAT_IFS + VGPU_PROFILE_PARTS + 1)
#define EXPLAIN_SHOWN 3

struct explain {
   const struct agx_program *program;
   uint32_t group_threads; /* of a threadgroup */
   const char *device;     /* for the header */
   const char *source;     /* the kernel's file, for the page; NULL: none */
   struct vgpu_profile_sum sum;
   struct vgpu_profile_row *rows;
   size_t count;
   struct vgpu_profile_event *events; /* in the order of issue; the first ones only, where many were dropped */
   size_t event_count;
   uint64_t events_dropped;
   struct explain_part {
      const char *name;            /* of the operation */
      const struct agx_line *line; /* the first that it stands in */
      unsigned lines;              /* how many */
   } parts[VGPU_PROFILE_PARTS];    /* operations of the source that were simulated without */
   bool only_recorded;             /* no what-if was simulated */
   double attribute_time; /* of the launch when its kernel has the attribute reqd_work_group_size, in times of what it
                             has now, with the same caches; 0: not tried */
   uint64_t attribute_registers;                      /* half registers then */
   bool attribute_spills;                             /* and whether it still spills */
   struct explain_finding findings[EXPLAIN_FINDINGS]; /* those that gain something, the first to act on first */
   unsigned finding_count;
   /* What --schedule found. A search that found nothing leaves both times equal. */
   char *better;             /* the better order as text; "": none was found; NULL: none was searched; owned */
   double time, better_time; /* of the launch in its own order and in the better one, ns */
};

/* What a profile of this program is to hold: its operations that the compiler makes several instructions of become
 * parts. explain_plan_finish() must follow, after the last launch. An enum exit_code. */
struct explain_plan {
   struct vgpu_profile_plan plan;
   struct explain_part parts[VGPU_PROFILE_PARTS];
   const struct agx_line *last[VGPU_PROFILE_PARTS]; /* the highest line of each so far */
   struct vgpu_profile_range *ranges;               /* owned */
};
int explain_plan_init(struct explain_plan *plan, const struct agx_program *program, bool record_only);
void explain_plan_finish(struct explain_plan *plan);

/* Reads the profile of the device's last launch, which was of this program in threadgroups of so many threads. Messages
 * are printed; an enum exit_code. explain_finish() must follow. */
int explain_read(struct asahi_device *device, const struct agx_program *program, const struct explain_plan *plan,
                 uint32_t group_threads, struct explain *explain);
/* Fills in the findings (explain_findings.c), once all that was simulated is known. */
void explain_find(struct explain *explain);
/* "at most 12.3 % less time", or "87.0 % less time for each thread". */
#define EXPLAIN_GAIN_SIZE 64
void explain_gain(const struct explain_finding *finding, char *text, size_t size);
/* Ticks of the launch: of the core that takes longest, or of the atomics that wait for each other. */
uint64_t explain_ticks(const struct explain *explain);
void explain_finish(struct explain *explain);
/* Text, JSON or a page to `path` (NULL: stdout). `timeline`: simdgroups of the timeline; 0: none in the text, and
 * EXPLAIN_PAGE_SIMDS of them in the page. An enum exit_code. */
#define EXPLAIN_PAGE_SIMDS 4
int explain_write(const struct explain *explain, enum output_format format, unsigned timeline, const char *path);

/* A pass of one simdgroup through the hottest block, and what its scheduler does meanwhile. The caller sets simd_most.
 */
#define EXPLAIN_WINDOW_SIMDS 32
struct explain_window {
   uint64_t start, end;                             /* of the block: addresses */
   uint32_t simd, scheduler;                        /* whose pass it is */
   uint64_t from, until;                            /* ticks */
   uint32_t simds[EXPLAIN_WINDOW_SIMDS], simd_most; /* that are shown */
   unsigned simd_count;
};
/* 1; 0: the events that were kept hold no pass; -ENOMEM. */
int explain_window_find(const struct explain *explain, struct explain_window *window);
/* The place of the event's simdgroup among those that are shown, in the order of their appearance; -1: the window does
 * not show the event. */
int explain_window_lane(struct explain_window *window, const struct vgpu_profile_event *event);

/* Appends to the explanation how N simdgroups of one scheduler pass through the hottest block, cycle by cycle. */
int explain_timeline(const struct explain *explain, unsigned simds, FILE *file);
/* Writes all events in Chrome's trace format, which Perfetto reads. An enum exit_code. */
int explain_trace(const struct explain *explain, const char *path);

/* Searches better orders for the hot blocks, with the simdgroups that the launch had (agx_runner/schedule/schedule.h)
 * and with this level serving device memory (enum vgpu_memory_level). An enum exit_code; schedule_finish() must follow
 * in any case. */
int explain_schedule(const struct explain *explain, unsigned level, struct schedule *schedule);
/* Writes the program as .agx. An enum exit_code. */
int explain_schedule_write(const struct agx_program *program, const char *path);

/* Of kernels without a launch. */
struct explain_rank_settings {
   const struct string_list *paths; /* files and folders */
   const struct program_settings *program;
   const struct compiler_options *compiler;
   const char *baseline; /* JSON of another ranking; NULL: none */
};
/* Ranks the kernels by what the order of their instructions loses. An enum exit_code: EXIT_FAILED also when they take
 * longer than in the baseline. */
int explain_rank(const struct explain_rank_settings *settings, enum output_format format, const char *path);

/* Of kernels without a launch, with loop counts that the user gives. */
#define EXPLAIN_TRIPS 8
struct explain_static_settings {
   const struct string_list *paths; /* files and folders */
   const struct program_settings *program;
   const struct compiler_options *compiler;
   uint32_t trips[EXPLAIN_TRIPS]; /* of the outer loop and those within; the last one serves deeper loops */
   unsigned trip_count;
};
/* Prints bounds and cycles of each kernel. An enum exit_code. */
int explain_static(const struct explain_static_settings *settings, enum output_format format, const char *path);

/* The formats (explain_text.c, explain_json.c, explain_html.c). An enum exit_code. */
int explain_text(const struct explain *explain, FILE *file);
int explain_json(const struct explain *explain, FILE *file);
int explain_html(const struct explain *explain, unsigned simds, FILE *file);
extern const char explain_style[];

extern const char *const explain_stall_names[VGPU_STALLS];
extern const char *const explain_pipe_names[VGPU_PROFILE_PIPES];
extern const char *const explain_level_names[VGPU_PROFILE_LEVELS];
extern const char *const explain_limit_names[VGPU_LIMIT_GRID + 1];
/* The part of the time that a pipe is busy, or a way to memory, 0 to 1. */
double explain_pipe_use(const struct explain *explain, unsigned pipe);
double explain_level_use(const struct explain *explain, unsigned level);
/* The part of lanes that are active when an instruction issues, 0 to 1. */
double explain_lanes(const struct explain *explain);
/* All ticks of simdgroups that the row stands for. */
uint64_t explain_row_time(const struct vgpu_profile_row *row);
/* The row's instruction as text; "?" where the address is not in the program. */
void explain_instruction(const struct explain *explain, uint64_t address, char *text, size_t size);

/* ---- Source lines, where the program has them (agx_program.lines) ---- */

/* The line of the instruction at that address of the main program; NULL: none is known. */
const struct agx_line *explain_line(const struct explain *explain, uint64_t address);
/* Whether the line is one of the kernel's file, not of one that it includes. */
bool explain_line_is_own(const struct explain *explain, const struct agx_line *line);
/* "12"; "~12": inferred; "util.h:12": of an included file; "": none is known. */
#define EXPLAIN_LINE_SIZE 48
void explain_line_text(const struct explain *explain, uint64_t address, char *text, size_t size);

/* The kernel's file with the time of each line. */
struct explain_source {
   char *text;
   struct explain_source_line {
      const char *text;
      uint64_t time, inferred; /* ticks of simdgroups; those of instructions whose line is inferred */
   } * lines;
   size_t count;
};
/* False: the source is no text, too long, or cannot be read. explain_source_finish() is needed after true only. */
bool explain_read_source(const struct explain *explain, struct explain_source *source);
void explain_source_finish(struct explain_source *source);
/* "~" where most of the line's time is that of instructions whose line is inferred. */
const char *explain_line_mark(const struct explain_source_line *line);

/* ---- Blocks ---- */

struct blocks; /* agx_runner/program/blocks.h */
struct explain_block {
   uint64_t address, time; /* from the program's start; of all its rows, ticks of simdgroups */
   uint32_t first, end;    /* instructions of `blocks` */
   size_t row, row_end;    /* of the profile */
};
#define EXPLAIN_COLD 0.01 /* of the time: blocks with less are folded */
/* The blocks that were executed, the one with the most time first. free() frees them. NULL: out of memory. */
struct explain_block *explain_blocks(const struct explain *explain, const struct blocks *code, size_t *count);

#endif
