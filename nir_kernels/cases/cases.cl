/* SPDX-License-Identifier: MIT
 *
 * Products of 512 x 128 and 128 x 512 matrices that differ in one thing each: how far a loop is unrolled, how large a
 * thread's tile is, when operands are loaded, and how wide. Elements are small integers, so that every order of additions
 * gives the same sum. The second matrix stands behind the first. bench: product.c. And sums of products whose addresses
 * are added in a loop or before it.
 */
#define SIDE 512u
#define DEPTH 128u
#define STEP 32u /* of the depth, in threadgroup memory at a time */

/* Copies of a turn, whose numbers follow each other. */
#define TURNS_4(TURN, T, FETCH, n) TURN(T, FETCH, n) TURN(T, FETCH, n + 1) TURN(T, FETCH, n + 2) TURN(T, FETCH, n + 3)
#define TURNS_16(TURN, T, FETCH, n)                                                                                    \
   TURNS_4(TURN, T, FETCH, n)                                                                                          \
   TURNS_4(TURN, T, FETCH, n + 4) TURNS_4(TURN, T, FETCH, n + 8) TURNS_4(TURN, T, FETCH, n + 12)

/* A threadgroup of 8 x 8 threads, each with a tile of T x T. FETCH(to, from, k) loads T operands; LOOP is the loop over the
 * step with its multiplications. */
#define PRODUCT(name, T, FETCH, LOOP)                                                                                  \
   kernel __attribute__((reqd_work_group_size(64, 1, 1))) void name(global const float *in, global float *out)         \
   {                                                                                                                   \
      local float a[STEP][8 * T], b[STEP][8 * T];                                                                      \
      const uint l = get_local_id(0), x = l % 8, y = l / 8, groups = SIDE / (8 * T);                                   \
      const uint row = get_group_id(0) / groups * 8 * T, column = get_group_id(0) % groups * 8 * T;                    \
      float sum[T][T] = {{0}};                                                                                         \
      for (uint k0 = 0; k0 < DEPTH; k0 += STEP) {                                                                      \
         for (uint i = l; i < STEP * 8 * T; i += 64) {                                                                 \
            a[i % STEP][i / STEP] = in[(row + i / STEP) * DEPTH + k0 + i % STEP];                                      \
            b[i / (8 * T)][i % (8 * T)] = in[SIDE * DEPTH + (k0 + i / (8 * T)) * SIDE + column + i % (8 * T)];         \
         }                                                                                                             \
         barrier(CLK_LOCAL_MEM_FENCE);                                                                                 \
         LOOP(T, FETCH)                                                                                                \
         barrier(CLK_LOCAL_MEM_FENCE);                                                                                 \
      }                                                                                                                \
      for (uint i = 0; i < T; i++) {                                                                                   \
         for (uint j = 0; j < T; j++) {                                                                                \
            out[(row + y * T + i) * SIDE + column + x * T + j] = sum[i][j];                                            \
         }                                                                                                             \
      }                                                                                                                \
   }

#define SCALARS(T, to, from)                                                                                           \
   for (uint e = 0; e < T; e++) {                                                                                      \
      to[e] = (from)[e];                                                                                               \
   }
#define VECTORS(T, to, from)                                                                                           \
   for (uint e = 0; e < T; e += 4) {                                                                                   \
      const float4 wide = *(local const float4 *)((from) + e);                                                            \
      to[e] = wide.x, to[e + 1] = wide.y, to[e + 2] = wide.z, to[e + 3] = wide.w;                                                  \
   }
#define MULTIPLY(T, u, v)                                                                                              \
   for (uint i = 0; i < T; i++) {                                                                                      \
      for (uint j = 0; j < T; j++) {                                                                                   \
         sum[i][j] = fma(u[i], v[j], sum[i][j]);                                                                       \
      }                                                                                                                \
   }
#define TURN(T, FETCH, n)                                                                                              \
   {                                                                                                                   \
      float u[T], v[T];                                                                                                \
      FETCH(T, u, &a[k + n][y * T])                                                                                    \
      FETCH(T, v, &b[k + n][x * T])                                                                                    \
      MULTIPLY(T, u, v)                                                                                                \
   }
