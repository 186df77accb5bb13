/* SPDX-License-Identifier: MIT
 *
 * The interpreter of NIR. All lanes walk the control flow together, each instruction under a mask of the lanes that
 * execute it. Beside each value stands how certain it is; a value that is not determined may reach outputs, but not an
 * address or a branch: then nothing of the program is compared.
 */
#include "compiler/fuzz/interpret.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "util/double.h"
#include "util/half_float.h"
#include "util/ralloc.h"
#include "util/u_math.h"

#include "compiler/fuzz/defined.h"

#define PREAMBLE_HALVES 1024
#define STEPS 200000 /* instructions, so that a wrong loop ends */
#define OUTPUT_BASE UINT64_C(0x100000000)
#define INPUT_BASE UINT64_C(0x200000000)
#define MEMORY_BASE UINT64_C(0x300000000)
#define SHARED_BYTES 32768

typedef uint32_t lane_mask;

struct lanes {
   nir_const_value *values; /* [lane * components + component] */
   uint8_t certainty[FUZZ_LANES];
};

/* Bytes and their certainty. */
struct region {
   uint64_t base, size;
   uint8_t *bytes, *certainty;
};
enum { REGION_OUTPUTS, REGION_INPUTS, REGION_MEMORY, REGION_SHARED, REGIONS };

struct interpreter {
   void *context; /* of ralloc */
   const nir_shader *nir;
   const struct fuzz_program *program;
   struct fuzz_outputs *outputs;
   struct lanes *defs; /* of the function that runs, by index */
   const nir_block *previous[FUZZ_LANES];
   lane_mask breaking, continuing; /* lanes that left the innermost loop, or this round of it */
   uint8_t preamble[PREAMBLE_HALVES * 2], preamble_certainty[PREAMBLE_HALVES * 2];
   struct region regions[REGIONS];
   uint64_t steps;
   jmp_buf failed;
};

__attribute__((format(printf, 2, 3))) static _Noreturn void fail(struct interpreter *run, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(run->outputs->why, sizeof(run->outputs->why), format, arguments);
   va_end(arguments);
   longjmp(run->failed, 1);
}

/* The lanes of a value that is made. */
static const struct lanes *lanes_of(struct interpreter *run, nir_src src)
{
   const struct lanes *lanes = &run->defs[src.ssa->index];

   if (lanes->values == NULL) {
      fail(run, "a value is read before it is made");
   }
   return lanes;
}

static const nir_const_value *value_of(struct interpreter *run, nir_src src, unsigned lane)
{
   return &lanes_of(run, src)->values[lane * src.ssa->num_components];
}

static struct lanes *define(struct interpreter *run, const nir_def *def)
{
   struct lanes *lanes = &run->defs[def->index];

   if (lanes->values == NULL) {
      lanes->values = rzalloc_array(run->context, nir_const_value, (size_t)FUZZ_LANES * def->num_components);
   }
   return lanes;
}

/* For an address or a condition. */
static void require_certain(struct interpreter *run, nir_src src, unsigned lane, const char *what)
{
   if (lanes_of(run, src)->certainty[lane] != FUZZ_EXACT) {
      fail(run, "undefined %s", what);
   }
}

#define FOREACH_LANE(lane, mask)                                                                                       \
   for (unsigned lane = 0; lane < FUZZ_LANES; lane++)                                                                  \
      if (((mask) >> lane & 1) != 0)

/* Saturating addition and subtraction. As of 25.0.7 Mesa's own expressions are wrong: they compare sums of 8 and 16
 * bits after C has promoted them to int, and overflow signed integers of 32 and 64 bits. */
static bool evaluate_saturating(nir_op op, nir_const_value *result, const nir_const_value *a, const nir_const_value *b,
                                unsigned bits)
{
   const uint64_t mask = UINT64_MAX >> (64 - bits), u = nir_const_value_as_uint(*a, bits);
   const int64_t most = (int64_t)(mask >> 1), x = nir_const_value_as_int(*a, bits);
   const int64_t y = nir_const_value_as_int(*b, bits);
   const uint64_t sum = (u + nir_const_value_as_uint(*b, bits)) & mask;
   int64_t exact;

   if (op == nir_op_uadd_sat) {
      *result = nir_const_value_for_raw_uint(sum < u ? mask : sum, bits);
      return true;
   }
   if (op != nir_op_iadd_sat && op != nir_op_isub_sat) {
      return false;
   }
   const bool over =
       op == nir_op_iadd_sat ? __builtin_add_overflow(x, y, &exact) : __builtin_sub_overflow(x, y, &exact);
   if (over) {
      exact = x < 0 ? -most - 1 : most;
   }
   *result = nir_const_value_for_raw_uint((uint64_t)CLAMP(exact, -most - 1, most) & mask, bits);
   return true;
}

