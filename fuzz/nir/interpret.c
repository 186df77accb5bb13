/* SPDX-License-Identifier: MIT
 *
 * The interpreter of NIR. All lanes walk the control flow together, each instruction under a mask of the lanes that
 * execute it. Each value has a certainty. An undetermined value may reach outputs, but not an address or a branch: in
 * that case nothing of the program is compared.
 */
#include "fuzz/nir/interpret.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "util/double.h"
#include "util/half_float.h"
#include "util/ralloc.h"
#include "util/u_math.h"

#include "fuzz/nir/defined.h"
#include "fuzz/nir/interpreter.h"
#include "fuzz/nir/ops.h"
#include "isa/program.h"

#define STEPS 200000 /* most instructions, so that a wrong loop ends */

_Noreturn void fuzz_fail(struct interpreter *run, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(run->why, FUZZ_WHY, format, arguments);
   va_end(arguments);
   longjmp(run->failed, 1);
}

const struct lanes *fuzz_lanes(struct interpreter *run, nir_src src)
{
   const struct lanes *lanes = src.ssa->index < run->def_count ? &run->defs[src.ssa->index] : NULL;

   if (lanes == NULL || lanes->values == NULL) {
      fuzz_fail(run, "a value is read before it is made");
   }
   return lanes;
}

const nir_const_value *fuzz_lane_value(struct interpreter *run, nir_src src, unsigned lane)
{
   return &fuzz_lanes(run, src)->values[lane * src.ssa->num_components];
}

struct lanes *fuzz_define(struct interpreter *run, const nir_def *def)
{
   struct lanes *lanes = def->index < run->def_count ? &run->defs[def->index] : NULL;

   if (lanes == NULL) {
      fuzz_fail(run, "a function that a pass is still at work on");
   }
   if (lanes->values == NULL) {
      lanes->values = rzalloc_array(run->context, nir_const_value, (size_t)FUZZ_LANES * def->num_components);
      lanes->certainty = rzalloc_array(run->context, uint8_t, (size_t)FUZZ_LANES * def->num_components);
      lanes->known = rzalloc_array(run->context, uint64_t, (size_t)FUZZ_LANES * def->num_components);
   }
   return lanes;
}

uint8_t fuzz_certainty(struct interpreter *run, nir_src src, unsigned lane)
{
   const unsigned components = src.ssa->num_components;
   const uint8_t *of_lane = &fuzz_lanes(run, src)->certainty[lane * components];
   uint8_t least = FUZZ_EXACT;

   for (unsigned c = 0; c < components; c++) {
      least = MAX2(least, of_lane[c]);
   }
   return least;
}

void fuzz_copy(struct lanes *to, unsigned to_lane, const struct lanes *from, unsigned from_lane, unsigned components)
{
   memcpy(&to->values[to_lane * components], &from->values[from_lane * components], components * sizeof(*to->values));
   memcpy(&to->certainty[to_lane * components], &from->certainty[from_lane * components], components);
   memcpy(&to->known[to_lane * components], &from->known[from_lane * components], components * sizeof(*to->known));
}

void fuzz_undefine(struct lanes *lanes, unsigned lane, unsigned components)
{
   memset(&lanes->certainty[lane * components], FUZZ_UNDEFINED, components);
   memset(&lanes->known[lane * components], 0, components * sizeof(*lanes->known));
}

/* For an address or a condition. */
void fuzz_require_certain(struct interpreter *run, nir_src src, unsigned lane, const char *what)
{
   const enum fuzz_certainty certainty = fuzz_dependent(fuzz_certainty(run, src, lane));

   if (certainty == FUZZ_UNDEFINED) {
      fuzz_fail(run, "undefined %s", what);
   }
   run->derived |= certainty == FUZZ_DERIVED;
}

enum fuzz_certainty fuzz_dependent(uint8_t certainty)
{
   return certainty == FUZZ_EXACT || certainty == FUZZ_DERIVED ? certainty : FUZZ_UNDEFINED;
}

