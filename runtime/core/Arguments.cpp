// Types, conversions and specialization of arguments.
#include "runtime/core/Arguments.h"

#include <cmath>
#include <cstdio>

using namespace tilerun;
using namespace tilerun::core;
using detail::Meaning;

const char *core::getTypeName(uint16_t dtype) {
  switch (dtype) {
  case TILERUN_DTYPE_AUTO:
    return "auto";
#define TILERUN_DTYPE_CASE(name, number, word, bits)                                               \
  case number:                                                                                     \
    return word;
    TILERUN_DTYPE_LIST(TILERUN_DTYPE_CASE)
#undef TILERUN_DTYPE_CASE
  }
  return "?";
}

uint16_t core::findType(std::string_view name) {
#define TILERUN_DTYPE_MATCH(enumerator, number, word, bits)                                        \
  if (name == word)                                                                                \
    return number;
  TILERUN_DTYPE_LIST(TILERUN_DTYPE_MATCH)
#undef TILERUN_DTYPE_MATCH
  return TILERUN_DTYPE_AUTO;
}

static std::string describeInteger(IntegerValue value) {
  return value.negative ? std::to_string(static_cast<int64_t>(value.bits))
                        : std::to_string(value.bits);
}

static std::string formatNumber(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

std::string core::describeArgument(const TilerunArgument &argument) {
  switch (argument.kind) {
  case TILERUN_ARGUMENT_POINTER:
    return std::string("a pointer to ") + getTypeName(argument.dtype);
  case TILERUN_ARGUMENT_INTEGER:
  case TILERUN_ARGUMENT_NATURAL:
    return "the integer " + describeInteger(getInteger(argument)) +
           (argument.dtype ? std::string(" as ") + getTypeName(argument.dtype) : "");
  case TILERUN_ARGUMENT_FLOAT:
    return "the number " + formatNumber(argument.value.number) +
           (argument.dtype ? std::string(" as ") + getTypeName(argument.dtype) : "");
  case TILERUN_ARGUMENT_BOOL:
    return !isTruthValid(argument)  ? "the boolean " + std::to_string(argument.value.integer)
           : argument.value.integer ? "true"
                                    : "false";
  case TILERUN_ARGUMENT_STRING:
    return "a string";
  case TILERUN_ARGUMENT_DTYPE:
    return std::string("the dtype ") + getTypeName(argument.dtype);
  case TILERUN_ARGUMENT_NONE:
    return "None";
  }
  return "of the unknown kind " + std::to_string(argument.kind);
}

//===----------------------------------------------------------------------===//
// Narrow floating point
//===----------------------------------------------------------------------===//

// Rounds to a format with `mantissa` explicit bits and the given exponent range; IEEE 754 in all
// cases: subnormals, overflow to infinity, ties to even.
static uint16_t narrow(double value, int mantissa, int minExponent, int maxExponent) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int exponentBits = 15 - mantissa;
  uint16_t infinity = static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissa);
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | infinity | 1 << (mantissa - 1));
  if (magnitude == 0)
    return sign;
  if (std::isinf(value))
    return static_cast<uint16_t>(sign | infinity);
  int exponent = 0;
  (void)std::frexp(magnitude, &exponent); // magnitude = f * 2^exponent, 0.5 <= f < 1
  if (exponent - 1 > maxExponent)
    return static_cast<uint16_t>(sign | infinity);
  int scale = std::max(exponent - 1, minExponent) - mantissa;
  // An integer below 2^(mantissa + 1), exact until it is rounded.
  double units = std::nearbyint(std::ldexp(magnitude, -scale));
  auto bits = static_cast<uint32_t>(units);
  uint32_t biased = static_cast<uint32_t>(scale + mantissa - minExponent);
  // A carry out of the mantissa moves into the exponent by itself, up to infinity.
  uint32_t packed = (biased << mantissa) + bits;
  return static_cast<uint16_t>(sign | std::min<uint32_t>(packed, infinity));
}

uint16_t core::convertToHalf(double value) { return narrow(value, 10, -14, 15); }
uint16_t core::convertToBFloat(double value) { return narrow(value, 7, -126, 127); }

//===----------------------------------------------------------------------===//
// Specialization
//===----------------------------------------------------------------------===//

std::string core::describeReserved(const TilerunArgument &argument) {
  return "given an argument whose field 'reserved' is " + std::to_string(argument.reserved) +
         ", not 0";
}