/* A fused operation on halves, rounded once: the exact result has at most 51 bits. Mesa's own rounds to f32 first. */
static bool evaluate_half_ffma(nir_op op, nir_const_value *result, nir_const_value *const *sources, unsigned bits)
{
   if (op != nir_op_ffma || bits != 16) {
      return false;
   }
   const double sum = fma((double)_mesa_half_to_float(sources[0]->u16), (double)_mesa_half_to_float(sources[1]->u16),
                          (double)_mesa_half_to_float(sources[2]->u16));
   result->u16 = _mesa_double_to_float16_rtne(sum);
   return true;
}

static void evaluate(struct interpreter *run, const nir_alu_instr *alu, lane_mask mask)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   const unsigned components = alu->def.num_components;
   struct lanes *lanes = define(run, &alu->def);

   FOREACH_LANE(lane, mask)
   {
      nir_const_value sources[NIR_ALU_MAX_INPUTS][NIR_MAX_VEC_COMPONENTS];
      nir_const_value *pointers[NIR_ALU_MAX_INPUTS];
      unsigned bits[NIR_ALU_MAX_INPUTS], width = alu->def.bit_size;
      enum fuzz_certainty certainty = FUZZ_EXACT;

      for (unsigned i = 0; i < info->num_inputs; i++) {
         const nir_src src = alu->src[i].src;
         for (unsigned c = 0; c < nir_ssa_alu_instr_src_components(alu, i); c++) {
            sources[i][c] = value_of(run, src, lane)[alu->src[i].swizzle[c]];
         }
         pointers[i] = sources[i];
         bits[i] = src.ssa->bit_size;
         if (nir_alu_type_get_type_size(info->input_types[i]) == 0) {
            width = bits[i];
         }
         const enum fuzz_certainty of_source = run->defs[src.ssa->index].certainty[lane];
         /* The operand that a select leaves out does not matter. */
         const bool left_out = alu->op == nir_op_bcsel && i != 0 && components == 1 && sources[0][0].b != (i == 1) &&
                               run->defs[alu->src[0].src.ssa->index].certainty[lane] == FUZZ_EXACT;
         certainty = left_out ? certainty : MAX2(certainty, of_source);
      }
      bool defined = true;
      for (unsigned c = 0; c < (info->output_size == 0 ? components : 1); c++) {
         const nir_const_value *component[NIR_ALU_MAX_INPUTS];
         for (unsigned i = 0; i < info->num_inputs; i++) {
            component[i] = &sources[i][info->input_sizes[i] == 0 ? c : 0];
         }
         defined = defined && fuzz_defined(alu->op, alu->exact, component, bits, alu->def.bit_size);
      }
      nir_const_value result[NIR_MAX_VEC_COMPONENTS] = {{0}};
      if (defined && !evaluate_saturating(alu->op, result, sources[0], sources[1], width) &&
          !evaluate_half_ffma(alu->op, result, pointers, width)) {
         nir_eval_const_opcode(alu->op, result, components, width, pointers,
                               run->nir->info.float_controls_execution_mode);
      }
      enum fuzz_certainty made = FUZZ_EXACT;
      for (unsigned c = 0; c < components; c++) {
         made = MAX2(made, fuzz_certainty_of(alu->op, alu->exact, certainty, &result[c], alu->def.bit_size));
      }
      memcpy(&lanes->values[lane * components], result, components * sizeof(*result));
      lanes->certainty[lane] = (uint8_t)(defined ? made : FUZZ_UNDEFINED);
   }
}

/* The bytes at an address; NULL: outside of everything. */
static struct region *find_region(struct interpreter *run, uint64_t address, uint64_t bytes, uint64_t *offset)
{
   for (unsigned i = 0; i < REGIONS; i++) {
      struct region *region = &run->regions[i];
      if (i != REGION_SHARED && address >= region->base && address + bytes <= region->base + region->size) {
         *offset = address - region->base;
         return region;
      }
   }
   return NULL;
}