/* Saturating addition and subtraction. Mesa's own expressions are wrong as of 25.0.7: they compare 8-bit and 16-bit
 * sums after C has promoted them to int, and overflow signed integers of 32 and 64 bits. */
static bool evaluate_saturating(nir_op op, nir_const_value *result, const nir_const_value *a, const nir_const_value *b,
                                unsigned bits)
{
   if (op != nir_op_uadd_sat && op != nir_op_iadd_sat && op != nir_op_isub_sat) {
      return false; /* others may have no second operand */
   }
   const uint64_t mask = UINT64_MAX >> (64 - bits), u = nir_const_value_as_uint(*a, bits);
   const int64_t most = (int64_t)(mask >> 1), x = nir_const_value_as_int(*a, bits);
   const int64_t y = nir_const_value_as_int(*b, bits);
   const uint64_t sum = (u + nir_const_value_as_uint(*b, bits)) & mask;
   int64_t exact;

   if (op == nir_op_uadd_sat) {
      *result = nir_const_value_for_raw_uint(sum < u ? mask : sum, bits);
      return true;
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

/* fmin and fmax of the AGX backend. Mesa's own expressions convert the chosen float to an integer. */
static bool evaluate_minimum(nir_op op, nir_const_value *result, nir_const_value *const *sources)
{
   if (op != nir_op_fmin_agx && op != nir_op_fmax_agx) {
      return false;
   }
   const float a = sources[0]->f32, b = sources[1]->f32;
   const bool first = isnan(b) || (op == nir_op_fmin_agx ? a < b : a > b);
   result->u32 = first ? sources[0]->u32 : sources[1]->u32;
   return true;
}

static void read_operands(struct interpreter *run, const nir_alu_instr *alu, unsigned lane, struct operands *operands)
{
   const nir_op_info *info = &nir_op_infos[alu->op];

   operands->width = alu->def.bit_size;
   for (unsigned i = 0; i < info->num_inputs; i++) {
      const nir_src src = alu->src[i].src;
      const struct lanes *from = fuzz_lanes(run, src);
      operands->bits[i] = src.ssa->bit_size;
      operands->components[i] = nir_ssa_alu_instr_src_components(alu, i);
      for (unsigned c = 0; c < operands->components[i]; c++) {
         const unsigned at = lane * src.ssa->num_components + alu->src[i].swizzle[c];
         operands->value[i][c] = from->values[at];
         operands->certainty[i][c] = from->certainty[at];
         operands->known[i][c] = from->known[at];
      }
      if (nir_alu_type_get_type_size(info->input_types[i]) == 0) {
         operands->width = operands->bits[i];
      }
   }
}

/* Returns the certainty of the least certain operand of one component of a result. */
static enum fuzz_certainty operand_certainty(const nir_alu_instr *alu, const struct operands *operands, unsigned c)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   uint8_t least = FUZZ_EXACT;

   if (nir_op_is_vec(alu->op)) {
      return operands->certainty[c][0];
   }
   for (unsigned i = 0; i < info->num_inputs; i++) {
      /* an operand that a select does not choose does not matter */
      const bool left_out = alu->op == nir_op_bcsel && i != 0 && operands->value[0][c].b != (i == 1) &&
                            operands->certainty[0][c] == FUZZ_EXACT;
      const bool each = info->output_size == 0 && info->input_sizes[i] == 0;
      for (unsigned k = each ? c : 0; !left_out && k < (each ? c + 1 : operands->components[i]); k++) {
         least = MAX2(least, operands->certainty[i][k]);
      }
   }
   return least;
}

/* Evaluates one component of a result, or all components of an op that does not work component-wise. */
static void evaluate_part(struct interpreter *run, const nir_alu_instr *alu, struct operands *operands, unsigned first,
                          struct lanes *lanes, unsigned at)
{
   nir_const_value *result = &lanes->values[at];
   const nir_op_info *info = &nir_op_infos[alu->op];
   const unsigned count = info->output_size == 0 ? 1 : alu->def.num_components;
   const bool exact = alu->exact || run->exact;
   nir_const_value *pointers[NIR_ALU_MAX_INPUTS] = {0};
   const nir_const_value *sources[NIR_ALU_MAX_INPUTS] = {0};

   for (unsigned i = 0; i < info->num_inputs; i++) {
      sources[i] = pointers[i] = &operands->value[i][info->input_sizes[i] == 0 ? first : 0];
   }
   const bool defined = fuzz_defined(alu->op, sources, operands->bits, alu->def.bit_size);
   const bool close = fuzz_close(alu->op, exact, sources, operands->bits);
   memset(result, 0, count * sizeof(*result));
   if (defined && !evaluate_saturating(alu->op, result, pointers[0], pointers[1], operands->width) &&
       !evaluate_half_ffma(alu->op, result, pointers, operands->width) &&
       !evaluate_minimum(alu->op, result, pointers)) {
      nir_eval_const_opcode(alu->op, result, count, operands->width, pointers,
                            run->nir->info.float_controls_execution_mode);
   }
   for (unsigned c = 0; c < count; c++) {
      enum fuzz_certainty from = operand_certainty(alu, operands, first + c);
      const uint64_t all = UINT64_MAX >> (64 - alu->def.bit_size);
      const uint64_t known = from == FUZZ_UNDEFINED && defined ? fuzz_known_bits(alu, operands, first + c) & all : 0;
      from = known == all ? FUZZ_EXACT : from;
      const enum fuzz_certainty made = fuzz_certainty_of(alu->op, exact, from, &result[c], alu->def.bit_size);
      lanes->certainty[at + c] = (uint8_t)(!defined ? FUZZ_UNDEFINED : close ? made : MAX2(made, FUZZ_DERIVED));
      lanes->known[at + c] = known;
   }
}

static void evaluate(struct interpreter *run, const nir_alu_instr *alu, lane_mask mask)
{
   const unsigned components = alu->def.num_components;
   const unsigned parts = nir_op_infos[alu->op].output_size == 0 ? components : 1;
   struct lanes *lanes = fuzz_define(run, &alu->def);

   FOREACH_LANE(lane, mask)
   {
      struct operands operands;
      read_operands(run, alu, lane, &operands);
      for (unsigned c = 0; c < parts; c++) {
         evaluate_part(run, alu, &operands, c, lanes, lane * components + c);
      }
   }
}

static void load_constant(struct interpreter *run, const nir_load_const_instr *constant, lane_mask mask)
{
   struct lanes *lanes = fuzz_define(run, &constant->def);

   FOREACH_LANE(lane, mask)
   {
      memcpy(&lanes->values[lane * constant->def.num_components], constant->value,
             constant->def.num_components * sizeof(constant->value[0]));
   }
}

static void undefine(struct interpreter *run, const nir_def *def)
{
   struct lanes *lanes = fuzz_define(run, def);

   for (unsigned lane = 0; lane < FUZZ_LANES; lane++) {
      fuzz_undefine(lanes, lane, def->num_components);
   }
}

/* Reads the sources of all phis of a block before writing any of them. */
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
      copy->certainty = rzalloc_array(context, uint8_t, (size_t)FUZZ_LANES * components);
      copy->known = rzalloc_array(context, uint64_t, (size_t)FUZZ_LANES * components);
      nir_foreach_phi_src(src, phi)
      {
         const struct lanes *from = &run->defs[MIN2(src->src.ssa->index, run->def_count)];
         FOREACH_LANE(lane, mask)
         {
            if (run->previous[lane] == src->pred && from->values != NULL) {
               fuzz_copy(copy, lane, from, lane, components);
            }
         }
      }
   }
   count = 0;
   nir_foreach_phi(phi, block)
   {
      const unsigned components = phi->def.num_components;
      struct lanes *lanes = fuzz_define(run, &phi->def);
      FOREACH_LANE(lane, mask)
      {
         fuzz_copy(lanes, lane, &copies[count], lane, components);
      }
      count++;
   }
   ralloc_free(context);
}

