/* SPDX-License-Identifier: MIT
 *
 * Turns the nodes of a program into NIR. Invariant: only nodes that an output, a store or control flow needs are
 * built, so the NIR contains nothing dead.
 */
#include "fuzz/nir/build.h"

#include <string.h>

enum { ARGUMENT_OUTPUTS, ARGUMENT_INPUTS, ARGUMENT_MEMORY, ARGUMENT_UNIFORM };

#define BUFFER(at)                                                                                                     \
   {                                                                                                                   \
      .kind = AGX_ARGUMENT_BUFFER, .offset = at, .size = 8                                                             \
   }
#define VALUE(at, bytes)                                                                                               \
   {                                                                                                                   \
      .kind = AGX_ARGUMENT_VALUE, .offset = at, .size = bytes                                                          \
   }
const struct agx_argument fuzz_argument_list[FUZZ_ARGUMENTS] = {
    BUFFER(0),    BUFFER(8),    BUFFER(16),   VALUE(24, 8), VALUE(32, 8), VALUE(40, 8), VALUE(48, 8),
    VALUE(56, 4), VALUE(60, 4), VALUE(64, 4), VALUE(68, 4), VALUE(72, 2), VALUE(74, 2), VALUE(76, 2),
    VALUE(78, 2), VALUE(80, 1), VALUE(81, 1), VALUE(82, 1), VALUE(83, 1),
};

void fuzz_arguments(const struct fuzz_program *program, uint64_t outputs, uint64_t inputs, uint64_t memory,
                    uint8_t block[FUZZ_ARGUMENT_BYTES])
{
   const uint64_t addresses[] = {outputs, inputs, memory};

   memcpy(block, addresses, sizeof(addresses));
   for (unsigned i = 0; i < FUZZ_UNIFORMS; i++) {
      const struct agx_argument *argument = &fuzz_argument_list[ARGUMENT_UNIFORM + i];
      for (unsigned byte = 0; byte < argument->size; byte++) {
         block[argument->offset + byte] = (uint8_t)(program->uniform[i] >> byte * 8);
      }
   }
}

struct build {
   nir_builder *b;
   const struct fuzz_program *program;
   nir_def *lane;
   nir_def *defs[FUZZ_NODES];
   bool needed[FUZZ_NODES];
   nir_def *variables[FUZZ_VARIABLES];
   struct loop {
      nir_def *counter, *limit;
      uint64_t kind;    /* the value of its node */
   } loops[FUZZ_NODES]; /* the open loops, by depth */
   unsigned depth;
};

/* Returns the address of this lane's word of a slot in a buffer. */
static nir_def *slot_address(struct build *build, unsigned argument, unsigned slot)
{
   nir_builder *b = build->b;
   nir_def *offset = nir_iadd_imm(b, nir_imul_imm(b, build->lane, 8), slot * FUZZ_LANES * 8u);

   return nir_iadd(b, compiler_nir_argument(b, argument), nir_u2u64(b, offset));
}

static nir_def *load_slot(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const unsigned bits = node->bits == 1 ? 32 : node->bits;
   nir_def *value = nir_load_global(b, slot_address(build, ARGUMENT_INPUTS, node->slot), 8, 1, bits);

   return node->bits == 1 ? nir_ine_imm(b, value, 0) : value;
}

static void store_slot(struct build *build, const struct fuzz_node *node, nir_def *value)
{
   nir_builder *b = build->b;

   nir_store_global(b, slot_address(build, ARGUMENT_OUTPUTS, node->slot), 8,
                    node->bits == 1 ? nir_b2i32(b, value) : value, 1);
}

static nir_def *source(struct build *build, const struct fuzz_node *node, unsigned index)
{
   const struct fuzz_source *source = &node->sources[index];

   return nir_channel(build->b, build->defs[source->node], source->component);
}

