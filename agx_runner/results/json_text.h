/* SPDX-License-Identifier: MIT
 *
 * Text from outside - command lines, last words of a process - as a JSON string.
 */
#ifndef AGX_RUNNER_JSON_TEXT_H
#define AGX_RUNNER_JSON_TEXT_H

struct json_object;

/* JSON is UTF-8 (RFC 8259, 8.1), which json-c does not check: invalid bytes become U+FFFD. NULL: out of memory. */
struct json_object *json_text(const char *text);

#endif