static void load(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, struct region *region,
                 uint64_t offset)
{
   struct lanes *lanes = define(run, &intr->def);
   const unsigned bytes = MAX2(intr->def.bit_size / 8u, 1u);
   uint8_t certainty = FUZZ_EXACT;

   for (unsigned c = 0; c < intr->def.num_components; c++) {
      nir_const_value value = {0};
      memcpy(&value, region->bytes + offset + c * bytes, bytes);
      for (unsigned i = 0; i < bytes; i++) {
         certainty = MAX2(certainty, region->certainty[offset + c * bytes + i]);
      }
      lanes->values[lane * intr->def.num_components + c] = value;
   }
   lanes->certainty[lane] = certainty;
}

/* What other bytes of an approximate value or of a NaN mean is not determined: only outputs are read as they were
 * stored. */
static uint8_t stored_certainty(const struct interpreter *run, const struct region *region, uint8_t certainty)
{
   const bool kept = region == &run->regions[REGION_OUTPUTS] || certainty == FUZZ_EXACT;

   return kept ? certainty : FUZZ_UNDEFINED;
}

static void store(struct interpreter *run, nir_src src, unsigned lane, unsigned write_mask, struct region *region,
                  uint64_t offset)
{
   const unsigned bytes = src.ssa->bit_size / 8;

   for (unsigned c = 0; c < src.ssa->num_components; c++) {
      if ((write_mask >> c & 1) != 0) {
         memcpy(region->bytes + offset + c * bytes, &value_of(run, src, lane)[c], bytes);
         memset(region->certainty + offset + c * bytes,
                stored_certainty(run, region, run->defs[src.ssa->index].certainty[lane]), bytes);
      }
   }
}

/* The address of load_agx and its kin: an index that is extended and scaled by the element's size and a shift. */
static uint64_t agx_address(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned first, unsigned bits,
                            unsigned lane)
{
   require_certain(run, intr->src[first], lane, "address");
   require_certain(run, intr->src[first + 1], lane, "address");
   const uint32_t index = value_of(run, intr->src[first + 1], lane)->u32;
   const uint64_t extended = nir_intrinsic_sign_extend(intr) ? (uint64_t)(int64_t)(int32_t)index : index;

   return value_of(run, intr->src[first], lane)->u64 +
          (extended << ((unsigned)nir_intrinsic_base(intr) + util_logbase2(bits / 8)));
}

static void access_global(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, bool stores,
                          bool agx)
{
   const unsigned first = stores ? 1 : 0;
   const unsigned bits = stores ? intr->src[0].ssa->bit_size : intr->def.bit_size;
   const unsigned components = stores ? intr->src[0].ssa->num_components : intr->def.num_components;

   FOREACH_LANE(lane, mask)
   {
      require_certain(run, intr->src[first], lane, "address");
      const uint64_t address =
          agx ? agx_address(run, intr, first, bits, lane) : value_of(run, intr->src[first], lane)->u64;
      uint64_t offset;
      struct region *region = find_region(run, address, (uint64_t)components * bits / 8, &offset);
      if (region == NULL) {
         fail(run, "access out of bounds at 0x%llx", (unsigned long long)address);
      }
      if (stores) {
         const unsigned all = (1u << components) - 1;
         store(run, intr->src[0], lane, nir_intrinsic_has_write_mask(intr) ? nir_intrinsic_write_mask(intr) : all,
               region, offset);
      } else {
         load(run, intr, lane, region, offset);
      }
   }
}

static void access_shared(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, bool stores)
{
   FOREACH_LANE(lane, mask)
   {
      const nir_src at = intr->src[stores ? 1 : 0];
      require_certain(run, at, lane, "offset");
      const uint64_t offset =
          nir_const_value_as_uint(*value_of(run, at, lane), at.ssa->bit_size) + (uint64_t)nir_intrinsic_base(intr);
      if (offset > SHARED_BYTES - 128) {
         fail(run, "threadgroup access out of bounds at %llu", (unsigned long long)offset);
      }
      if (stores) {
         store(run, intr->src[0], lane, nir_intrinsic_write_mask(intr), &run->regions[REGION_SHARED], offset);
      } else {
         load(run, intr, lane, &run->regions[REGION_SHARED], offset);
      }
   }
}

