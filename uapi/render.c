/* SPDX-License-Identifier: MIT
 *
 * Which render commands are refused: spec/uapi.md 3.6. None is run: a valid one is followed by a command that is
 * refused with ENOENT (uapi_call_render).
 */
#include "uapi/test.h"
#include "util/array.h"

#define CALL(subtest, text, answers_, ...)                                                                             \
   {                                                                                                                   \
      "render/" subtest, text, .request = uapi_call_render, .edits = {__VA_ARGS__}, .answers = answers_                \
   }
#define RENDER(member, value) COMMAND(drm_asahi_cmd_render, member, value)
#define SOUND E(ENOENT)

/* Render and compute commands are counted separately: the second render command may wait for the first compute command.
 */
static void barrier_mixed(struct uapi *u)
{
   const struct {
      uint16_t vdm_barrier, cdm_barrier;
      uint64_t answers;
   } cases[] = {{1, UAPI_NONE, SOUND}, {UAPI_NONE, 1, E(EINVAL)}, {2, UAPI_NONE, E(EINVAL)}};
   for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
      struct uapi_call call = {0};
      uapi_call_render(u, &call);
      struct drm_asahi_cmd_header *second =
          (void *)(call.commands.bytes + sizeof(*second) + sizeof(struct drm_asahi_cmd_render));
      second->vdm_barrier = cases[i].vdm_barrier;
      second->cdm_barrier = cases[i].cdm_barrier;
      uapi_expect(u, uapi_ioctl(u, call.request, &call.args), cases[i].answers,
                  "a compute command after a render command with barriers 0x%x and 0x%x", cases[i].vdm_barrier,
                  cases[i].cdm_barrier);
   }
}

/* The render command's own timestamps are checked: a wrong one after a right one gives ERANGE. */
static void stamp(struct uapi *u, size_t offset)
{
   struct uapi_call call = {0};
   uint32_t object = uapi_object(u, uapi_bo(u, UAPI_PAGE, 0, 0), 0, UAPI_PAGE);
   uapi_call_render(u, &call);
   struct drm_asahi_timestamp *ts = (void *)(call.commands.bytes + sizeof(struct drm_asahi_cmd_header) + offset);
   *ts = (struct drm_asahi_timestamp){object, (uint32_t)UAPI_PAGE};
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), E(ERANGE), "a timestamp beyond its object");
   ts->offset = (uint32_t)UAPI_PAGE - 8;
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), SOUND, "a timestamp at its object's end");
}

static void stamp_vertex_start(struct uapi *u)
{
   stamp(u, offsetof(struct drm_asahi_cmd_render, ts_vtx.start));
}

static void stamp_fragment_end(struct uapi *u)
{
   stamp(u, offsetof(struct drm_asahi_cmd_render, ts_frag.end));
}

static const struct uapi_test tests[] = {
    CALL("sound", "a sound render command passes", SOUND, RENDER(width_px, 64)),
    CALL("flags-known", "the four flags", SOUND, RENDER(flags, DRM_ASAHI_RENDER_FLAGS_MASK)),
    CALL("flags-unknown", "unknown flags: EINVAL", E(EINVAL), RENDER(flags, 8)),
    CALL("flags-high", "unknown flags: EINVAL", E(EINVAL), RENDER(flags, UINT32_C(1) << 31)),
    CALL("width-zero", "no width: EINVAL", E(EINVAL), RENDER(width_px, 0)),
    CALL("width-most", "a width of 16384", SOUND, RENDER(width_px, 16384)),
    CALL("width-too-large", "a width of 16385: EINVAL", E(EINVAL), RENDER(width_px, 16385)),
    CALL("height-zero", "no height: EINVAL", E(EINVAL), RENDER(height_px, 0)),
    CALL("height-most", "a height of 16384", SOUND, RENDER(height_px, 16384)),
    CALL("height-too-large", "a height of 16385: EINVAL", E(EINVAL), RENDER(height_px, 16385)),
    CALL("layers-zero", "no layers: EINVAL", E(EINVAL), RENDER(layers, 0)),
    CALL("layers-most", "2048 layers", SOUND, RENDER(layers, 2048)),
    CALL("layers-too-many", "2049 layers: EINVAL", E(EINVAL), RENDER(layers, 2049)),
    CALL("utile-32x16", "tiles of 32 by 16", SOUND, RENDER(utile_height_px, 16)),
    CALL("utile-16x16", "tiles of 16 by 16", SOUND, RENDER(utile_width_px, 16), RENDER(utile_height_px, 16)),
    CALL("utile-16x32", "tiles of 16 by 32: EINVAL", E(EINVAL), RENDER(utile_width_px, 16)),
    CALL("utile-8x8", "tiles of 8 by 8: EINVAL", E(EINVAL), RENDER(utile_width_px, 8), RENDER(utile_height_px, 8)),
    CALL("samples-2", "2 samples", SOUND, RENDER(samples, 2)),
    CALL("samples-4", "4 samples", SOUND, RENDER(samples, 4)),
    CALL("samples-zero", "0 samples: EINVAL", E(EINVAL), RENDER(samples, 0)),
    CALL("samples-3", "3 samples: EINVAL", E(EINVAL), RENDER(samples, 3)),
    CALL("samples-8", "8 samples: EINVAL", E(EINVAL), RENDER(samples, 8)),
    CALL("barrier-own", "a barrier to the command itself: EINVAL", E(EINVAL), HEADER(vdm_barrier, 1)),
    CALL("barrier-compute", "a barrier to a compute command that comes later: EINVAL", E(EINVAL),
         HEADER(cdm_barrier, 1)),
    {"render/barrier-mixed", "render and compute commands are counted apart", .run = barrier_mixed},
    {"render/stamp-vertex", "the vertex part's timestamp is checked: ERANGE", .run = stamp_vertex_start},
    {"render/stamp-fragment", "the fragment part's timestamp is checked: ERANGE", .run = stamp_fragment_end},
};
UAPI_AREA(render);
