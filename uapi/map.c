/* SPDX-License-Identifier: MIT
 *
 * What mappings do, seen by jobs that read and write through them: spec/uapi.md section 2.
 */
#include "uapi/test.h"

#define PAGES 8u
#define READ DRM_ASAHI_BIND_READ
#define WRITE DRM_ASAHI_BIND_WRITE
#define SINGLE DRM_ASAHI_BIND_SINGLE_PAGE

/* A buffer of PAGES pages, page i starting with the word tag + i. */
struct pages {
   uint32_t bo;
   volatile uint32_t *map;
};

static bool make_pages(struct uapi *u, struct pages *pages, uint32_t tag)
{
   pages->bo = uapi_bo(u, PAGES * UAPI_PAGE, DRM_ASAHI_GEM_WRITEBACK, 0);
   pages->map = pages->bo ? uapi_map(u, pages->bo, PAGES * UAPI_PAGE) : NULL;
   for (unsigned i = 0; pages->map && i < PAGES; i++) {
      pages->map[i * UAPI_PAGE / 4] = tag + i;
   }
   return pages->map != NULL;
}

static uint64_t at(unsigned page)
{
   return UAPI_FREE + page * UAPI_PAGE;
}

/* Expects these words when a job reads the pages from UAPI_FREE on. 0: nothing is mapped there. */
static void expect_pages(struct uapi *u, const uint32_t *words, unsigned count)
{
   for (unsigned i = 0; i < count && uapi_good(u); i++) {
      uapi_equal(u, uapi_peek(u, at(i)), words[i], "what a job reads in page %u", i);
   }
}
#define EXPECT(u, ...)                                                                                                 \
   expect_pages(u, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void whole(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, PAGES * UAPI_PAGE, at(0))) {
      EXPECT(u, 0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107);
   }
}

static void offset(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 3 * UAPI_PAGE, 2 * UAPI_PAGE, at(0))) {
      EXPECT(u, 0x103, 0x104);
   }
}

static void write_through(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 2 * UAPI_PAGE, UAPI_PAGE, at(0))) {
      uapi_poke(u, at(0), 0xCAFE);
      uapi_equal(u, a.map[2 * UAPI_PAGE / 4], 0xCAFE, "what the CPU reads after a job wrote");
      uapi_equal(u, a.map[0], 0x100, "a page that no job wrote to");
   }
}

static void twice(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, UAPI_PAGE, at(0)) &&
       uapi_bind_at(u, a.bo, 0, UAPI_PAGE, at(1))) {
      uapi_poke(u, at(0), 0xCAFE);
      EXPECT(u, 0xCAFE, 0xCAFE);
   }
}

/* Binding over a mapping replaces it only there; the rest of the old mapping stays at its place. */
static void replace(struct uapi *u)
{
   struct pages a, b;
   if (make_pages(u, &a, 0x100) && make_pages(u, &b, 0x200) && uapi_bind_at(u, a.bo, 0, 5 * UAPI_PAGE, at(0)) &&
       uapi_bind_at(u, b.bo, 6 * UAPI_PAGE, 2 * UAPI_PAGE, at(1))) {
      EXPECT(u, 0x100, 0x206, 0x207, 0x103, 0x104);
   }
}

static void replace_whole(struct uapi *u)
{
   struct pages a, b;
   if (make_pages(u, &a, 0x100) && make_pages(u, &b, 0x200) && uapi_bind_at(u, a.bo, 0, 2 * UAPI_PAGE, at(1)) &&
       uapi_bind_at(u, b.bo, 0, 4 * UAPI_PAGE, at(0))) {
      EXPECT(u, 0x200, 0x201, 0x202, 0x203);
   }
}

/* Binds over the end of one mapping, a whole one, and the start of a third. */
static void replace_several(struct uapi *u)
{
   struct pages a, b;
   if (make_pages(u, &a, 0x100) && make_pages(u, &b, 0x200) && uapi_bind_at(u, a.bo, 0, 2 * UAPI_PAGE, at(0)) &&
       uapi_bind_at(u, a.bo, 6 * UAPI_PAGE, UAPI_PAGE, at(2)) &&
       uapi_bind_at(u, a.bo, 2 * UAPI_PAGE, 2 * UAPI_PAGE, at(3)) && uapi_bind_at(u, b.bo, 0, 3 * UAPI_PAGE, at(1))) {
      EXPECT(u, 0x100, 0x200, 0x201, 0x202, 0x103);
   }
}

