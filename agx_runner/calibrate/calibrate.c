/* SPDX-License-Identifier: MIT
 *
 * Fits the parameters of the timing model to a survey, and shows what changed.
 */
#include "agx_runner/calibrate/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/calibrate/ffma.h"
#include "agx_runner/calibrate/figures.h"
#include "agx_runner/survey/package.h"
#include "agx_runner/survey/sheet.h"
#include "agx_runner/survey/step.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/params_file.h"
#include "util/array.h"

#define ROUNDS 8 /* most times that the model is measured */
/* Relative error of a benchmark's figure: both timestamps of a difference may be off by a step, and the sampler accepts
 * no difference below 480 steps (LENGTH_STEPS_MIN in agx_runner/measure/length.h). */
#define COUNTER_ERROR (2.0 / 480)
#define WORDS_MAX 128

/* The model's values of a figure. */
struct calibrate_fit {
   double first, modelled; /* with the published parameters, and with the current ones; NAN: there is no figure */
   bool asked;             /* the model must measure it next */
};

struct calibration {
   char chip[32];
   struct json_object *survey;
   struct calibrate_figure *measured; /* the survey's figures */
   size_t count;
   struct calibrate_fit *fits; /* one for each of the survey's figures */
   struct vgpu_params published, params;
   char folder[64]; /* temporary */
   bool costs;      /* the survey's device has costs of commands */
};

static bool write_params(const struct calibration *calibration, char *path, size_t size)
{
   snprintf(path, size, "%s/params", calibration->folder);
   FILE *file = fopen(path, "we");
   bool done = file != NULL;

   for (size_t i = 0; done && i < calibration->count; i++) {
      char name[VGPU_PARAM_NAME];

      vgpu_param_name(calibration->measured[i].parameter, name);
      done = fprintf(file, "%s %.9g\n", name,
                     vgpu_param_get(&calibration->params, calibration->measured[i].parameter)) > 0;
   }
   return file != NULL && fclose(file) == 0 && done;
}

/* ---- The same figures of a virtual device ---- */

static bool is_asked(const struct calibration *calibration, bool benchmarks)
{
   bool asked = false;

   for (size_t i = 0; i < calibration->count; i++) {
      asked |= calibration->fits[i].asked && (calibration->measured[i].benchmark != NULL) == benchmarks;
   }
   return asked;
}

/* Measures the requested benchmarks with `agx-runner run`. */
static int model_benchmarks(const struct calibration *calibration, const char *device, struct sheet *sheet)
{
   char output[128], *argv[WORDS_MAX] = {"agx-runner", "run"};
   int count = 2, status = 0;

   snprintf(output, sizeof(output), "%s/results.json", calibration->folder);
   char *const options[] = {"--device", (char *)device, "--format", "json", "--output", output};
   for (size_t i = 0; i < ARRAY_COUNT(options); i++) {
      argv[count++] = options[i];
   }
   for (size_t i = 0; i < calibration->count && count < WORDS_MAX - 1; i++) {
      if (calibration->fits[i].asked && calibration->measured[i].benchmark != NULL) {
         argv[count++] = (char *)calibration->measured[i].benchmark;
      }
   }
   argv[count] = NULL;
   fflush(NULL);
   const pid_t pid = fork();
   if (pid == 0) {
      /* failures are in its exit code and results; its progress output is discarded */
      const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

      if (null >= 0) {
         dup2(null, STDERR_FILENO);
      }
      execv("/proc/self/exe", argv);
      _exit(EXIT_FAILED);
   }
   while (pid > 0 && waitpid(pid, &status, 0) < 0) {
      if (errno != EINTR) {
         return -errno;
      }
   }
   if (pid < 0) {
      return -errno;
   }
   /* A figure that fails is missing from the results, as it would be from a survey. */
   const bool ended = WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_OK || WEXITSTATUS(status) == EXIT_FAILED);
   if (!ended) {
      complain(EXIT_FAILED,
               WIFSIGNALED(status) ? "agx-runner run was killed by signal %d" : "agx-runner run exited with %d",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
   }
   const int ret = ended ? sheet_take_results(sheet, output) : -EIO;
   unlink(output);
   return ret;
}

static int model_steps(const char *device, struct sheet *launches, struct sheet *commands)
{
   struct session session;

   if (session_open(&session, device, 60) != EXIT_OK) {
      return -EINVAL;
   }
   int ret = survey_launches(&session, launches);
   ret = ret == 0 ? survey_commands(&session, commands) : ret;
   session_close(&session);
   return ret;
}

