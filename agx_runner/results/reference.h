/* SPDX-License-Identifier: MIT
 *
 * The published figures of results/reference/instr.csv, calibration.csv and
 * mixed_a.csv, built in (reference.py makes the tables).
 */
#ifndef AGX_RUNNER_REFERENCE_H
#define AGX_RUNNER_REFERENCE_H

#include <stdbool.h>

/* NAN: the source has none. */
struct reference {
   const char *name;                                   /* NAN: the source has none. */
   double throughput;                                  /* cycles */
   double latency;                                     /* the source's adjusted latency, cycles */
   char throughput_qualifier[3], latency_qualifier[3]; /* "<", "<=", ">=", "~" or "" */
   /* It includes the control kernel's time, divided by this number of repetitions. The source prints two figures; this
    * is the second one, measured with four simdgroups a core, which the source calls more accurate. */
   double raw_latency;
   unsigned repetitions;
   bool sequence;       /* it consists of several instructions of Apple's compiler */
   const char *made_of; /* those instructions, as the source lists them; NULL: it does not, or there is only one */
};

extern const struct reference reference_table[];
extern const unsigned reference_count;
#define REFERENCE_SOURCE "philipturner/metal-benchmarks, README of 2024-09-22, M1 Max through Metal"

/* Returns the row of that name, or NULL. */
const struct reference *reference_find(const char *name);

/* How a row's code is related to the measured code. */
enum reference_likeness {
   REFERENCE_SAME_INSTRUCTION, /* both are about the one instruction */
   REFERENCE_SAME_SEQUENCE,    /* both are about the instructions that the source lists */
   REFERENCE_OTHER_SEQUENCE,   /* the same operation by other instructions: the figures need not agree */
   REFERENCE_UNKNOWN_SEQUENCE, /* the source does not tell the instructions of its sequence */
   REFERENCE_LIKENESS_COUNT
};
extern const char *const reference_likeness_names[REFERENCE_LIKENESS_COUNT];

/* `sequence`: the measured code has several instructions for an operation; `listed`: they are those that the source
 * lists. */
enum reference_likeness reference_likeness(const struct reference *reference, bool sequence, bool listed);
/* Whether the two figures may be compared. */
static inline bool reference_is_alike(enum reference_likeness likeness)
{
   return likeness <= REFERENCE_SAME_SEQUENCE;
}

/* The source's control kernel, a loop without operations: its time in cycles, divided by a number of repetitions. */
struct reference_control {
   unsigned bits, repetitions;
   double cycles;
   char qualifier[3];
};

extern const struct reference_control reference_controls[];
extern const unsigned reference_control_count;
/* NULL: none of these. */
const struct reference_control *reference_control_find(unsigned bits, unsigned repetitions);

/* A mixed sequence of mixed_a.csv. */
struct reference_mix {
   const char *text;     /* as for run --mix */
   const char *sequence; /* the source's name */
   double cycles;
};

extern const struct reference_mix reference_mixes[];
extern const unsigned reference_mix_count;

#endif
