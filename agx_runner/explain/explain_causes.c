/* SPDX-License-Identifier: MIT
 *
 * The table of causes: the name and the advice of each, the weight of an instruction in it, and the text that describes
 * it. A new what-if of the timing model is a row here.
 */
#include "agx_runner/explain/explain_causes.h"

#include <inttypes.h>
#include <string.h>

#include "util/array.h"
#include "vgpu/timing/timing_params.h"

/* ---- Weights ---- */

static double operand_weight(const struct explain_instruction *instruction)
{
   return (double)instruction->row->stalls[VGPU_STALL_OPERAND];
}

static double memory_weight(const struct explain_instruction *instruction)
{
   return (double)(instruction->row->stalls[VGPU_STALL_MEMORY] + instruction->row->stalls[VGPU_STALL_SLOT]);
}

static double barrier_weight(const struct explain_instruction *instruction)
{
   return (double)instruction->row->stalls[VGPU_STALL_BARRIER];
}

static double fetch_weight(const struct explain_instruction *instruction)
{
   return (double)instruction->row->stalls[VGPU_STALL_FETCH];
}

static double pipe_weight(const struct explain_instruction *instruction, unsigned pipe)
{
   return instruction->cost->pipe == pipe ? (double)instruction->row->executions * instruction->cost->interval : 0;
}

static double complex_weight(const struct explain_instruction *instruction)
{
   return pipe_weight(instruction, VGPU_PIPE_COMPLEX);
}

static double cross_weight(const struct explain_instruction *instruction)
{
   return pipe_weight(instruction, VGPU_PIPE_CROSS);
}

static double local_weight(const struct explain_instruction *instruction)
{
   return pipe_weight(instruction, VGPU_PIPE_LOCAL) > 0
              ? (double)instruction->row->executions + (double)explain_row_time(instruction->row)
              : 0;
}

static double device_weight(const struct explain_instruction *instruction)
{
   return pipe_weight(instruction, VGPU_PIPE_DEVICE);
}

static double wide_weight(const struct explain_instruction *instruction)
{
   return isa_timing_class(instruction->insn) == ISA_TIMING_IADD64 ? (double)instruction->row->executions : 0;
}

static double avoidable_weight(const struct explain_instruction *instruction)
{
   return (double)(instruction->row->repeated + instruction->row->uniform);
}

static double narrow_weight(const struct explain_instruction *instruction)
{
   const bool device = instruction->insn->op == ISA_OP_LOAD || instruction->insn->op == ISA_OP_STORE;

   return device ? (double)instruction->row->executions : 0;
}

static double atomic_weight(const struct explain_instruction *instruction)
{
   const bool atomic = instruction->insn->op == ISA_OP_ATOMIC || instruction->insn->op == ISA_OP_LATOMIC;

   return atomic ? (double)instruction->row->executions : 0;
}

static double stack_weight(const struct explain_instruction *instruction)
{
   const bool stack = instruction->insn->op == ISA_OP_STACK_LOAD || instruction->insn->op == ISA_OP_STACK_STORE;

   return stack ? (double)instruction->row->executions : 0;
}

static double control_weight(const struct explain_instruction *instruction)
{
   return instruction->cost->kind == VGPU_COST_CONTROL ? (double)explain_row_time(instruction->row) : 0;
}

static double lanes_weight(const struct explain_instruction *instruction)
{
   return (double)explain_row_time(instruction->row) * (32 - instruction->row->lanes);
}

/* Calls `use` for each instruction of the profile. */
void explain_each_instruction(const struct explain *explain,
                              void (*use)(void *data, const struct explain_instruction *), void *data)
{
   const struct agx_program *program = explain->program;
   struct isa_insn insn;
   struct vgpu_cost cost;

   for (size_t i = 0; i < explain->count; i++) {
      const struct vgpu_profile_row *row = &explain->rows[i];
      const struct explain_instruction instruction = {row, &insn, &cost};

      if (row->address < program->main_size) {
         isa_decode(program->set, program->code + program->main_offset + row->address,
                    (size_t)(program->main_size - row->address), &insn);
         vgpu_cost_of(&insn, &vgpu_params_default, &cost);
         use(data, &instruction);
      }
   }
}