/* Measures the requested figures on a virtual device with the current parameters. Returns "steps" as of a survey. NULL:
 * a message was printed. */
static struct json_object *model(const struct calibration *calibration)
{
   static const char *const names[] = {"instructions", "launches", "commands"};
   struct sheet sheets[ARRAY_COUNT(names)] = {0};
   struct json_object *steps = json_object_new_object();
   char params[128], device[256];
   int ret = steps == NULL || !write_params(calibration, params, sizeof(params)) ? -ENOMEM : 0;

   for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
      ret = ret == 0 && !sheet_init(&sheets[i]) ? -ENOMEM : ret;
   }
   /* When fitting command costs, use the survey's program length, because what a loop costs depends a little on its
    * length. Without the counter's steps the model gives the same figures each time. */
   snprintf(device, sizeof(device), "virtual:%s,%sparams=%s", calibration->chip,
            calibration->costs ? "dvfs=command," : "", params);
   ret = ret == 0 && is_asked(calibration, true) ? model_benchmarks(calibration, device, &sheets[0]) : ret;
   if (ret == 0 && is_asked(calibration, false)) {
      snprintf(device, sizeof(device), "virtual:%s,dvfs=command+counter,params=%s", calibration->chip, params);
      ret = model_steps(device, &sheets[1], &sheets[2]);
   }
   for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
      if (sheets[i].root != NULL && steps != NULL) {
         json_object_object_add(steps, names[i], sheets[i].root);
      }
   }
   if (ret < 0) {
      complain(EXIT_FAILED, "the virtual device could not measure its own figures: %s", strerror(-ret));
      json_object_put(steps);
      return NULL;
   }
   return steps;
}

/* ---- The fit ---- */

static bool measure_model(struct calibration *calibration)
{
   struct json_object *steps = model(calibration);

   for (size_t i = 0; steps != NULL && i < calibration->count; i++) {
      struct calibrate_figure figure = calibration->measured[i];

      if (calibration->fits[i].asked) {
         calibration->fits[i].modelled = calibrate_find(steps, &figure) ? figure.value : NAN;
      }
   }
   json_object_put(steps);
   return steps != NULL;
}

/* Returns the survey's figure less the model's; 0 if the model has none. */
static double residue(const struct calibration *calibration, size_t i)
{
   const double modelled = calibration->fits[i].modelled;

   return isnan(modelled) ? 0 : calibration->measured[i].value - modelled;
}

static void ask_for_all(struct calibration *calibration)
{
   for (size_t i = 0; i < calibration->count; i++) {
      calibration->fits[i].asked = calibration->measured[i].known;
   }
}

/* Returns the index of the interval of the same class, which comes before its latency; `i` itself for any other figure.
 * A chain takes the longer of both: before the interval has been moved once, the chain's figure says nothing about the
 * latency. */
static size_t interval_of(const struct calibration *calibration, size_t i)
{
   char name[VGPU_PARAM_NAME], before[VGPU_PARAM_NAME];

   if (i == 0) {
      return i;
   }
   vgpu_param_name(calibration->measured[i].parameter, name);
   vgpu_param_name(calibration->measured[i - 1].parameter, before);
   const bool both = strncmp(name, "latency/", strlen("latency/")) == 0 &&
                     strncmp(before, "interval/", strlen("interval/")) == 0 &&
                     !strcmp(strchr(name, '/'), strchr(before, '/'));
   return both ? i - 1 : i;
}

/* Moves each parameter by the difference of its figures, within its range, and requests the figures of those that
 * moved. In the first round a latency whose interval moves is not moved, but requested as well. Returns how many
 * moved. */
static unsigned move_parameters(struct calibration *calibration, bool first)
{
   unsigned moved = 0;

   for (size_t i = 0; i < calibration->count; i++) {
      const struct calibrate_figure *measured = &calibration->measured[i];
      const double old = vgpu_param_get(&calibration->params, measured->parameter), by = residue(calibration, i);

      /* a move below the figure's resolution would follow noise */
      const size_t interval = interval_of(calibration, i);
      const bool waits = first && interval != i && calibration->fits[interval].asked;

      calibration->fits[i].asked = measured->known && (waits || fabs(by) > measured->resolution / 4);
      if (calibration->fits[i].asked && !waits) {
         /* A chain takes the interval while the latency is below it: a longer chain is one from there. */
         const double least = interval != i && by > 0
                                  ? vgpu_param_get(&calibration->params, calibration->measured[interval].parameter)
                                  : 0;
         const double new = fmax(old, least) + by;

         vgpu_param_set(&calibration->params, measured->parameter, new > 0 ? new : measured->benchmark ? 0.01 : 0);
         moved++;
      }
   }
   return moved;
}

