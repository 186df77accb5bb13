/* SPDX-License-Identifier: MIT
 *
 * The page's looks: light and dark as the reader's system is, one column of cards on a phone, ink-saving on paper.
 */
#include "agx_runner/report/report.h"

/* clang-format off */
const char report_style[] =
   ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--page:#fff;--card:#f6f8fa;--line:#d1d9e0;--good:#1a7f37;"
   "--bad:#c62828;--odd:#8a5a00;--bar:#3b6fb6;--warn:#fff4d6}\n"
   "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4ae;--page:#0d1117;--card:#161b22;--line:#30363d;"
   "--good:#4cc26a;--bad:#ff7b72;--odd:#e3b341;--bar:#79b0ff;--warn:#3a2f10}img.plot{filter:invert(1) hue-rotate(180deg)}}\n"
   "*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--page);color:var(--ink);"
   "font:15px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}\n"
   "h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}\n"
   ".note{background:var(--warn);border:1px solid var(--odd);border-radius:.4rem;padding:.5rem .8rem;margin:.8rem 0}\n"
   ".tiles{display:flex;flex-wrap:wrap;gap:.6rem;padding:0;margin:.8rem 0;list-style:none}"
   ".tiles li{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.5rem .9rem;min-width:7rem}"
   ".tiles b{display:block;font-size:1.5rem}.soft{color:var(--soft)}\n"
   ".good{color:var(--good)}.bad{color:var(--bad);font-weight:600}.odd{color:var(--odd)}\n"
   "details.row{border-bottom:1px solid var(--line)}details.row>summary,.head{display:grid;gap:.1rem .8rem;padding:.3rem 0;"
   "grid-template-columns:minmax(12rem,2.4fr) 5.5rem 9rem 4rem 6rem minmax(7rem,1.3fr) minmax(4.5rem,1fr);align-items:center}"
   "details.row>summary{cursor:pointer;list-style:none}details.row>summary::-webkit-details-marker{display:none}"
   "details.row>summary:hover{background:var(--card)}details[open].row>summary{background:var(--card)}\n"
   "details.row>summary>.name::before{content:\"\\25b8\";color:var(--soft);display:inline-block;width:1em}"
   "details[open].row>summary>.name::before{content:\"\\25be\"}\n"
   ".head{font-weight:600;border-bottom:2px solid var(--line);color:var(--soft);font-size:.85rem}.num{text-align:right;"
   "font-variant-numeric:tabular-nums}\n"
   ".diff{display:flex;align-items:center;gap:.4rem}.diff .track{position:relative;flex:1;height:.7rem;background:var(--card);"
   "border:1px solid var(--line);min-width:3rem;font-size:0}.diff .fill{position:absolute;top:0;bottom:0;background:var(--bar)}"
   ".diff .mid{position:absolute;left:50%;top:-2px;bottom:-2px;width:1px;background:var(--soft)}.diff .pct{width:4.8rem;"
   "white-space:nowrap;text-align:right;font-variant-numeric:tabular-nums}\n"
   ".inside{padding:.2rem 0 1rem 1rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.4rem 0}"
   "dt{color:var(--soft)}dd{margin:0}\n"
   "pre{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.6rem;overflow:auto;max-height:30rem;"
   "font:12px/1.4 ui-monospace,monospace;overflow-wrap:normal}img.plot{max-width:100%;height:auto}\n"
   ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:.8rem}figure{margin:0}figcaption{"
   "font-size:.85rem;color:var(--soft)}a{color:var(--bar)}\n"
   "@media screen and (max-width:48rem){.head{display:none}details.row>summary{grid-template-columns:auto auto 1fr auto;justify-content:start}"
   "details.row>summary>.name{grid-column:1/4;font-weight:600}details.row>summary>.state{grid-column:4;grid-row:1}"
   "details.row>summary>.diff{grid-column:1/-1}.ref:not(:empty)::before{content:\"published \";color:var(--soft)}"
   "details.row>summary>.range{display:none}.num{text-align:left}dl{grid-template-columns:1fr}dd{margin:0 0 .3rem .8rem}"
   ".plots{grid-template-columns:1fr}}\n"
   "@media print{:root{--ink:#000;--soft:#333;--page:#fff;--card:#fff;--line:#999}html{font-size:11px}body{max-width:none;padding:0;"
   "font-size:11px}h2,h2+p,h3,.head,details.row>summary{break-after:avoid}figure,details.row{break-inside:avoid}"
   "details[open].row{break-inside:auto}.plots{grid-template-columns:1fr 1fr}.diff .fill{print-color-adjust:exact}"
   "pre{max-height:none}img.plot{filter:none}a{color:inherit;text-decoration:none}}\n";
/* clang-format on */
