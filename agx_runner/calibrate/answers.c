/* SPDX-License-Identifier: MIT
 *
 * A parameter is found by asking a virtual device the same question with other values of it: the interval between two
 * of them that brackets the answer is divided until the figure is the answer's. Invariant: a parameter is moved only if
 * the model gives the answer within the bounds that the question names.
 */
#include "agx_runner/calibrate/answers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/question/answer.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/chip.h"
#include "vgpu/timing/params_file.h"

#define STEPS 16    /* most times that a question is asked for one parameter */
#define NEAR 0.0005 /* part of a figure: the search ends when the model's figure is that near to the answer's */
/* Part of a figure: by so much the model's own figures differ between programs of different length and chips with other
 * L2 sizes (docs/timing-model.md, "What is missing"). */
#define ALIKE 0.007
#define SAMPLES 3    /* of the model, which answers alike each time */
#define FLAT 1e-5    /* part of a figure: less is no change */
#define EDGE_STEPS 7 /* halvings of the way to the end of a step */
#define TIMEOUT 60.0 /* seconds of a submission */
#define ROUNDS 2     /* a parameter may change the figure of another one */
#define CLOSE 0.05   /* part of a parameter: an interval narrower than this hardly changes the figure of another one */
#define DECIDED_MOST 64

/* What an answer says of a parameter. */
struct decided {
   const struct answer *answer;
   const struct question_decides *decides;
   const char *ask;
   struct question_figure figure; /* the answer's */
   double first;                  /* the model's figure with the published parameters */
   double open;                   /* by how much the intervals of other parameters let the figure vary */
   double value, low, high;       /* of the parameter; NAN: none within the bounds gives the answer */
};

struct answer_fit {
   struct answers answers;
   struct vgpu_params published, start, params; /* start: what the fit begins with */
   struct decided decided[DECIDED_MOST];
   size_t count;
   char path[64];    /* temporary: the parameters of the device that is asked */
   bool interrupted; /* nothing more is asked */
};

/* ---- The model's answer ---- */

static bool write_params(const struct answer_fit *fit)
{
   FILE *file = fopen(fit->path, "we");
   bool done = file != NULL;

   for (size_t i = 0; done && i < vgpu_param_count(); i++) {
      const double value = vgpu_param_get(&fit->params, i);
      char name[VGPU_PARAM_NAME];

      vgpu_param_name(i, name);
      if (fabs(value - vgpu_param_get(&fit->published, i)) > 0) {
         done = fprintf(file, "%s %.9g\n", name, value) > 0;
      }
   }
   return file != NULL && fclose(file) == 0 && done;
}

/* The model's figure for the parameter at `value`. NAN: there is none; a message was printed unless the value cannot
 * be set. */
static double ask_model(struct answer_fit *fit, const struct decided *decided, double value)
{
   const struct answer *answer = decided->answer;
   const char *model = answer->question.model;
   struct question_figure figure = {.value = NAN};
   struct asking asking;
   char device[160];

   if (fit->interrupted || !vgpu_param_set(&fit->params, decided->decides->parameter, value)) {
      return NAN;
   }
   if (!write_params(fit)) {
      (void)complain(EXIT_FAILED, "%s: %s", fit->path, strerror(errno));
      return NAN;
   }
   snprintf(device, sizeof(device), "virtual:%s,%s%sparams=%s", answer->chip, model, model[0] != '\0' ? "," : "",
            fit->path);
   const struct question_settings settings = {
       .device = device, .timeout = TIMEOUT, .samples = SAMPLES, .ffma_cycles = RESULT_FFMA_CYCLES};
   if (asking_open(&asking, &settings) != EXIT_OK) {
      return NAN;
   }
   const int code = asking_measure(&asking, decided->ask, &figure);
   fit->interrupted = code == EXIT_ABORTED;
   if (code == EXIT_OK && isnan(figure.value)) {
      note("%s: '%s': %s", device, decided->ask, figure.reason);
   }
   asking_close(&asking);
   return figure.value;
}

/* ---- The search ---- */

/* A value of the parameter, and the model's figure for it. */
struct point {
   double at, figure;
};

/* Other numbers of banks than powers of two give the same figures as the next lower one where lanes read neighbours,
 * and no memory has them. */
static double possible(size_t parameter, double at)
{
   return parameter == vgpu_param_find("memory/local-banks") ? exp2(round(log2(at))) : at;
}

static struct point ask_at(struct answer_fit *fit, const struct decided *decided, double at)
{
   struct point point = {.figure = ask_model(fit, decided, possible(decided->decides->parameter, at))};