/* The fit ends when nothing has moved after a round of all figures, because a parameter may influence other figures. */
static bool fit_parameters(struct calibration *calibration)
{
   bool all = true, going = true;

   ask_for_all(calibration);
   for (unsigned round = 1; round <= ROUNDS; round++) {
      note("round %u of at most %u: a virtual device measures %s", round, ROUNDS,
           all ? "the figures of the survey" : "the figures of the parameters that moved");
      going = measure_model(calibration);
      for (size_t i = 0; going && round == 1 && i < calibration->count; i++) {
         calibration->fits[i].first = calibration->fits[i].modelled;
      }
      if (!going || round == ROUNDS) {
         break;
      }
      if (move_parameters(calibration, round == 1) > 0) {
         all = false;
      } else if (all) {
         break;
      } else {
         ask_for_all(calibration);
         all = true;
      }
   }
   return going;
}

/* ---- Output ---- */

/* Returns half the width of the parameter's interval. */
static double half_width(const struct calibrate_figure *figure, double rest)
{
   const double counter = figure->benchmark != NULL ? COUNTER_ERROR * figure->value : 0;

   return fmax(figure->high - figure->value, figure->value - figure->low) + fabs(rest) + figure->resolution + counter;
}

static unsigned show(const struct calibration *calibration, FILE *file)
{
   unsigned changed = 0;

   printf("%-24s %12s %12s   %-27s %-10s\n", "parameter", "old", "new", "interval", "unit");
   for (size_t i = 0; i < calibration->count; i++) {
      const struct calibrate_figure *figure = &calibration->measured[i];
      const double old = vgpu_param_get(&calibration->published, figure->parameter);
      const double new = vgpu_param_get(&calibration->params, figure->parameter);
      const double half = half_width(figure, residue(calibration, i));
      char name[VGPU_PARAM_NAME], interval[64];

      if (!figure->known) {
         continue;
      }
      const bool differs = fabs(new - old) > half;
      vgpu_param_name(figure->parameter, name);
      snprintf(interval, sizeof(interval), "%.6g .. %.6g", fmax(new - half, 0), new + half);
      printf("%-24s %12.6g %12.6g   %-27s %-10s%s\n", name, old, differs ? new : old, interval,
             vgpu_param_unit(figure->parameter), differs ? " contradicts the published value" : "");
      if (differs) {
         fprintf(file, "%s %.9g # %s; published %.6g\n", name, new, interval, old);
         changed++;
      }
   }
   return changed;
}

static void show_contradictions(const struct calibration *calibration)
{
   printf("\nRows of the survey that contradict the model with its published parameters:\n");
   for (size_t i = 0; i < calibration->count; i++) {
      const struct calibrate_figure *figure = &calibration->measured[i];
      const double first = calibration->fits[i].first;

      if (figure->known && fabs(figure->value - first) > half_width(figure, 0)) {
         printf("  %-34s measured %12.6g, modelled %12.6g\n",
                figure->benchmark != NULL ? figure->benchmark : figure->quantity, figure->value, first);
      }
   }
}

/* Cycles of an inferred clock are proportional to the assumed cycles of one FFMA: corrects them. ffma_cycles: the
 * cycles of one; 0: as the survey's own evidence shows. */
static void correct_cycles(struct calibration *calibration, struct json_object *steps, bool hardware,
                           double ffma_cycles)
{
   struct calibrate_ffma ffma;

   calibrate_ffma(steps, &ffma);
   const double used = ffma_cycles > 0 ? ffma_cycles : isnan(ffma.found) ? ffma.assumed : ffma.found;
   const bool differs = fabs(used / ffma.assumed - 1) > CALIBRATE_FFMA_ERROR;
   const double factor = differs ? used / ffma.assumed : 1;

   calibrate_ffma_print(&ffma, used);
   for (size_t i = 0; i < calibration->count; i++) {
      struct calibrate_figure *figure = &calibration->measured[i];

      /* Archives of older versions do not say what clocks were inferred from: those of hardware always are. */
      if (figure->known && figure->benchmark != NULL && (figure->inferred || hardware)) {
         figure->value *= factor;
         figure->low *= factor;
         figure->high *= factor;
         figure->resolution += differs && ffma_cycles <= 0 ? CALIBRATE_FFMA_ERROR * figure->value : 0;
      }
   }
}