/* Whether the value consists of unchanged bits of other values, or extends another one. */
static bool moves_bits(const nir_def *def)
{
   return def->parent_instr->type == nir_instr_type_alu && fuzz_op_unchanged(nir_instr_as_alu(def->parent_instr)->op);
}

/* Returns the other operand of a bit operation with a constant. */
static const nir_alu_src *beside_constant(const nir_def *def)
{
   const nir_alu_instr *alu =
       def->parent_instr->type == nir_instr_type_alu ? nir_instr_as_alu(def->parent_instr) : NULL;

   if (alu == NULL || (alu->op != nir_op_iand && alu->op != nir_op_ior && alu->op != nir_op_ixor)) {
      return NULL;
   }
   return nir_src_is_const(alu->src[1].src) ? &alu->src[0] : nir_src_is_const(alu->src[0].src) ? &alu->src[1] : NULL;
}

/* Returns the first of `count` series for the components of a value, or for something else. */
static struct fuzz_series *kept_series(struct interpreter *run, const void *of, enum fuzz_series_kind kind,
                                       uint32_t bits, unsigned count)
{
   struct fuzz_values *kept = run->kept;
   size_t first = 0;

   while (first < kept->count && (kept->items[first].of != of || kept->items[first].kind != kind)) {
      first++;
   }
   if (first == kept->count) {
      struct fuzz_series *items = realloc(kept->items, (first + count) * sizeof(*items));
      if (items == NULL) {
         fuzz_fail(run, "out of memory");
      }
      kept->items = items;
      for (; kept->count < first + count; kept->count++) {
         items[kept->count] = (struct fuzz_series){.bits = bits, .of = of, .kind = (uint8_t)kind};
      }
   }
   return &kept->items[first];
}

