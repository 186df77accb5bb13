/* SPDX-License-Identifier: MIT
 *
 * What only vertex and fragment programs do: outputs of vertices, coefficients, coverage, derivatives
 * (docs/spec/render.md 4). Lanes are processed one by one. Interpolation is computed in double and rounded once; the
 * hardware's precision is not known.
 */
#include "vgpu/exec/half.h"
#include "vgpu/exec/semantics/vector.h"
#include "vgpu/stage.h"

enum { SAMPLE_CENTER, SAMPLE_IMMEDIATE, SAMPLE_CENTROID, SAMPLE_REGISTER }; /* ISA_MOD_INTERPOLATION */

static struct vgpu_stage *stage_of(const struct vgpu_simd *simd)
{
   return simd->worker->launch->stage;
}

static struct vgpu_fragment *fragment_of(const struct vgpu_simd *simd, unsigned lane)
{
   return &stage_of(simd)->fragments[simd->index * VGPU_LANES + lane];
}

static uint32_t half_of(const struct vgpu_simd *simd, const struct isa_operand *operand, unsigned lane)
{
   if (operand->kind != ISA_REG) {
      return (uint32_t)operand->value;
   }
   const uint32_t word = simd->base[VGPU_REGISTERS][(unsigned)operand->value / 2 * VGPU_LANES + lane];
   return operand->value & 1 ? word >> 16 : word & 0xffff;
}

static uint32_t word_of(const struct vgpu_simd *simd, const struct isa_operand *operand, unsigned lane)
{
   return simd->base[VGPU_REGISTERS][(unsigned)operand->value / 2 * VGPU_LANES + lane];
}

/* Component `at` of the result, which is a float. */
static void write_float(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, unsigned at, uint32_t bits)
{
   uint32_t *registers = simd->base[VGPU_REGISTERS];
   if (op->dst.size == 32) {
      registers[op->dst.vector + at * VGPU_LANES + lane] = bits;
      return;
   }
   float value;
   memcpy(&value, &bits, sizeof(value));
   const uint32_t half = op->dst.half + at, narrow = vgpu_f16_from_double((double)value, false);
   uint32_t *word = &registers[half / 2 * VGPU_LANES + lane];
   *word = half & 1 ? (*word & 0xffff) | narrow << 16 : (*word & 0xffff0000u) | narrow;
}

/* ---- Vertices ---- */

static void varying_store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_stage *stage = stage_of(simd);
   const struct vgpu_launch *launch = simd->worker->launch;
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      const uint64_t thread = simd->group->number * launch->group[0] + simd->index * VGPU_LANES + lane;
      const uint32_t index = half_of(simd, &op->insn->src[1], lane);
      if (index < stage->output_words) {
         stage->outputs[thread * stage->output_words + index] = word_of(simd, &op->insn->src[0], lane);
      }
   }
}
VGPU_SLOW_HANDLER(varying_store, varying_store);
VGPU_OPERATION(VARYING_STORE, varying_store, FALL, PLAIN, varying_store);

/* ---- Coefficients ---- */

/* NULL: the program's bindings have no such register. */
static const struct vgpu_plane *plane_of(const struct vgpu_simd *simd, const struct vgpu_fragment *fragment,
                                         uint32_t number)
{
   return fragment->planes && number < stage_of(simd)->plane_count ? &fragment->planes[number] : NULL;
}

/* Where in its pixel a lane's coefficients are evaluated. */
static void place_of(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane,
                     const struct vgpu_fragment *fragment, double place[2])
{
   const struct vgpu_stage *stage = stage_of(simd);
   const int32_t mode = op->insn->mod[ISA_MOD_INTERPOLATION];
   const uint32_t all = (1u << (1u << stage->samples_log2)) - 1;
   uint32_t sample = UINT32_MAX; /* the centre */
   if (mode == SAMPLE_IMMEDIATE || mode == SAMPLE_REGISTER) {
      sample = half_of(simd, &op->insn->src[2], lane);
   } else if (mode == SAMPLE_CENTROID && fragment->input != all && fragment->input) {
      sample = (uint32_t)__builtin_ctz(fragment->input);
   }
   const bool centre = sample >= VGPU_MAX_SAMPLES || stage->samples_log2 == 0;
   place[0] = fragment->x + (centre ? 0.5 : stage->sample_x[sample] / 16.0);
   place[1] = fragment->y + (centre ? 0.5 : stage->sample_y[sample] / 16.0);
}

static double value_at(const struct vgpu_plane *plane, const double place[2])
{
   return plane->a * place[0] + plane->b * place[1] + plane->c;
}

static uint32_t float_bits(double value)
{
   const float narrow = (float)value;
   uint32_t bits;
   memcpy(&bits, &narrow, sizeof(bits));
   return bits;
}

/* Lanes one after the other whose fragments belong to one primitive. Inactive lanes are like those before them. */
struct lane_runs {
   unsigned count;
   const struct vgpu_plane *planes[VGPU_LANES];
   uint8_t end[VGPU_LANES]; /* behind a run's last lane */
};

