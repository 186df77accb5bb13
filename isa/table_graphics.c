/* SPDX-License-Identifier: MIT
 *
 * Rows of the table: textures, images, and what only vertex and fragment programs hold. spec/isa.md 2.11; bits
 * by Mesa's packing code (facts only) and the sample of its disassembler's test data.
 */
#include "isa/rows.h"

/* clang-format off */

/* ---- Textures and images ---- */

#define TEXTURE(type_at, base_at, ...)                                                                                 \
   {.kind = ISA_FIELD_TEXTURE, .target = ISA_SRC0, .value = {__VA_ARGS__}, .aux = {{(type_at), 2}, {(base_at), 5}}}
#define DIM(...) NAME(ISA_MOD_DIM, dim, __VA_ARGS__)
#define COORDS REG_DISCARD(ISA_SRC2, 32, 22, {16, 6}, {74, 2})
/* Bits [47:43] usually hold 0xc; Mesa's image loads differ there. The rest has no known use. */
#define TEXTURE_FIELDS                                                                                                 \
   {VECTOR(ISA_DST, 8, 48, {9, 6}, {72, 2}), TEXTURE(38, 64, {32, 6}, {78, 2}),                                        \
    STATE_OR_REG(ISA_SRC1, SAMPLER_STATE, 62, {56, 6}, {92, 2}), COORDS,                                               \
    {.kind = ISA_FIELD_LOD, .target = ISA_SRC3, .value = {{24, 6}, {76, 2}}, .aux = {{52, 4}, {40, 3}, {71, 1}}},      \
    {.kind = ISA_FIELD_COMPARE, .target = ISA_SRC4, .value = {{80, 6}, {94, 2}}, .aux = {{23, 1}, {91, 1}}},           \
    FLAG(ISA_MOD_SPARSE, "sparse", 70), DIM({40, 3}, {71, 1}), MASK(48), FLAG(ISA_MOD_SHADOW, "shadow", 23),           \
    NAME(ISA_MOD_LOD_MODE, lod_mode, {52, 4}), FLAG(ISA_MOD_OFFSET, "offset", 91),                                     \
    FLAG(ISA_MOD_QUERY_LOD, "query_lod", 31), NAME_UNLESS(ISA_MOD_GATHER, gather, 0, {87, 3}),                         \
    EXTRA(0xc, {43, 5}, {30, 1}, {69, 1}, {86, 1}, {90, 1}), SLOT(63),  \
    END}
static const struct isa_field texture_fields[] = TEXTURE_FIELDS;
#define IMAGE_TEXTURE(...) TEXTURE(38, 48, __VA_ARGS__)
#define IMAGE_COORDS REG_DISCARD(ISA_SRC2, 32, 22, {16, 6}, {58, 2})
#define IMAGE_LOD REG_OR_IMM(ISA_SRC3, 16, 31, {24, 6}, {60, 2})
/* Bits [46:43] usually hold 9; 15 where the write is coherent. Bit 53 is round to zero. */
static const struct isa_field imgw_fields[] = {
   {.kind = ISA_FIELD_VECTOR, .target = ISA_SRC4, .constant = 4, .value = {{9, 6}, {56, 2}}, .aux = {{8, 1}}},
   IMAGE_TEXTURE({32, 6}, {62, 2}), IMAGE_COORDS, IMAGE_LOD, DIM({40, 3}, {55, 1}),
   EXTRA(9, {43, 4}, {30, 1}, {47, 1}, {53, 2}), END};
static const struct isa_field imgwblk_fields[] = {
   REG(ISA_SRC4, 16, {9, 6}, {56, 2}), IMAGE_TEXTURE({32, 6}, {78, 2}), IMAGE_COORDS,
   REG_OR_IMM(ISA_SRC3, 16, 31, {24, 6}), FLAG(ISA_MOD_EXPLICIT_COORDS, "explicit_coords", 23), DIM({40, 3}, {55, 1}),
   NAME(ISA_MOD_FORMAT, format, {8, 1}, {64, 3}), EXTRA(0x29, {43, 4}, {30, 1}, {67, 1}, {47, 1}, {53, 2}), END};
static const char block_note[] = "how a pixel of another format than the image's is converted is not known";
static const char texture_note[] = "names after the level of detail follow Mesa's driver where the sample has none";

const struct isa_opcode isa_rows_31[] = {
   {NAMES("smpf", "texture_sample"), BITS(0xff, 0x31), SIZES(8, 12, 15), DOES(TEXTURE_SAMPLE, 'M', "2.11"), TIME(LOAD),
    .flags = ISA_FLAG_ASYNC, .note = texture_note, .fields = texture_fields},
   {NAMES("imgwblk", "image_write_block"), BITS(0xff, 0xb1), SIZES(6, 10, 15),
    DOES(IMAGE_WRITE_BLOCK, 'M', "2.11"), TIME(OTHER), .note = block_note, .fields = imgwblk_fields},
   {0}};
