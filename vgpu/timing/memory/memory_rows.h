/* SPDX-License-Identifier: MIT
 *
 * The rows of the memory system, for memory_params.c and for the default values of vgpu/timing/timing_params.c.
 * Sources: memory.csv is results/reference/memory.csv (its column quantity is named), explained in docs/spec/memory.md;
 * gpus.csv, core_memory.csv and core_bandwidth.csv are metal-benchmarks'. A source that the row does not follow stands
 * behind "against".
 */
#ifndef VGPU_MEMORY_ROWS_H
#define VGPU_MEMORY_ROWS_H

#define KIB *1024.0
#define MIB *1048576.0
/* Values by chip: m1, m1-pro, m1-max, m1-ultra, m2, m2-pro, m2-max, m2-ultra. */
#define ALL(v) (v, v, v, v, v, v, v, v)
#define G13_G14(a, b) (a, a, a, a, b, b, b, b)
#define L2_VALUES (768 KIB, 256 KIB, 512 KIB, 1024 KIB, 1536 KIB, 512 KIB, 1024 KIB, 2048 KIB)
#define SLC_VALUES (8 MIB, 24 MIB, 48 MIB, 96 MIB, 8 MIB, 24 MIB, 48 MIB, 96 MIB)
#define SLC_BANDWIDTHS (13.1, 15.4, 19.4, 19.4, 14.4, 15.4, 15.4, 15.4)
#define DRAM_BANDWIDTHS (6.68, 9.88, 9.88, 9.88, 7.32, 7.71, 7.71, 7.71)