static void replace_itself(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, 4 * UAPI_PAGE, at(0)) &&
       uapi_bind_at(u, a.bo, 0, 4 * UAPI_PAGE, at(0)) && uapi_bind_at(u, a.bo, UAPI_PAGE, UAPI_PAGE, at(2))) {
      EXPECT(u, 0x100, 0x101, 0x101, 0x103);
   }
}

static void unbind_case(struct uapi *u, unsigned first, unsigned count, const uint32_t *words)
{
   struct pages a;
   if (uapi_soft_faults(u) && make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, 4 * UAPI_PAGE, at(0)) &&
       uapi_unbind(u, at(first), count * UAPI_PAGE)) {
      expect_pages(u, words, 4);
   }
}

static void unbind_whole(struct uapi *u)
{
   unbind_case(u, 0, 4, (const uint32_t[]){0, 0, 0, 0});
}

static void unbind_start(struct uapi *u)
{
   unbind_case(u, 0, 1, (const uint32_t[]){0, 0x101, 0x102, 0x103});
}

static void unbind_end(struct uapi *u)
{
   unbind_case(u, 2, 2, (const uint32_t[]){0x100, 0x101, 0, 0});
}

static void unbind_middle(struct uapi *u)
{
   unbind_case(u, 1, 2, (const uint32_t[]){0x100, 0, 0, 0x103});
}

static void unbind_beyond(struct uapi *u)
{
   unbind_case(u, 3, 100, (const uint32_t[]){0x100, 0x101, 0x102, 0});
}

/* Unbinds from the middle of one mapping to the middle of another, with a hole between them. */
static void unbind_several(struct uapi *u)
{
   struct pages a;
   if (uapi_soft_faults(u) && make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, 2 * UAPI_PAGE, at(0)) &&
       uapi_bind_at(u, a.bo, 2 * UAPI_PAGE, 2 * UAPI_PAGE, at(3)) && uapi_unbind(u, at(1), 3 * UAPI_PAGE)) {
      EXPECT(u, 0x100, 0, 0, 0, 0x103);
   }
}

static void rebind(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, 4 * UAPI_PAGE, at(0)) &&
       uapi_unbind(u, at(1), 2 * UAPI_PAGE) && uapi_bind_at(u, a.bo, 5 * UAPI_PAGE, 2 * UAPI_PAGE, at(1))) {
      EXPECT(u, 0x100, 0x105, 0x106, 0x103);
   }
}

/* A job sees the mapping at the time it runs, also where another one was before. */
static void stale(struct uapi *u)
{
   struct pages a;
   if (!make_pages(u, &a, 0x100)) {
      return;
   }
   for (unsigned i = 0; i < 40 && uapi_good(u); i++) {
      uapi_bind_at(u, a.bo, i % PAGES * UAPI_PAGE, UAPI_PAGE, at(0));
      uapi_equal(u, uapi_peek(u, at(0)), 0x100 + i % PAGES, "what a job reads after bind %u", i);
   }
}

static bool bind_single(struct uapi *u, uint32_t bo, unsigned page, unsigned pages, unsigned first)
{
   struct drm_asahi_gem_bind_op op = {.flags = READ | WRITE | SINGLE,
                                      .handle = bo,
                                      .offset = page * UAPI_PAGE,
                                      .range = pages * UAPI_PAGE,
                                      .addr = at(first)};
   return uapi_expect(u, uapi_bind(u, u->vm, op), OK, "a SINGLE_PAGE bind");
}

static void single(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && bind_single(u, a.bo, 0, 5, 0)) {
      EXPECT(u, 0x100, 0x100, 0x100, 0x100, 0x100);
   }
}

static void single_offset(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && bind_single(u, a.bo, 6, 3, 0)) {
      uapi_poke(u, at(2), 0xCAFE);
      EXPECT(u, 0xCAFE, 0xCAFE, 0xCAFE);
      uapi_equal(u, a.map[6 * UAPI_PAGE / 4], 0xCAFE, "the page in the buffer");
   }
}

/* After a split both parts still show the one page. */
static void single_split(struct uapi *u)
{
   struct pages a, b;
   if (make_pages(u, &a, 0x100) && make_pages(u, &b, 0x200) && bind_single(u, a.bo, 2, 5, 0) &&
       uapi_bind_at(u, b.bo, 0, UAPI_PAGE, at(2))) {
      EXPECT(u, 0x102, 0x102, 0x200, 0x102, 0x102);
   }
}

