/* SPDX-License-Identifier: MIT
 *
 * Constant expressions of the assembler: 64-bit integers and doubles, C's operators with C's precedence.
 */
#include "isa/assembler/parse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

static bool read_binary(struct isa_parser *parser, int precedence, struct isa_number *value);

/* ---- Literals ---- */

static bool is_digit(char c)
{
   return c >= '0' && c <= '9';
}

/* An exponent follows only where its digits do: "1e" is 1 and a stray word. */
static const char *float_end(const char *at, const char *end)
{
   const char *exponent = at;
   if (exponent < end && (*exponent == 'e' || *exponent == 'E')) {
      exponent++;
      exponent += exponent < end && (*exponent == '-' || *exponent == '+');
      if (exponent < end && is_digit(*exponent)) {
         while (exponent < end && is_digit(*exponent)) {
            exponent++;
         }
         return exponent;
      }
   }
   return at;
}

/* Digits without an exponent whose number and power of ten are exact doubles need one division only. */
static bool read_short_float(const char *start, const char *end, double *real)
{
   static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
   int64_t digits = 0;
   size_t point = 0;

   if (end - start > 16) {
      return false;
   }
   for (const char *at = start; at < end; at++) {
      if (*at == '.') {
         point = (size_t)(end - at - 1);
      } else if (is_digit(*at)) {
         digits = digits * 10 + (*at - '0');
      } else {
         return false;
      }
   }
   *real = (double)digits / powers[point];
   return true;
}

static bool read_float(struct isa_parser *parser, const char *end, struct isa_number *value)
{
   char text[128];
   size_t length = (size_t)(end - parser->at);

   value->is_float = true;
   if (!read_short_float(parser->at, end, &value->real)) {
      if (length >= sizeof(text)) {
         return isa_wrong(parser, parser->at, "a float of more than 127 characters");
      }
      memcpy(text, parser->at, length);
      text[length] = '\0';
      value->real = strtod(text, NULL);
      if (isinf(value->real)) {
         return isa_wrong(parser, parser->at, "the float is past the range of 64 bits");
      }
   }
   parser->at = end;
   return true;
}

static bool read_integer_literal(struct isa_parser *parser, struct isa_number *value)
{
   const char *start = parser->at;
   unsigned base = 10;
   uint64_t number = 0;

   if (parser->end - start > 1 && *start == '0' && (start[1] == 'x' || start[1] == 'b')) {
      base = start[1] == 'x' ? 16 : 2;
      parser->at += 2;
   }
   const char *digits = parser->at;
   while (parser->at < parser->end && isa_digit(*parser->at) < base) {
      if (__builtin_mul_overflow(number, base, &number) ||
          __builtin_add_overflow(number, (uint64_t)isa_digit(*parser->at), &number)) {
         return isa_wrong(parser, start, "the number does not fit 64 bits");
      }
      parser->at++;
   }
   if (parser->at == digits || isa_is_name(isa_peek(parser))) {
      parser->at = start;
      return isa_wrong(parser, start, "expected a number: decimal, 0x and hexadecimal, 0b and binary, or a float");
   }
   value->is_float = false;
   value->integer = (int64_t)number;
   return true;
}

static bool read_literal(struct isa_parser *parser, struct isa_number *value)
{
   const char *at = parser->at;
   while (at < parser->end && is_digit(*at)) {
      at++;
   }
   const char *whole = at;
   if (parser->end - at > 1 && *at == '.' && is_digit(at[1])) {
      at++;
      while (at < parser->end && is_digit(*at)) {
         at++;
      }
   }
   const char *end = float_end(at, parser->end);
   return end != whole ? read_float(parser, end, value) : read_integer_literal(parser, value);
}

static bool read_quoted_character(struct isa_parser *parser, struct isa_number *value)
{
   const char *start = parser->at++;
   int c = isa_read_character(parser);
   if (c < 0 || isa_peek(parser) != '\'') {
      return isa_wrong(parser, start, "expected one character in single quotes");
   }
   parser->at++;
   *value = (struct isa_number){.integer = c};
   return true;
}

/* ---- Operators ---- */

static double as_real(const struct isa_number *number)
{
   return number->is_float ? number->real : (double)number->integer;
}

static bool overflow(struct isa_parser *parser, const char *at)
{
   return isa_wrong(parser, at, "the expression does not fit 64 bits");
}

static bool apply_unary(struct isa_parser *parser, const char *at, char op, struct isa_number *value)
{
   if (op == '-' && value->is_float) {
      value->real = -value->real;
      return true;
   }
   if (op == '+') {
      return true;
   }
   if (value->is_float) {
      return isa_wrong(parser, at, "'%c' takes an integer, not a float", op);
   }
   switch (op) {
   case '-':
      value->integer = (int64_t)(0 - (uint64_t)value->integer);
      break;
   case '~':
      value->integer = ~value->integer;
      break;
   default:
      value->integer = value->integer == 0;
      break;
   }
   return true;
}