static void add_kept(struct interpreter *run, struct fuzz_series *series, unsigned lane, uint64_t value,
                     uint8_t certainty)
{
   if (!fuzz_series_add(series, run->kept_first + lane, value, certainty)) {
      fuzz_fail(run, "too many values");
   }
}

void fuzz_keep(struct interpreter *run, enum fuzz_series_kind kind, const void *of, unsigned lane, uint64_t value)
{
   if (run->kept != NULL) {
      add_kept(run, kept_series(run, of, kind, kind == FUZZ_SERIES_CONDITION ? 1 : 64, 1), lane, value, FUZZ_EXACT);
   }
}

/* Makes a series for each if in order, including those that no lane reaches. */
static void keep_conditions(struct interpreter *run, struct exec_list *list)
{
   foreach_list_typed(nir_cf_node, node, node, list)
   {
      if (node->type == nir_cf_node_if) {
         (void)kept_series(run, node, FUZZ_SERIES_CONDITION, 1, 1);
         keep_conditions(run, &nir_cf_node_as_if(node)->then_list);
         keep_conditions(run, &nir_cf_node_as_if(node)->else_list);
      } else if (node->type == nir_cf_node_loop) {
         keep_conditions(run, &nir_cf_node_as_loop(node)->body);
      }
   }
}

/* Appends the result of an instruction to the recorded values. */
static void keep_def(struct interpreter *run, const nir_def *def, lane_mask mask)
{
   const struct lanes *lanes = def->index < run->def_count ? &run->defs[def->index] : NULL;
   const nir_alu_src *beside = beside_constant(def);

   if (lanes == NULL || lanes->values == NULL) {
      return; /* it is undefined */
   }
   const size_t before = run->kept->count;
   struct fuzz_series *series = kept_series(run, def, FUZZ_SERIES_VALUE, def->bit_size, def->num_components);
   for (unsigned c = 0; c < def->num_components; c++) {
      if (run->kept->count != before) {
         series[c].moved = moves_bits(def) || beside != NULL;
      }
      FOREACH_LANE(lane, mask)
      {
         const unsigned at = lane * def->num_components + c;
         const uint64_t value = nir_const_value_as_uint(lanes->values[at], def->bit_size);
         add_kept(run, &series[c], lane, value, lanes->certainty[at]);
         if (beside != NULL &&
             value !=
                 nir_const_value_as_uint(fuzz_lane_value(run, beside->src, lane)[beside->swizzle[c]], def->bit_size)) {
            series[c].moved = false;
         }
      }
   }
}