static void load_preamble(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask, unsigned byte)
{
   struct region region = {.bytes = run->preamble, .certainty = run->preamble_certainty};

   FOREACH_LANE(lane, mask)
   {
      load(run, intr, lane, &region, byte);
   }
}

static void store_preamble(struct interpreter *run, const nir_intrinsic_instr *intr)
{
   struct region region = {.bytes = run->preamble, .certainty = run->preamble_certainty};

   store(run, intr->src[0], 0, ~0u, &region, (uint64_t)nir_intrinsic_base(intr) * 2);
}

static void set_number(struct interpreter *run, const nir_intrinsic_instr *intr, unsigned lane, uint64_t number)
{
   struct lanes *lanes = define(run, &intr->def);

   lanes->values[lane * intr->def.num_components] = nir_const_value_for_raw_uint(number, intr->def.bit_size);
   lanes->certainty[lane] = FUZZ_EXACT;
}

static void number_lanes(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   define(run, &intr->def);
   FOREACH_LANE(lane, mask)
   {
      set_number(run, intr, lane, lane);
   }
}

/* The value of another lane: of this lane's choice. */
static void read_lane(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const unsigned components = intr->def.num_components;
   struct lanes *lanes = define(run, &intr->def);
   const struct lanes *from = lanes_of(run, intr->src[0]);

   FOREACH_LANE(lane, mask)
   {
      require_certain(run, intr->src[1], lane, "lane");
      const uint64_t other = nir_const_value_as_uint(*value_of(run, intr->src[1], lane), intr->src[1].ssa->bit_size);
      if (other >= FUZZ_LANES || (mask >> other & 1) == 0) {
         lanes->certainty[lane] = FUZZ_UNDEFINED;
         continue;
      }
      memcpy(&lanes->values[lane * components], &from->values[other * components], components * sizeof(*from->values));
      lanes->certainty[lane] = from->certainty[other];
   }
}

static nir_const_value combine(const struct interpreter *run, nir_op op, nir_const_value a, nir_const_value b,
                               unsigned bits)
{
   nir_const_value *sources[] = {&a, &b}, result;

   nir_eval_const_opcode(op, &result, 1, bits, sources, run->nir->info.float_controls_execution_mode);
   return result;
}

/* Reductions and scans, over integers. */
static void scan(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   const nir_op op = (nir_op)nir_intrinsic_reduction_op(intr);
   const unsigned bits = intr->def.bit_size;
   struct lanes *lanes = define(run, &intr->def);
   const struct lanes *from = lanes_of(run, intr->src[0]);
   nir_const_value total = nir_alu_binop_identity(op, bits);
   uint8_t certainty = FUZZ_EXACT;

   if (nir_alu_type_get_base_type(nir_op_infos[op].output_type) == nir_type_float || intr->def.num_components != 1 ||
       (intr->intrinsic == nir_intrinsic_reduce && nir_intrinsic_cluster_size(intr) % FUZZ_LANES != 0)) {
      fail(run, "a reduction that the interpreter does not know");
   }
   FOREACH_LANE(lane, mask)
   {
      const nir_const_value before = total;
      const uint8_t certainty_before = certainty;
      total = combine(run, op, total, from->values[lane], bits);
      certainty = from->certainty[lane] != FUZZ_EXACT ? FUZZ_UNDEFINED : certainty;
      const bool exclusive = intr->intrinsic == nir_intrinsic_exclusive_scan;
      lanes->values[lane] = exclusive ? before : total;
      lanes->certainty[lane] = exclusive ? certainty_before : certainty;
   }
   FOREACH_LANE(lane, mask)
   {
      if (intr->intrinsic == nir_intrinsic_reduce) {
         lanes->values[lane] = total;
         lanes->certainty[lane] = certainty;
      }
   }
}

static void ballot(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   uint32_t votes = 0;

   FOREACH_LANE(lane, mask)
   {
      require_certain(run, intr->src[0], lane, "ballot");
      votes |= value_of(run, intr->src[0], lane)->b ? 1u << lane : 0;
   }
   define(run, &intr->def);
   FOREACH_LANE(lane, mask)
   {
      set_number(run, intr, lane, votes);
   }
}

