/* SPDX-License-Identifier: MIT
 *
 * Text that comes from files, devices and people, made safe for the format that it is put in.
 */
#ifndef AGX_RUNNER_MARKUP_H
#define AGX_RUNNER_MARKUP_H

#include <stdbool.h>
#include <stdio.h>

/* All of these write U+FFFD instead of bytes that are no UTF-8. */

/* Changes nothing else. */
void markup_utf8(const char *text, FILE *file);
bool markup_is_utf8(const char *text);
/* Writes text for a terminal, padded with spaces to a number of columns. Control characters become question marks. */
void markup_text(const char *text, int width, FILE *file);
/* For XML and HTML, in elements and in attributes with either quote. What XML forbids, as control characters, becomes
 * U+FFFD, too. */
void markup_xml(const char *text, FILE *file);
/* For a cell of a Markdown table. */
void markup_markdown(const char *text, FILE *file);
/* Writes a CSV field (RFC 4180), quoted if needed. */
void markup_csv(const char *text, FILE *file);
/* The description of a TAP 14 test point. */
void markup_tap(const char *text, FILE *file);
/* A double-quoted scalar of YAML, with its quotes. */
void markup_yaml(const char *text, FILE *file);

#endif
