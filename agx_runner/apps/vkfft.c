/* SPDX-License-Identifier: MIT
 *
 * The script that transforms with VkFFT: pyvkfft's own tests start Python again by a path that a folder of ci/mesa-get
 * does not have. Invariant: what it compares with is numpy's transform on the processor, in double precision, and the
 * limit is that of VkFFT's own tests.
 */
#include "agx_runner/apps/vkfft.h"

#include <stdio.h>

static const char script[] = "import sys\n"
                             "import numpy\n"
                             "import pyopencl\n"
                             "import pyopencl.array\n"
                             "from pyvkfft.fft import fftn, ifftn, rfftn\n"
                             "kind, sizes = sys.argv[1], tuple(map(int, sys.argv[2:]))\n"
                             "device = pyopencl.get_platforms()[0].get_devices()[0]\n"
                             "queue = pyopencl.CommandQueue(pyopencl.Context([device]))\n"
                             "random = numpy.random.default_rng(1)\n"
                             "given = random.standard_normal(sizes).astype(numpy.float32)\n"
                             "if kind != 'real':\n"
                             "    given = (given + 1j * random.standard_normal(sizes)).astype(numpy.complex64)\n"
                             "ours, theirs = {'complex': (fftn, numpy.fft.fftn), 'inverse': (ifftn, numpy.fft.ifftn),\n"
                             "                'real': (rfftn, numpy.fft.rfftn)}[kind]\n"
                             "wanted = theirs(given.astype(numpy.complex128 if kind != 'real' else numpy.float64))\n"
                             "found = ours(pyopencl.array.to_device(queue, given)).get()\n"
                             "error = abs(found - wanted).max() / abs(wanted).max()\n"
                             "print('%s: the largest error is %.2g of the largest element' % (device.name, error))\n"
                             "print('" VKFFT_RIGHT "' if error < 1e-5 else 'the transform is wrong')\n";

bool vkfft_write_script(const char *folder)
{
   char path[4096];
   snprintf(path, sizeof(path), "%s/fft.py", folder);
   FILE *file = fopen(path, "w");
   if (file == NULL) {
      return false;
   }
   const bool good = fputs(script, file) >= 0;
   return fclose(file) == 0 && good;
}