/* ---- What comes before the advice ---- */

static const struct {
   const char *name;
   enum isa_timing classes[8]; /* ends with ISA_TIMING_OTHER */
} complex_classes[] = {
    {"integer multiplications", {ISA_TIMING_IMUL16, ISA_TIMING_IMUL32, ISA_TIMING_IMUL64, ISA_TIMING_OTHER}},
    {"shifts", {ISA_TIMING_SHIFT, ISA_TIMING_OTHER}},
    {"conversions and roundings", {ISA_TIMING_CONVERT, ISA_TIMING_RINT, ISA_TIMING_OTHER}},
    {"reciprocals", {ISA_TIMING_RCP, ISA_TIMING_OTHER}},
    {"reciprocal square roots", {ISA_TIMING_RSQRT, ISA_TIMING_OTHER}},
    {"sines", {ISA_TIMING_SIN_PT_1, ISA_TIMING_SIN_PT_2, ISA_TIMING_OTHER}},
    {"exponentials and logarithms",
     {ISA_TIMING_EXP2_16, ISA_TIMING_EXP2_32, ISA_TIMING_LOG2_16, ISA_TIMING_LOG2_32, ISA_TIMING_OTHER}},
    {"bit operations",
     {ISA_TIMING_BITREV, ISA_TIMING_POPCOUNT, ISA_TIMING_FFS, ISA_TIMING_INTERLEAVE, ISA_TIMING_OTHER}},
};
#define COMPLEX_CLASSES ARRAY_COUNT(complex_classes)

static void add_class(void *data, const struct explain_instruction *instruction)
{
   double *times = data;
   const enum isa_timing class = isa_timing_class(instruction->insn);

   for (size_t i = 0; i < COMPLEX_CLASSES; i++) {
      for (unsigned k = 0; complex_classes[i].classes[k] != ISA_TIMING_OTHER; k++) {
         times[i] += complex_classes[i].classes[k] == class ? complex_weight(instruction) : 0;
      }
   }
}

static void describe_complex(const struct explain *explain, char *text, size_t size)
{
   double times[COMPLEX_CLASSES] = {0}, all = 0;
   size_t most = 0;

   explain_each_instruction(explain, add_class, times);
   for (size_t i = 0; i < COMPLEX_CLASSES; i++) {
      all += times[i];
      most = times[i] > times[most] ? i : most;
   }
   if (all > 0) {
      snprintf(text, size, "%.0f %% of the pipe's time are %s. ", 100 * times[most] / all, complex_classes[most].name);
   }
}

/* Describes the instruction with the longest wait. */
static void describe_operand(const struct explain *explain, char *text, size_t size)
{
   const struct vgpu_profile_row *most = NULL;
   char of[160];

   for (size_t i = 0; i < explain->count; i++) {
      const struct vgpu_profile_row *row = &explain->rows[i];

      most =
          row->source_time > 0 && (most == NULL || row->stalls[VGPU_STALL_OPERAND] > most->stalls[VGPU_STALL_OPERAND])
              ? row
              : most;
   }
   if (most != NULL && most->stalls[VGPU_STALL_OPERAND] > 0) {
      explain_instruction(explain, most->source, of, sizeof(of));
      of[strcspn(of, " ")] = '\0';
      snprintf(text, size, "The longest wait is for the result of %s at %04" PRIx64 ". ", of, most->source);
   }
}

static void describe_occupancy(const struct explain *explain, char *text, size_t size)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   const unsigned long long now = sum->room * sum->group_simds, then = sum->next_room * sum->group_simds;

   if (sum->limit == VGPU_LIMIT_REGISTERS) {
      snprintf(text, size, "With %llu half registers instead of %llu a core would hold %llu simdgroups instead of %llu",
               (unsigned long long)sum->next_half_registers, (unsigned long long)sum->half_registers, then, now);
   } else {
      snprintf(text, size, "With less threadgroup memory a core would hold %llu simdgroups instead of %llu", then, now);
   }
}

