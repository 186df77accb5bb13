/* SPDX-License-Identifier: MIT
 *
 * Writes a tiny model of whisper.cpp's and a sound. Invariant: the weights come from one seed, so that the model says
 * the same words everywhere. The format is that which whisper.cpp's loader reads: a header, the filters of the sound's
 * spectrum, the vocabulary, and tensors with their names until the file ends.
 */
#include "agx_runner/apps/whisper.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/array.h"
#include "util/random.h"

#define MAGIC 0x67676d6c /* "ggml" */
#define WORDS 51864      /* of the English models: the numbers of the special words depend on it */
#define SOUND 64         /* places of the sound that the encoder sees */
#define TEXT 32          /* most words */
#define STATE 64         /* elements of a state */
#define HEADS 2
#define LAYERS 4 /* of the model "tiny" */
#define BANDS 80
#define BINS 201 /* of the spectrum */
#define RATE 16000
#define HALVES 1 /* the type of the weights, and of the whole file */
#define SINGLES 0

struct model {
   FILE *file;
   struct util_random random;
};

static void put(struct model *model, int32_t value)
{
   fwrite(&value, sizeof(value), 1, model->file);
}

static void put_single(struct model *model, double middle, double spread)
{
   const float value = (float)(middle + spread * (2 * util_random_unit(&model->random) - 1));
   fwrite(&value, sizeof(value), 1, model->file);
}

/* A half of either sign from 2^-shift to twice that, by its bits. */
static void put_half(struct model *model, uint32_t shift)
{
   const uint32_t random = (uint32_t)(util_random_next(&model->random) >> 32);
   const uint16_t bits = (uint16_t)((random & 0x83ffu) | (15 - shift) << 10);
   fwrite(&bits, sizeof(bits), 1, model->file);
}

/* The innermost size first; sizes that are 0 are none. */
static size_t begin_tensor(struct model *model, const char *name, int32_t type, const int32_t sizes[3])
{
   const int32_t dimensions = 1 + (sizes[1] != 0) + (sizes[2] != 0);
   size_t elements = 1;
   put(model, dimensions);
   put(model, (int32_t)strlen(name));
   put(model, type);
   for (int32_t i = 0; i < dimensions; i++) {
      put(model, sizes[i]);
      elements *= (size_t)sizes[i];
   }
   fputs(name, model->file);
   return elements;
}

static void put_weights(struct model *model, const char *name, uint32_t shift, const int32_t sizes[3])
{
   for (size_t left = begin_tensor(model, name, HALVES, sizes); left > 0; left--) {
      put_half(model, shift);
   }
}

static void put_values(struct model *model, const char *name, double middle, double spread, const int32_t sizes[3])
{
   for (size_t left = begin_tensor(model, name, SINGLES, sizes); left > 0; left--) {
      put_single(model, middle, spread);
   }
}

/* ---- Layers ---- */

#define NAME 96

/* "weight" and "bias" of one name. A bias has one dimension, or those that are given. */
static void put_pair(struct model *model, const char *name, uint32_t shift, const int32_t sizes[3],
                     const int32_t bias[3])
{
   char part[NAME];
   snprintf(part, sizeof(part), "%s.weight", name);
   put_weights(model, part, shift, sizes);
   if (bias != NULL) {
      snprintf(part, sizeof(part), "%s.bias", name);
      put_values(model, part, 0, 0.17, bias);
   }
}

static void put_norm(struct model *model, const char *name)
{
   char part[NAME];
   snprintf(part, sizeof(part), "%s.weight", name);
   put_values(model, part, 1, 0.17, (const int32_t[3]){STATE});
   snprintf(part, sizeof(part), "%s.bias", name);
   put_values(model, part, 0, 0.17, (const int32_t[3]){STATE});
}

static void put_attention(struct model *model, const char *block, const char *kind)
{
   static const char *const parts[] = {"query", "key", "value", "out"};
   char name[NAME];
   snprintf(name, sizeof(name), "%s.%s_ln", block, kind);
   put_norm(model, name);
   for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
      const bool key = strcmp(parts[i], "key") == 0; /* has no bias */
      snprintf(name, sizeof(name), "%s.%s.%s", block, kind, parts[i]);
      put_pair(model, name, 3, (const int32_t[3]){STATE, STATE}, key ? NULL : (const int32_t[3]){STATE});
   }
}