/* false: some fragment has no planes, or the program computes the register's number. */
static bool find_runs(const struct vgpu_op *op, const struct vgpu_simd *simd, struct lane_runs *runs)
{
   if (op->insn->src[0].kind == ISA_REG || op->dst.size != 32 || !simd->exec) {
      return false;
   }
   const struct vgpu_fragment *fragments = fragment_of(simd, 0);
   const struct vgpu_plane *last = fragments[__builtin_ctz(simd->exec)].planes;
   runs->count = 0;
   runs->planes[0] = last;
   for (unsigned lane = 0; lane < VGPU_LANES && last; lane++) {
      const struct vgpu_plane *planes = simd->exec >> lane & 1 ? fragments[lane].planes : last;
      if (planes != last) {
         runs->end[runs->count++] = (uint8_t)lane;
         runs->planes[runs->count] = last = planes;
      }
   }
   runs->end[runs->count++] = VGPU_LANES;
   return last;
}

struct lane_places {
   VGPU_LANE_ARRAY(double, x);
   VGPU_LANE_ARRAY(double, y);
};

static void find_places(const struct vgpu_op *op, const struct vgpu_simd *simd, struct lane_places *places)
{
   const bool centre = op->insn->mod[ISA_MOD_INTERPOLATION] == SAMPLE_CENTER || stage_of(simd)->samples_log2 == 0;
   const uint32_t *x = simd->ids, *y = simd->ids + VGPU_LANES; /* a fragment's position is its pixel's */
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      places->x[lane] = (double)(int32_t)x[lane] + 0.5;
      places->y[lane] = (double)(int32_t)y[lane] + 0.5;
   }
   for (uint32_t lanes = centre ? 0 : simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      double place[2];
      place_of(op, simd, lane, fragment_of(simd, lane), place);
      places->x[lane] = place[0];
      places->y[lane] = place[1];
   }
}

/* All lanes' values of a register. Returns the lanes in which it is flat, whose values mean nothing. */
static uint32_t evaluate(const struct lane_runs *runs, uint32_t number, const struct lane_places *places,
                         double *values)
{
   uint32_t flat = 0;
   if (runs->count == 1) {
      const struct vgpu_plane plane = runs->planes[0][number];
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         values[lane] = plane.a * places->x[lane] + plane.b * places->y[lane] + plane.c;
      }
      return plane.flat ? UINT32_MAX : 0;
   }
   for (unsigned run = 0, first = 0; run < runs->count; first = runs->end[run++]) {
      const struct vgpu_plane plane = runs->planes[run][number];
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) { /* later runs overwrite what lies behind */
         const double value = plane.a * places->x[lane] + plane.b * places->y[lane] + plane.c;
         values[lane] = lane >= first ? value : values[lane];
      }
      flat |= plane.flat ? UINT32_MAX << first & UINT32_MAX >> (VGPU_LANES - runs->end[run]) : 0;
   }
   return flat;
}

/* All lanes side by side; false: lane by lane. */
static bool iterate_together(const struct vgpu_op *op, struct vgpu_simd *simd, bool projected)
{
   struct lane_runs runs;
   const uint32_t first = (uint32_t)op->insn->src[0].value, count = stage_of(simd)->plane_count;
   const uint32_t divisor = projected ? (uint32_t)op->insn->src[1].value : 0;
   struct lane_places places;
   VGPU_LANE_ARRAY(double, w);
   if (first + op->insn->dst.count > count || divisor >= count || !find_runs(op, simd, &runs)) {
      return false;
   }
   find_places(op, simd, &places);
   if (projected && evaluate(&runs, divisor, &places, w)) {
      return false;
   }
   for (unsigned i = 0; i < op->insn->dst.count; i++) {
      VGPU_LANE_ARRAY(double, values);
      VGPU_LANE_ARRAY(float, narrow);
      VGPU_LANE_ARRAY(uint32_t, bits);
      const uint32_t flat = evaluate(&runs, first + i, &places, values);
      for (unsigned lane = 0; lane < VGPU_LANES && projected; lane++) {
         values[lane] /= w[lane];
      }
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         narrow[lane] = (float)values[lane];
      }
      memcpy(bits, narrow, sizeof(bits));
      for (unsigned run = 0, lane = 0; run < runs.count && flat; run++) {
         const struct vgpu_plane *plane = &runs.planes[run][first + i];
         for (; lane < runs.end[run]; lane++) {
            bits[lane] = plane->flat ? plane->bits : bits[lane];
         }
      }
      uint32_t *to = simd->base[VGPU_REGISTERS] + op->dst.vector + i * VGPU_LANES;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         to[lane] = simd->exec >> lane & 1 ? bits[lane] : to[lane];
      }
   }
   return true;
}