#define ROLLED(T, FETCH)                                                                                               \
   for (uint k = 0; k < STEP; k += 4) {                                                                                \
      TURNS_4(TURN, T, FETCH, 0)                                                                                       \
   }
#define UNROLLED(T, FETCH)                                                                                             \
   for (uint k = 0; k < STEP; k += 32) {                                                                               \
      TURNS_16(TURN, T, FETCH, 0) TURNS_16(TURN, T, FETCH, 16)                                                         \
   }
/* The operands of the next turn are loaded before the multiplications of this one. */
#define EARLY_TURN(T, FETCH, n)                                                                                        \
   {                                                                                                                   \
      float next_u[T], next_v[T];                                                                                      \
      FETCH(T, next_u, &a[(k + n + 1) % STEP][y * T])                                                                  \
      FETCH(T, next_v, &b[(k + n + 1) % STEP][x * T])                                                                  \
      MULTIPLY(T, u, v)                                                                                                \
      for (uint e = 0; e < T; e++) {                                                                                   \
         u[e] = next_u[e], v[e] = next_v[e];                                                                           \
      }                                                                                                                \
   }
#define EARLY(T, FETCH)                                                                                                \
   float u[T], v[T];                                                                                                   \
   FETCH(T, u, &a[0][y * T])                                                                                           \
   FETCH(T, v, &b[0][x * T])                                                                                           \
   for (uint k = 0; k < STEP; k += 4) {                                                                                \
      TURNS_4(EARLY_TURN, T, FETCH, 0)                                                                                 \
   }

PRODUCT(product_medium, 4, SCALARS, ROLLED)
PRODUCT(product_large, 8, SCALARS, ROLLED)
PRODUCT(product_unrolled, 8, SCALARS, UNROLLED)
PRODUCT(product_early, 4, SCALARS, EARLY)
PRODUCT(product_vectors, 4, VECTORS, ROLLED)
PRODUCT(product_vectors_early, 4, VECTORS, EARLY)

/* 290 additions of an address in each turn of a loop, or before it: their sums do not fit the registers of a thread. The
 * numbers n of the terms are 10 to 299. */
#define TERMS_10(TERM, n)                                                                                              \
   TERM(n##0) TERM(n##1) TERM(n##2) TERM(n##3) TERM(n##4) TERM(n##5) TERM(n##6) TERM(n##7) TERM(n##8) TERM(n##9)
#define TERMS_90(TERM, n)                                                                                              \
   TERMS_10(TERM, n##1) TERMS_10(TERM, n##2) TERMS_10(TERM, n##3) TERMS_10(TERM, n##4) TERMS_10(TERM, n##5)            \
   TERMS_10(TERM, n##6) TERMS_10(TERM, n##7) TERMS_10(TERM, n##8) TERMS_10(TERM, n##9)
#define TERMS(TERM) TERMS_90(TERM, ) TERMS_10(TERM, 10) TERMS_90(TERM, 1) TERMS_10(TERM, 20) TERMS_90(TERM, 2)
#define PLACE(n) ((uint)in[n] * 16 + thread)
#define NOTHING(n)
#define HOLD(n) const uint place_##n = PLACE(n);
#define ADD_AND_LOAD(n) sum = fma(in[PLACE(n) + k], in[k], sum);
#define LOAD(n) sum = fma(in[place_##n + k], in[k], sum);
#define SUMS(name, BEFORE, INSIDE)                                                                                     \
   kernel __attribute__((reqd_work_group_size(64, 1, 1))) void name(global const float *in, global float *out)         \
   {                                                                                                                   \
      const uint thread = get_global_id(0);                                                                            \
      float sum = 0;                                                                                                   \
      TERMS(BEFORE)                                                                                                    \
      for (uint k = 0; k < 16; k++) {                                                                                  \
         TERMS(INSIDE)                                                                                                 \
      }                                                                                                                \
      out[thread] = sum;                                                                                               \
   }
SUMS(sums_inside, NOTHING, ADD_AND_LOAD)
SUMS(sums_before, HOLD, LOAD)
