/* SPDX-License-Identifier: MIT
 *
 * The steps of a survey: a table in order of risk (steps.c). A step answers one question. It runs in a process of its
 * own and writes a sheet.
 */
#ifndef AGX_RUNNER_STEP_H
#define AGX_RUNNER_STEP_H

#include "agx_runner/measure/session.h"
#include "agx_runner/survey/sheet.h"

enum survey_risk {
   SURVEY_SAFE,
   SURVEY_TRIED_ON_G13, /* others have done it on G13 (M1 family); on other chips it counts as SURVEY_MAY_FAULT */
   /* may end in a GPU fault and a firmware recovery, which destroys the work of other clients */
   SURVEY_MAY_FAULT,
};

struct survey_step {
   const char *name;
   const char *question;
   enum survey_risk risk;
   double limit; /* seconds of child_seconds(); what has been measured by then is kept */
   /* Either a function, which returns 0, or a negative errno with asahi_device_error(); */
   int (*measure)(struct session *session, struct sheet *sheet);
   /* or arguments of `agx-runner run`, separated by spaces; */
   const char *patterns;
   /* or the benchmarks of survey_parameters. */
   bool parameters;
};

extern const struct survey_step survey_steps[];
extern const size_t survey_step_count;

/* Whether the step may fault on a chip of that generation (13, 14). */
bool survey_step_may_fault(const struct survey_step *step, uint32_t generation);

/* steps_time.c */
int survey_timestamps(struct session *session, struct sheet *sheet);
int survey_slope(struct session *session, struct sheet *sheet);
int survey_overheads(struct session *session, struct sheet *sheet);
int survey_ramp(struct session *session, struct sheet *sheet);
/* steps_launch.c */
int survey_copy(struct session *session, struct sheet *sheet);
int survey_stream(struct session *session, struct sheet *sheet);
int survey_launches(struct session *session, struct sheet *sheet);
int survey_commands(struct session *session, struct sheet *sheet);
int survey_barriers(struct session *session, struct sheet *sheet);
int survey_texture(struct session *session, struct sheet *sheet);
int survey_dependent(struct session *session, struct sheet *sheet);
int survey_limits(struct session *session, struct sheet *sheet);
int survey_scratch(struct session *session, struct sheet *sheet);
int survey_atomic_bit(struct session *session, struct sheet *sheet);
/* steps_programs.c */
int survey_programs(struct session *session, struct sheet *sheet);
/* steps_ffma.c */
int survey_ffma(struct session *session, struct sheet *sheet);
/* steps_facts.c */
int survey_facts(struct session *session, struct sheet *sheet);

#endif