static void intrinsic(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_load_local_invocation_index:
   case nir_intrinsic_load_subgroup_invocation:
   case nir_intrinsic_load_local_invocation_id:
   case nir_intrinsic_load_global_invocation_id:
      number_lanes(run, intr, mask);
      break;
   case nir_intrinsic_load_kernel_input:
      load_preamble(run, intr, mask, (unsigned)nir_src_as_uint(intr->src[0]) + (unsigned)nir_intrinsic_base(intr));
      break;
   case nir_intrinsic_load_preamble:
      load_preamble(run, intr, mask, (unsigned)nir_intrinsic_base(intr) * 2);
      break;
   case nir_intrinsic_store_preamble:
      store_preamble(run, intr);
      break;
   case nir_intrinsic_load_global:
   case nir_intrinsic_load_global_constant:
      access_global(run, intr, mask, false, false);
      break;
   case nir_intrinsic_store_global:
      access_global(run, intr, mask, true, false);
      break;
   case nir_intrinsic_load_agx:
   case nir_intrinsic_load_constant_agx:
      access_global(run, intr, mask, false, true);
      break;
   case nir_intrinsic_store_agx:
      access_global(run, intr, mask, true, true);
      break;
   case nir_intrinsic_load_shared:
      access_shared(run, intr, mask, false);
      break;
   case nir_intrinsic_store_shared:
      access_shared(run, intr, mask, true);
      break;
   case nir_intrinsic_shuffle:
   case nir_intrinsic_read_invocation:
      read_lane(run, intr, mask);
      break;
   case nir_intrinsic_reduce:
   case nir_intrinsic_exclusive_scan:
   case nir_intrinsic_inclusive_scan:
      scan(run, intr, mask);
      break;
   case nir_intrinsic_ballot:
      ballot(run, intr, mask);
      break;
   case nir_intrinsic_barrier: /* one simdgroup: its lanes walk together */
      break;
   default:
      fail(run, "the interpreter does not know %s", nir_intrinsic_infos[intr->intrinsic].name);
   }
}

static void load_constant(struct interpreter *run, const nir_load_const_instr *constant, lane_mask mask)
{
   struct lanes *lanes = define(run, &constant->def);

   FOREACH_LANE(lane, mask)
   {
      memcpy(&lanes->values[lane * constant->def.num_components], constant->value,
             constant->def.num_components * sizeof(constant->value[0]));
      lanes->certainty[lane] = FUZZ_EXACT;
   }
}

/* The phis of a block read their sources together, before one of them is written. */
static void phis(struct interpreter *run, nir_block *block, lane_mask mask)
{
   void *context = ralloc_context(NULL);
   struct lanes *copies = rzalloc_array(context, struct lanes, exec_list_length(&block->instr_list) + 1);
   unsigned count = 0;

   nir_foreach_phi(phi, block)
   {
      struct lanes *copy = &copies[count++];
      const unsigned components = phi->def.num_components;
      copy->values = rzalloc_array(context, nir_const_value, (size_t)FUZZ_LANES * components);
      nir_foreach_phi_src(src, phi)
      {
         const struct lanes *from = &run->defs[src->src.ssa->index];
         FOREACH_LANE(lane, mask)
         {
            if (run->previous[lane] == src->pred && from->values != NULL) {
               memcpy(&copy->values[lane * components], &from->values[lane * components],
                      components * sizeof(*from->values));
               copy->certainty[lane] = from->certainty[lane];
            }
         }
      }
   }
   count = 0;
   nir_foreach_phi(phi, block)
   {
      const unsigned components = phi->def.num_components;
      struct lanes *lanes = define(run, &phi->def);
      FOREACH_LANE(lane, mask)
      {
         memcpy(&lanes->values[lane * components], &copies[count].values[lane * components],
                components * sizeof(*lanes->values));
         lanes->certainty[lane] = copies[count].certainty[lane];
      }
      count++;
   }
   ralloc_free(context);
}