static void iterate(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const bool projected = op->insn->op == ISA_OP_ITER_PROJECTED;
   if (iterate_together(op, simd, projected)) {
      return;
   }
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      const struct vgpu_fragment *fragment = fragment_of(simd, lane);
      const uint32_t first = half_of(simd, &op->insn->src[0], lane);
      const struct vgpu_plane *w = projected ? plane_of(simd, fragment, (uint32_t)op->insn->src[1].value) : NULL;
      double place[2];
      place_of(op, simd, lane, fragment, place);
      for (unsigned i = 0; i < op->insn->dst.count; i++) {
         const struct vgpu_plane *plane = plane_of(simd, fragment, first + i);
         uint32_t bits = 0;
         if (plane) {
            bits = plane->flat ? plane->bits : float_bits(value_at(plane, place) / (w ? value_at(w, place) : 1));
         }
         write_float(op, simd, lane, i, bits);
      }
   }
}
VGPU_SLOW_HANDLER(iterate, iterate);
VGPU_OPERATION(ITER, coefficients, FALL, PLAIN, iterate);
VGPU_OPERATION(ITER_PROJECTED, coefficients, FALL, PLAIN, iterate);

/* Three words a coefficient register. Flat ones have their value in the last two (docs/spec/render.md 4). */
static void coefficient_load(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      const struct vgpu_fragment *fragment = fragment_of(simd, lane);
      const double corner[2] = {fragment->x / VGPU_TILE_CORNER * VGPU_TILE_CORNER,
                                fragment->y / VGPU_TILE_CORNER * VGPU_TILE_CORNER};
      for (unsigned i = 0; i < op->insn->dst.count; i += 3) {
         const struct vgpu_plane *plane = plane_of(simd, fragment, half_of(simd, &op->insn->src[0], lane) + i / 3);
         uint32_t bits[3] = {0};
         if (plane && plane->flat) {
            bits[1] = bits[2] = plane->bits;
         } else if (plane) {
            bits[0] = float_bits(plane->a);
            bits[1] = float_bits(plane->b);
            bits[2] = float_bits(value_at(plane, corner));
         }
         for (unsigned k = 0; k < 3; k++) {
            write_float(op, simd, lane, i + k, bits[k]);
         }
      }
   }
}
VGPU_SLOW_HANDLER(coefficient_load, coefficient_load);
VGPU_OPERATION(COEFFICIENT_LOAD, coefficients, FALL, PLAIN, coefficient_load);

/* ---- Coverage, depth and stencil ---- */

static void test(const struct vgpu_stage *stage, struct vgpu_fragment *fragment, uint32_t samples, const float *z,
                 const uint8_t *stencil)
{
   const uint32_t tested = samples & fragment->live & ~(uint32_t)fragment->tested;
   if (tested) {
      const uint32_t passed = stage->test(stage->data, fragment, tested, z, stencil);
      fragment->live &= (uint8_t) ~(tested & ~passed);
      fragment->tested |= (uint8_t)tested;
   }
}

static void sample_mask(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      struct vgpu_fragment *fragment = fragment_of(simd, lane);
      const uint32_t target = half_of(simd, &op->insn->src[0], lane), live = half_of(simd, &op->insn->src[1], lane);
      fragment->live &= (uint8_t) ~(target & ~live & ~(uint32_t)fragment->tested);
      test(stage_of(simd), fragment, target & live, NULL, NULL);
   }
}
VGPU_SLOW_HANDLER(sample_mask, sample_mask);
VGPU_OPERATION(SAMPLE_MASK, coverage, FALL, PLAIN, sample_mask);

static void zs_emit(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const uint32_t parts = (uint32_t)op->insn->mod[ISA_MOD_ZS]; /* 1 depth, 2 stencil */
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      struct isa_operand second = op->insn->src[1];
      const uint32_t bits = word_of(simd, &second, lane);
      float z;
      memcpy(&z, &bits, sizeof(z));
      second.value += parts == 3 ? 2 : 0;
      const uint8_t stencil = (uint8_t)half_of(simd, &second, lane);
      test(stage_of(simd), fragment_of(simd, lane), half_of(simd, &op->insn->src[0], lane), parts & 1 ? &z : NULL,
           parts & 2 ? &stencil : NULL);
   }
}
VGPU_SLOW_HANDLER(zs_emit, zs_emit);
VGPU_OPERATION(ZS_EMIT, coverage, FALL, PLAIN, zs_emit);

/* Fragments of a launch are different pixels, and launches of a tile run one after the other. */
VGPU_OPERATION(PIXEL_ORDER, in_stage, FALL, PLAIN, none);
VGPU_OPERATION(VARYING_NONE, in_stage, FALL, PLAIN, none);

/* ---- Derivatives: the difference of a quad's row or column ---- */

static void derivative(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const unsigned step = op->insn->op == ISA_OP_DFDX ? 1 : 2;
   VGPU_LANE_ARRAY(float, from);
   VGPU_LANE_ARRAY(uint32_t, to);
   vgpu_get_float_lanes(op, 0, simd, from);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const float difference = from[lane | step] - from[lane & ~step];
      memcpy(&to[lane], &difference, sizeof(difference));
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put_float(op, simd, i, vgpu_finish_float(*(const vf *)(const void *)&to[i * VGPU_WIDTH], 0),
                     VGPU_GENERAL | VGPU_MASKED);
   }
}
VGPU_SLOW_HANDLER(derivative, derivative);
VGPU_OPERATION(DFDX, derivative, FALL, PLAIN, derivative);
VGPU_OPERATION(DFDY, derivative, FALL, PLAIN, derivative);