// Why a parameter cannot take an argument: the end of a sentence about the parameter.
static std::string describeRefusal(const ParameterFacts &parameter,
                                   const TilerunArgument &argument) {
  if (!isTruthValid(argument))
    return "given a boolean that is neither 0 nor 1";
  if (argument.reserved)
    return describeReserved(argument);
  if (parameter.isConstexpr) {
    switch (argument.kind) {
    case TILERUN_ARGUMENT_POINTER:
      return "a tl.constexpr, which takes a number, string, dtype or None, such as x.shape[0], "
             "not a tensor";
    case TILERUN_ARGUMENT_STRING:
      if (!argument.value.text)
        return "given a string that is null";
      break;
    case TILERUN_ARGUMENT_DTYPE:
      if (!argument.dtype || argument.dtype > TILERUN_DTYPE_FP64)
        return "given a dtype that does not exist";
      break;
    case TILERUN_ARGUMENT_INTEGER:
    case TILERUN_ARGUMENT_NATURAL:
    case TILERUN_ARGUMENT_FLOAT:
    case TILERUN_ARGUMENT_BOOL:
    case TILERUN_ARGUMENT_NONE:
      break;
    default:
      return "given an argument of an unknown kind";
    }
    return "";
  }
  Meaning meaning = {Meaning::None};
  switch (argument.kind) {
  case TILERUN_ARGUMENT_POINTER:
    return "given a pointer without the type of its elements; set dtype";
  case TILERUN_ARGUMENT_INTEGER:
  case TILERUN_ARGUMENT_NATURAL:
    (void)detail::getMeaning(parameter, argument, meaning);
    if (!isIntegerType(meaning.dtype))
      return std::string("given an integer as ") + getTypeName(meaning.dtype) +
             ", which is not an integer type";
    return std::string("of type ") + getTypeName(meaning.dtype) + ", which cannot hold it";
  case TILERUN_ARGUMENT_FLOAT:
    return std::string("given a number as ") + getTypeName(argument.dtype) +
           "; fp16, bf16, fp32 and fp64 are possible";
  case TILERUN_ARGUMENT_STRING:
  case TILERUN_ARGUMENT_DTYPE:
    return "not a tl.constexpr; it takes a pointer, a number or None at run time";
  default:
    return "given an argument of an unknown kind";
  }
}

bool detail::addText(SpecializationKey &key, const char *text) {
  size_t size = std::strlen(text);
  if (!key.add(size))
    return false;
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text + at, std::min<size_t>(8, size - at));
    if (!key.add(word))
      return false;
  }
  return true;
}

const char *core::getKindName(uint16_t kind) {
  return kind == TILERUN_ARGUMENT_POINTER ? "a pointer"
         : kind == TILERUN_ARGUMENT_FLOAT ? "a floating-point number"
                                          : "an integer";
}

void SpecializationKey::addOptions(const TilerunCompileOptions &options) {
  add(options.num_options);
  for (uint32_t i = 0; i < options.num_options; ++i) {
    // They fit: the text of options is shorter than a key (kMostOptionBytes).
    detail::addText(*this, options.options[i].name);
    detail::addText(*this, options.options[i].value);
  }
}

Status core::makeKeyError(const ParameterFacts &parameter, const TilerunArgument &argument) {
  std::string why = describeRefusal(parameter, argument);
  return Status::invalid(why.empty() ? "the arguments hold more text than a launch can have" : why);
}

// A floating-point constant that does not read as an integer.
static std::string formatFloat(double value) {
  std::string text = formatNumber(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

static std::string quote(const char *text) {
  std::string out = "\"";
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\')
      out += '\\';
    out += *text;
  }
  return out + '"';
}

std::string core::getSpecText(const ParameterFacts &parameter, const TilerunArgument &argument) {
  Meaning meaning = {Meaning::None};
  (void)detail::getMeaning(parameter, argument, meaning); // Checked when the key was made.
  std::string suffix = meaning.aligned ? ":16" : "";
  switch (meaning.kind) {
  case Meaning::Pointer:
    return std::string("*") + getTypeName(meaning.dtype) + suffix;
  case Meaning::Integer:
    return getTypeName(meaning.dtype) + suffix;
  case Meaning::Float:
  case Meaning::Bool:
    return getTypeName(meaning.dtype);
  case Meaning::One:
    return "1";
  case Meaning::None:
    return "none";
  case Meaning::Constant:
    break;
  }
  switch (argument.kind) {
  case TILERUN_ARGUMENT_INTEGER:
  case TILERUN_ARGUMENT_NATURAL:
    return describeInteger(getInteger(argument));
  case TILERUN_ARGUMENT_FLOAT:
    return formatFloat(argument.value.number);
  case TILERUN_ARGUMENT_BOOL:
    return argument.value.integer ? "true" : "false";
  case TILERUN_ARGUMENT_STRING:
    return quote(argument.value.text);
  case TILERUN_ARGUMENT_DTYPE:
    return std::string(getTypeName(argument.dtype)) + "!";
  default:
    return "none";
  }
}
