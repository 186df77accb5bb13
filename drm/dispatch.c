/* SPDX-License-Identifier: MIT
 *
 * Sets up a dispatch. A program's uniform ranges tell where its uniforms come from: the argument block, the constants,
 * the dispatch block, or the address of one of them. All except the constants differ from dispatch to dispatch, and
 * are stored in one record.
 */
#include "drm/dispatch.h"

#include <errno.h>
#include <string.h>

#include "drm/scratch.h"
#include "vgpu/vgpu.h"

#define GROUP_THREADS_MAX 1024u
#define GROUP_Z_MAX 64u              /* Mesa's limit: spec/uapi.md section 6 */
#define THREADGROUP_BYTES_MAX 32768u /* Mesa's limit, too; the field could hold 64 KiB */
#define REGISTER_FILE_HALVES 106496u /* 208 KiB: the reference data, occupancy_registers.csv */

/* The source of the uniforms in GPU memory. The argument block follows it. */
struct record {
   struct agx_dispatch_block block;
   uint64_t arguments, constants; /* GPU VAs */
   uint8_t pad[48];
};
_Static_assert(sizeof(struct record) == ASAHI_DATA_ALIGN, "the argument block must start aligned");
_Static_assert(sizeof(struct agx_dispatch_block) == 64, "dispatch block");

static unsigned half_registers(const struct asahi_dispatch *dispatch)
{
   return dispatch->half_registers != 0 ? dispatch->half_registers : dispatch->program->facts->half_registers;
}

/* Returns how many threads of one threadgroup fit the register file. It agrees with every row of the published
 * table. */
static uint32_t threads_max(unsigned halves)
{
   uint32_t threads = REGISTER_FILE_HALVES / ((halves + 7) & ~7u) / 64 * 64;
   return threads < GROUP_THREADS_MAX ? threads : GROUP_THREADS_MAX;
}

static int check_sizes(struct asahi_device *device, const struct asahi_dispatch *dispatch)
{
   const uint32_t *grid = dispatch->grid, *group = dispatch->group;
   const struct agx_program *facts = dispatch->program->facts;
   const uint32_t *required = facts->workgroup_size;

   for (unsigned i = 0; i < 3; i++) {
      if (group[i] == 0 || grid[i] == 0 || (grid[i] % group[i] != 0 && !dispatch->partial)) {
         return asahi_fail(device, EINVAL,
                           "grid %u x %u x %u: each must be a multiple, not 0, of the group's %u x %u x %u", grid[0],
                           grid[1], grid[2], group[0], group[1], group[2]);
      }
   }
   uint64_t threads = group[0] > GROUP_THREADS_MAX || group[1] > GROUP_THREADS_MAX || group[2] > GROUP_Z_MAX
                          ? UINT64_MAX
                          : (uint64_t)group[0] * group[1] * group[2];
   if (threads > GROUP_THREADS_MAX) {
      return asahi_fail(device, EINVAL, "group %u x %u x %u: at most %u threads, and %u in z", group[0], group[1],
                        group[2], GROUP_THREADS_MAX, GROUP_Z_MAX);
   }
   if (required[0] != 0 && (group[0] != required[0] || group[1] != required[1] || group[2] != required[2])) {
      return asahi_fail(device, EINVAL, "group %u x %u x %u: kernel %.63s requires %u x %u x %u", group[0], group[1],
                        group[2], agx_program_name(facts), required[0], required[1], required[2]);
   }
   if (dispatch->work_dim > 3) {
      return asahi_fail(device, EINVAL, "%u dimensions: at most 3", dispatch->work_dim);
   }
   if (threads > threads_max(half_registers(dispatch)) && !(dispatch->beyond_registers && device->info.is_virtual)) {
      return asahi_fail(device, EINVAL, "group of %u threads with %u half registers each: the register file holds %u",
                        (unsigned)threads, half_registers(dispatch), threads_max(half_registers(dispatch)));
   }
   return 0;
}