static void single_large(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && bind_single(u, a.bo, 1, 65536, 0)) {
      uapi_equal(u, uapi_peek(u, at(0)), 0x101, "the first page of 1 GiB");
      uapi_equal(u, uapi_peek(u, at(40000)), 0x101, "a page in the middle of 1 GiB");
      uapi_equal(u, uapi_peek(u, at(65535)), 0x101, "the last page of 1 GiB");
   }
}

static void across_pages(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 4 * UAPI_PAGE, UAPI_PAGE, at(0)) &&
       uapi_bind_at(u, a.bo, 1 * UAPI_PAGE, UAPI_PAGE, at(1))) {
      /* 32 words, 16 of them in each page. */
      uapi_run_command(u, uapi_copy(u, at(1) - 64, UAPI_DATA + UAPI_SPARE * 4));
      uapi_equal(u, u->data[UAPI_SPARE + 15], 0, "the last word before the border");
      uapi_equal(u, u->data[UAPI_SPARE + 16], 0x101, "the first word after it");
   }
}

static void edges(struct uapi *u)
{
   struct pages a;
   if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, UAPI_PAGE, u->params.vm_start) &&
       uapi_bind_at(u, a.bo, UAPI_PAGE, UAPI_PAGE, u->kernel_start - UAPI_PAGE)) {
      uapi_equal(u, uapi_peek(u, u->params.vm_start), 0x100, "the window's first page");
      uapi_equal(u, uapi_peek(u, u->kernel_start - UAPI_PAGE), 0x101, "the last page before the kernel's");
   }
}

static void unmapped_reads_zero(struct uapi *u)
{
   if (uapi_soft_faults(u)) {
      EXPECT(u, 0);
   }
}

static void unmapped_write_vanishes(struct uapi *u)
{
   struct pages a;
   if (uapi_soft_faults(u)) {
      uapi_poke(u, at(0), 0xCAFE);
      if (make_pages(u, &a, 0x100) && uapi_bind_at(u, a.bo, 0, UAPI_PAGE, at(0))) {
         EXPECT(u, 0x100);
      }
   }
}

/* It is not promised whether a store there is a soft or a hard fault, but it must not reach memory. */
static void read_only(struct uapi *u)
{
   struct pages a;
   struct drm_asahi_gem_bind_op op = {.flags = READ, .range = UAPI_PAGE, .addr = at(0)};
   if (!uapi_soft_faults(u) || !make_pages(u, &a, 0x100)) {
      return;
   }
   op.handle = a.bo;
   uapi_expect(u, uapi_bind(u, u->vm, op), OK, "a READ bind");
   EXPECT(u, 0x100);
   u->data[UAPI_SCRATCH] = 0xCAFE;
   int status = uapi_run_command(u, uapi_copy(u, UAPI_DATA + UAPI_SCRATCH * 4, at(0)));
   uapi_equal(u, a.map[0], 0x100, "a word that a job wrote to through a READ mapping");
   uapi_note(u, "the store is a %s fault", status == 1 ? "soft" : "hard");
}

static void write_only(struct uapi *u)
{
   struct pages a;
   struct drm_asahi_gem_bind_op op = {.flags = WRITE, .range = UAPI_PAGE, .addr = at(0)};
   if (make_pages(u, &a, 0x100)) {
      op.handle = a.bo;
      uapi_expect(u, uapi_bind(u, u->vm, op), OK, "a WRITE bind");
      uapi_poke(u, at(0), 0xCAFE);
      uapi_equal(u, a.map[0], 0xCAFE, "a word that a job wrote to through a WRITE mapping");
   }
}

/* Rebinding with other flags changes what is allowed. */
static void upgrade(struct uapi *u)
{
   struct pages a;
   struct drm_asahi_gem_bind_op op = {.flags = READ, .range = UAPI_PAGE, .addr = at(0)};
   if (make_pages(u, &a, 0x100)) {
      op.handle = a.bo;
      uapi_expect(u, uapi_bind(u, u->vm, op), OK, "a READ bind");
      uapi_bind_at(u, a.bo, 0, UAPI_PAGE, at(0));
      uapi_poke(u, at(0), 0xCAFE);
      uapi_equal(u, a.map[0], 0xCAFE, "a word behind a mapping that has become writable");
   }
}

