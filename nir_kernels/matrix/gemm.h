/* SPDX-License-Identifier: MIT
 *
 * D = A B by four kernels, written as .agx text for one shape each. All matrices lie in rows, each row padded to a
 * multiple of 8 elements; A and B follow each other in the input. Invariant: no kernel lets a padding element reach D,
 * and none writes D's padding.
 */
#ifndef NIR_KERNELS_MATRIX_GEMM_H
#define NIR_KERNELS_MATRIX_GEMM_H

#include <stddef.h>

#include "nir_kernels/matrix/matrix.h"

enum gemm_kernel {
   GEMM_NAIVE,  /* a thread computes one element, and loads all of its row and column */
   GEMM_TILED,  /* a thread computes 4 x 4 elements from tiles in threadgroup memory, by scalar multiply-adds */
   GEMM_LOCAL,  /* a simdgroup computes its blocks with simd_matrix_fmadd from tiles in threadgroup memory */
   GEMM_DIRECT, /* the same, from device memory: a lane loads the pairs that the layout gives it */
};

/* The types of A and B in memory. 8-bit types are widened to halves: by GEMM_DIRECT after each load, by GEMM_LOCAL on
 * the way into threadgroup memory. The other kernels do not support 8-bit types. */
enum gemm_encoding { GEMM_PLAIN, GEMM_E4M3, GEMM_E5M2 };

struct gemm {
   enum gemm_kernel kernel;
   enum matrix_form_id form;
   unsigned m, n, k;       /* k: GEMM_DEPTH at least */
   unsigned rows, columns; /* 8 x 8 blocks of D that a simdgroup computes; GEMM_TILED: elements that a thread does */
   unsigned unroll;        /* GEMM_DIRECT: steps of 8 along K in the loop's body */
   enum gemm_encoding encoding;
   bool transposed_a, transposed_b; /* GEMM_TILED, GEMM_LOCAL: A lies as K x M, B as N x K */
   bool epilogue; /* GEMM_DIRECT with sums of 32 bits: D = gelu(A B + bias); the bias, n floats, follows B */
};

/* A threadgroup of GEMM_LOCAL has 2 x 2 simdgroups, one of GEMM_TILED 16 x 16 threads. Each computes a tile of D, whose
 * sides are powers of two, in steps of so many along K. A thread copies 8 elements of a tile at most, so that none of
 * its loads crosses the edge of a padded matrix. */
#define GEMM_LOCAL_SIDE(blocks) (2 * 8 * (blocks))
#define GEMM_TILED_SIDE(elements) (16 * (elements))
#define GEMM_LOCAL_THREADS 128u
#define GEMM_TILED_THREADS 256u
#define GEMM_DEPTH 16u
#define GEMM_PADDED(n) (((n) + 7) / 8 * 8)

/* Bytes of an element of A and B, as they lie in memory. */
size_t gemm_factor_bytes(const struct gemm *gemm);
/* The same in registers and in threadgroup memory. */
unsigned gemm_element_bytes(const struct gemm *gemm);
/* Bytes of a row of each matrix, and where B begins in the input. */
size_t gemm_stride_a(const struct gemm *gemm);
size_t gemm_stride_b(const struct gemm *gemm);
size_t gemm_stride_d(const struct gemm *gemm);
size_t gemm_start_b(const struct gemm *gemm);
size_t gemm_start_bias(const struct gemm *gemm);

/* The GEMM that a row of the catalogue measures; NULL: the row is none of matrix_gemm.c. */
const struct gemm *gemm_of(const struct benchmark *benchmark);
extern const char *const gemm_kernel_names[]; /* by enum gemm_kernel: "naive" */
/* The first word of a row's name: "f16", "mixed" or "f32" by form, or "e4m3", "e5m2" or "fused". */
const char *gemm_inputs_name(const struct gemm *gemm);
/* Rows and columns of D that a thread (GEMM_NAIVE), a simdgroup (GEMM_DIRECT) or a threadgroup computes. */
struct gemm_tile {
   unsigned rows, columns;
};
struct gemm_tile gemm_tile(const struct gemm *gemm);
/* A row beside "gemm-mixed-local-512", whose blocks or tile have another shape. */
bool gemm_is_shape(const char *name);
/* Bytes of A and B that the threads of one dispatch load in all, every repetition counted; and bytes of A, B and D. */
double gemm_bytes_loaded(const struct gemm *gemm);
double gemm_bytes_least(const struct gemm *gemm);

/* The kernel's text; free() it. NULL: out of memory. in_parts: its value is that of BENCH_FIRST. */
char *gemm_text(const struct gemm *gemm, bool in_parts);

