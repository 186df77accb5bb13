/* SPDX-License-Identifier: MIT
 *
 * What a finding rests on: the parameter of the timing model that decides its gain, and where that comes from.
 * Invariant: the source is that of the parameter's row (vgpu_param_source()), and a parameter that option params= sets
 * is called measured, whatever its row says.
 */
#include "agx_runner/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "agx_runner/bands/bands.h"
#include "vgpu/timing/params_file.h"

/* The parameter that decides, and the kind of figure (results/correlation.csv). NULL: the gain follows from counting.
 */
struct deciding {
   const char *parameter, *group;
};

static const struct deciding deciding[VGPU_WHAT_IFS + 1] = {
    [VGPU_WHAT_IF_OPERAND] = {"latency/ffma32", "latency"},
    [VGPU_WHAT_IF_COMPLEX] = {"interval/imul32", BAND_ARITHMETIC},
    [VGPU_WHAT_IF_CROSS] = {"interval/simd-shuffle", "throughput of instructions"},
    [VGPU_WHAT_IF_WIDE] = {"interval/iadd64", BAND_ARITHMETIC},
    [VGPU_WHAT_IF_BANKS] = {"memory/local-banks", BAND_BANDWIDTH},
    [VGPU_WHAT_IF_LATENCY] = {"memory/l2-latency", BAND_LATENCY},
    [VGPU_WHAT_IF_BANDWIDTH] = {"memory/dram-bandwidth", BAND_BANDWIDTH},
    [VGPU_WHAT_IF_SECTORS] = {"memory/l2-bandwidth", BAND_BANDWIDTH},
    [VGPU_WHAT_IF_LOADS] = {"memory/l1-bandwidth", BAND_BANDWIDTH},
    [VGPU_WHAT_IF_NARROW] = {"memory/l1-bandwidth", BAND_BANDWIDTH},
    [VGPU_WHAT_IF_ATOMICS] = {"memory/atomic-word", NULL},
    [VGPU_WHAT_IF_SPILLS] = {"latency/stack", NULL},
    [VGPU_WHAT_IF_ARRAYS] = {"latency/stack", NULL},
    [VGPU_WHAT_IF_FETCH] = {"memory/code-latency", NULL},
    [VGPU_WHAT_IF_LOOPS] = {"core/taken-latency", NULL},
    [VGPU_WHAT_IF_BRANCHES] = {"core/taken-latency", NULL},
    [VGPU_WHAT_IF_BARRIER] = {"core/barrier", NULL},
    [VGPU_WHAT_IF_OCCUPANCY] = {"core/bank-halves", "threads by registers"},
    [VGPU_WHAT_IFS] = {"interval/imul32", BAND_ARITHMETIC},
};

/* Whether the file that option params= of the device names has a line for the parameter. */
static bool is_set(const char *device, const char *parameter)
{
   const char *option = strstr(device, "params=");
   char path[256], line[256], name[VGPU_PARAM_NAME];
   bool found = false;

   if (option == NULL) {
      return false;
   }
   option += strlen("params=");
   snprintf(path, sizeof(path), "%.*s", (int)strcspn(option, ","), option);
   FILE *file = fopen(path, "r");
   while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
      found = sscanf(line, "%47s", name) == 1 && strcmp(name, parameter) == 0;
   }
   if (file != NULL) {
      (void)fclose(file);
   }
   return found;
}

void explain_find_basis(const struct explain *explain, unsigned what, struct explain_finding *finding)
{
   const struct deciding *row = &deciding[what];
   const size_t index = row->parameter != NULL ? vgpu_param_find(row->parameter) : vgpu_param_count();
   char band[BAND_TEXT] = "";

   if (index == vgpu_param_count()) {
      finding->basis = "counted";
      snprintf(finding->basis_text, sizeof(finding->basis_text), "no parameter of its own");
      return;
   }
   const char *source = vgpu_param_source(index);
   if (row->group != NULL) {
      error_band_text(row->group, band);
   }
   const bool assumed = strcmp(source, "none") == 0;
   if (is_set(explain->device, row->parameter)) {
      finding->basis = "measured";
      source = "set by params=";
   } else {
      finding->basis = assumed ? "assumed" : "published";
      source = assumed ? "nothing is published, the value is a guess" : source;
   }
   snprintf(finding->basis_text, sizeof(finding->basis_text), "%s: %s%s%s", row->parameter, source,
            band[0] != '\0' ? "; " : "", band);
}

const char *explain_band(const struct explain *explain)
{
   const struct vgpu_profile_sum *sum = &explain->sum;
   const uint64_t groups = sum->groups < sum->room ? sum->groups : sum->room;
   uint64_t memory = 0;
   double busiest = 0;

   for (size_t i = 0; i < explain->count; i++) {
      memory += explain->rows[i].stalls[VGPU_STALL_MEMORY] + explain->rows[i].stalls[VGPU_STALL_SLOT];
   }
   for (unsigned i = 0; i < VGPU_PROFILE_LEVELS; i++) {
      busiest = explain_level_use(explain, i) > busiest ? explain_level_use(explain, i) : busiest;
   }
   return 2 * memory > sum->simd_time                  ? busiest > 0.5 ? BAND_BANDWIDTH : BAND_LATENCY
          : groups * sum->group_simds <= BAND_FEW_MOST ? BAND_FEW_SIMDGROUPS
                                                       : BAND_ARITHMETIC;
}
