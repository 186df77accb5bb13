/* SPDX-License-Identifier: MIT
 *
 * Makes the archive of a survey from its folder: survey.json (the results of all steps), figures.csv (all figures) and
 * the logs.
 */
#ifndef AGX_RUNNER_ASSEMBLE_H
#define AGX_RUNNER_ASSEMBLE_H

/* started: seconds since 1970. Lists the contents on stdout, then writes the archive. Returns an enum exit_code. */
int survey_assemble(const char *folder, const char *device, long long started, const char *archive);

#endif