static nir_def *build_alu(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const nir_op_info *info = &nir_op_infos[node->op];
   nir_alu_instr *alu = nir_alu_instr_create(b->shader, (nir_op)node->op);

   for (unsigned i = 0; i < info->num_inputs; i++) {
      alu->src[i].src = nir_src_for_ssa(build->defs[node->sources[i].node]);
      for (unsigned c = 0; c < NIR_MAX_VEC_COMPONENTS; c++) {
         alu->src[i].swizzle[c] =
             (uint8_t)(info->input_sizes[i] > 1 ? (c < info->input_sizes[i] ? c : 0) : node->sources[i].component);
      }
   }
   b->exact = node->exact;
   b->fp_fast_math =
       node->exact ? FLOAT_CONTROLS_SIGNED_ZERO_INF_NAN_PRESERVE_FP16 | FLOAT_CONTROLS_SIGNED_ZERO_INF_NAN_PRESERVE_FP32
                   : 0;
   alu->exact = b->exact;
   alu->fp_fast_math = b->fp_fast_math & 0x1ff;
   nir_def_init(&alu->instr, &alu->def, node->components, node->bits);
   nir_builder_instr_insert(b, &alu->instr);
   b->exact = false;
   b->fp_fast_math = 0;
   return &alu->def;
}

/* The place of a load, a store or an atomic in the lane's part: scale * index + constant. Mesa is told that this is
 * `offset` more than a multiple of `multiple`. */
struct place {
   unsigned room, scale, constant, multiple, offset;
};

/* The place is a multiple of the access's size, or of less: half of those are fields of packed structs. */
static struct place place_of(const struct fuzz_node *node, unsigned size)
{
   const bool lesser = (node->kind == FUZZ_LOAD || node->kind == FUZZ_STORE) && node->slot != 0;
   const unsigned room = node->components > 2 || lesser ? FUZZ_MEMORY / 4u : FUZZ_MEMORY / 2u;
   const unsigned least = lesser ? 1u << (node->slot - 1) : size;
   const unsigned constant = (unsigned)(node->value % room / least * least);

   return lesser && node->value / FUZZ_MEMORY % 2 != 0 ? (struct place){room, 8, constant, 8, constant % 8}
                                                       : (struct place){room, least, constant, least, 0};
}

/* Returns the offset without the constant part. All components are in the lane's part. */
static nir_def *memory_offset(struct build *build, const struct fuzz_node *node, const struct place *place)
{
   nir_builder *b = build->b;
   nir_def *index = nir_u2u32(b, source(build, node, 0));
   nir_def *element = nir_iand_imm(b, index, place->room / place->scale - 1u);

   return nir_iadd(b, nir_imul_imm(b, build->lane, FUZZ_MEMORY), nir_imul_imm(b, element, place->scale));
}

/* Adds a 64-bit constant, or a 32-bit index that includes it: half of the accesses count from the end of the memory
 * with a negative index. */
static nir_def *device_address(struct build *build, const struct fuzz_node *node, const struct place *place)
{
   nir_builder *b = build->b;
   nir_def *base = compiler_nir_argument(b, ARGUMENT_MEMORY);
   nir_def *offset = memory_offset(build, node, place);
   const uint64_t bytes = (uint64_t)FUZZ_LANES * FUZZ_MEMORY;

   if (node->value / (FUZZ_MEMORY / 2) % 2 == 0) {
      return nir_iadd_imm(b, nir_iadd(b, base, nir_u2u64(b, offset)), place->constant);
   }
   nir_def *from_end = nir_i2i64(b, nir_iadd_imm(b, offset, place->constant - bytes));
   return nir_iadd(b, nir_iadd_imm(b, base, bytes), from_end);
}

static nir_def *threadgroup_address(struct build *build, const struct fuzz_node *node, const struct place *place)
{
   return nir_iadd_imm(build->b, memory_offset(build, node, place), place->constant);
}

static nir_def *build_load(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const struct place place = place_of(node, node->bits / 8);

   if (node->op == FUZZ_THREADGROUP) {
      return nir_load_shared(b, node->components, node->bits, threadgroup_address(build, node, &place),
                             .align_mul = place.multiple, .align_offset = place.offset);
   }
   return nir_build_load_global(b, node->components, node->bits, device_address(build, node, &place),
                                .align_mul = place.multiple, .align_offset = place.offset);
}

static void build_store(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const struct place place = place_of(node, node->bits / 8);
   nir_def *value = node->components > 1 ? build->defs[node->sources[1].node] : source(build, node, 1);

   if (node->op == FUZZ_THREADGROUP) {
      nir_store_shared(b, value, threadgroup_address(build, node, &place), .align_mul = place.multiple,
                       .align_offset = place.offset);
   } else {
      nir_build_store_global(b, value, device_address(build, node, &place), .align_mul = place.multiple,
                             .align_offset = place.offset);
   }
}