   point.at = vgpu_param_get(&fit->params, decided->decides->parameter); /* rounded, if it is a whole number */
   return point;
}

static bool is_between(double value, double a, double b)
{
   return value >= fmin(a, b) && value <= fmax(a, b);
}

/* Where the line through both points has that figure. */
static double crossing(struct point a, struct point b, double figure)
{
   const double rise = b.figure - a.figure;

   return fabs(rise) > 0 ? a.at + (figure - a.figure) * (b.at - a.at) / rise : (a.at + b.at) / 2;
}

/* Finds the parameter between two points that bracket the figure; `a` and `b` become the nearest ones. */
static double narrow(struct answer_fit *fit, const struct decided *decided, struct point *a, struct point *b)
{
   const double wanted = decided->figure.value, near = NEAR * fabs(wanted);

   for (unsigned step = 0; step < STEPS; step++) {
      /* a line through the ends, and every third time the middle: one end may never move otherwise */
      const double middle = step % 3 == 2 ? (a->at + b->at) / 2 : crossing(*a, *b, wanted);
      const struct point point = ask_at(fit, decided, middle);

      if (isnan(point.figure) || fabs(point.figure - wanted) <= near) {
         return isnan(point.figure) ? NAN : point.at;
      }
      const bool nothing_between =
          fabs(point.at - a->at) < 1e-9 * fabs(a->at) || fabs(point.at - b->at) < 1e-9 * fabs(b->at);
      if (nothing_between && step % 3 == 2) {
         break;
      }
      *(is_between(wanted, a->figure, point.figure) ? b : a) = point;
   }
   return fabs(a->figure - wanted) < fabs(b->figure - wanted) ? a->at : b->at;
}

/* How far the model's figure may be from the answer's without contradicting it. */
static double tolerance(const struct decided *decided)
{
   const struct question_figure *figure = &decided->figure;

   return fmax(figure->high - figure->value, figure->value - figure->low) + ALIKE * fabs(figure->value) + decided->open;
}

/* The value nearest to the found one, towards `bound`, of which is known that its figure is not the answer's. */
static double reach(struct answer_fit *fit, const struct decided *decided, double bound)
{
   const double most = tolerance(decided);
   double inside = decided->value, outside = bound;

   for (unsigned step = 0; step < EDGE_STEPS; step++) {
      const struct point point = ask_at(fit, decided, (inside + outside) / 2);

      *(fabs(point.figure - decided->figure.value) <= most ? &inside : &outside) = (inside + outside) / 2;
   }
   return outside;
}

/* What the answer's interval is in the parameter: by the model's slope at the value, or, where the figure moves in
 * steps, the step's ends. */
static void find_interval(struct answer_fit *fit, struct decided *decided)
{
   const struct question_decides *decides = decided->decides;
   const double width = (decides->high - decides->low) / 50;
   const double towards = decided->value + width <= decides->high ? width : -width;
   const struct point here = ask_at(fit, decided, decided->value),
                      near = ask_at(fit, decided, decided->value + towards / 16),
                      there = ask_at(fit, decided, decided->value + towards);
   const double slope = (there.figure - here.figure) / (there.at - here.at);
   const double half = tolerance(decided) + fabs(here.figure - decided->figure.value);
   const bool flat = fabs(near.at - here.at) > 0 && fabs(near.figure - here.figure) <= FLAT * fabs(here.figure);

   if (!flat && isfinite(slope) && fabs(slope) > 0) {
      decided->low = fmax(decided->value - half / fabs(slope), decides->low);
      decided->high = fmin(decided->value + half / fabs(slope), decides->high);
   } else {
      decided->low = reach(fit, decided, decides->low);
      decided->high = reach(fit, decided, decides->high);
   }
   (void)vgpu_param_set(&fit->params, decides->parameter, decided->value);
}

/* How much the model's figure changes when another parameter takes this value. */
static double change(struct answer_fit *fit, const struct decided *decided, double here, const struct decided *other,
                     double value)
{
   const bool set = vgpu_param_set(&fit->params, other->decides->parameter, value);
   const double there = set ? ask_model(fit, decided, decided->value) : NAN;

   (void)vgpu_param_set(&fit->params, other->decides->parameter, other->value);
   return fabs(there - here);
}