static int load(struct calibration *calibration, const char *path, double ffma_cycles)
{
   size_t size;
   struct json_object *facts, *steps;
   char *text = package_read_entry(path, "survey.json", &size);
   const struct vgpu_chip *chip = NULL;

   if (text == NULL) {
      return EXIT_INVALID;
   }
   calibration->survey = json_tokener_parse(text);
   free(text);
   if (json_object_object_get_ex(calibration->survey, "steps", &steps) &&
       json_object_object_get_ex(json_object_object_get(steps, "facts"), "facts", &facts)) {
      const char *name = json_object_get_string(json_object_object_get(facts, "chip"));

      snprintf(calibration->chip, sizeof(calibration->chip), "%s", name != NULL ? name : "");
      chip = vgpu_chip_find(calibration->chip);
      printf("survey of %s, %s\n\n", json_object_get_string(json_object_object_get(facts, "device")),
             json_object_get_string(json_object_object_get(facts, "kind")));
   }
   if (chip == NULL) {
      return complain(EXIT_INVALID, "%s: its survey.json names no chip that the model knows", path);
   }
   calibration->measured = calibrate_figures(&calibration->count);
   calibration->fits = calloc(calibration->count, sizeof(*calibration->fits));
   if (calibration->measured == NULL || calibration->fits == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   vgpu_params_init(&calibration->published, chip);
   calibration->params = calibration->published;
   size_t known = 0;
   for (size_t i = 0; i < calibration->count; i++) {
      calibration->fits[i].first = calibration->fits[i].modelled = NAN;
      known += calibrate_find(steps, &calibration->measured[i]);
   }
   /* A virtual device without the costs says nothing of them: its first launch has the time of its cycles alone. */
   const char *kind = json_object_get_string(json_object_object_get(facts, "kind"));
   struct calibrate_figure *gap = &calibration->measured[calibration->count - 1];
   const bool hardware = kind != NULL && !strcmp(kind, "hardware");
   calibration->costs = hardware || gap->known;
   correct_cycles(calibration, steps, hardware, ffma_cycles);
   for (size_t i = 0; i < calibration->count && !calibration->costs; i++) {
      calibration->measured[i].known &= calibration->measured[i].benchmark != NULL;
   }
   return known > 0 ? EXIT_OK : complain(EXIT_INVALID, "%s: it contains no figure that determines a parameter", path);
}

static int fit(struct calibration *calibration, const char *output)
{
   struct output file;
   char path[64];
   int code = fit_parameters(calibration) ? EXIT_OK : EXIT_FAILED;

   snprintf(path, sizeof(path), "%s.params", calibration->chip);
   code = code == EXIT_OK ? output_open(&file, output != NULL ? output : path) : code;
   if (code == EXIT_OK) {
      fprintf(file.file, "# Parameters of the timing model of %s, fitted to a survey by agx-runner calibrate.\n",
              calibration->chip);
      const unsigned changed = show(calibration, file.file);
      show_contradictions(calibration);
      code = output_commit(&file);
      output_discard(&file);
      if (code == EXIT_OK && (output == NULL || strcmp(output, "-") != 0)) {
         printf("\n%u parameters differ from the published ones: %s. Use them with virtual:%s,params=%s\n", changed,
                output != NULL ? output : path, calibration->chip, output != NULL ? output : path);
      }
   }
   return code;
}

int calibrate_run(const char *survey, const char *output, double ffma_cycles)
{
   struct calibration calibration = {.folder = "/tmp/agx-runner-calibrate.XXXXXX"};
   char path[128];

   if (mkdtemp(calibration.folder) == NULL) {
      return complain(EXIT_FAILED, "%s: %s", calibration.folder, strerror(errno));
   }
   int code = load(&calibration, survey, ffma_cycles);
   if (code == EXIT_OK) {
      code = fit(&calibration, output);
   }
   snprintf(path, sizeof(path), "%s/params", calibration.folder);
   unlink(path);
   rmdir(calibration.folder);
   json_object_put(calibration.survey);
   free(calibration.measured);
   free(calibration.fits);
   return code;
}