static const nir_atomic_op atomics[FUZZ_ATOMICS] = {
    nir_atomic_op_iadd, nir_atomic_op_umin, nir_atomic_op_umax, nir_atomic_op_imin, nir_atomic_op_imax,
    nir_atomic_op_iand, nir_atomic_op_ior,  nir_atomic_op_ixor, nir_atomic_op_xchg, nir_atomic_op_cmpxchg,
};

static nir_def *build_atomic(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const struct place place = place_of(node, 4);
   nir_def *value = source(build, node, 1), *compare = source(build, node, 2);
   const nir_atomic_op op = atomics[node->op / FUZZ_SPACES % FUZZ_ATOMICS];

   if (node->op % FUZZ_SPACES == FUZZ_THREADGROUP) {
      nir_def *offset = threadgroup_address(build, node, &place);
      return op == nir_atomic_op_cmpxchg ? nir_shared_atomic_swap(b, 32, offset, compare, value, .atomic_op = op)
                                         : nir_shared_atomic(b, 32, offset, value, .atomic_op = op);
   }
   nir_def *address = device_address(build, node, &place);
   return op == nir_atomic_op_cmpxchg ? nir_global_atomic_swap(b, 32, address, compare, value, .atomic_op = op)
                                      : nir_global_atomic(b, 32, address, value, .atomic_op = op);
}

static void barrier(nir_builder *b)
{
   nir_barrier(b, .execution_scope = SCOPE_WORKGROUP, .memory_scope = SCOPE_WORKGROUP,
               .memory_semantics = NIR_MEMORY_ACQ_REL, .memory_modes = nir_var_mem_shared);
}

/* uses the second half of threadgroup memory, which nothing else uses */
static nir_def *build_exchange(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const unsigned base = FUZZ_LANES * FUZZ_MEMORY;
   nir_def *value = source(build, node, 0);
   nir_def *other = nir_ixor(b, build->lane, nir_imm_int(b, (int)(node->value % FUZZ_LANES)));

   barrier(b);
   nir_store_shared(b, value, nir_iadd_imm(b, nir_imul_imm(b, build->lane, 8), base), .align_mul = 8);
   barrier(b);
   return nir_load_shared(b, 1, node->bits, nir_iadd_imm(b, nir_imul_imm(b, other, 8), base), .align_mul = 8);
}

/* uses the same part of threadgroup memory */
static nir_def *build_combine(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const unsigned base = FUZZ_LANES * FUZZ_MEMORY;
   nir_def *value = source(build, node, 0), *initial = source(build, node, 1);
   nir_def *other = nir_ixor(b, build->lane, nir_imm_int(b, (int)(node->value % FUZZ_LANES)));
   nir_def *one = node->value / FUZZ_LANES % 2 != 0 ? nir_imm_int(b, (int)(node->value % FUZZ_LANES))
                                                    : nir_iand_imm(b, other, FUZZ_LANES - 4u);
   nir_def *own = nir_iadd_imm(b, nir_imul_imm(b, build->lane, 8), base);

   barrier(b);
   nir_store_shared(b, initial, own, .align_mul = 8);
   const bool reads = node->value / FUZZ_LANES / 2 % 2 != 0;
   nir_def *stored = reads ? nir_load_shared(b, 1, 32, own, .align_mul = 8) : NULL;
   barrier(b);
   nir_def *before = nir_shared_atomic(b, 32, nir_iadd_imm(b, nir_imul_imm(b, one, 8), base), value,
                                       .atomic_op = atomics[node->op % FUZZ_COMMUTATIVE_ATOMICS]);
   barrier(b);
   nir_def *after = nir_load_shared(b, 1, 32, own, .align_mul = 8);
   if (!reads) {
      return after;
   }
   /* The previous value depends on the order of the lanes: a 0 that the compiler does not recognize hides it. */
   return nir_ixor(b, after, nir_iand(b, before, nir_ixor(b, stored, initial)));
}

static nir_def *build_scan(nir_builder *b, const struct fuzz_node *node, nir_def *value, nir_def *lane)
{
   static const nir_op reductions[] = {nir_op_iadd, nir_op_umin, nir_op_umax, nir_op_imin,
                                       nir_op_imax, nir_op_iand, nir_op_ior,  nir_op_ixor};
   const nir_op reduction = reductions[node->op / 4 % ARRAY_SIZE(reductions)];

   switch (node->op % 4) {
   case 0:
      return nir_shuffle(b, value, lane);
   case 1:
      return nir_reduce(b, value, .reduction_op = reduction);
   case 2:
      return nir_exclusive_scan(b, value, .reduction_op = reduction);
   default:
      return nir_inclusive_scan(b, value, .reduction_op = reduction);
   }
}

