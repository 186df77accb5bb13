/* SPDX-License-Identifier: MIT
 *
 * The option --shard. Invariant: a shard has a number from 1 to the count of shards.
 */
#include "agx_runner/cli/shared/shard.h"

#include <stdio.h>

#include "agx_runner/terminal/runner.h"

#define MOST 10000u

const struct option_info option_shard = {
    .name = "shard",
    .metavar = "I/N",
    .kind = KIND_STRING,
    .min = 3,
    .help =
        "every Nth test or file from the Ith on, so that N machines share a run; agx-runner merge joins the results"};

int shard_parse(const char *text, struct shard *shard)
{
   char more;
   *shard = (struct shard){1, 1};
   if (text == NULL) {
      return EXIT_OK;
   }
   if (sscanf(text, "%u/%u%c", &shard->number, &shard->of, &more) != 2 || shard->of < 1 || shard->of > MOST ||
       shard->number < 1 || shard->number > shard->of) {
      return complain(EXIT_INVALID, "--shard %s: it takes I/N, as 2/3 for the second of three, of at most %u", text,
                      MOST);
   }
   return EXIT_OK;
}