static lane_mask walk_block(struct interpreter *run, nir_block *block, lane_mask mask)
{
   phis(run, block, mask);
   nir_foreach_instr (instr, block) {
      if (run->steps++ > STEPS) {
         fail(run, "too many instructions");
      }
      switch (instr->type) {
      case nir_instr_type_alu:
         evaluate(run, nir_instr_as_alu(instr), mask);
         break;
      case nir_instr_type_intrinsic:
         intrinsic(run, nir_instr_as_intrinsic(instr), mask);
         break;
      case nir_instr_type_load_const:
         load_constant(run, nir_instr_as_load_const(instr), mask);
         break;
      case nir_instr_type_undef:
         memset(define(run, &nir_instr_as_undef(instr)->def)->certainty, FUZZ_UNDEFINED, FUZZ_LANES);
         break;
      case nir_instr_type_phi:
         break;
      case nir_instr_type_jump:
         if (nir_instr_as_jump(instr)->type == nir_jump_break) {
            run->breaking |= mask;
         } else if (nir_instr_as_jump(instr)->type == nir_jump_continue) {
            run->continuing |= mask;
         } else {
            fail(run, "a jump that the interpreter does not know");
         }
         break;
      default:
         fail(run, "an instruction that the interpreter does not know");
      }
   }
   FOREACH_LANE(lane, mask)
   {
      run->previous[lane] = block;
   }
   return mask & ~(run->breaking | run->continuing);
}

/* Returns the lanes that come out at the end. */
static lane_mask walk(struct interpreter *run, struct exec_list *list, lane_mask mask);

static lane_mask walk_if(struct interpreter *run, nir_if *nif, lane_mask mask)
{
   lane_mask taken = 0;

   FOREACH_LANE(lane, mask)
   {
      require_certain(run, nif->condition, lane, "condition");
      taken |= value_of(run, nif->condition, lane)->b ? 1u << lane : 0;
   }
   const lane_mask after = walk(run, &nif->then_list, taken);
   return after | walk(run, &nif->else_list, mask & ~taken);
}

static void walk_loop(struct interpreter *run, nir_loop *loop, lane_mask mask)
{
   const lane_mask breaking = run->breaking, continuing = run->continuing;

   run->breaking = 0;
   while (mask != 0) {
      run->continuing = 0;
      mask = walk(run, &loop->body, mask) | run->continuing;
      mask &= ~run->breaking;
      if (nir_loop_has_continue_construct(loop)) {
         fail(run, "a loop with a continue construct");
      }
   }
   run->breaking = breaking;
   run->continuing = continuing;
}

static lane_mask walk(struct interpreter *run, struct exec_list *list, lane_mask mask)
{
   foreach_list_typed(nir_cf_node, node, node, list)
   {
      if (mask == 0) {
         break;
      }
      switch (node->type) {
      case nir_cf_node_block:
         mask = walk_block(run, nir_cf_node_as_block(node), mask);
         break;
      case nir_cf_node_if:
         mask = walk_if(run, nir_cf_node_as_if(node), mask);
         break;
      case nir_cf_node_loop:
         walk_loop(run, nir_cf_node_as_loop(node), mask);
         break;
      default:
         fail(run, "control flow that the interpreter does not know");
      }
   }
   return mask;
}

static void run_function(struct interpreter *run, nir_function_impl *impl, lane_mask mask)
{
   run->defs = rzalloc_array(run->context, struct lanes, impl->ssa_alloc + 1);
   run->breaking = run->continuing = 0;
   walk(run, &impl->body, mask);
}

static bool make_regions(struct interpreter *run)
{
   static const uint64_t shapes[REGIONS][2] = {
       [REGION_OUTPUTS] = {OUTPUT_BASE, sizeof(run->outputs->value)},
       [REGION_INPUTS] = {INPUT_BASE, sizeof(run->program->input)},
       [REGION_MEMORY] = {MEMORY_BASE, (uint64_t)FUZZ_LANES * FUZZ_MEMORY},
       [REGION_SHARED] = {0, SHARED_BYTES},
   };
   for (unsigned i = 0; i < REGIONS; i++) {
      struct region *region = &run->regions[i];
      region->base = shapes[i][0];
      region->size = shapes[i][1];
      region->bytes = rzalloc_size(run->context, region->size);
      region->certainty = rzalloc_size(run->context, region->size);
      if (region->bytes == NULL || region->certainty == NULL) {
         return false;
      }
   }
   memcpy(run->regions[REGION_INPUTS].bytes, run->program->input, sizeof(run->program->input));
   memset(run->regions[REGION_SHARED].certainty, FUZZ_UNDEFINED, SHARED_BYTES);
   return true;
}

