/* SPDX-License-Identifier: MIT
 *
 * calibrate: the parameters of the timing model that a survey asks for.
 */
#include "agx_runner/calibrate/calibrate.h"

#include "agx_runner/cli/options.h"

int cmd_calibrate(const struct options *options)
{
   return calibrate_run(options->operands.items[0], options->output, options->run.ffma_cycles);
}