static void keep(struct interpreter *run, nir_instr *instr, lane_mask mask)
{
   const nir_def *def = nir_instr_def(instr);

   if (run->kept != NULL && def != NULL) {
      keep_def(run, def, mask);
   }
}

static void run_function(struct interpreter *run, nir_function_impl *impl, lane_mask mask);

static void call(struct interpreter *run, const nir_call_instr *instr, lane_mask mask)
{
   const struct interpreter_frame frame = {run->defs, run->def_count}, *const caller = run->caller;
   const nir_call_instr *const outer = run->call;
   const lane_mask breaking = run->breaking, continuing = run->continuing;
   const nir_block *previous[FUZZ_LANES];

   if (instr->callee->impl == NULL || instr->callee->is_entrypoint) {
      fuzz_fail(run, "a function without a body");
   }
   memcpy(previous, run->previous, sizeof(previous));
   run->call = instr;
   run->caller = &frame;
   run_function(run, instr->callee->impl, mask);
   run->defs = frame.defs;
   run->def_count = frame.def_count;
   run->call = outer;
   run->caller = caller;
   run->breaking = breaking;
   run->continuing = continuing;
   memcpy(run->previous, previous, sizeof(previous));
}

static lane_mask walk_block(struct interpreter *run, nir_block *block, lane_mask mask)
{
   phis(run, block, mask);
   nir_foreach_instr (instr, block) {
      if (run->steps++ > STEPS) {
         fuzz_fail(run, "too many instructions");
      }
      switch (instr->type) {
      case nir_instr_type_alu:
         evaluate(run, nir_instr_as_alu(instr), mask);
         break;
      case nir_instr_type_intrinsic:
         fuzz_intrinsic(run, nir_instr_as_intrinsic(instr), mask);
         break;
      case nir_instr_type_call:
         call(run, nir_instr_as_call(instr), mask);
         break;
      case nir_instr_type_deref:
         fuzz_point(run, nir_instr_as_deref(instr), mask);
         break;
      case nir_instr_type_load_const:
         load_constant(run, nir_instr_as_load_const(instr), mask);
         break;
      case nir_instr_type_undef:
         undefine(run, &nir_instr_as_undef(instr)->def);
         break;
      case nir_instr_type_phi:
         break;
      case nir_instr_type_jump:
         if (nir_instr_as_jump(instr)->type == nir_jump_break) {
            run->breaking |= mask;
         } else if (nir_instr_as_jump(instr)->type == nir_jump_continue) {
            run->continuing |= mask;
         } else {
            fuzz_fail(run, "a jump that the interpreter does not know");
         }
         break;
      default:
         fuzz_fail(run, "an instruction that the interpreter does not know");
      }
      keep(run, instr, mask);
   }
   FOREACH_LANE(lane, mask)
   {
      run->previous[lane] = block;
   }
   return mask & ~(run->breaking | run->continuing);
}

/* Returns the lanes that reach the end. */
static lane_mask walk(struct interpreter *run, struct exec_list *list, lane_mask mask);

static lane_mask walk_if(struct interpreter *run, nir_if *nif, lane_mask mask)
{
   lane_mask taken = 0;

   FOREACH_LANE(lane, mask)
   {
      fuzz_require_certain(run, nif->condition, lane, "condition");
      if (nir_cf_node_get_function(&nif->cf_node)->function->is_entrypoint) { /* not for a preamble */
         fuzz_keep(run, FUZZ_SERIES_CONDITION, &nif->cf_node, lane, fuzz_lane_value(run, nif->condition, lane)->b);
      }
      taken |= fuzz_lane_value(run, nif->condition, lane)->b ? UINT64_C(1) << lane : 0;
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
         fuzz_fail(run, "a loop with a continue construct");
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
         fuzz_fail(run, "control flow that the interpreter does not know");
      }
   }
   return mask;
}

static void run_function(struct interpreter *run, nir_function_impl *impl, lane_mask mask)
{
   run->defs = rzalloc_array(run->context, struct lanes, impl->ssa_alloc + 1);
   run->def_count = impl->ssa_alloc;
   run->breaking = run->continuing = 0;
   walk(run, &impl->body, mask);
}