/* An answer says less of its parameter where its figure depends on another one that is not known well. */
static void open_interval(struct answer_fit *fit, struct decided *decided)
{
   const double here = ask_model(fit, decided, decided->value);
   double open = 0;

   for (size_t i = 0; i < fit->count; i++) {
      const struct decided *other = &fit->decided[i];
      const bool same = other->decides->parameter == decided->decides->parameter;

      if (!same && !isnan(other->value) && other->high - other->low > CLOSE * fabs(other->value)) {
         const double low = change(fit, decided, here, other, other->low);
         const double high = change(fit, decided, here, other, other->high);

         open += isnan(low) && isnan(high) ? 0 : fmax(low, high); /* fmax() ignores one NAN */
      }
   }
   decided->open = open;
}

static void find_parameter(struct answer_fit *fit, struct decided *decided)
{
   const struct question_decides *decides = decided->decides;
   const double old = vgpu_param_get(&fit->params, decides->parameter);
   const struct point here = ask_at(fit, decided, old);

   if (isnan(decided->first)) {
      decided->first = here.figure;
   }
   decided->value = NAN;
   if (fabs(here.figure - decided->figure.value) <= tolerance(decided)) {
      decided->value = here.at;
   } else if (!isnan(here.figure)) {
      const double wanted = decided->figure.value;
      struct point low = ask_at(fit, decided, decides->low), high = ask_at(fit, decided, decides->high), start = here;
      struct point *end = fabs(low.figure - wanted) < fabs(high.figure - wanted) ? &low : &high;

      if (is_between(wanted, low.figure, here.figure)) {
         decided->value = narrow(fit, decided, &start, &low);
      } else if (is_between(wanted, high.figure, here.figure)) {
         decided->value = narrow(fit, decided, &start, &high);
      } else if (fabs(end->figure - wanted) <= NEAR * fabs(wanted)) {
         decided->value = end->at; /* the figure that the answer's text gives is rounded */
      }
   }
   (void)vgpu_param_set(&fit->params, decides->parameter, isnan(decided->value) ? old : decided->value);
}

static void find_intervals(struct answer_fit *fit)
{
   for (size_t i = 0; i < fit->count; i++) {
      if (!isnan(fit->decided[i].value)) {
         find_interval(fit, &fit->decided[i]);
      }
   }
   for (size_t i = 0; i < fit->count; i++) {
      if (!isnan(fit->decided[i].value)) {
         open_interval(fit, &fit->decided[i]);
      }
   }
   for (size_t i = 0; i < fit->count; i++) {
      if (fit->decided[i].open > 0) {
         find_interval(fit, &fit->decided[i]);
      }
   }
}

/* ---- Output ---- */

/* Prints what an answer moves. Returns whether it moves something. */
static bool show(const struct answer_fit *fit, const struct decided *decided)
{
   const struct question_decides *decides = decided->decides;
   const double old = vgpu_param_get(&fit->start, decides->parameter);
   const char *unit = vgpu_param_unit(decides->parameter);
   const bool moved = fabs(decided->value - old) > 0;
   char name[VGPU_PARAM_NAME];

   vgpu_param_name(decides->parameter, name);
   printf("%s\n  %s: answer %.6g %s (%.6g .. %.6g), modelled %.6g\n", decided->answer->question.title, decided->ask,
          decided->figure.value, decided->figure.unit, decided->figure.low, decided->figure.high, decided->first);
   if (isnan(decided->value)) {
      printf("  moves nothing: no %s from %g to %g %s gives it, so that the model lacks a cause\n\n", name,
             decides->low, decides->high, unit);
      return false;
   }
   printf(moved ? "  moves %s from %.6g to %.6g %s (" : "  moves nothing: %s agrees, %.6g and %.6g %s (", name, old,
          decided->value, unit);
   printf("%.6g .. %.6g)\n\n", decided->low, decided->high);
   return moved;
}

/* The parameters that differ from the published ones, those that the fit began with included. */
static void write_rows(const struct answer_fit *fit, FILE *file)
{
   fprintf(file, "# Parameters of the timing model of %s, by answers that agx-runner calibrate read.\n",
           fit->answers.items[0].chip);
   for (size_t i = 0; i < vgpu_param_count(); i++) {
      const double published = vgpu_param_get(&fit->published, i), value = vgpu_param_get(&fit->params, i);
      char name[VGPU_PARAM_NAME];

      vgpu_param_name(i, name);
      if (fabs(value - published) > 0) {
         fprintf(file, "%s %.9g # published %.6g\n", name, value, published);
      }
   }
}