static void gather(struct interpreter *run)
{
   struct fuzz_outputs *outputs = run->outputs;
   const struct region *stored = &run->regions[REGION_OUTPUTS], *memory = &run->regions[REGION_MEMORY];

   for (uint32_t i = 0; i < run->program->count; i++) {
      const struct fuzz_node *node = &run->program->nodes[i];
      if (node->kind == FUZZ_OUTPUT) {
         outputs->bits[node->slot] = node->bits == 1 ? 32 : node->bits;
      }
   }
   memcpy(outputs->value, stored->bytes, sizeof(outputs->value));
   for (unsigned slot = 0; slot < FUZZ_OUTPUTS; slot++) {
      for (unsigned lane = 0; lane < FUZZ_LANES; lane++) {
         outputs->certainty[slot][lane] = stored->certainty[(slot * FUZZ_LANES + lane) * 8];
      }
   }
   memcpy(outputs->memory, memory->bytes, sizeof(outputs->memory));
   for (unsigned i = 0; i < memory->size; i++) {
      outputs->memory_undefined |= memory->certainty[i] != FUZZ_EXACT;
   }
}

void fuzz_interpret(const nir_shader *nir, const struct fuzz_program *program, struct fuzz_outputs *outputs)
{
   struct interpreter *run = rzalloc(NULL, struct interpreter);

   memset(outputs, 0, sizeof(*outputs));
   if (run == NULL) {
      snprintf(outputs->why, sizeof(outputs->why), "out of memory");
      return;
   }
   run->context = run;
   run->nir = nir;
   run->program = program;
   run->outputs = outputs;
   fuzz_arguments(program, OUTPUT_BASE, INPUT_BASE, MEMORY_BASE, run->preamble);
   if (setjmp(run->failed) == 0 && make_regions(run)) {
      nir_function_impl *entry = nir_shader_get_entrypoint((nir_shader *)(uintptr_t)nir);
      if (entry->preamble != NULL && entry->preamble->impl != NULL) {
         run_function(run, entry->preamble->impl, 1);
      }
      run_function(run, entry, UINT32_MAX);
      gather(run);
      outputs->valid = true;
   }
   ralloc_free(run);
}

static bool is_nan(uint64_t value, unsigned bits)
{
   return bits == 16   ? (value & 0x7fff) > 0x7c00
          : bits == 32 ? (value & 0x7fffffff) > 0x7f800000
                       : (value & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

/* Within one part in 64, or a 64th: far more than rounding in another order changes, far less than a wrong term. */
static bool is_close(uint64_t a, uint64_t b, unsigned bits)
{
   const float x = bits == 16 ? _mesa_half_to_float((uint16_t)a) : uif((uint32_t)a);
   const float y = bits == 16 ? _mesa_half_to_float((uint16_t)b) : uif((uint32_t)b);

   return (bits != 16 && bits != 32) || fabsf(x - y) <= MAX2(fabsf(x), 1.0f) / 64;
}

static bool alike(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t output, uint32_t lane,
                  uint64_t mask)
{
   const uint64_t a = expected->value[output][lane] & mask, b = found->value[output][lane] & mask;
   const unsigned bits = expected->bits[output];

   if (expected->certainty[output][lane] == FUZZ_UNDEFINED) {
      return true;
   }
   if (found->certainty[output][lane] == FUZZ_UNDEFINED) {
      return expected->certainty[output][lane] == FUZZ_CLOSE;
   }
   return a == b || (expected->certainty[output][lane] == FUZZ_ANY_NAN && is_nan(b, bits)) ||
          (expected->certainty[output][lane] == FUZZ_CLOSE && is_close(a, b, bits));
}

bool fuzz_differ(const struct fuzz_outputs *expected, const struct fuzz_outputs *found,
                 struct fuzz_difference *difference)
{
   for (uint32_t output = 0; output < FUZZ_OUTPUTS; output++) {
      const unsigned bits = expected->bits[output];
      const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
      for (uint32_t lane = 0; bits != 0 && lane < FUZZ_LANES; lane++) {
         if (!alike(expected, found, output, lane, mask)) {
            *difference = (struct fuzz_difference){output, lane, expected->value[output][lane] & mask,
                                                   found->value[output][lane] & mask};
            return true;
         }
      }
   }
   for (uint32_t lane = 0; !expected->memory_undefined && !found->memory_undefined && lane < FUZZ_LANES; lane++) {
      if (memcmp(expected->memory[lane], found->memory[lane], FUZZ_MEMORY) != 0) {
         *difference = (struct fuzz_difference){FUZZ_OUTPUTS, lane, 0, 0};
         return true;
      }
   }
   return false;
}