static bool make_region(struct interpreter *run, unsigned number, uint64_t base, uint64_t size)
{
   struct region *region = &run->regions[number];

   region->base = base;
   region->size = size;
   region->bytes = rzalloc_size(run->context, size + 1);
   region->certainty = rzalloc_size(run->context, size + 1);
   return region->bytes != NULL && region->certainty != NULL;
}

struct region *fuzz_unwritten_region(struct interpreter *run, unsigned number)
{
   const uint64_t shapes[REGIONS][2] = {
       [REGION_PRIVATE] = {FUZZ_PRIVATE_BASE, (uint64_t)FUZZ_LANES * FUZZ_PRIVATE_BYTES},
       [REGION_SHARED] = {0, FUZZ_SHARED_BYTES},
       [REGION_SCRATCH] = {0, (uint64_t)FUZZ_LANES * MIN2(run->nir->scratch_size, FUZZ_SCRATCH_BYTES)},
   };
   struct region *region = &run->regions[number];

   if (region->bytes == NULL) {
      if (!make_region(run, number, shapes[number][0], shapes[number][1])) {
         fuzz_fail(run, "out of memory");
      }
      memset(region->certainty, FUZZ_UNDEFINED, region->size);
   }
   return region;
}

static bool make_regions(struct interpreter *run)
{
   const uint64_t shapes[][2] = {
       [REGION_OUTPUTS] = {run->at.outputs, run->memory->output_bytes},
       [REGION_INPUTS] = {run->at.inputs, run->memory->input_bytes},
       [REGION_MEMORY] = {run->at.memory, (uint64_t)FUZZ_LANES * FUZZ_MEMORY},
       [REGION_ARGUMENTS] = {FUZZ_ARGUMENT_BASE, run->memory->argument_bytes},
   };
   for (unsigned i = 0; i < ARRAY_SIZE(shapes); i++) {
      if (!make_region(run, i, shapes[i][0], shapes[i][1])) {
         return false;
      }
   }
   memcpy(run->regions[REGION_INPUTS].bytes, run->memory->inputs, run->memory->input_bytes);
   memcpy(run->regions[REGION_ARGUMENTS].bytes, run->memory->arguments, run->memory->argument_bytes);
   run->owner = rzalloc_array(run->context, uint8_t, (unsigned)run->memory->output_bytes + 1);
   run->epoch = 1;
   if (run->owner == NULL) {
      return false;
   }
   run->variables = _mesa_pointer_hash_table_create(run->context);
   return true;
}

/* Places the launch values of a kernel where compiler_layout_lower() expects them. */
static void place_dispatch(struct interpreter *run)
{
   const uint32_t lanes = util_bitcount64(run->memory->lanes);
   const struct agx_dispatch_block block = {
       .workgroups = {1, 1, 1}, .work_dim = 1, .global_size = {lanes, 1, 1}, .local_size = {lanes, 1, 1}};
   const size_t start = run->memory->dispatch_uniform * (size_t)2;

   if (start != 0 && start + sizeof(block) <= sizeof(run->preamble)) {
      memcpy(run->preamble + start, &block, sizeof(block));
   }
}

/* Walks the shader. Returns false if it contains something that the interpreter does not support. */
static bool run_shader(struct interpreter *run)
{
   if (run->memory->argument_bytes > sizeof(run->preamble)) {
      fuzz_fail(run, "the arguments are longer than the uniforms");
   }
   memcpy(run->preamble, run->memory->arguments, run->memory->argument_bytes);
   place_dispatch(run);
   nir_foreach_function_with_impl(function, impl, run->nir)
   {
      if (function->is_entrypoint) {
         if (impl->preamble != NULL && impl->preamble->impl != NULL) {
            run_function(run, impl->preamble->impl, 1);
         }
         if (run->kept != NULL) {
            keep_conditions(run, &impl->body);
         }
         run_function(run, impl, run->memory->lanes);
         return true;
      }
   }
   return false; /* it is a library, not a kernel */
}