static void put_blocks(struct model *model, const char *part, bool decoder)
{
   char block[NAME / 2], name[NAME];
   for (int i = 0; i < LAYERS; i++) {
      snprintf(block, sizeof(block), "%s.blocks.%d", part, i);
      put_attention(model, block, "attn");
      if (decoder) {
         put_attention(model, block, "cross_attn");
      }
      snprintf(name, sizeof(name), "%s.mlp_ln", block);
      put_norm(model, name);
      snprintf(name, sizeof(name), "%s.mlp.0", block);
      put_pair(model, name, 3, (const int32_t[3]){STATE, 4 * STATE}, (const int32_t[3]){4 * STATE});
      snprintf(name, sizeof(name), "%s.mlp.2", block);
      put_pair(model, name, 4, (const int32_t[3]){4 * STATE, STATE}, (const int32_t[3]){STATE});
   }
}

static void put_tensors(struct model *model)
{
   put_values(model, "encoder.positional_embedding", 0, 0.17, (const int32_t[3]){STATE, SOUND});
   put_pair(model, "encoder.conv1", 4, (const int32_t[3]){3, BANDS, STATE}, (const int32_t[3]){1, STATE});
   put_pair(model, "encoder.conv2", 4, (const int32_t[3]){3, STATE, STATE}, (const int32_t[3]){1, STATE});
   put_blocks(model, "encoder", false);
   put_norm(model, "encoder.ln_post");
   put_values(model, "decoder.positional_embedding", 0, 0.85, (const int32_t[3]){STATE, TEXT});
   put_weights(model, "decoder.token_embedding.weight", 2, (const int32_t[3]){STATE, WORDS});
   put_blocks(model, "decoder", true);
   put_norm(model, "decoder.ln");
}

/* ---- Files ---- */

/* whisper.cpp asks for the numbers of the first three words by their text. */
static void put_words(struct model *model)
{
   static const char *const first[] = {" ", " -", " '"};
   put(model, WORDS);
   for (int i = 0; i < WORDS; i++) {
      char word[16];
      snprintf(word, sizeof(word), " w%d", i);
      const char *text = (size_t)i < ARRAY_COUNT(first) ? first[i] : word;
      put(model, (int32_t)strlen(text));
      fputs(text, model->file);
   }
}

static void put_model(FILE *file)
{
   static const int32_t header[] = {MAGIC, WORDS, SOUND,  STATE, HEADS,  LAYERS, TEXT,
                                    STATE, HEADS, LAYERS, BANDS, HALVES, BANDS,  BINS};
   struct model model = {.file = file, .random = {1}};
   for (size_t i = 0; i < ARRAY_COUNT(header); i++) {
      put(&model, header[i]);
   }
   for (int i = 0; i < BANDS * BINS; i++) {
      put_single(&model, 0.01, 0.01);
   }
   put_words(&model);
   put_tensors(&model);
}

/* A WAV file of one channel with 16 bits a sample. */
static void put_sound(FILE *file)
{
   static const uint32_t rates[] = {RATE, 2 * RATE};
   const uint32_t size = 2 * RATE, whole = size + 36, length = 16;
   static const uint16_t format[] = {1, 1}, widths[] = {2, 16};
   fwrite("RIFF", 4, 1, file);
   fwrite(&whole, sizeof(whole), 1, file);
   fwrite("WAVEfmt ", 8, 1, file);
   fwrite(&length, sizeof(length), 1, file);
   fwrite(format, sizeof(format), 1, file);
   fwrite(rates, sizeof(rates), 1, file);
   fwrite(widths, sizeof(widths), 1, file);
   fwrite("data", 4, 1, file);
   fwrite(&size, sizeof(size), 1, file);
   for (int i = 0; i < RATE; i++) {
      const int16_t sample = (int16_t)(9000 * sin(i * (double)i / 90000));
      fwrite(&sample, sizeof(sample), 1, file);
   }
}

static bool write_file(const char *folder, const char *name, void (*fill)(FILE *file))
{
   char path[4096];
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   FILE *file = fopen(path, "wb");
   if (file == NULL) {
      return false;
   }
   fill(file);
   const bool good = ferror(file) == 0;
   return fclose(file) == 0 && good;
}

bool whisper_write_files(const char *folder)
{
   return write_file(folder, "model.bin", put_model) && write_file(folder, "sound.wav", put_sound);
}