static bool read_unary(struct isa_parser *parser, struct isa_number *value)
{
   isa_skip_space(parser);
   const char *at = parser->at;
   char c = isa_peek(parser);

   if (c == '(' || c == '-' || c == '+' || c == '~' || c == '!') {
      if (parser->depth == DEPTH_MAX) {
         return isa_wrong(parser, at, "an expression nested more than %d deep", DEPTH_MAX);
      }
      parser->at++;
      parser->depth++;
      bool good = c == '(' ? read_binary(parser, 0, value) && (isa_accept(parser, ')') || isa_expected(parser, "')'"))
                           : read_unary(parser, value) && apply_unary(parser, at, c, value);
      parser->depth--;
      return good;
   }
   if (is_digit(c)) {
      return read_literal(parser, value);
   }
   if (c == '\'') {
      return read_quoted_character(parser, value);
   }
   struct isa_word word = isa_next_word(parser);
   if (isa_is_letter(c) && isa_symbols_constant(parser->symbols, word, value)) {
      parser->at += word.length;
      return true;
   }
   return isa_expected(parser, "a number, or a constant that is already defined");
}

/* clang-format off */
enum op {
   OR_ELSE, AND_THEN, OR, XOR, AND, EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, LEFT, RIGHT,
   ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, OPERATORS
};

/* Longer ones first where one begins another. */
static const struct {
   char text[3];
   uint8_t op, precedence;
} operators[OPERATORS] = {
   {"||", OR_ELSE, 1}, {"&&", AND_THEN, 2}, {"<<", LEFT, 8}, {">>", RIGHT, 8}, {"<=", LESS_EQUAL, 7},
   {">=", GREATER_EQUAL, 7}, {"==", EQUAL, 6}, {"!=", UNEQUAL, 6}, {"|", OR, 3}, {"^", XOR, 4}, {"&", AND, 5},
   {"<", LESS, 7}, {">", GREATER, 7}, {"+", ADD, 9}, {"-", SUBTRACT, 9}, {"*", MULTIPLY, 10}, {"/", DIVIDE, 10},
   {"%", REMAINDER, 10},
};
/* clang-format on */

/* The operator at the cursor, as an index; OPERATORS: none. */
static size_t next_operator(struct isa_parser *parser)
{
   if (isa_at_end(parser) || isa_is_name(*parser->at) || *parser->at == ',' || *parser->at == ')') {
      return OPERATORS;
   }
   for (size_t i = 0; i < OPERATORS; i++) {
      size_t length = strlen(operators[i].text);
      if ((size_t)(parser->end - parser->at) >= length && memcmp(parser->at, operators[i].text, length) == 0) {
         return i;
      }
   }
   return OPERATORS;
}

static bool apply_real(struct isa_parser *parser, const char *at, enum op op, double a, double b,
                       struct isa_number *result)
{
   bool truth;
   result->is_float = true;
   switch (op) {
   case ADD:
      result->real = a + b;
      break;
   case SUBTRACT:
      result->real = a - b;
      break;
   case MULTIPLY:
      result->real = a * b;
      break;
   case DIVIDE:
      if (b == 0) {
         return isa_wrong(parser, at, "division by zero");
      }
      result->real = a / b;
      break;
   case EQUAL:
   case UNEQUAL:
   case LESS:
   case LESS_EQUAL:
   case GREATER:
   case GREATER_EQUAL:
      truth = op == EQUAL        ? a == b
              : op == UNEQUAL    ? a != b
              : op == LESS       ? a < b
              : op == LESS_EQUAL ? a <= b
              : op == GREATER    ? a > b
                                 : a >= b;
      *result = (struct isa_number){.integer = truth};
      return true;
   default:
      return isa_wrong(parser, at, "this operator takes integers, not floats");
   }
   return isfinite(result->real) ? true : overflow(parser, at);
}

static bool apply_divide(struct isa_parser *parser, const char *at, enum op op, int64_t a, int64_t b, int64_t *result)
{
   if (b == 0) {
      return isa_wrong(parser, at, "division by zero");
   }
   if (a == INT64_MIN && b == -1) {
      return overflow(parser, at);
   }
   *result = op == DIVIDE ? a / b : a % b;
   return true;
}

static bool apply_integer(struct isa_parser *parser, const char *at, enum op op, int64_t a, int64_t b, int64_t *result)
{
   switch (op) {
   case ADD:
      return !__builtin_add_overflow(a, b, result) || overflow(parser, at);
   case SUBTRACT:
      return !__builtin_sub_overflow(a, b, result) || overflow(parser, at);
   case MULTIPLY:
      return !__builtin_mul_overflow(a, b, result) || overflow(parser, at);
   case DIVIDE:
   case REMAINDER:
      return apply_divide(parser, at, op, a, b, result);
   case LEFT:
   case RIGHT:
      if (b < 0 || b > 63) {
         return isa_wrong(parser, at, "a shift must be within 0..63");
      }
      *result = op == LEFT ? (int64_t)((uint64_t)a << b) : (int64_t)((uint64_t)a >> b);
      return true;
   case OR:
      *result = a | b;
      return true;
   case XOR:
      *result = a ^ b;
      return true;
   case AND:
      *result = a & b;
      return true;
   case OR_ELSE:
      *result = a != 0 || b != 0;
      return true;
   case AND_THEN:
      *result = a != 0 && b != 0;
      return true;
   case EQUAL:
      *result = a == b;
      return true;
   case UNEQUAL:
      *result = a != b;
      return true;
   case LESS:
      *result = a < b;
      return true;
   case LESS_EQUAL:
      *result = a <= b;
      return true;
   case GREATER:
      *result = a > b;
      return true;
   default:
      *result = a >= b;
      return true;
   }
}

