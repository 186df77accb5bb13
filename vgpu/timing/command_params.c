/* SPDX-License-Identifier: MIT
 *
 * The costs of a command. Sources: launch.csv is results/reference/launch.csv (its column quantity is named);
 * hardware-audit is docs/spec/hardware-audit.md. Nobody has published a figure for an M2: its columns repeat the M1's
 * (G14G) and the M1 Max's (G14X).
 */
#include "vgpu/timing/command_params.h"

#define US 1e3
#define MS 1e6

/* clang-format off */
/* ROW(param, name, unit, G13G, G13X, G14G, G14X, low, high, confidence, source) */
#define COMMANDS(ROW)                                                                                                  \
   ROW(LAUNCH, "launch", "ns", 100, 660, 100, 660, 0, MS, 'M',                                                         \
       "launch.csv: dispatch_marginal_mask_0x0 (M1 Max); launch.md: 0.10 us GPU time on an M1")                        \
   ROW(BARRIER_FULL, "barrier-full", "ns", 3.3*US, 3.3*US, 3.3*US, 3.3*US, 0, MS, 'H',                                 \
       "launch.csv: chain_independent_stock_mask_1_workgroups (M1); dispatch_marginal_mask_full 3.9 us (M1 Max)")      \
   ROW(BARRIER_PART, "barrier-part", "ns", 300, 300, 300, 300, 0, MS, 'H',                                             \
       "launch.csv: 64_empty_dispatches_mask_0x1f less mask_0x0 (M1 Max)")                                             \
   ROW(CONCURRENT, "concurrent", "launches", 82, 93, 82, 93, 1, 1024, 'M',                                             \
       "launch.csv: concurrent_dispatch_limit")                                                                        \
   ROW(CONCURRENT_PART, "concurrent-part", "launches", 5, 5, 5, 5, 1, 1024, 'H',                                       \
       "launch.csv: cdm_barrier_bit_4: 64 dispatches take the time of 13")                                             \
   ROW(CONCURRENT_BIT_3, "concurrent-bit-3", "launches", 4.33, 4.33, 4.33, 4.33, 1, 1024, 'M',                         \
       "launch.csv: cdm_barrier_bit_3: 48.5 ms (M1 Max) and 37.6 (M1 Ultra); the mean of both in launches")            \
   ROW(CONCURRENT_BIT_0, "concurrent-bit-0", "launches", 30, 30, 30, 30, 1, 1024, 'M',                                 \
       "launch.csv: cdm_barrier_bit_0: 7.4 ms (M1 Max) and 4.7 (M1 Ultra); between both")                              \
   ROW(CONCURRENT_BIT_1, "concurrent-bit-1", "launches", 43.9, 43.9, 43.9, 43.9, 1, 1024, 'M',                         \
       "launch.csv: cdm_barrier_bit_1: 4.2 ms (M1 Max, M1 Ultra)")                                                     \
   ROW(CONCURRENT_BIT_2, "concurrent-bit-2", "launches", 40.9, 40.9, 40.9, 40.9, 1, 1024, 'M',                         \
       "launch.csv: cdm_barrier_bit_2: 5.0 ms (M1 Max) and 4.1 (M1 Ultra); between both")                              \
   ROW(CONCURRENT_BIT_20, "concurrent-bit-20", "launches", 47, 47, 47, 47, 1, 1024, 'M',                               \
       "launch.csv: cdm_barrier_bit_20: 3.5 ms (M1 Max) and 4.4 (M1 Ultra); between both")                             \
   ROW(STREAM_START, "stream-start", "ns", 2*US, 2*US, 2*US, 2*US, 0, MS, 'L',                                         \
       "hardware-audit: fixed overheads; launch.csv: control_stream_gap in isolate mode (M1 Max)")                     \
   ROW(STREAM_GAP, "stream-gap", "ns", 23*US, 23*US, 23*US, 23*US, 0, 10*MS, 'M',                                      \
       "launch.csv: control_stream_gap (23 us on M1 and M1 Max; one author says 2 us)")                                \
   ROW(FIRMWARE, "firmware", "ns", 58*US, 58*US, 58*US, 58*US, 0, 10*MS, 'H',                                          \
       "launch.csv: clfinish_firmware_part (M1)")                                                                      \
   ROW(POWER_UP, "power-up", "ns", 242*US, 242*US, 242*US, 242*US, 0, 100*MS, 'H',                                     \
       "launch.csv: clfinish_after_20ms_idle, firmware part 300 us, less 58 us back to back (M1)")                     \
   ROW(POWER_OFF, "power-off", "ns", 2*MS, 2*MS, 2*MS, 2*MS, 0, 1000*MS, 'H',                                          \
       "hardware-audit: idle off delay in m1n1's firmware tables")                                                     \
   ROW(PERIOD, "clock-period", "ns", 8*MS, 8*MS, 8*MS, 8*MS, 0.1*MS, 1000*MS, 'H',                                     \
       "hardware-audit: controller period in m1n1's firmware tables")                                                  \
   ROW(FILTER_UP, "clock-filter-up", "ns", 40*MS, 40*MS, 40*MS, 40*MS, 0, 10000*MS, 'L',                               \
       "hardware-audit: one of two filters; that it serves rising demand is our guess")                                \
   ROW(FILTER_DOWN, "clock-filter-down", "ns", 400*MS, 400*MS, 400*MS, 400*MS, 0, 10000*MS, 'L',                       \
       "hardware-audit: the other filter; that it serves falling demand is our guess")                                 \
   ROW(TARGET, "clock-target", "percent", 85, 85, 85, 85, 1, 100, 'H',                                                 \
       "hardware-audit: target utilisation in m1n1's firmware tables")                                                 \
   ROW(COMPOSITOR, "compositor-period", "ns", 16.667*MS, 16.667*MS, 16.667*MS, 16.667*MS, 0.1*MS, 10000*MS, '-',       \
       "a display of 60 Hz")                                                                                           \
   ROW(COMPOSITOR_BUSY, "compositor-busy", "ns", 0.5*MS, 0.5*MS, 0.5*MS, 0.5*MS, 0, 1000*MS, '-',                      \
       "none: order of magnitude of a desktop's frame")                                                                \
   ROW(COMPOSITOR_SHARE, "compositor-share", "percent", 50, 50, 50, 50, 0, 99, '-',                                    \
       "none; launch.md: a render and a compute queue overlap")
/* clang-format on */

#define COMMAND_ROW(param, text, of, g13g, g13x, g14g, g14x, least, most, trust, from)                                 \
   [VGPU_COMMAND_##param] = {                                                                                          \
       .name = "command/" text,                                                                                        \
       .unit = (of),                                                                                                   \
       .value = {[VGPU_G13G] = (g13g), [VGPU_G13X] = (g13x), [VGPU_G14G] = (g14g), [VGPU_G14X] = (g14x)},              \
       .low = (least),                                                                                                 \
       .high = (most),                                                                                                 \
       .source = (from),                                                                                               \
       .confidence = (trust),                                                                                          \
   },
#define COUNT(...) +1

const struct vgpu_command_row vgpu_command_rows[VGPU_COMMAND_PARAMS] = {COMMANDS(COMMAND_ROW)};

_Static_assert(0 COMMANDS(COUNT) == VGPU_COMMAND_PARAMS, "a command parameter without a row");
