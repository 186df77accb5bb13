/* SPDX-License-Identifier: MIT
 *
 * A cube, drawn through the uAPI alone: docs/spec/uapi.md says what the requests are, docs/spec/render.md what the
 * words in memory are. The four programs beside this file are AGX assembly. Not run on hardware.
 *
 *   cube DEVICE FOLDER PIXELS DEGREES OUTPUT       cube virtual:m1 drm/examples/cube 256 30 cube.ppm
 *
 * Invariant: one buffer holds all that the GPU reads and writes, bound at the start of the window of programs, so that
 * an offset into it is an address in every word.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "drm/raw.h"
#include "isa/assembler/asm.h"

#define WINDOW (UINT64_C(0x11) << 32) /* 4 GiB that hold programs and USC words */
#define KERNEL (UINT64_C(0x20) << 32) /* what the kernel may use */
#define LIMIT UINT64_C(10000000000)   /* nanoseconds of a job */
enum { MEMORY = 8 << 20, IMAGE = 1 << 20, LARGEST = 1024, TILE = 32, SAMPLE_BYTES = 8 };
enum { OF_TILE = 0, OF_FRAGMENT = 2, OF_VERTEX = 3 }; /* kinds of programs */
enum { VERTICES = 36, WORDS = 8, OUTPUTS = 9 };

struct gpu {
   struct asahi_raw raw;
   uint32_t queue, done;
   uint8_t *memory;
   uint32_t used; /* bytes */
};

static void stop(const char *what, const char *why)
{
   fprintf(stderr, "cube: %s: %s\n", what, why);
   exit(98);
}

static void call(struct gpu *gpu, unsigned long request, void *argument, const char *what)
{
   if (gpu->raw.kernel->ioctl(gpu->raw.kernel, gpu->raw.fd, request, argument) == -1) {
      stop(what, strerror(errno));
   }
}

/* An address space, a buffer in it, a queue and a fence. */
static void start(struct gpu *gpu, const char *device)
{
   char why[256];
   if (asahi_raw_open(device, &gpu->raw, why, sizeof(why))) {
      stop(device, why);
   }
   struct drm_asahi_params_global params = {0};
   struct drm_asahi_get_params get = {.pointer = (uintptr_t)&params, .size = sizeof(params)};
   call(gpu, DRM_IOCTL_ASAHI_GET_PARAMS, &get, "GET_PARAMS");
   struct drm_asahi_vm_create vm = {.kernel_start = KERNEL, .kernel_end = KERNEL + params.vm_kernel_min_size};
   call(gpu, DRM_IOCTL_ASAHI_VM_CREATE, &vm, "VM_CREATE");
   struct drm_asahi_gem_create gem = {
       .size = MEMORY, .flags = DRM_ASAHI_GEM_WRITEBACK | DRM_ASAHI_GEM_VM_PRIVATE, .vm_id = vm.vm_id};
   call(gpu, DRM_IOCTL_ASAHI_GEM_CREATE, &gem, "GEM_CREATE");
   struct drm_asahi_gem_bind_op bind = {
       .flags = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE, .handle = gem.handle, .range = MEMORY, .addr = WINDOW};
   struct drm_asahi_vm_bind binds = {
       .vm_id = vm.vm_id, .num_binds = 1, .stride = sizeof(bind), .userptr = (uintptr_t)&bind};
   call(gpu, DRM_IOCTL_ASAHI_VM_BIND, &binds, "VM_BIND");
   struct drm_asahi_gem_mmap_offset where = {.handle = gem.handle};
   call(gpu, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &where, "GEM_MMAP_OFFSET");
   gpu->memory =
       gpu->raw.kernel->mmap(gpu->raw.kernel, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, gpu->raw.fd, where.offset);
   if (gpu->memory == MAP_FAILED) {
      stop("mmap", strerror(errno));
   }
   struct drm_asahi_queue_create queue = {
       .vm_id = vm.vm_id, .priority = DRM_ASAHI_PRIORITY_MEDIUM, .usc_exec_base = WINDOW};
   call(gpu, DRM_IOCTL_ASAHI_QUEUE_CREATE, &queue, "QUEUE_CREATE");
   struct drm_syncobj_create fence = {0};
   call(gpu, DRM_IOCTL_SYNCOBJ_CREATE, &fence, "SYNCOBJ_CREATE");
   gpu->queue = queue.queue_id;
   gpu->done = fence.handle;
}

