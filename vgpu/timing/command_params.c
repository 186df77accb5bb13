/* SPDX-License-Identifier: MIT
 *
 * The costs of a command. Sources: launch.csv is results/reference/launch.csv (each row names its column "quantity");
 * hardware-audit is docs/spec/hardware-audit.md. Figures exist for three machines: an M1, an M1 Max and an M1 Ultra.
 * The other large chips repeat the M1 Max's figures, the small ones the M1's. The M1's barrier bits are the M1 Max's,
 * because nobody has measured them on an M1.
 *
 * The number of concurrent launches with a barrier bit is 64 times the 2.86 ms of one launch, divided by the time of
 * 64 launches. Fixed times are subtracted first; for an M1 Ultra also firmware and power-up, which all its figures
 * seem to contain (docs/timing-model.md).
 */
#include "vgpu/timing/command_params.h"

#define US 1e3
#define MS 1e6
/* Values by chip: m1, m1-pro, m1-max, m1-ultra, m2, m2-pro, m2-max, m2-ultra. */
#define ALL(v) (v, v, v, v, v, v, v, v)
#define OF(m1, max, ultra) (m1, max, max, ultra, m1, max, max, max)

/* clang-format off */
/* ROW(param, name, unit, values, low, high, confidence, source). Where the M1 Ultra's confidence differs, its source
 * says so. */
