/* SPDX-License-Identifier: MIT
 *
 * The decoder's callbacks take no pointer of ours, hence the file-wide variable.
 */
#include "mesa_decoder.h"

#include <decode.h>

static FILE *text;

static ssize_t write_text(const char *buffer, size_t size)
{
   return (ssize_t)fwrite(buffer, 1, size, text);
}

bool mesa_decoder_print(uint32_t chip_id, uint64_t usc_base, uint64_t stream,
                        size_t (*read)(uint64_t address, size_t size, void *data), FILE *out)
{
   struct libagxdecode_config config = {.chip_id = chip_id, .read_gpu_mem = read, .stream_write = write_text};
   text = out;
   libagxdecode_init(&config);
   struct agxdecode_ctx *context = agxdecode_new_context(usc_base);
   if (context != NULL) {
      libagxdecode_cdm(context, stream, "CDM", true);
      agxdecode_destroy_context(context);
   }
   libagxdecode_shutdown();
   return context != NULL;
}