/* Copies data to memory, at a multiple of 128 bytes. Returns the offset. */
static uint32_t put(struct gpu *gpu, const void *data, size_t size)
{
   const uint32_t at = (gpu->used + 127) & ~127u;
   if (at + size > IMAGE) {
      stop("memory", "it is full");
   }
   memcpy(gpu->memory + at, data, size);
   gpu->used = at + (uint32_t)size;
   return at;
}

/* USC words: docs/spec/uapi.md 4.3. */
struct words {
   uint8_t bytes[64];
   unsigned size;
};

static void add(struct words *words, uint64_t item, unsigned bytes)
{
   memcpy(words->bytes + words->size, &item, bytes);
   words->size += bytes;
}

/* A program with its USC words, whose offset is returned. `before`: words in front of those that each program has. */
static uint32_t put_program(struct gpu *gpu, const char *folder, const char *name, unsigned kind, struct words before)
{
   char path[4096], text[8192];
   struct isa_asm_result result = {0};
   struct isa_asm *assembler = isa_asm_create(NULL);
   snprintf(path, sizeof(path), "%s/%s.agx", folder, name);
   FILE *file = fopen(path, "r");
   if (!file || !assembler || isa_asm_program(assembler, text, fread(text, 1, sizeof(text), file), &result)) {
      stop(path, result.diagnostic_count ? result.diagnostics[0].message : strerror(errno));
   }
   const struct agx_program *program = result.program;
   const uint64_t code = put(gpu, program->code, program->code_size) + program->main_offset;
   const uint64_t groups = (program->half_registers + 7u) / 8, pixels = kind == OF_FRAGMENT;
   /* Vertices have no threadgroup memory; tiles are 32 x 32 pixels of 8 bytes, 8 KiB. */
   add(&before, kind == OF_VERTEX ? 0x904d : 0x4d | 1 << 8 | 0x2f << 10 | 1 << 20 | 32 << 24, 4);
   add(&before, 0x0d | pixels << 8 | (uint64_t)kind << 10 | code << 16, 6);
   add(&before, 0x8d | groups << 8 | pixels << 13 | 1 << 24, 4);
   if (pixels) {
      add(&before, 0x58 | 1 << 8 | 1 << 9 | 0xf << 12 | 2 << 16, 4); /* tests come first */
   }
   add(&before, 0x88, 2); /* no preamble */
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
   fclose(file);
   return put(gpu, before.bytes, before.size);
}