const struct isa_opcode isa_rows_71[] = {
   {NAMES("smpi", "texture_load"), BITS(0xff, 0x71), SIZES(8, 12, 15), DOES(TEXTURE_LOAD, 'M', "2.11"), TIME(LOAD),
    .flags = ISA_FLAG_ASYNC, .note = texture_note, .fields = texture_fields},
   {NAMES("imgw", "image_write"), BITS(0xff | BIT(23), 0xf1 | BIT(23)), SIZES(6, 8, 15), DOES(IMAGE_WRITE, 'M', "2.11"),
    TIME(STORE), .fields = imgw_fields},
   {0}};

/* ---- Tile buffer ---- */

#define GRAPHICS(op) DOES(op, 'M', "2.11"), TIME(OTHER), .flags = ISA_FLAG_GRAPHICS
#define GRAPHICS_LONG(op) DOES(op, 'M', "2.11"), TIME(OTHER), .flags = ISA_FLAG_GRAPHICS | ISA_FLAG_LONG
#define TILE_FIELDS(to, usual)                                                                                         \
   {VECTOR(to, 8, 36, {9, 6}, {60, 2}),                                                                                \
    {.kind = ISA_FIELD_COORDS, .target = ISA_SRC1, .value = {{16, 6}, {58, 2}}, .aux = {{55, 1}}},                     \
    IMM_OR_REG(ISA_SRC2, 16, 22, {42, 6}, {56, 2}), NUMBER(ISA_MOD_PIXEL_OFFSET, {28, 7}, {40, 2}),                               \
    FLAG(ISA_MOD_EXPLICIT_COORDS, "explicit_coords", 55), NAME(ISA_MOD_FORMAT, format, {24, 4}), MASK(36), EXTRA(usual, {35, 1}),    \
    END}
static const struct isa_field ld_tile_fields[] = TILE_FIELDS(ISA_DST, 1);
static const struct isa_field st_tile_fields[] = TILE_FIELDS(ISA_SRC0, 0);
static const char tile_note[] = "how pixels lie in threadgroup memory is not known";
static const struct isa_field st_tile_at_fields[] = TILE_FIELDS(ISA_SRC0, 1);
/* Bit 35 is set in stores with explicit coordinates, and in all loads. */
const struct isa_opcode isa_rows_09[] = {
   {NAMES("st_tile", "st_tile"), BITS(0x7f | BIT(55), 0x09), SIZE(8), DOES(TILE_STORE, 'M', "2.11"), TIME(OTHER),
    .note = tile_note, .fields = st_tile_fields},
   {NAMES("st_tile", "st_tile"), BITS(0x7f | BIT(55), 0x09 | BIT(55)), SIZE(8), DOES(TILE_STORE, 'M', "2.11"),
    TIME(OTHER), .note = tile_note, .fields = st_tile_at_fields},
   {0}};
const struct isa_opcode isa_rows_49[] = {
   {NAMES("ld_tile", "ld_tile"), BITS(0x7f, 0x49), SIZE(8), DOES(TILE_LOAD, 'M', "2.11"), TIME(OTHER),
    .note = tile_note, .fields = ld_tile_fields},
   {0}};

/* ---- Varyings ---- */

#define COEFFICIENT(n, ...) STATE(ISA_SRC##n, COEFFICIENT, __VA_ARGS__)
#define VARYING(times)                                                                                                 \
   {.kind = ISA_FIELD_VARYING, .target = ISA_DST, .constant = (times), .value = {{9, 6}, {56, 2}},                     \
    .aux = {{8, 1}, {30, 2}}}
#define COEFFICIENT_I STATE_OR_REG(ISA_SRC0, COEFFICIENT, 23, {16, 6}, {58, 2})
#define SAMPLE {.kind = ISA_FIELD_SAMPLE, .target = ISA_SRC2, .value = {{32, 8}}, .aux = {{48, 2}}}
#define ITER_FLAGS FLAG(ISA_MOD_FORWARD, "forward", 22), FLAG(ISA_MOD_ELIDE, "elide", 46), FLAG(ISA_MOD_KILL, "kill", 52)
static const struct isa_field iter_fields[] = {VARYING(1), COEFFICIENT_I, SAMPLE, ITER_FLAGS, END};
static const struct isa_field iterproj_fields[] = {
   VARYING(1), COEFFICIENT_I, COEFFICIENT(1, {24, 6}, {60, 2}), SAMPLE, ITER_FLAGS, END};