#define COMMANDS(ROW)                                                                                                  \
   ROW(LAUNCH, "launch", "ns", OF(100, 660, 91), 0, MS, 'M',                                                           \
       "launch.csv: dispatch_marginal_mask_0x0 (M1 Max, M1 Ultra); launch.md: 0.10 us GPU time on an M1")              \
   ROW(BARRIER_FULL, "barrier-full", "ns", OF(3.3*US, 3.3*US, 4.34*US), 0, MS, 'H',                                    \
       "launch.csv: chain_independent_stock_mask_1_workgroups (M1); barrier_fixed_cost_mask_all (M1 Max); "            \
       "dispatch_marginal_mask_full less mask_0x0 (M1 Ultra)")                                                         \
   ROW(BARRIER_PART, "barrier-part", "ns", ALL(300), 0, MS, 'H',                                                       \
       "launch.csv: 64_empty_dispatches_mask_0x1f less mask_0x0 (M1 Max)")                                             \
   ROW(CONCURRENT, "concurrent", "launches", ALL(96), 1, 1024, 'M',                                                    \
       "launch.csv: concurrent_192, _384 and _768_independent (M1 Ultra): 2, 4 and 8 times one launch; "               \
       "concurrent_commands 96 (M1 Max); against concurrent_dispatch_limit: 69 and 82 (M1)")                           \
   ROW(CONCURRENT_PART, "concurrent-part", "launches", ALL(5), 1, 1024, 'H',                                           \
       "launch.csv: cdm_barrier_bit_4: 64 dispatches take the time of 13")                                             \
   ROW(CONCURRENT_BIT_3, "concurrent-bit-3", "launches", OF(3.78, 3.78, 4.91), 1, 1024, 'H',                           \
       "launch.csv: cdm_barrier_bit_3: 64 dispatches take the time of 17 (M1 Max), of 13 (M1 Ultra)")                  \
   ROW(CONCURRENT_BIT_0, "concurrent-bit-0", "launches", OF(24.7, 24.7, 41.2), 1, 1024, 'H',                           \
       "launch.csv: cdm_barrier_bit_0: 7.44 ms (M1 Max); 4.75 (M1 Ultra: L, as no bit has 3.1 to 4.1)")                \
   ROW(CONCURRENT_BIT_1, "concurrent-bit-1", "launches", OF(43.7, 43.7, 47.1), 1, 1024, 'H',                           \
       "launch.csv: cdm_barrier_bit_1: 4.23 ms (M1 Max); 4.20 (M1 Ultra: L)")                                          \
   ROW(CONCURRENT_BIT_2, "concurrent-bit-2", "launches", OF(36.7, 36.7, 48.8), 1, 1024, 'H',                           \
       "launch.csv: cdm_barrier_bit_2: 5.03 ms (M1 Max); 4.06 (M1 Ultra: L)")                                          \
   ROW(CONCURRENT_BIT_20, "concurrent-bit-20", "launches", OF(53.4, 53.4, 44.3), 1, 1024, 'H',                         \
       "launch.csv: cdm_barrier_bit_20: 3.47 ms (M1 Max); 4.44 (M1 Ultra: L)")                                         \
   ROW(STREAM_START, "stream-start", "ns", ALL(2*US), 0, MS, 'L',                                                      \
       "hardware-audit: fixed overheads; launch.csv: control_stream_gap in isolate mode (M1 Max)")                     \
   ROW(STREAM_GAP, "stream-gap", "ns", ALL(23*US), 0, 10*MS, 'M',                                                      \
       "launch.csv: control_stream_gap (23 us on M1 and M1 Max; one author says 2 us)")                                \
   ROW(FIRMWARE, "firmware", "ns", ALL(58*US), 0, 10*MS, 'H',                                                          \
       "launch.csv: clfinish_firmware_part (M1)")                                                                      \
   ROW(POWER_UP, "power-up", "ns", ALL(242*US), 0, 100*MS, 'H',                                                        \
       "launch.csv: clfinish_after_20ms_idle, firmware part 300 us, less 58 us back to back (M1)")                     \
   ROW(POWER_OFF, "power-off", "ns", ALL(2*MS), 0, 1000*MS, 'H',                                                       \
       "hardware-audit: idle off delay in m1n1's firmware tables")                                                     \
   ROW(PERIOD, "clock-period", "ns", ALL(8*MS), 0.1*MS, 1000*MS, 'H',                                                  \
       "hardware-audit: controller period in m1n1's firmware tables")                                                  \
   ROW(FILTER_UP, "clock-filter-up", "ns", ALL(40*MS), 0, 10000*MS, 'L',                                               \
       "hardware-audit: one of two filters; that it serves rising demand is our guess")                                \
   ROW(FILTER_DOWN, "clock-filter-down", "ns", ALL(400*MS), 0, 10000*MS, 'L',                                          \
       "hardware-audit: the other filter; that it serves falling demand is our guess")                                 \
   ROW(TARGET, "clock-target", "percent", ALL(85), 1, 100, 'H',                                                        \
       "hardware-audit: target utilisation in m1n1's firmware tables")                                                 \
   ROW(COMPOSITOR, "compositor-period", "ns", ALL(16.667*MS), 0.1*MS, 10000*MS, '-',                                   \
       "a display of 60 Hz")                                                                                           \
   ROW(COMPOSITOR_BUSY, "compositor-busy", "ns", ALL(0.5*MS), 0, 1000*MS, '-',                                         \
       "none: order of magnitude of a desktop's frame")                                                                \
   ROW(COMPOSITOR_SHARE, "compositor-share", "percent", ALL(50), 0, 99, '-',                                           \
       "none; launch.md: a render and a compute queue overlap")
/* clang-format on */

#define VALUES(...)                                                                                                    \
   {                                                                                                                   \
      __VA_ARGS__                                                                                                      \
   }
#define COMMAND_ROW(param, text, of, values, least, most, trust, from)                                                 \
   [VGPU_COMMAND_##param] = {                                                                                          \
       .name = "command/" text,                                                                                        \
       .unit = (of),                                                                                                   \
       .value = VALUES values,                                                                                         \
       .low = (least),                                                                                                 \
       .high = (most),                                                                                                 \
       .source = (from),                                                                                               \
       .confidence = (trust),                                                                                          \
   },
#define COUNT(...) +1

const struct vgpu_command_row vgpu_command_rows[VGPU_COMMAND_PARAMS] = {COMMANDS(COMMAND_ROW)};

_Static_assert(0 COMMANDS(COUNT) == VGPU_COMMAND_PARAMS, "a command parameter without a row");