static void close_unbinds(struct uapi *u)
{
   struct pages a, b;
   if (uapi_soft_faults(u) && make_pages(u, &a, 0x100) && make_pages(u, &b, 0x200) &&
       uapi_bind_at(u, a.bo, 0, UAPI_PAGE, at(0)) && uapi_bind_at(u, b.bo, 0, UAPI_PAGE, at(1)) &&
       uapi_bind_at(u, a.bo, UAPI_PAGE, UAPI_PAGE, at(2))) {
      EXPECT(u, 0x100, 0x200, 0x101);
      uapi_expect(u, uapi_bo_close(u, a.bo), OK, "GEM_CLOSE of a bound buffer");
      EXPECT(u, 0, 0x200, 0);
   }
}

static void close_unbinds_everywhere(struct uapi *u)
{
   struct pages a;
   struct uapi second;
   if (uapi_soft_faults(u) && make_pages(u, &a, 0x100) && uapi_second(u, &second)) {
      uapi_bind_at(u, a.bo, 0, UAPI_PAGE, at(0));
      uapi_bind_at(&second, a.bo, UAPI_PAGE, UAPI_PAGE, at(0));
      uapi_equal(u, uapi_peek(u, at(0)), 0x100, "the mapping in the first VM");
      uapi_equal(u, uapi_peek(&second, at(0)), 0x101, "the mapping in the second VM");
      uapi_expect(u, uapi_bo_close(u, a.bo), OK, "GEM_CLOSE of a buffer bound in two VMs");
      uapi_equal(u, uapi_peek(u, at(0)), 0, "what was the mapping in the first VM");
      uapi_equal(u, uapi_peek(&second, at(0)), 0, "what was the mapping in the second VM");
      uapi_unmap_all(&second);
   }
}

static const struct uapi_test tests[] = {
    {"map/whole", "a buffer's pages in their order", .run = whole},
    {"map/offset", "a mapping starts at the buffer's offset", .run = offset},
    {"map/write", "what a job writes, the CPU reads", .run = write_through},
    {"map/twice", "one buffer at two addresses is one memory", .run = twice},
    {"map/replace", "a bind replaces what it covers, and only that", .run = replace},
    {"map/replace-whole", "a bind over a whole mapping", .run = replace_whole},
    {"map/replace-several", "a bind over parts of several mappings", .run = replace_several},
    {"map/replace-itself", "a bind of the same buffer over itself", .run = replace_itself},
    {"map/unbind-whole", "an unbind of a whole mapping", .run = unbind_whole},
    {"map/unbind-start", "an unbind of a mapping's start", .run = unbind_start},
    {"map/unbind-end", "an unbind of a mapping's end", .run = unbind_end},
    {"map/unbind-middle", "an unbind in the middle leaves both ends", .run = unbind_middle},
    {"map/unbind-beyond", "an unbind beyond a mapping's end", .run = unbind_beyond},
    {"map/unbind-several", "an unbind over several mappings and a hole", .run = unbind_several},
    {"map/rebind", "a bind into a hole", .run = rebind},
    {"map/stale", "a job sees the latest mapping, each time", .run = stale},
    {"map/single", "SINGLE_PAGE: the same page all over the range", .run = single},
    {"map/single-offset", "SINGLE_PAGE: the page at the offset", .run = single_offset},
    {"map/single-split", "SINGLE_PAGE: the same page also after a split", .run = single_split},
    {"map/single-large", "SINGLE_PAGE over 1 GiB", .run = single_large},
    {"map/across-pages", "one access over two mappings", .run = across_pages},
    {"map/edges", "the first and the last page of the user's range", .run = edges},
    {"map/unmapped-read", "soft faults: unmapped memory reads as 0", .run = unmapped_reads_zero},
    {"map/unmapped-write", "soft faults: a store to unmapped memory vanishes", .run = unmapped_write_vanishes},
    {"map/read-only", "a READ mapping is not written through", .run = read_only},
    {"map/write-only", "a WRITE mapping is written through", .run = write_only},
    {"map/upgrade", "a mapping bound anew with more rights", .run = upgrade},
    {"map/close-unbinds", "closing a buffer's handle unbinds it", .run = close_unbinds},
    {"map/close-unbinds-everywhere", "closing a buffer's handle unbinds it in all VMs",
     .run = close_unbinds_everywhere},
};
UAPI_AREA(map);