static int check_resources(struct asahi_device *device, const struct asahi_dispatch *dispatch)
{
   const struct agx_program *facts = dispatch->program->facts;

   if (dispatch->half_registers != 0 &&
       (dispatch->half_registers < facts->half_registers || dispatch->half_registers > 256)) {
      return asahi_fail(device, EINVAL, "%u half registers: kernel %.63s needs %u, and there are 256",
                        dispatch->half_registers, agx_program_name(facts), facts->half_registers);
   }
   uint64_t threadgroup = (uint64_t)facts->threadgroup_bytes + dispatch->extra_threadgroup_bytes;
   if (threadgroup > THREADGROUP_BYTES_MAX) {
      return asahi_fail(device, EINVAL, "%llu bytes of threadgroup memory: at most %u", (unsigned long long)threadgroup,
                        THREADGROUP_BYTES_MAX);
   }
   if (dispatch->argument_bytes != facts->argument_bytes ||
       (dispatch->arguments == NULL && dispatch->argument_bytes != 0)) {
      return asahi_fail(device, EINVAL, "an argument block of %zu bytes: kernel %.63s takes %u",
                        dispatch->arguments == NULL ? 0 : dispatch->argument_bytes, agx_program_name(facts),
                        facts->argument_bytes);
   }
   if (asahi_dispatch_scratch(dispatch) != 0 && device->helper == NULL) {
      return asahi_fail(device, ENOTSUP,
                        "kernel %.63s spills or has arrays in memory (%u bytes a thread), which needs the helper "
                        "program; none was set",
                        agx_program_name(facts), asahi_dispatch_scratch(dispatch) * 4);
   }
   return 0;
}

int asahi_dispatch_check(struct asahi_device *device, const struct asahi_dispatch *dispatch)
{
   if (dispatch->program == NULL) {
      return asahi_fail(device, EINVAL, "a dispatch without a program");
   }
   int error = check_resources(device, dispatch);
   return error != 0 ? error : check_sizes(device, dispatch);
}

static uint32_t words(uint32_t bytes)
{
   return bytes / 4 + (bytes % 4 != 0);
}

uint32_t asahi_dispatch_scratch(const struct asahi_dispatch *dispatch)
{
   uint32_t main = words(dispatch->program->facts->scratch_bytes);
   uint32_t preamble = words(dispatch->program->facts->preamble_scratch_bytes);
   return main > preamble ? main : preamble;
}

static size_t align_up(size_t size, size_t align)
{
   return (size + align - 1) & ~(align - 1);
}

size_t asahi_dispatch_usc_size(const struct asahi_dispatch *dispatch)
{
   const struct agx_program *facts = dispatch->program->facts;
   size_t size = ASAHI_USC_TAIL_SIZE;
   for (size_t i = 0; i < facts->uniform_count; i++) {
      const struct agx_uniform_range *range = &facts->uniforms[i];
      for (unsigned done = 0; done < range->size;) {
         done += asahi_usc_uniform_chunk(range->start + done, range->size - done);
         size += ASAHI_USC_UNIFORM_SIZE;
      }
   }
   return align_up(size, ASAHI_USC_ALIGN);
}

size_t asahi_dispatch_data_size(const struct asahi_dispatch *dispatch)
{
   return sizeof(struct record) + align_up(dispatch->program->facts->argument_bytes, ASAHI_DATA_ALIGN);
}

static void write_data(const struct asahi_dispatch *dispatch, const struct asahi_piece *data)
{
   const uint32_t *grid = dispatch->grid, *group = dispatch->group;
   struct record record = {
       .block.work_dim = dispatch->work_dim != 0 ? dispatch->work_dim : 3,
       .arguments = data->address + sizeof(record),
       .constants = dispatch->program->constants,
   };
   for (unsigned i = 0; i < 3; i++) {
      record.block.workgroups[i] = grid[i] / group[i] + (grid[i] % group[i] != 0);
      record.block.global_offset[i] = dispatch->global_offset[i];
      record.block.global_size[i] = grid[i];
      record.block.local_size[i] = group[i];
   }
   memcpy(data->map, &record, sizeof(record));
   if (dispatch->argument_bytes != 0) {
      memcpy(data->map + sizeof(record), dispatch->arguments, dispatch->argument_bytes);
   }
}

