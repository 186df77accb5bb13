/* SPDX-License-Identifier: MIT
 *
 * What triangles, lines and points share on their way to the screen: corners in homogeneous coordinates, outputs
 * besides the position, and how a polygon joins the pass.
 */
#ifndef VGPU_RENDER_SHAPE_H
#define VGPU_RENDER_SHAPE_H

#include "vgpu/render/pass.h"

#define RENDER_DISTANCES 8u /* that clip, of the program's own */

/* A corner: screen position times w, depth as clip space has it, and the program's clip distances. */
struct render_point {
   double at[4]; /* x, y, clip z, w */
   double distance[RENDER_DISTANCES];
};

/* Where a vertex's outputs besides the position are: they are the last ones (docs/spec/render.md 4). Word 0: absent. */
struct render_extras {
   unsigned distances, first_distance, layer_word, size_word;
};
struct render_extras render_find_extras(const struct render_draw *draw);

/* The layer and viewport that a primitive's first vertex names. false: it has no such layer, nothing is drawn. */
struct render_place {
   uint32_t layer, viewport;
};
bool render_find_place(const struct render_pass *pass, const struct render_draw *draw, const uint32_t *outputs,
                       struct render_place *place);

/* A vertex as a corner; false: its position is no number. */
bool render_point_of(const struct render_draw *draw, uint32_t viewport, const uint32_t *outputs,
                     struct render_point *point);
/* The corner with the depth that the viewport makes, times w: a row of render_planes(). */
void render_to_screen(const struct render_draw *draw, uint32_t viewport, const struct render_point *point,
                      double screen[4]);
int32_t render_fixed(double pixels);

/* Adds a convex polygon whose planes follow from the three corners. reversed: it is counter-clockwise. */
bool render_add_polygon(struct render_pass *pass, const struct render_draw *draw, const struct render_corners *corners,
                        double screen[3][4], const int32_t *x, const int32_t *y, unsigned count, bool reversed,
                        const struct render_place *place, bool back);

/* A line or a point, of its own or the side or corner of a polygon. */
struct render_part {
   struct render_corners corners; /* a line's: first, second, first */
   struct render_place place;
   bool back;
};
/* Clips and adds a line, and a point of the size that its outputs name. (sprite.c) */
bool render_add_segment(struct render_pass *pass, const struct render_draw *draw, const struct render_part *part,
                        const struct render_point ends[2]);
bool render_add_square(struct render_pass *pass, const struct render_draw *draw, const struct render_part *part,
                       const struct render_point *point);

#endif