static nir_def *build_subgroup(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   nir_def *value = source(build, node, 0);
   nir_def *lane = nir_iand_imm(b, nir_u2u32(b, source(build, node, 1)), FUZZ_SIMD - 1u);

   switch (node->op) {
   case FUZZ_SUBGROUP_BROADCAST:
      return nir_read_invocation(b, value, nir_imm_int(b, (int)(node->value % FUZZ_SIMD)));
   case FUZZ_SUBGROUP_FIRST:
      return nir_read_first_invocation(b, value);
   case FUZZ_SUBGROUP_BALLOT:
      return nir_ballot(b, 1, 32, value);
   case FUZZ_SUBGROUP_ANY:
      return nir_vote_any(b, 1, value);
   case FUZZ_SUBGROUP_ALL:
      return nir_vote_all(b, 1, value);
   case FUZZ_SUBGROUP_EQUAL:
      return nir_vote_ieq(b, 1, value);
   default:
      return build_scan(b, node, value, lane);
   }
}

/* Start, step and end test of a loop's counter. */
static const struct counter {
   int start, step;
   nir_op leave;
   bool swapped, negated; /* whether the operands of the comparison are swapped, and its result is negated */
} counters[FUZZ_COUNTERS] = {
    {0, 1, nir_op_uge, false, false}, {0, 1, nir_op_ult, false, true},  {-5, 3, nir_op_ige, false, false},
    {20, -2, nir_op_ilt, true, true}, {7, 1, nir_op_ieq, false, false},
};

static const struct counter *counter_of(const struct loop *loop)
{
   return &counters[loop->kind / 2 % FUZZ_COUNTERS];
}

static void leave_at_limit(nir_builder *b, const struct loop *loop, nir_def *count)
{
   const struct counter *counter = counter_of(loop);
   nir_def *leaves = nir_build_alu2(b, counter->leave, counter->swapped ? loop->limit : count,
                                    counter->swapped ? count : loop->limit);

   nir_break_if(b, counter->negated ? nir_inot(b, leaves) : leaves);
}

/* Counts an iteration. A test at the end of the loop reads the new number. */
static void count_turn(nir_builder *b, const struct loop *loop)
{
   nir_def *count = nir_load_reg(b, loop->counter);

   if (loop->kind % 2 == 0) {
      leave_at_limit(b, loop, count);
   }
   nir_def *next = nir_iadd_imm(b, count, (uint64_t)counter_of(loop)->step);
   nir_store_reg(b, next, loop->counter);
   if (loop->kind % 2 != 0) {
      leave_at_limit(b, loop, next);
   }
}

static void open_loop(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   struct loop *loop = &build->loops[build->depth++];
   nir_def *trips = nir_iand_imm(b, nir_u2u32(b, source(build, node, 0)), 7);

   *loop = (struct loop){.counter = nir_decl_reg(b, 1, 32, 0), .kind = node->value};
   const struct counter *counter = counter_of(loop);
   trips = node->value % 2 != 0 ? nir_umax(b, trips, nir_imm_int(b, 1)) : trips;
   loop->limit = nir_iadd_imm(b, nir_imul_imm(b, trips, (uint64_t)counter->step), (uint64_t)counter->start);
   nir_store_reg(b, nir_imm_int(b, counter->start), loop->counter);
   nir_push_loop(b);
   if (node->value % 2 == 0) {
      count_turn(b, loop);
   }
}

static void close_loop(struct build *build)
{
   const struct loop *loop = &build->loops[--build->depth];

   if (loop->kind % 2 != 0) {
      count_turn(build->b, loop);
   }
   nir_pop_loop(build->b, NULL);
}

/* The code at the end of an iteration is also needed before a jump to the next one. */
static void build_continue(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;
   const struct loop *loop = &build->loops[build->depth - 1];

   nir_push_if(b, source(build, node, 0));
   if (loop->kind % 2 != 0) {
      count_turn(b, loop);
   }
   nir_jump(b, nir_jump_continue);
   nir_pop_if(b, NULL);
}

