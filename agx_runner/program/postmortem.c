/* SPDX-License-Identifier: MIT
 *
 * Reads the post-mortem from the device, and adds names that only the client knows: source lines and buffers.
 */
#include "agx_runner/program/postmortem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "agx_runner/program/check_reports.h"
#include "vgpu/postmortem.h"

struct reader {
   const struct agx_program *program;
   void (*address)(void *data, uint64_t address, char *text, size_t size);
   void *data;
};

static void name_source(void *data, const char *place, char *text, size_t size)
{
   const struct reader *reader = data;

   check_report_line(place, reader->program, text, size);
}

static void name_address(void *data, uint64_t address, char *text, size_t size)
{
   const struct reader *reader = data;

   text[0] = '\0';
   if (reader->address != NULL) {
      reader->address(reader->data, address, text, size);
   }
}

void postmortem_each(struct asahi_device *device, int error, const struct agx_program *program,
                     void (*address)(void *data, uint64_t address, char *text, size_t size),
                     void (*line)(void *data, const char *text), void *data)
{
   struct reader reader = {.program = program, .address = address, .data = data};
   const struct vgpu_postmortem_names names = {.source = name_source, .address = name_address, .data = &reader};
   struct vgpu_postmortem *postmortem = malloc(sizeof(*postmortem));

   /* A job that is still running, or was never started, has none: the device's post-mortem is that of an earlier
    * one. */
   if (postmortem != NULL && (error == -ETIMEDOUT || error == -EIO || error == -EINTR) &&
       asahi_device_get_info(device)->is_virtual && asahi_device_postmortem(device, postmortem) == 0) {
      vgpu_postmortem_print(postmortem, &names, line, data);
   }
   free(postmortem);
}

void postmortem_print_line(void *data, const char *text)
{
   (void)data;
   fprintf(stderr, "%s\n", text);
}
