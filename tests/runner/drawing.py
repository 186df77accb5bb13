# SPDX-License-Identifier: MIT
"""What every plot must have, whatever page shows it."""
import re
import xml.etree.ElementTree


def luminance(colour):
    """WCAG 2.1's relative luminance of "#rrggbb"."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def check_paper(case, text):
    """The SVG has a background of its own, and its black text has WCAG's contrast of 7 to it: a page's colours do not matter."""
    root = xml.etree.ElementTree.fromstring(text)
    size = root.get("viewBox").split()[2:]
    papers = [element.get("fill") for element in root.iter("{http://www.w3.org/2000/svg}rect")
              if [element.get("width"), element.get("height")] == size]
    case.assertEqual(len(papers), 1)
    case.assertRegex(papers[0], r"^#[0-9a-fA-F]{6}$")
    case.assertGreaterEqual((luminance(papers[0]) + 0.05) / 0.05, 7)


def check_dark(case, text):
    """A reader of dark pages gets a dark picture: the whole canvas is inverted, with its background."""
    case.assertRegex(text, r"@media screen and \(prefers-color-scheme:dark\)\{#gnuplot_canvas\{filter:invert\(1\)")
    case.assertLess(text.index('id="gnuplot_canvas"'), re.search("<rect", text).start())
