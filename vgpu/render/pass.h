/* SPDX-License-Identifier: MIT
 *
 * A render pass in progress: the parsed command, the draws' state, the triangles that geometry made, and the lists of
 * triangles of each tile.
 *
 * Invariant: once the tiles are shaded, nothing here changes but `fault`, `message` and the counters, which are behind
 * `lock`; so host threads share all of it.
 */
#ifndef VGPU_RENDER_PASS_H
#define VGPU_RENDER_PASS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/command/run_stream.h"
#include "vgpu/launch.h"
#include "vgpu/stage.h"

#define RENDER_VIEWPORTS 16u
#define RENDER_SUBPIXELS 8u /* bits behind the point of a position */

/* The words of VDM state and of PPP updates as they stand. */
struct render_state {
   uint32_t vertex_counts, vertex_program, vertex_outputs, vertex_flags, restart;
   uint32_t fragment_control[2];
   uint32_t face[2], face2[2], stencil[2]; /* front, back */
   uint32_t bias_scissor;
   uint32_t viewport_count;
   uint32_t region[RENDER_VIEWPORTS][2];
   float viewport[RENDER_VIEWPORTS][6]; /* translate, scale of x; y; z */
   uint32_t w_clamp, output_select, varyings[2], cull, cull2;
   uint32_t fragment_program[4];
   uint32_t occlusion[2], output_unknown, output_size, varying2[2];
};

/* A coefficient register's origin. */
struct render_binding {
   uint8_t source, model, slot, to; /* enum in planes.c; first slot; first coefficient register */
   uint8_t count;
};
#define RENDER_BINDINGS 64u

struct render_scissor {
   uint32_t min[2], max[2]; /* max is excluded */
   float min_z, max_z;
};

/* The state of a draw, and its fragment program after the preamble. */
struct render_draw {
   struct render_state state;
   uint64_t number; /* of the first draw with this state, from 0 on */
   struct vgpu_launch fragment;
   struct vgpu_stage stage; /* template of the launches' */
   bool shades;             /* it has a fragment program */
   bool early;              /* tests run before it */
   uint32_t plane_count;
   struct render_binding bindings[RENDER_BINDINGS];
   uint32_t binding_count;
   struct render_scissor scissors[RENDER_VIEWPORTS];
   float bias, slope, clamp;
   size_t undefined; /* of the draw in progress: words from a vertex's output to its undefined bits; 0: not checked */
};

/* What the triangles of a primitive share. */
struct render_primitive {
   const struct render_draw *draw;
   size_t first_plane; /* in the pass's array */
   struct vgpu_plane z;
   uint8_t viewport;
   uint16_t layer;
   bool back;
};

struct render_triangle {
   int32_t x[3], y[3]; /* fixed point; clockwise on the screen */
   uint32_t primitive;
};

struct render_bin {
   uint32_t *triangles;
   size_t count;
};

/* What a background program leaves that does the same in each pixel: found by the first tile, and copied to others. */
struct render_clear {
   bool is_one;       /* the background is such a program */
   unsigned state;    /* enum render_clear_state: atomic */
   uint8_t pixel[64]; /* all samples of a pixel */
   uint32_t bytes;    /* of it */
   struct vgpu_outcome outcome;
};
enum render_clear_state { RENDER_CLEAR_UNKNOWN, RENDER_CLEAR_TAKEN, RENDER_CLEAR_KNOWN };

struct render_pass {
   const struct drm_asahi_cmd_render *command;
   const struct vgpu_stream_device *device;
   const struct vgpu_launch *base;
   struct vgpu_command_result *result;
   pthread_mutex_t lock; /* for result, while tiles are shaded */
   bool stop;
   uint32_t columns, rows; /* tiles */
   uint8_t samples_log2, sample_x[VGPU_MAX_SAMPLES], sample_y[VGPU_MAX_SAMPLES];
   struct render_draw **draws;
   size_t draw_count;
   struct render_primitive *primitives;
   size_t primitive_count, primitive_capacity;
   struct render_triangle *triangles;
   size_t triangle_count, triangle_capacity;
   struct vgpu_plane *planes;
   size_t plane_count, plane_capacity;
   struct render_bin *bins;              /* by layer, row, column */
   struct render_draw *background, *end; /* programs; NULL: the command has none */
   struct render_clear clear;
   uint64_t next_draw;
   struct vgpu_postmortem *postmortem; /* the device's; launches have others, since several run at a time */
};

