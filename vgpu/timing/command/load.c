/* SPDX-License-Identifier: MIT
 *
 * See load.h. Time advances in pieces. No piece crosses the end of a controller period or the start or end of a frame.
 */
#include "vgpu/timing/command/load.h"

#include <math.h>

static double value(const struct vgpu_load *load, enum vgpu_command_param param)
{
   return load->params->command[param];
}

static void start_low(struct vgpu_load *load)
{
   load->hz = load->options.dvfs & VGPU_DVFS_CLOCK ? load->chip->points[0] : load->chip->clock_hz;
   load->demand_hz = load->hz;
   load->period_left_ns = load->period_ns;
   load->busy_ns = 0;
}

void vgpu_load_init(struct vgpu_load *load, const struct vgpu_chip *chip, const struct vgpu_params *params,
                    const struct vgpu_load_options *options, uint64_t seed)
{
   *load = (struct vgpu_load){.params = params, .chip = chip, .options = *options};
   if (load->options.compositor_period_ns <= 0) {
      load->options.compositor_period_ns = value(load, VGPU_COMMAND_COMPOSITOR);
      load->options.compositor_busy_ns = value(load, VGPU_COMMAND_COMPOSITOR_BUSY);
   }
   load->period_ns = value(load, VGPU_COMMAND_PERIOD);
   load->frame_ns = fmod((double)(seed * UINT64_C(0x9e3779b97f4a7c15) >> 11), load->options.compositor_period_ns);
   load->idle_ns = HUGE_VAL; /* the GPU is off */
   start_low(load);
}

/* Returns the lowest operating point that is not below the demand. */
static uint32_t point_for(const struct vgpu_chip *chip, double demand_hz)
{
   unsigned i = 0;
   while (i + 1 < chip->point_count && chip->points[i] < demand_hz) {
      i++;
   }
   return chip->points[i];
}

static void decide(struct vgpu_load *load)
{
   const double lowest = load->chip->points[0], highest = load->chip->points[load->chip->point_count - 1];
   double wanted = load->busy_ns / load->period_ns * load->hz / (value(load, VGPU_COMMAND_TARGET) / 100);
   wanted = fmin(fmax(wanted, lowest), highest);
   double constant = value(load, wanted > load->demand_hz ? VGPU_COMMAND_FILTER_UP : VGPU_COMMAND_FILTER_DOWN);
   double kept = constant > 0 ? exp(-load->period_ns / constant) : 0;
   load->demand_hz = kept * load->demand_hz + (1 - kept) * wanted;
   load->hz = point_for(load->chip, load->demand_hz);
}

/* Lets `ns` nanoseconds pass, which must not cross the end of the period. */
static void pass(struct vgpu_load *load, double ns, bool busy)
{
   load->now_ns += ns;
   load->busy_ns += busy ? ns : 0;
   load->period_left_ns -= ns;
   if (load->period_left_ns <= 0) {
      if (load->options.dvfs & VGPU_DVFS_CLOCK) {
         decide(load);
      }
      load->period_left_ns += load->period_ns;
      load->busy_ns = 0;
   }
}

static void pass_long(struct vgpu_load *load, double ns, bool busy)
{
   while (ns > 0) {
      double piece = fmin(ns, load->period_left_ns);
      pass(load, piece, busy);
      ns -= piece;
   }
}

void vgpu_load_idle(struct vgpu_load *load, double ns)
{
   double on = ns;
   load->idle_ns += ns;
   if (load->options.dvfs & VGPU_DVFS_POWER && load->idle_ns > value(load, VGPU_COMMAND_POWER_OFF)) {
      on = 0; /* the controller does not run, and loses its state */
      load->now_ns += ns;
   } else if (on > 100 * value(load, VGPU_COMMAND_FILTER_DOWN)) {
      on = 0;
      load->now_ns += ns;
      start_low(load);
   }
   pass_long(load, on, false);
}

double vgpu_load_wake(struct vgpu_load *load)
{
   bool off = load->options.dvfs & VGPU_DVFS_POWER && load->idle_ns > value(load, VGPU_COMMAND_POWER_OFF);
   load->idle_ns = 0;
   if (!off) {
      return 0;
   }
   start_low(load);
   load->now_ns += value(load, VGPU_COMMAND_POWER_UP);
   return value(load, VGPU_COMMAND_POWER_UP);
}

/* Returns the fraction of the GPU that this job gets. *left: nanoseconds for which that stays so. */
static double share(struct vgpu_load *load, double *left)
{
   const struct vgpu_load_options *options = &load->options;
   if (!options->compositor || options->compositor_busy_ns <= 0) {
      *left = HUGE_VAL;
      return 1;
   }
   if (load->now_ns >= load->frame_ns + options->compositor_busy_ns) {
      double behind = load->now_ns - load->frame_ns - options->compositor_busy_ns;
      load->frame_ns += (floor(behind / options->compositor_period_ns) + 1) * options->compositor_period_ns;
   }
   bool frame = load->now_ns >= load->frame_ns;
   *left = (frame ? load->frame_ns + options->compositor_busy_ns : load->frame_ns) - load->now_ns;
   return frame ? 1 - value(load, VGPU_COMMAND_COMPOSITOR_SHARE) / 100 : 1;
}

double vgpu_load_work(struct vgpu_load *load, double cycles)
{
   double start = load->now_ns;
   load->idle_ns = 0;
   while (cycles > 0) {
      double left, rate = share(load, &left) * load->hz * 1e-9, needed = cycles / rate;
      double ns = fmin(needed, fmin(left, load->period_left_ns));
      /* a piece that is too short to change the sum would repeat forever */
      ns = fmax(ns, 1e-3);
      cycles = ns < needed ? cycles - ns * rate : 0;
      pass(load, ns, true);
   }
   return load->now_ns - start;
}

void vgpu_load_busy(struct vgpu_load *load, double ns)
{
   load->idle_ns = 0;
   pass_long(load, ns, true);
}