static uint64_t source_address(const struct asahi_dispatch *dispatch, const struct agx_uniform_range *range,
                               uint64_t data)
{
   const uint64_t starts[] = {
       [AGX_UNIFORM_ARGUMENTS] = data + sizeof(struct record),
       [AGX_UNIFORM_CONSTANTS] = dispatch->program->constants,
       [AGX_UNIFORM_DISPATCH] = data + offsetof(struct record, block),
       [AGX_UNIFORM_ARGUMENTS_ADDRESS] = data + offsetof(struct record, arguments),
       [AGX_UNIFORM_CONSTANTS_ADDRESS] = data + offsetof(struct record, constants),
   };
   return starts[range->source] + range->offset;
}

static uint32_t threadgroup_bytes(const struct asahi_dispatch *dispatch)
{
   return dispatch->program->facts->threadgroup_bytes + dispatch->extra_threadgroup_bytes;
}

/* Returns false if the words do not fit. */
static bool write_usc(const struct asahi_dispatch *dispatch, const struct asahi_piece *usc, uint64_t data)
{
   const struct asahi_program *program = dispatch->program;
   const struct agx_program *facts = program->facts;
   struct asahi_stream stream = {.data = usc->map, .size = usc->size};

   for (size_t i = 0; i < facts->uniform_count; i++) {
      const struct agx_uniform_range *range = &facts->uniforms[i];
      uint64_t address = source_address(dispatch, range, data);
      for (unsigned done = 0; done < range->size;) {
         unsigned halves = asahi_usc_uniform_chunk(range->start + done, range->size - done);
         asahi_usc_uniform(&stream, range->start + done, halves, address + done * 2);
         done += halves;
      }
   }
   asahi_usc_shared(&stream, threadgroup_bytes(dispatch));
   asahi_usc_shader(&stream, program->main_offset);
   asahi_usc_registers(&stream, half_registers(dispatch), asahi_scratch_bucket(words(facts->scratch_bytes)));
   if (facts->has_preamble) {
      asahi_usc_preshader(&stream, program->preamble_offset);
   } else {
      asahi_usc_no_preshader(&stream);
   }
   return !stream.overflow;
}

static void advance(struct asahi_piece *piece, size_t size)
{
   piece->map += size;
   piece->address += size;
   piece->size -= size;
}

int asahi_dispatch_write(struct asahi_device *device, const struct asahi_dispatch *dispatch, struct asahi_piece *usc,
                         struct asahi_piece *data, struct asahi_launch *launch)
{
   const struct agx_program *facts = dispatch->program->facts;
   const size_t usc_size = asahi_dispatch_usc_size(dispatch), data_size = asahi_dispatch_data_size(dispatch);

   if (usc->size < usc_size || data->size < data_size || !write_usc(dispatch, usc, data->address)) {
      return asahi_fail(device, EOVERFLOW, "kernel %.63s: the submission's memory is too small for its dispatch",
                        agx_program_name(facts));
   }
   asahi_tell_range(device, VGPU_RANGE_THREADGROUP, usc->address, threadgroup_bytes(dispatch), NULL);
   write_data(dispatch, data);
   *launch = (struct asahi_launch){
       .usc_offset = (uint32_t)(usc->address - device->usc_base),
       .uniform_halves = facts->uniform_halves,
   };
   memcpy(launch->grid, dispatch->grid, sizeof(launch->grid));
   memcpy(launch->group, dispatch->group, sizeof(launch->group));
   if (facts->has_preamble) {
      /* A preamble with scratch must declare all registers: spec/uapi.md 4.5. */
      launch->preamble_registers = facts->preamble_scratch_bytes != 0 ? 256 : facts->preamble_half_registers;
   }
   advance(usc, usc_size);
   advance(data, data_size);
   return 0;
}