/* Ends the pass with a fault; a first one stays. Returns false. */
bool render_fail(struct render_pass *pass, enum vgpu_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool render_out_of_memory(struct render_pass *pass);
/* Counts a launch of so many threads among the device's programs. stage: a literal, "vertex". */
void render_count(struct render_pass *pass, const struct vgpu_launch *launch, uint32_t threads, uint32_t group,
                  const struct vgpu_outcome *outcome, const char *stage);
/* Adds the outcome of a launch; false: it faulted, and so does the pass, whose post-mortem is then that of its first
 * launch that did. postmortem: the launch's. `what`: "vertex program of draw 3". */
bool render_add_outcome(struct render_pass *pass, const struct vgpu_postmortem *postmortem,
                        const struct vgpu_outcome *outcome, const char *what);
/* Reads GPU memory; false: a fault that names `what`. */
bool render_read(struct render_pass *pass, const char *what, uint64_t va, void *data, size_t size);

/* Reads USC words and runs the preamble: launch and stage are then templates. counts: the Counts word. (program.c) */
bool render_program(struct render_pass *pass, struct vgpu_launch *launch, struct vgpu_stage *stage, uint64_t va,
                    uint32_t counts, const char *what);

/* The value as planted faults change it: the word itself without one. (plant.c) */
uint32_t render_planted(const struct render_pass *pass, const char *word, uint32_t value);
void render_plant_state(const struct render_pass *pass, struct render_state *state);

/* The stream: runs all geometry. (vdm.c) */
bool render_geometry(struct render_pass *pass);
/* Applies a PPP update. (ppp.c) */
bool render_ppp(struct render_pass *pass, struct render_state *state, uint64_t va, uint32_t words);

/* A draw as the stream has it. */
struct render_call {
   uint32_t primitive, count, instances, start;
   bool indexed, restart;
   uint32_t index_bytes; /* of an index */
   uint64_t index_va, index_size;
};
/* Runs vertices and makes triangles. (draw.c) */
bool render_draw(struct render_pass *pass, const struct render_state *state, const struct render_call *call);

/* A primitive's corners: outputs of its vertices in the order of the draw. */
struct render_corners {
   const uint32_t *outputs[3];
   const uint32_t *flat[3]; /* whose values flat varyings take: of lines the last two are the second vertex */
   uint32_t number;         /* of the primitive in the draw */
   bool is_point;
   double sprite[3][2]; /* of points: their coordinates at the corners */
   bool odd;            /* its order is the reverse of the first one's */
};
/* Makes room for this many primitives more, so that the arrays need not be copied as they grow. (shape.c) */
bool render_expect(struct render_pass *pass, const struct render_draw *draw, size_t primitives);
/* Culls, clips and adds it to the pass. (triangle.c) */
bool render_add_triangle(struct render_pass *pass, const struct render_draw *draw,
                         const struct render_corners *corners);
/* The same for a point, and a line. (sprite.c) */
bool render_add_sprite(struct render_pass *pass, const struct render_draw *draw, const uint32_t *outputs,
                       uint32_t number);
bool render_add_line(struct render_pass *pass, const struct render_draw *draw, const uint32_t *first,
                     const uint32_t *second, uint32_t number);
/* Fills in the planes of a primitive from its corners' screen positions, each times w. (planes.c) */
void render_planes(const struct render_draw *draw, const struct render_corners *corners, double screen[3][4],
                   struct vgpu_plane *planes, struct vgpu_plane *z);
/* What the draw adds to the depths of a primitive, of which z is the plane. screen: as for render_planes(). (depth.c)
 */
float render_bias(const struct render_pass *pass, const struct render_draw *draw, const struct vgpu_plane *z,
                  double screen[3][4]);

/* Sorts triangles into tiles. (bins.c) */
bool render_bin_all(struct render_pass *pass);
/* Whether the program does the same in each pixel, and nothing but stores to the pixel. (clear.c) */
bool render_is_clear(const struct render_pass *pass, const struct render_draw *background);
/* Shades all tiles. (tile.c) */
void render_tiles(struct render_pass *pass);

#endif