/* clang-format off */
/* ROW(param, name, unit, values, low, high, confidence, source, why) */
#define VGPU_MEMORY_ROWS(ROW) \
   ROW(L1_BYTES, "l1-bytes", "bytes", ALL(8 KIB), 1 KIB, 1 MIB, 'M',                                                   \
       "memory.csv, l1_data_size: three pointer chases on M1, M1 Max and M2 Pro",                                      \
       "against l1_texture_size, 32 KiB, one author with textures")                                                    \
   ROW(L1_WAYS, "l1-ways", "ways", ALL(8), 1, 64, '-', "none",                                                         \
       "memory.csv has 128 ways by a test that overruns its buffer; not used")                                         \
   ROW(L1_BANDWIDTH, "l1-bandwidth", "bytes a cycle and core", ALL(64), 1, 1024, 'M',                                  \
       "core_bandwidth.csv, On-Core Data BW/Cycle", "the only figure")                                                 \
   ROW(L1_QUEUE, "l1-queue", "cycles", ALL(64), 0, 1000, '-', "none",                                                  \
       "a port that four schedulers share idles without a queue: a loop of loads then reaches 57 of 64 bytes")         \
   ROW(L1_MISSES, "l1-misses", "lines", ALL(64), 1, 4096, 'L',                                                         \
       "memory.csv, threads_to_saturate_latency: 4 simdgroups a core fill the memory of an M1 Max",                    \
       "bandwidth times latency is 31 lines of a core at least; twice that is a guess")                                \
   ROW(L2_BYTES, "l2-bytes", "bytes", L2_VALUES, 4 KIB, 64 MIB, 'M',                                                   \
       "gpus.csv, l2_kb; the M2 Ultra is two M2 Max",                                                                  \
       "against 1 MiB (M1: chipsandcheese, as-en) and 3 MiB (M2 Pro: chipsandcheese); G13 has 512 KiB too (M1 Max)")   \
   ROW(L2_WAYS, "l2-ways", "ways", ALL(16), 1, 64, '-', "none", "nothing is published")                                \
   ROW(L2_LATENCY, "l2-latency", "cycles", ALL(98), 1, 10000, 'M', "memory.csv, l2_latency on M1: 76.3 ns",            \
       "G13's 100 ns (M1 Max) less the 29 ns of a loop turn, which it holds, is 71")                                   \
   ROW(L2_BANDWIDTH, "l2-bandwidth", "bytes a cycle and core", ALL(37.6), 1, 1024, 'M',                                \
       "memory.csv, l2_bandwidth: 384 GB/s (M1); 1 TB/s of 19 cores (M2 Pro) is the same",                             \
       "against core_bandwidth.csv, On-GPU Data BW/Cycle: about 32")                                                   \
   ROW(SLC_BYTES, "slc-bytes", "bytes", SLC_VALUES, 64 KIB, 512 MIB, 'M',                                              \
       "gpus.csv, l3_mb; memory.csv, slc_size (M1)", "the M2 Ultra is two M2 Max")                                     \
   ROW(SLC_WAYS, "slc-ways", "ways", ALL(16), 1, 64, '-', "none", "nothing is published")                              \
   ROW(SLC_LATENCY, "slc-latency", "cycles", G13_G14(340, 327), 1, 10000, 'M',                                         \
       "memory.csv, slc_latency: 266 ns (M1), 234 ns (M2 Pro)", "of the chip's clock; the others of a family as these") \
   ROW(SLC_BANDWIDTH, "slc-bandwidth", "bytes a cycle and core", SLC_BANDWIDTHS, 0.1, 1024, 'M',                       \
       "memory.csv, slc_bandwidth: 134 GB/s (M1); core_bandwidth.csv, SLC BW/Cycle: 15.4 to 19.8",                     \
       "M1 Max and Ultra, M2: twice the memory's, as on the M1")                                                       \
   ROW(DRAM_LATENCY, "dram-latency", "cycles", G13_G14(397, 478), 1, 10000, 'M',                                       \
       "memory.csv, dram_latency: 311 ns (M1), dram_latency_128MiB: 342 ns (M2 Pro)",                                  \
       "G13 has less than 350 ns (M1 Max)")                                                                            \
   ROW(DRAM_BANDWIDTH, "dram-bandwidth", "bytes a cycle and core", DRAM_BANDWIDTHS, 0.1, 1024, 'M',                    \
       "Apple: 68.25 GB/s (M1), 102.4 (M2); core_bandwidth.csv, RAM BW/Cycle: 7.7 to 9.9",                             \
       "nominal; what is reached is this times the efficiency")                                                        \
   ROW(DRAM_EFFICIENCY, "dram-efficiency", "percent", ALL(87), 1, 100, 'H',                                            \
       "memory.csv, dram_bandwidth_copy_256MB and _read_256MB: 58.4 to 59.7 of 68.25 GB/s (M1)",                       \
       "against clpeak's 46.5 to 64 by driver; other chips as the M1 (179 to 184 of 200 GB/s on an M1 Pro is 91)")     \
   ROW(DRAM_PAIR, "dram-pair", "percent", ALL(99), 1, 100, 'H',                                                        \
       "memory.csv, dram_bandwidth_read_2_words_per_lane: 67.2 to 68.3 of 68.25 GB/s (M1)",                            \
       "that two lines side by side share a burst is our explanation; four lines (60.7 to 61.5) are taken for single ones") \
   ROW(TLB_ENTRIES, "tlb-entries", "pages", ALL(8192), 1, 1 MIB, 'L',                                                  \
       "memory.csv, dram_latency_beyond_128MiB (M2 Pro): 8192 pages of 16 KiB", "the only hint; one level is modelled") \
   ROW(TLB_WAYS, "tlb-ways", "ways", ALL(16), 1, 64, '-', "none", "nothing is published")                              \
   ROW(TLB_LATENCY, "tlb-latency", "cycles", ALL(81), 0, 10000, 'L',                                                   \
       "memory.csv, dram_latency_beyond_128MiB: more than 400 ns less 342", "a lower bound")                           \
   ROW(LOCAL_BANKS, "local-banks", "banks", ALL(32), 1, VGPU_BANKS_MOST, 'L',                                          \
       "memory.md, threadgroup memory: 32 banks of 4 bytes are everybody's assumption",                                \
       "128 bytes a cycle: clpeak has 117 (M1) and 142 (M1 Pro); against 64 to 66 (chipsandcheese)")                   \
   ROW(ATOMIC_WORD, "atomic-word", "cycles", ALL(1), 0, 1000, '-', "none", "no hardware figure: one lane a cycle")      \
   ROW(CODE_BYTES, "code-bytes", "bytes", ALL(12 KIB), 1 KIB, 1 MIB, 'M',                                              \
       "core_memory.csv, Instruction Cache: 12 KB (Apple 7, 8)", "the only figure; a line is taken to have 128 bytes") \
   ROW(CODE_WAYS, "code-ways", "ways", ALL(8), 1, 64, '-', "none", "nothing is published")                             \
   ROW(CODE_LATENCY, "code-latency", "cycles", ALL(98), 0, 10000, '-', "none",                                         \
       "the L2's: pipelines.md says that its low latency softens such misses, without a figure; the line behind is "   \
       "fetched too, so that a full core of FFMA32 loses nothing, as it says; guessed")                                \
   ROW(CODE_BANDWIDTH, "code-bandwidth", "bytes a cycle and core", ALL(37.6), 0.1, 1024, '-', "none",                  \
       "the L2's; loads and fetches do not share it in the model; guessed")
/* clang-format on */

#endif
