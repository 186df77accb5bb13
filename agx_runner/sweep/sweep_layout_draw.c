/* SPDX-License-Identifier: MIT
 *
 * The layout of a matrix operand as an SVG, for sweep layout and for the report. Invariant: the given map is drawn,
 * whether it is the published one or not.
 */
#include "agx_runner/sweep/sweep_layout.h"
#include "agx_runner/terminal/markup.h"

#define CELL 56u /* pixels */
#define HEAD 48u

void sweep_layout_draw(const struct asahi_device_info *info, const struct matrix_layout *layout, FILE *file)
{
   const unsigned side = MATRIX_SIZE * CELL, width = side + 2 * HEAD;

   fprintf(file,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"layout\" role=\"img\" width=\"%u\" height=\"%u\" "
           "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" font-size=\"15\" text-anchor=\"middle\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
           "<text x=\"%u\" y=\"20\" font-size=\"13\">simd_matrix_fmadd on ",
           width, width, width, width, HEAD + side / 2);
   markup_xml(info->path, file);
   fprintf(file, " (%s): lane.register of each element</text>\n", info->is_virtual ? "virtual, modelled" : "hardware");
   for (unsigned i = 0; i < MATRIX_SIZE; i++) {
      fprintf(file, "<text x=\"%u\" y=\"%u\">%u</text>\n<text x=\"%u\" y=\"%u\">%u</text>\n",
              HEAD + i * CELL + CELL / 2, HEAD - 6, i, HEAD / 2, HEAD + i * CELL + CELL / 2 + 5, i);
   }
   for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
      const unsigned x = HEAD + layout->column[p] * CELL, y = HEAD + layout->row[p] * CELL;

      fprintf(file,
              "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"hsl(%u,60%%,85%%)\" stroke=\"#444\"/>\n"
              "<text x=\"%u\" y=\"%u\">%u.%u</text>\n",
              x, y, CELL, CELL, p / 8 * 45, x + CELL / 2, y + CELL / 2 + 5, p / 2, p % 2);
   }
   fputs("</svg>\n", file);
}