/* Describes the largest loop that does not fit the instruction cache, or all code. */
static void describe_fetch(const struct explain *explain, char *text, size_t size)
{
   const struct agx_program *program = explain->program;
   const double cache = (double)explain->sum.code_cache_bytes / 1024;
   uint64_t loop = 0, start = 0;
   struct isa_insn insn;

   for (size_t i = 0; i < explain->count; i++) {
      const uint64_t address = explain->rows[i].address;

      if (address >= program->main_size) {
         continue;
      }
      isa_decode(program->set, program->code + program->main_offset + address, (size_t)(program->main_size - address),
                 &insn);
      const int64_t target = isa_flow(&insn) == ISA_FLOW_JUMP ? insn.mod[ISA_MOD_TARGET] : 0;
      /* the innermost loop: an outer loop contains it */
      if (target < 0 && (uint64_t)-target <= address &&
          (uint64_t)-target + insn.length > explain->sum.code_cache_bytes && (loop == 0 || (uint64_t)-target < loop)) {
         loop = (uint64_t)-target + insn.length;
         start = address - (uint64_t)-target;
      }
   }
   if (loop > 0) {
      snprintf(text, size, "The loop at %04" PRIx64 " has %.1f KB of code, the cache holds %.0f KB", start,
               (double)loop / 1024, cache);
   } else {
      snprintf(text, size, "The code that runs has %.1f KB, the cache holds %.0f KB",
               (double)explain->sum.code_bytes / 1024, cache);
   }
}

static void describe_spills(const struct explain *explain, char *text, size_t size)
{
   if (explain->program->workgroup_size[0] == 0 && explain->group_threads < EXPLAIN_DEFAULT_THREADS) {
      snprintf(text, size,
               "The kernel has no reqd_work_group_size, so that the compiler leaves registers for threadgroups of %d "
               "threads. ",
               EXPLAIN_DEFAULT_THREADS);
   }
}

static void describe_arrays(const struct explain *explain, char *text, size_t size)
{
   if (explain->program->array_bytes > 0) {
      snprintf(text, size, "Private arrays take %" PRIu32 " bytes of each thread's stack memory. ",
               explain->program->array_bytes);
   }
}

static void describe_full(const struct explain *explain, char *text, size_t size)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   const uint64_t full = sum->cores * sum->room;
   int used = 0;

   if (sum->busy_cores < sum->cores) {
      used = snprintf(text, size, "%" PRIu64 " of %" PRIu64 " cores have no threadgroup. ",
                      sum->cores - sum->busy_cores, sum->cores);
   }
   if (used >= 0 && (size_t)used < size) {
      const double ticks = (double)sum->what_if[VGPU_WHAT_IF_FULL] * (double)full / (double)sum->launch_groups;

      snprintf(text + used, size - (size_t)used,
               "%" PRIu64 " of the %" PRIu64
               " threadgroups that all cores hold at a time: that many would take %.0f cycles instead of %.0f",
               sum->launch_groups, full, ticks / VGPU_PROFILE_TICKS,
               (double)explain_ticks(explain) / VGPU_PROFILE_TICKS);
   }
}

static void describe_tail(const struct explain *explain, char *text, size_t size)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   const uint64_t full = sum->cores * sum->room;

   snprintf(text, size,
            "All cores hold %" PRIu64 " threadgroups at a time: behind %" PRIu64 " whole rounds, the last %" PRIu64
            " leave cores without work",
            full, sum->launch_groups / full, sum->launch_groups % full);
}

static void describe_even(const struct explain *explain, char *text, size_t size)
{
   const struct vgpu_profile_sum *sum = &explain->sum;

   snprintf(text, size,
            "Threadgroup %" PRIu64
            " executes %.1f times as many instructions as the usual one, and the others end before it",
            sum->longest_group, (double)sum->longest / (double)(sum->usual > 0 ? sum->usual : 1));
}