static bool apply_binary(struct isa_parser *parser, const char *at, enum op op, struct isa_number *a,
                         const struct isa_number *b)
{
   if (a->is_float || b->is_float) {
      return apply_real(parser, at, op, as_real(a), as_real(b), a);
   }
   return apply_integer(parser, at, op, a->integer, b->integer, &a->integer);
}

/* Operators that bind tighter than `precedence`; of equal ones the left goes first. */
static bool read_binary(struct isa_parser *parser, int precedence, struct isa_number *value)
{
   if (!read_unary(parser, value)) {
      return false;
   }
   for (;;) {
      size_t i = next_operator(parser);
      if (i == OPERATORS || operators[i].precedence <= precedence) {
         return true;
      }
      const char *at = parser->at;
      struct isa_number right = {0};
      parser->at += strlen(operators[i].text);
      if (!read_binary(parser, operators[i].precedence, &right) ||
          !apply_binary(parser, at, (enum op)operators[i].op, value, &right)) {
         return false;
      }
   }
}

/* ---- What fields and directives ask for ---- */

bool isa_at_number(const struct isa_parser *parser)
{
   char c = isa_peek(parser);
   struct isa_number ignored;
   return is_digit(c) || (c != '\0' && strchr("(-+~!'", c) != NULL) ||
          (isa_is_letter(c) && isa_symbols_constant(parser->symbols, isa_next_word(parser), &ignored));
}

bool isa_read_number(struct isa_parser *parser, struct isa_number *number)
{
   isa_skip_space(parser);
   return read_binary(parser, 0, number);
}

bool isa_read_integer(struct isa_parser *parser, int64_t low, int64_t high, int64_t *integer)
{
   struct isa_number number = {0};
   isa_skip_space(parser);
   const char *start = parser->at;
   if (!isa_read_number(parser, &number)) {
      return false;
   }
   if (number.is_float) {
      return isa_wrong(parser, start, "expected an integer, found a float");
   }
   if (number.integer < low || number.integer > high) {
      return isa_wrong(parser, start, "%lld does not fit: legal are %lld..%lld", (long long)number.integer,
                       (long long)low, (long long)high);
   }
   *integer = number.integer;
   return true;
}

/* binary16 to the nearest, ties to even: the double is exact, and so is each step but the one rounding. */
static uint64_t half_bits(double value)
{
   uint64_t sign = signbit(value) ? 0x8000 : 0;
   double magnitude = fabs(value);
   int exponent;

   if (magnitude >= 65520.0) {
      return sign | 0x7c00;
   }
   frexp(magnitude, &exponent); /* magnitude < 2^exponent */
   if (exponent < -13) {
      exponent = -13; /* denormals share the smallest normal's exponent */
   }
   /* Units of the last place; 2^10..2^11 for normal numbers, 2^11 carries into the exponent by itself. */
   uint64_t units = (uint64_t)nearbyint(ldexp(magnitude, 11 - exponent));
   return units == 0 ? sign : sign | (((uint64_t)(exponent + 13) << 10) + units);
}

bool isa_read_bits(struct isa_parser *parser, unsigned bits, uint64_t *value)
{
   struct isa_number number = {0};
   isa_skip_space(parser);
   const char *start = parser->at;
   float single;
   uint32_t word;

   if (!isa_read_number(parser, &number)) {
      return false;
   }
   if (!number.is_float) {
      int64_t low = bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
      int64_t high = bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1;
      if (number.integer < low || number.integer > high) {
         return isa_wrong(parser, start, "%lld does not fit %u bits: legal are %lld..%lld", (long long)number.integer,
                          bits, (long long)low, (long long)high);
      }
      *value = (uint64_t)number.integer & (UINT64_MAX >> (64 - bits));
      return true;
   }
   switch (bits) {
   case 16:
      *value = half_bits(number.real);
      return true;
   case 32:
      single = (float)number.real;
      memcpy(&word, &single, sizeof(word));
      *value = word;
      return true;
   case 64:
      memcpy(value, &number.real, sizeof(*value));
      return true;
   default:
      return isa_wrong(parser, start, "a float does not fit %u bits", bits);
   }
}

int isa_minifloat_bits(double value)
{
   double magnitude = fabs(value);
   int sign = signbit(value) ? 0x80 : 0;
   int exponent;

   if (magnitude < 0.25) {
      double units = magnitude * 64;
      return units == floor(units) ? sign | (int)units : -1;
   }
   double mantissa = frexp(magnitude, &exponent) * 32;
   if (mantissa != floor(mantissa) || exponent > 5) {
      return -1;
   }
   return sign | (exponent + 2) << 4 | ((int)mantissa - 16);
}