/* The same. It gives up where fuzz_fail() is called, and when out of memory: run is NULL then. */
static bool run_guarded(struct interpreter *run)
{
   return run != NULL && setjmp(run->failed) == 0 && make_regions(run) && run_shader(run);
}

static void gather(const struct interpreter *run, const struct fuzz_program *program, struct fuzz_outputs *outputs)
{
   const struct region *stored = &run->regions[REGION_OUTPUTS], *memory = &run->regions[REGION_MEMORY];

   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      if (node->kind == FUZZ_OUTPUT) {
         outputs->bits[node->slot] = node->bits == 1 ? 32 : node->bits;
      }
   }
   memcpy(outputs->value, stored->bytes, sizeof(outputs->value));
   for (unsigned slot = 0; slot < FUZZ_OUTPUTS; slot++) {
      for (unsigned lane = 0; lane < FUZZ_LANES; lane++) {
         for (unsigned byte = 0; byte < outputs->bits[slot] / 8u; byte++) {
            const uint8_t certainty = stored->certainty[(slot * FUZZ_LANES + lane) * 8 + byte];
            outputs->certainty[slot][lane] = MAX2(outputs->certainty[slot][lane], certainty);
         }
      }
   }
   memcpy(outputs->memory, memory->bytes, sizeof(outputs->memory));
   for (unsigned i = 0; i < memory->size; i++) {
      outputs->memory_undefined |= fuzz_dependent(memory->certainty[i]) == FUZZ_UNDEFINED;
      outputs->derived |= memory->certainty[i] == FUZZ_DERIVED;
   }
}

/* Returns NULL when out of memory. */
static struct interpreter *start(const nir_shader *nir, const struct fuzz_memory *memory,
                                 const struct fuzz_watch *watch, char why[FUZZ_WHY])
{
   struct interpreter *run = rzalloc(NULL, struct interpreter);

   if (run == NULL) {
      snprintf(why, FUZZ_WHY, "out of memory");
      return NULL;
   }
   run->context = run;
   run->nir = nir;
   run->memory = memory;
   run->at = (struct fuzz_addresses){FUZZ_OUTPUT_BASE, FUZZ_INPUT_BASE, FUZZ_MEMORY_BASE};
   if (watch != NULL) {
      run->at = watch->at;
      run->kept = watch->values;
      run->kept_first = watch->first;
   }
   run->why = why;
   return run;
}

void fuzz_interpret(const nir_shader *nir, const struct fuzz_program *program, const struct fuzz_watch *watch,
                    struct fuzz_outputs *outputs)
{
   uint8_t arguments[FUZZ_ARGUMENT_BYTES];
   const struct fuzz_memory memory = {.arguments = arguments,
                                      .argument_bytes = sizeof(arguments),
                                      .inputs = (const uint8_t *)program->input,
                                      .input_bytes = sizeof(program->input),
                                      .output_bytes = sizeof(outputs->value),
                                      .lanes = UINT64_MAX};

   memset(outputs, 0, sizeof(*outputs));
   struct interpreter *run = start(nir, &memory, watch, outputs->why);
   if (run != NULL) {
      fuzz_arguments(program, run->at.outputs, run->at.inputs, run->at.memory, arguments);
   }
   if (run_guarded(run)) {
      gather(run, program, outputs);
      outputs->derived |= run->derived;
      outputs->valid = true;
   }
   ralloc_free(run);
}

bool fuzz_interpret_memory(const nir_shader *nir, const struct fuzz_memory *memory, const struct fuzz_watch *watch,
                           uint8_t *outputs, uint8_t *certainty, char why[FUZZ_WHY])
{
   struct interpreter *run = start(nir, memory, watch, why);

   if (run != NULL) {
      run->exact = true;
   }
   const bool valid = run_guarded(run);
   const bool derived = valid && run->derived;
   if (valid) {
      memcpy(outputs, run->regions[REGION_OUTPUTS].bytes, memory->output_bytes);
      memcpy(certainty, run->regions[REGION_OUTPUTS].certainty, memory->output_bytes);
   }
   ralloc_free(run);
   return valid && !(derived && watch != NULL);
}