/* Six faces, each of two triangles: clockwise from outside, where z goes away from the viewer. */
static uint32_t put_vertices(struct gpu *gpu)
{
   static const float colours[6][3] = {{0.9f, 0.2f, 0.2f}, {0.2f, 0.8f, 0.3f}, {0.2f, 0.4f, 0.9f},
                                       {0.9f, 0.8f, 0.2f}, {0.8f, 0.3f, 0.8f}, {0.2f, 0.8f, 0.8f}};
   static const float corners[6][2] = {{-1, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
   float vertices[VERTICES][WORDS];
   for (unsigned i = 0; i < VERTICES; i++) {
      const unsigned face = i / 6, axis = face / 2;
      const float side = face % 2 ? 1 : -1, u = corners[i % 6][0], v = corners[i % 6][1];
      vertices[i][axis] = side;
      vertices[i][(axis + 1) % 3] = u * side; /* the other side is seen in a mirror */
      vertices[i][(axis + 2) % 3] = vertices[i][7] = v;
      vertices[i][3] = u;
      memcpy(&vertices[i][4], colours[face], sizeof(colours[face]));
   }
   return put(gpu, vertices, sizeof(vertices));
}

/* Turns about y, then about x by -25 degrees, then a perspective of 2 from a distance of 5; in columns. Depth goes from
 * 0 at the distance 2 to 1 at the distance 8. */
static void make_matrix(float to[16], double turn)
{
   const double c = cos(turn), s = sin(turn), tilt = -25 * M_PI / 180, d = cos(tilt), t = sin(tilt);
   const double rows[3][4] = {{c, 0, s, 0}, {t * s, d, -t * c, 0}, {-d * s, t, d * c, 5}};
   for (unsigned i = 0; i < 4; i++) {
      to[4 * i] = (float)(2 * rows[0][i]);
      to[4 * i + 1] = (float)(-2 * rows[1][i]); /* y goes down on the screen */
      to[4 * i + 2] = (float)((rows[2][i] - (i == 3 ? 2 : 0)) * 8 / 6);
      to[4 * i + 3] = (float)rows[2][i];
   }
}

static uint32_t put_vertex_program(struct gpu *gpu, const char *folder, double turn)
{
   struct words before = {.size = 0};
   const uint64_t vertices = WINDOW + put_vertices(gpu);
   float uniforms[20] = {0};
   memcpy(uniforms, &vertices, sizeof(vertices));
   make_matrix(uniforms + 4, turn);
   const uint64_t at = WINDOW + put(gpu, uniforms, sizeof(uniforms));
   add(&before, 0x1d | sizeof(uniforms) / 2 << 20 | at >> 2 << 26, 8);
   return put_program(gpu, folder, "vertex", OF_VERTEX, before);
}

/* The end-of-tile program's image: rows of pixels of four bytes. */
static uint32_t put_end_program(struct gpu *gpu, const char *folder, uint32_t size)
{
   struct words before = {.size = 0};
   const uint64_t words[3] = {
       2 | 0x28 << 6 | 0xe4 << 16 | (uint64_t)(size - 1) << 24 | (uint64_t)(size - 1) << 38,
       (WINDOW + IMAGE) >> 4 | (uint64_t)(size * 4 - 4) << 40,
   };
   const uint64_t at = WINDOW + put(gpu, words, sizeof(words));
   add(&before, 0xdd | 1 << 20 | at >> 3 << 27, 8);
   return put_program(gpu, folder, "end", OF_TILE, before);
}

static uint32_t float_bits(float value)
{
   return (union {
             float value;
             uint32_t bits;
          }){value}
       .bits;
}

/* A PPP update: the words that its header's bits name, in their order (docs/spec/render.md 3). */
static uint32_t put_state(struct gpu *gpu, uint32_t fragment, uint32_t size, uint32_t *words)
{
   /* 1/w; red, green, blue; u, v. All but the first are divided by w. */
   const uint32_t bindings[] = {4 | 6 << 8, 0 | 3 << 2, 2 | 7 << 2 | 1 << 8 | 1 << 16, 1 | 7 << 2 | 4 << 8 | 4 << 16};
   const uint32_t half = float_bits((float)size / 2);
   const uint32_t face = 15 << 8 | 1 << 24, face2 = 1 << 21 | 7 << 24; /* lines of 1; nearer ones pass */
   const uint32_t update[] = {
       1 << 0 | 1 << 1 | 3 << 2 | 3 << 5 | 3 << 10 | 3 << 16 | 3 << 18 | 3 << 21 | 1 << 23 | 1 << 27,
       /* fragment control, front and back face */
       0, 0, face, face2, face, face2,
       /* tiles of the picture, viewport, least w */
       (size / TILE - 1) | 1u << 31, size / TILE - 1, 0, half, half, half, half, 0, float_bits(1), float_bits(1e-10f),
       /* varyings: all are outputs, five are smooth; backs are culled, depth is clipped */
       1 << 16, 5, 0, 1 << 1 | 1 << 10, 0,
       /* the program, with three bindings; outputs */
       1 << 1 | 3 << 16, fragment, put(gpu, bindings, sizeof(bindings)), 0, OUTPUTS};
   *words = sizeof(update) / sizeof(*update);
   return put(gpu, update, sizeof(update));
}

static uint64_t put_stream(struct gpu *gpu, const char *folder, uint32_t size, double turn)
{
   const uint32_t vertex = put_vertex_program(gpu, folder, turn);
   const uint32_t fragment = put_program(gpu, folder, "fragment", OF_FRAGMENT, (struct words){.size = 0});
   uint32_t words;
   const uint64_t state = WINDOW + put_state(gpu, fragment, size, &words);
   const uint32_t stream[] = {/* the vertex program, and a word that fills up */
                              2u << 29 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5, 1 << 1, vertex, OUTPUTS | OUTPUTS << 8, 0,
                              0,
                              /* the state of pixels; a list of triangles; the end */
                              (uint32_t)(state >> 32) | words << 8, (uint32_t)state,
                              3u << 29 | 6 << 8 | 1 << 22 | 1 << 23 | 1 << 24, VERTICES, 1, 0, 6u << 29};
   return WINDOW + put(gpu, stream, sizeof(stream));
}

static void draw(struct gpu *gpu, const char *folder, uint32_t size, double turn)
{
   struct {
      struct drm_asahi_cmd_header header;
      struct drm_asahi_cmd_render render;
   } commands = {
       .header = {DRM_ASAHI_CMD_RENDER, sizeof(commands.render), DRM_ASAHI_BARRIER_NONE, DRM_ASAHI_BARRIER_NONE},
       .render = {.flags = DRM_ASAHI_RENDER_PROCESS_EMPTY_TILES,
                  .isp_zls_pixels = (size - 1) | (size - 1) << 15,
                  .vdm_ctrl_stream_base = put_stream(gpu, folder, size, turn),
                  .ppp_multisamplectl = 0x88,
                  .ppp_ctrl = 0x202,
                  .width_px = (uint16_t)size,
                  .height_px = (uint16_t)size,
                  .layers = 1,
                  .utile_width_px = TILE,
                  .utile_height_px = TILE,
                  .samples = 1,
                  .sample_size_B = SAMPLE_BYTES,
                  .bg = {put_program(gpu, folder, "background", OF_TILE, (struct words){.size = 0}) | 4, 0},
                  .eot = {put_end_program(gpu, folder, size) | 4, 1 << 4},
                  .isp_bgobjdepth = float_bits(1),
                  .isp_bgobjvals = 0x300}};
   commands.render.partial_bg = commands.render.bg; /* if memory of triangles runs out */
   commands.render.partial_eot = commands.render.eot;
   struct drm_asahi_sync sync = {.handle = gpu->done};
   struct drm_asahi_submit submit = {.syncs = (uintptr_t)&sync,
                                     .cmdbuf = (uintptr_t)&commands,
                                     .queue_id = gpu->queue,
                                     .out_sync_count = 1,
                                     .cmdbuf_size = sizeof(commands)};
   call(gpu, DRM_IOCTL_ASAHI_SUBMIT, &submit, "SUBMIT");
   errno = -asahi_raw_wait(gpu->raw.kernel, gpu->raw.fd, gpu->raw.is_virtual, &gpu->done, 1, LIMIT, NULL);
   if (errno) {
      stop("the job", strerror(errno));
   }
}

int main(int count, char **arguments)
{
   struct gpu gpu = {.used = 128}; /* the offset 0 stands for no program */
   const uint32_t size = count == 6 ? (uint32_t)strtoul(arguments[3], NULL, 10) : 0;
   if (size < TILE || size > LARGEST || size % TILE) {
      fprintf(stderr, "Usage: cube DEVICE FOLDER PIXELS DEGREES OUTPUT (PIXELS: a multiple of 32, up to 1024)\n");
      return 79;
   }
   start(&gpu, arguments[1]);
   draw(&gpu, arguments[2], size, strtod(arguments[4], NULL) * M_PI / 180);
   FILE *file = fopen(arguments[5], "wb");
   bool good = file && fprintf(file, "P6\n%u %u\n255\n", size, size) > 0;
   for (uint32_t i = 0; good && i < size * size; i++) {
      good = fwrite(gpu.memory + IMAGE + 4 * i, 1, 3, file) == 3;
   }
   if (!good || fclose(file)) {
      stop(arguments[5], strerror(errno));
   }
   gpu.raw.kernel->close(gpu.raw.kernel, gpu.raw.fd);
   return 0;
}