/* The constant of the GELU that the epilogue computes: x / (1 + 2^(GEMM_GELU x)), which is x times the sigmoid of
 * 1.702 x. */
#define GEMM_GELU (-1.702 * 1.4426950408889634)

/* Of one kernel each; they write all between the prologue and the end. r2 is the thread's number in the whole grid. */
void gemm_put_direct(const struct gemm *gemm, FILE *file);
void gemm_put_local(const struct gemm *gemm, FILE *file);
void gemm_put_tiled(const struct gemm *gemm, FILE *file);
void gemm_put_naive(const struct gemm *gemm, FILE *file);

/* Parts. Registers are 32-bit ones; a base is an even one, the first of a pair that holds an address. */
/* quotient = number / divisor, remainder = number % divisor, where number times divisor is below 2^32. Clobbers r0 and
 * r1: stands before any loop. */
void gemm_put_divide(FILE *file, unsigned quotient, unsigned remainder, unsigned number, unsigned divisor);
/* base = du0 or du2 (`uniform` 0 or 2), plus row * stride + column * bytes + start; clobbers `temporary`. */
void gemm_put_address(FILE *file, unsigned base, unsigned uniform, unsigned row, size_t stride, unsigned column,
                      unsigned bytes, size_t start, unsigned temporary);
/* row and column become the lane's of the layout, from the thread's number in r2; clobbers `temporary`. */
void gemm_put_lane(FILE *file, unsigned row, unsigned column, unsigned temporary);
/* place = place * side + within, where `side`, a power of two, is that of a tile. */
void gemm_put_tile_place(FILE *file, unsigned place, unsigned side, unsigned within);
/* reg = min(reg, limit); clobbers `temporary`. */
void gemm_put_minimum(FILE *file, unsigned reg, unsigned limit, unsigned temporary);
/* Two 8-bit codes in the lower half of `from` become two halves in `to`, which may be the same. Clobbers `temporary`;
 * reads the constants that gemm_put_widen_constants() wrote to gemm_widen_constants() registers. */
unsigned gemm_widen_constants(enum gemm_encoding encoding);
void gemm_put_widen_constants(FILE *file, enum gemm_encoding encoding, unsigned constants);
void gemm_put_widen(FILE *file, enum gemm_encoding encoding, unsigned to, unsigned from, unsigned temporary,
                    unsigned constants);
/* A loop of `count` passes, r1 counting; clobbers r0l and `limit`. */
void gemm_put_loop(FILE *file, unsigned count, unsigned limit);
void gemm_put_loop_end(FILE *file, unsigned limit);
/* Threadgroup memory: where the tiles of GEMM_TILED and GEMM_LOCAL lie, in bytes, and elements from a row of one to the
 * next: rows of the 8 that an operand's lanes load begin in different banks. */
unsigned gemm_pitch_a(const struct gemm *gemm);
unsigned gemm_pitch_b(const struct gemm *gemm);
unsigned gemm_tile_b(const struct gemm *gemm);
unsigned gemm_tile_bytes(const struct gemm *gemm);
/* What fills them: `threads` threads, whose number in the threadgroup is in `thread`, load 2 to 8 elements at a time
 * from base a and b into gemm_copy_words() registers from `data` on; the addresses in threadgroup memory are in `to_a`
 * and `to_b`. */
struct gemm_copy {
   unsigned threads, thread, a, b, to_a, to_b, data, temporary;
   unsigned widened, constants; /* 8-bit encodings: where their halves go, those of A first; gemm_put_widen()'s */
};
unsigned gemm_copy_words(const struct gemm *gemm, unsigned threads);
void gemm_put_copy_setup(const struct gemm *gemm, const struct gemm_copy *copy, unsigned tile_row, unsigned tile_column,
                         FILE *file);
/* Loads the first tiles into `data`; before the loop. */
void gemm_put_copy_first(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file);
/* Stores the tiles in `data`, and loads the next ones while this pass computes. The last pass loads tiles beyond A and
 * B: the input has GEMM_SLACK more elements for that. */
void gemm_put_copy(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file);
/* Behind the loop, where K is no multiple of GEMM_DEPTH: stores the rest of K, filled with zeros. */
void gemm_put_copy_last(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file);
#define GEMM_SLACK(m, n) (GEMM_DEPTH * (GEMM_PADDED(m) > GEMM_PADDED(n) ? GEMM_PADDED(m) : GEMM_PADDED(n)))
/* One store of an element to dr`base` at an index, where `column` plus `more` is below `limit`; clobbers `temporary`.
 */
void gemm_put_guarded_store(FILE *file, const char *reg, unsigned base, unsigned index, unsigned bits, unsigned column,
                            unsigned more, unsigned limit, unsigned temporary);

#endif