/* Three coefficients a channel. */
static const struct isa_field ldcf_fields[] = {VARYING(3), COEFFICIENT_I, END};
static const struct isa_field st_var_fields[] = {
   REG(ISA_SRC0, 32, {9, 6}, {24, 2}), REG_OR_IMM(ISA_SRC1, 16, 23, {16, 6}, {26, 2}), END};
static const struct isa_field st_var_last_fields[] = {
   REG(ISA_SRC0, 32, {9, 6}, {24, 2}), REG_OR_IMM(ISA_SRC1, 16, 23, {16, 6}, {26, 2}), WORD(ISA_MOD_NONE, 0, "last"),
   END};
static const struct isa_field no_fields[] = {END};
static const struct isa_field unknown_fields[] = {NUMBER(ISA_MOD_NUMBER, {7, 25}), END};

const struct isa_opcode isa_rows_21[] = {
   {NAMES("iter", "iter"), BITS(0xff, 0x21), SIZES(4, 8, 15), GRAPHICS_LONG(ITER), .fields = iter_fields},
   {NAMES("ldcf", "ldcf"), BITS(0xff, 0xa1), SIZES(4, 8, 15), GRAPHICS_LONG(COEFFICIENT_LOAD), .fields = ldcf_fields},
   {0}};
const struct isa_opcode isa_rows_61[] = {
   {NAMES("iter", "iterproj"), BITS(0xff, 0x61), SIZES(4, 8, 15), GRAPHICS_LONG(ITER_PROJECTED), .fields = iterproj_fields}, {0}};
const struct isa_opcode isa_rows_11[] = {
   {NAMES("st_var", "st_var"), BITS(0xf00000ff, 0x80000011), SIZE(4), GRAPHICS(VARYING_STORE), .fields = st_var_fields},
   {NAMES("st_var", "st_var_final"), BITS(0xf00000ff, 0x80000091), SIZE(4), GRAPHICS(VARYING_STORE), .fields = st_var_last_fields},
   {0}};
const struct isa_opcode isa_rows_51[] = {
   {NAMES("no_var", "no_var"), BITS(0xffffffff, 0x80000051), SIZE(4), GRAPHICS(VARYING_NONE), .fields = no_fields},
   {NAMES("unk_51", "unk_51"), BITS(0x7f, 0x51), SIZE(4), DOES(UNKNOWN, 'G', "2.9"), TIME(OTHER),
    .note = "seen, meaning not known", .fields = unknown_fields},
   {0}};

/* ---- Depth, coverage, pixel order ---- */

static const struct isa_field zs_emit_fields[] = {
   REG_OR_IMM(ISA_SRC0, 16, 8, {9, 6}, {24, 2}), REG(ISA_SRC1, 32, {16, 6}, {26, 2}),
   NAME_UNLESS(ISA_MOD_ZS, zs, 1, {29, 2}), END};
/* Mesa 25.0.7 packs the high bits of a number as src1 to [29:28], where nothing else is known to look; the sample of
 * its disassembler has them in [27:26]. With at most four samples the low bits suffice. */
static const struct isa_field sample_mask_fields[] = {
   REG_OR_IMM(ISA_SRC0, 16, 8, {9, 6}, {24, 2}), REG_OR_IMM(ISA_SRC1, 16, 23, {16, 6}, {26, 2}), EXTRA(0, {28, 2}), END};
static const struct isa_field pix_fields[] = {NUMBER(ISA_MOD_NUMBER, {8, 14}), NUMBER(ISA_MOD_NUMBER2, {22, 2}), END};

/* sample_mask is 0x41 with bit 7 set: the two share a bucket. */
const struct isa_opcode isa_rows_41[] = {
   {NAMES("zs_emit", "zs_emit"), BITS(0xff, 0x41), SIZE(4), GRAPHICS(ZS_EMIT), .fields = zs_emit_fields},
   {NAMES("sample_mask", "sample_mask"), BITS(0xff, 0xc1), SIZE(4), GRAPHICS(SAMPLE_MASK), .fields = sample_mask_fields},
   {0}};
const struct isa_opcode isa_rows_48[] = {
   {NAMES("pixwait", "wait_pix"), BITS(0xff, 0x48), SIZE(4), GRAPHICS(PIXEL_ORDER), .fields = pix_fields}, {0}};
const struct isa_opcode isa_rows_58[] = {
   {NAMES("pixsignal", "signal_pix"), BITS(0xff, 0x58), SIZE(4), GRAPHICS(PIXEL_ORDER), .fields = pix_fields}, {0}};