static int write_output(struct answer_fit *fit, const char *path)
{
   const char *chip = fit->answers.items[0].chip;
   struct output output;
   char own[64];
   unsigned moved = 0;

   snprintf(own, sizeof(own), "%s.params", chip);
   const char *target = path != NULL ? path : own;
   int code = output_open(&output, target);
   if (code != EXIT_OK) {
      return code;
   }
   for (size_t i = 0; i < fit->count; i++) {
      moved += show(fit, &fit->decided[i]);
   }
   write_rows(fit, output.file);
   code = output_commit(&output);
   output_discard(&output);
   if (code == EXIT_OK && strcmp(target, "-") != 0) {
      printf("%u parameters moved: %s. Use them with virtual:%s,params=%s\n", moved, target, chip, target);
   }
   return code;
}

/* ---- The answers ---- */

static int add_decided(struct answer_fit *fit, const struct answer *answer, const struct question_decides *decides)
{
   const struct question *question = &answer->question;

   if (fit->count == DECIDED_MOST) {
      return complain(EXIT_INVALID, "the file has more than %u answers", DECIDED_MOST);
   }
   for (unsigned i = 0; i < question->ask_count; i++) {
      if (strcmp(question->asks[i].name, decides->name) == 0 && !isnan(answer->figures[i].value)) {
         fit->decided[fit->count++] = (struct decided){.answer = answer,
                                                       .decides = decides,
                                                       .ask = question->asks[i].text,
                                                       .figure = answer->figures[i],
                                                       .first = NAN,
                                                       .value = NAN};
      }
   }
   return EXIT_OK;
}

static int add_answers(struct answer_fit *fit, const char *path)
{
   const struct answers *answers = &fit->answers;
   const char *chip = answers->items[0].chip;
   int code = EXIT_OK;

   if (vgpu_chip_find(chip) == NULL) {
      return complain(EXIT_INVALID, "%s: the answer is of chip '%s', which the model does not know", path, chip);
   }
   for (size_t i = 0; code == EXIT_OK && i < answers->count; i++) {
      const struct answer *answer = &answers->items[i];

      if (strcmp(answer->chip, chip) != 0) {
         return complain(EXIT_INVALID, "%s: answers of %s and of %s: give calibrate a file for each chip", path, chip,
                         answer->chip);
      }
      for (unsigned k = 0; code == EXIT_OK && k < answer->question.decides_count; k++) {
         code = add_decided(fit, answer, &answer->question.decides[k]);
      }
   }
   if (code == EXIT_OK && fit->count == 0) {
      return complain(EXIT_INVALID, "%s: no answer has a figure that decides a parameter", path);
   }
   return code;
}

static int fit_answers(struct answer_fit *fit, const struct calibrate_answers_settings *settings)
{
   const int code = add_answers(fit, settings->text);
   char why[240];

   if (code != EXIT_OK) {
      return code;
   }
   vgpu_params_init(&fit->published, vgpu_chip_find(fit->answers.items[0].chip));
   fit->start = fit->published;
   if (settings->params != NULL && vgpu_params_read(&fit->start, settings->params, why, sizeof(why)) < 0) {
      return complain(EXIT_INVALID, "%s", why);
   }
   fit->params = fit->start;
   printf("%zu answers of %s, %s\n\n", fit->answers.count, fit->answers.items[0].chip,
          fit->answers.items[0].hardware ? "hardware" : RESULT_VIRTUAL_NOTE);
   for (unsigned round = 0; round < (fit->count > 1 ? ROUNDS : 1); round++) {
      for (size_t i = 0; i < fit->count; i++) {
         find_parameter(fit, &fit->decided[i]);
      }
   }
   find_intervals(fit);
   return fit->interrupted ? EXIT_ABORTED : write_output(fit, settings->output);
}

int calibrate_answers(const struct calibrate_answers_settings *settings)
{
   struct answer_fit *fit = calloc(1, sizeof(*fit));

   if (fit == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   snprintf(fit->path, sizeof(fit->path), "/tmp/agx-runner-answers.XXXXXX");
   const int file = mkstemp(fit->path);
   int code = file < 0 ? complain(EXIT_FAILED, "%s: %s", fit->path, strerror(errno)) : EXIT_OK;
   if (file >= 0) {
      close(file);
   }
   code = code == EXIT_OK ? answers_read(settings->text, &fit->answers) : code;
   code = code == EXIT_OK ? fit_answers(fit, settings) : code;
   answers_finish(&fit->answers);
   if (file >= 0) {
      unlink(fit->path);
   }
   free(fit);
   return code;
}