static nir_def *build_value(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;

   switch ((enum fuzz_kind)node->kind) {
   case FUZZ_CONST:
      return nir_imm_intN_t(b, node->value, node->bits);
   case FUZZ_INPUT:
      return load_slot(build, node);
   case FUZZ_UNIFORM:
      return compiler_nir_argument(b, ARGUMENT_UNIFORM + node->slot);
   case FUZZ_ALU:
      return build_alu(build, node);
   case FUZZ_GET:
      return nir_load_reg(b, build->variables[node->slot]);
   case FUZZ_LOAD:
      return build_load(build, node);
   case FUZZ_EXCHANGE:
      return build_exchange(build, node);
   case FUZZ_SUBGROUP:
      return build_subgroup(build, node);
   case FUZZ_ATOMIC:
      return build_atomic(build, node);
   case FUZZ_COMBINE:
      return build_combine(build, node);
   default:
      return NULL;
   }
}

static void build_statement(struct build *build, const struct fuzz_node *node)
{
   nir_builder *b = build->b;

   switch ((enum fuzz_kind)node->kind) {
   case FUZZ_OUTPUT:
      store_slot(build, node, source(build, node, 0));
      break;
   case FUZZ_SET:
      nir_store_reg(b, source(build, node, 0), build->variables[node->slot]);
      break;
   case FUZZ_STORE:
      build_store(build, node);
      break;
   case FUZZ_IF:
      nir_push_if(b, source(build, node, 0));
      break;
   case FUZZ_ELSE:
      nir_push_else(b, NULL);
      break;
   case FUZZ_ENDIF:
      nir_pop_if(b, NULL);
      break;
   case FUZZ_LOOP:
      open_loop(build, node);
      break;
   case FUZZ_ENDLOOP:
      close_loop(build);
      break;
   case FUZZ_BREAK:
      nir_break_if(b, source(build, node, 0));
      break;
   case FUZZ_CONTINUE:
      build_continue(build, node);
      break;
   default:
      break;
   }
}

static void declare_variables(struct build *build)
{
   for (unsigned i = 0; i < FUZZ_VARIABLES; i++) {
      const uint32_t bits = build->program->variable_bits[i];
      if (bits != 0) {
         build->variables[i] = nir_decl_reg(build->b, 1, bits, 0);
         nir_store_reg(build->b, nir_imm_intN_t(build->b, 0, bits), build->variables[i]);
      }
   }
}

/* Sets threadgroup memory to zeros. */
static void clear_threadgroup(struct build *build)
{
   nir_builder *b = build->b;

   for (unsigned i = 0; i < FUZZ_MEMORY; i += 8) {
      nir_store_shared(b, nir_imm_int64(b, 0), nir_iadd_imm(b, nir_imul_imm(b, build->lane, FUZZ_MEMORY), i),
                       .align_mul = 8);
   }
}

static bool uses_threadgroup(const struct fuzz_program *program, bool memory)
{
   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      if (((node->kind == FUZZ_EXCHANGE || node->kind == FUZZ_COMBINE) && !memory) ||
          (node->kind == FUZZ_ATOMIC && node->op % FUZZ_SPACES == FUZZ_THREADGROUP) ||
          ((node->kind == FUZZ_LOAD || node->kind == FUZZ_STORE) && node->op == FUZZ_THREADGROUP)) {
         return true;
      }
   }
   return false;
}

void fuzz_build(nir_builder *b, const struct fuzz_program *program)
{
   struct build build = {.b = b, .program = program};

   fuzz_needed(program, build.needed);
   build.lane = nir_load_local_invocation_index(b);
   b->shader->info.float_controls_execution_mode =
       FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO_FP32 | FLOAT_CONTROLS_DENORM_PRESERVE_FP16 |
       FLOAT_CONTROLS_ROUNDING_MODE_RTE_FP16 | FLOAT_CONTROLS_ROUNDING_MODE_RTE_FP32;
   if (uses_threadgroup(program, false)) {
      b->shader->info.shared_size = FUZZ_LANES * (FUZZ_MEMORY + 8);
   }
   declare_variables(&build);
   if (uses_threadgroup(program, true)) {
      clear_threadgroup(&build);
   }
   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      if (build.needed[i] && fuzz_is_value(node)) {
         build.defs[i] = build_value(&build, node);
      } else if (build.needed[i]) {
         build_statement(&build, node);
      }
   }
   nir_lower_reg_intrinsics_to_ssa(b->shader);
}