static void describe_filled(const struct explain *explain, char *text, size_t size)
{
   snprintf(text, size, "Threadgroups of %" PRIu32 " threads leave %.0f %% of their simdgroups' lanes empty. ",
            explain->group_threads,
            100 * (1 - (double)explain->group_threads / (32 * (double)explain->sum.group_simds)));
}

/* ---- The table ---- */

const struct explain_cause explain_causes[VGPU_WHAT_IFS] = {
    [VGPU_WHAT_IF_OPERAND] = {"dependency chain",
                              "interleave independent work, which Mesa may have put one after the other (see "
                              "--schedule): simulated with results that are ready at once",
                              .at_most = true, .weight = operand_weight, .describe = describe_operand},
    [VGPU_WHAT_IF_COMPLEX] = {"complex pipe", "replace them by cheaper operations: simulated without them",
                              .at_most = true, .before = EXPLAIN_BIT(OPERAND), .worth = 0.25, .weight = complex_weight,
                              .describe = describe_complex},
    [VGPU_WHAT_IF_CROSS] =
        {"cross-lane operations",
         "use fewer shuffles and reductions, as one reduction for several of them: simulated without them",
         .at_most = true, .before = EXPLAIN_BIT(OPERAND), .worth = 0.25, .weight = cross_weight},
    [VGPU_WHAT_IF_WIDE] = {"64-bit integers",
                           "add 32-bit integers where values fit: simulated without 64-bit additions", .at_most = true,
                           .before = EXPLAIN_BIT(OPERAND), .worth = 0.25, .weight = wide_weight},
    [VGPU_WHAT_IF_BANKS] = {"bank conflicts",
                            "pad or swizzle the arrays in threadgroup memory: simulated without conflicts",
                            .at_most = true, .weight = local_weight},
    [VGPU_WHAT_IF_LATENCY] =
        {"memory latency", "start loads earlier, or read what is in the L1: simulated with an L1 hit for each access",
         .at_most = true, .weight = memory_weight},
    [VGPU_WHAT_IF_BANDWIDTH] =
        {"memory bandwidth",
         "move half as many bytes, by narrower types, smaller strides or reuse: simulated with half "
         "the size and half the address of each access",
         .weight = device_weight},
    [VGPU_WHAT_IF_SECTORS] = {"scattered accesses",
                              "let neighbouring lanes access neighbouring addresses: simulated with as few sectors as "
                              "the lanes' bytes fill",
                              .at_most = true, .before = EXPLAIN_BIT(BANDWIDTH) | EXPLAIN_BIT(LATENCY), .worth = 0.25,
                              .weight = device_weight},
    [VGPU_WHAT_IF_LOADS] =
        {"repeated accesses",
         "keep in a variable what was just loaded or stored, and load once what all lanes read: simulated "
         "without such accesses",
         .at_most = true, .before = EXPLAIN_WAITING | EXPLAIN_BIT(BANDWIDTH), .worth = 0.25,
         .weight = avoidable_weight},
    [VGPU_WHAT_IF_NARROW] =
        {"small accesses",
         "load and store vectors instead of 8 or 16 bits (uchar16, vload16): simulated with as many "
         "accesses as there would be of 16 bytes",
         .at_most = true, .before = EXPLAIN_WAITING, .worth = 0.25, .weight = narrow_weight},
    [VGPU_WHAT_IF_ATOMICS] =
        {"atomics on one address",
         "add up in a register, a simdgroup or a threadgroup first: simulated with atomics that do not "
         "wait for each other",
         .at_most = true, .weight = atomic_weight},
    [VGPU_WHAT_IF_SPILLS] = {"spilled registers",
                             "use fewer registers at a time: simulated without loads and stores of spilled registers",
                             .at_most = true,
                             .before = EXPLAIN_WAITING | EXPLAIN_BIT(BANDWIDTH) | EXPLAIN_BIT(SECTORS) |
                                       EXPLAIN_BIT(OCCUPANCY),
                             .worth = 0.1, .weight = stack_weight, .describe = describe_spills},
    [VGPU_WHAT_IF_ARRAYS] =
        {"private array",
         "make it smaller than 256 bytes, index it by constants, or put it into threadgroup memory: "
         "simulated without its loads and stores",
         .at_most = true,
         .before = EXPLAIN_WAITING | EXPLAIN_BIT(BANDWIDTH) | EXPLAIN_BIT(SECTORS) | EXPLAIN_BIT(OCCUPANCY),
         .worth = 0.1, .weight = stack_weight, .describe = describe_arrays},
    [VGPU_WHAT_IF_FETCH] = {"instruction fetch",
                            ": unroll less, or split the loop: simulated with all code in the cache", .at_most = true,
                            .before = EXPLAIN_WAITING | EXPLAIN_BIT(FULL) | EXPLAIN_BIT(OCCUPANCY), .worth = 0.05,
                            .weight = fetch_weight, .describe = describe_fetch},
    [VGPU_WHAT_IF_LOOPS] =
        {"loop turns",
         "unroll the innermost loops four times: simulated without a jump, a condition or an addition that "
         "only count turns in three of four turns, and with the code that this adds",
         .weight = control_weight},
    [VGPU_WHAT_IF_BRANCHES] = {"branches",
                               "replace short branches by selections: simulated with jumps forward and conditions "
                               "without latency; what the other side of a branch then takes is not in it",
                               .at_most = true, .weight = control_weight},
    [VGPU_WHAT_IF_BARRIER] = {"barriers", "use fewer barriers or smaller threadgroups: simulated without them",
                              .at_most = true, .weight = barrier_weight},
    [VGPU_WHAT_IF_OCCUPANCY] = {"occupancy", "",
                                .before = EXPLAIN_WAITING | EXPLAIN_BIT(LOADS) | EXPLAIN_BIT(NARROW) |
                                          EXPLAIN_BIT(COMPLEX) | EXPLAIN_BIT(CROSS) | EXPLAIN_BIT(SECTORS),
                                .worth = 0.05, .describe = describe_occupancy},
    [VGPU_WHAT_IF_LANES] =
        {"inactive lanes",
         "let the lanes of a simdgroup take the same way: simulated with each instruction as often as its "
         "active lanes would fill simdgroups",
         .at_most = true,
         .before = EXPLAIN_BIT(OPERAND) | EXPLAIN_BIT(LOOPS) | EXPLAIN_BIT(BRANCHES) | EXPLAIN_BIT(COMPLEX),
         .worth = 0.25, .weight = lanes_weight},
    [VGPU_WHAT_IF_FILLED] = {"partial simdgroups",
                             "make threadgroups of a multiple of 32 threads: simulated with as many threads in whole "
                             "simdgroups",
                             .at_most = true, .before = EXPLAIN_WAITING | EXPLAIN_BIT(LANES), .worth = 0.1,
                             .describe = describe_filled},
    [VGPU_WHAT_IF_FULL] = {"too few threadgroups",
                           ": launch more threads, or give each thread less work and make threadgroups smaller",
                           .per_thread = true, .before = EXPLAIN_WAITING | EXPLAIN_BIT(OCCUPANCY) | EXPLAIN_BIT(FILLED),
                           .worth = 0.25, .describe = describe_full},
    [VGPU_WHAT_IF_TAIL] =
        {"tail", ": launch a multiple of that, or smaller threadgroups: simulated with the whole rounds alone",
         .per_thread = true, .before = ~0u, .worth = 0.2, .describe = describe_tail},
    [VGPU_WHAT_IF_EVEN] =
        {"uneven threadgroups",
         ": divide the work equally: simulated with equal threadgroups of as many instructions in all", .at_most = true,
         .before = ~0u, .worth = 0.25, .describe = describe_even},
};
