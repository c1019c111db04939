// Arguments of launches: the facts that a value adds to a specialization, and its bytes. Inline on
// the path of a warm launch.
#pragma once

#include "runtime/core/Program.h"

#include <bit>
#include <cstring>
#include <vector>

namespace tilerun::core {

inline bool isFloatType(uint16_t dtype) {
  return dtype >= TILERUN_DTYPE_FP8E5 && dtype <= TILERUN_DTYPE_FP64;
}
inline bool isScalarFloatType(uint16_t dtype) {
  return dtype >= TILERUN_DTYPE_FP16 && dtype <= TILERUN_DTYPE_FP64;
}
inline bool isIntegerType(uint16_t dtype) {
  return dtype >= TILERUN_DTYPE_I1 && dtype <= TILERUN_DTYPE_U64;
}
/// "fp32"; "auto" for TILERUN_DTYPE_AUTO, "?" for a number that is not a type.
const char *getTypeName(uint16_t dtype);
/// "a pointer", "an integer": of a parameter's TILERUN_ARGUMENT_*.
const char *getKindName(uint16_t kind);
/// By the name in signatures; AUTO for an unknown name.
uint16_t findType(std::string_view name);
/// "a pointer to fp32", "the integer 5", for messages.
std::string describeArgument(const TilerunArgument &argument);

/// An integer's value. `negative` with the two's complement in `bits`, or the value itself.
struct IntegerValue {
  uint64_t bits;
  bool negative;
};
inline IntegerValue getInteger(const TilerunArgument &argument) {
  if (argument.kind == TILERUN_ARGUMENT_NATURAL)
    return {argument.value.natural, false};
  return {static_cast<uint64_t>(argument.value.integer), argument.value.integer < 0};
}
/// The type that a value has by itself: int32, int64 or uint64, as in the frontend's rules.
inline uint16_t getNaturalType(IntegerValue value) {
  if (value.negative)
    return static_cast<int64_t>(value.bits) >= INT32_MIN ? TILERUN_DTYPE_I32 : TILERUN_DTYPE_I64;
  return value.bits <= INT32_MAX   ? TILERUN_DTYPE_I32
         : value.bits <= INT64_MAX ? TILERUN_DTYPE_I64
                                   : TILERUN_DTYPE_U64;
}
inline bool fitsType(IntegerValue value, uint16_t dtype) {
  switch (dtype) {
  case TILERUN_DTYPE_I1:
    return !value.negative && value.bits <= 1;
  case TILERUN_DTYPE_I8:
  case TILERUN_DTYPE_I16:
  case TILERUN_DTYPE_I32: {
    int64_t most = (int64_t(1) << ((8 << (dtype - TILERUN_DTYPE_I8)) - 1)) - 1;
    return value.negative ? static_cast<int64_t>(value.bits) >= -most - 1
                          : value.bits <= static_cast<uint64_t>(most);
  }
  case TILERUN_DTYPE_I64:
    return value.negative || value.bits <= INT64_MAX;
  case TILERUN_DTYPE_U8:
  case TILERUN_DTYPE_U16:
  case TILERUN_DTYPE_U32:
    return !value.negative && value.bits >> (8 << (dtype - TILERUN_DTYPE_U8)) == 0;
  case TILERUN_DTYPE_U64:
    return !value.negative;
  default:
    return false;
  }
}

/// Whether a boolean is one: 0 or 1. Of other kinds, true.
inline bool isTruthValid(const TilerunArgument &argument) {
  return argument.kind != TILERUN_ARGUMENT_BOOL || argument.value.natural <= 1;
}

/// The bits of a number in fp16 or bf16, rounded to nearest, ties to even.
uint16_t convertToHalf(double value);
uint16_t convertToBFloat(double value);

/// The bits of an argument as a parameter of type `dtype` gets them.
inline uint64_t getArgumentBits(const TilerunArgument &argument, uint16_t dtype) {
  if (argument.kind != TILERUN_ARGUMENT_FLOAT)
    return argument.value.natural;
  double number = argument.value.number;
  switch (dtype) {
  case TILERUN_DTYPE_FP64:
    return std::bit_cast<uint64_t>(number);
  case TILERUN_DTYPE_FP16:
    return convertToHalf(number);
  case TILERUN_DTYPE_BF16:
    return convertToBFloat(number);
  default:
    return std::bit_cast<uint32_t>(static_cast<float>(number));
  }
}

/// Of the target's own options of one compilation: their number, and the text of all.
constexpr uint32_t kMostOptions = 64, kMostOptionBytes = 2048;

/// The words that distinguish specializations. On the stack: a warm launch allocates nothing.
class SpecializationKey {
public:
  static constexpr uint32_t kMaxWords = 1024;
  SpecializationKey(uint64_t deviceSerial, uint32_t numArguments,
                    const TilerunCompileOptions &options) {
    add(deviceSerial);
    // No field can run into another one, whatever its value.
    add(numArguments);
    add(options.num_warps | uint64_t(options.num_stages) << 32);
    add(options.debug | uint64_t(options.checks) << 32);
    add(options.maxnreg | uint64_t(options.num_ctas) << 32);
    if (options.num_options) [[unlikely]]
      addOptions(options);
  }
  /// False if the arguments have more words than a key can hold.
  bool add(uint64_t word) {
    if (size == kMaxWords) [[unlikely]]
      return false;
    words[size++] = word;
    return true;
  }
  uint64_t getHash() const {
    uint64_t hash = 0x243F6A8885A308D3u;
    for (uint32_t i = 0; i < size; ++i)
      hash = (std::rotl(hash, 29) ^ words[i]) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
  }
  bool operator==(const std::vector<uint64_t> &other) const {
    if (other.size() != size)
      return false;
    uint64_t differing = 0; // Nearly always none: no branch for each.
    for (uint32_t i = 0; i < size; ++i)
      differing |= words[i] ^ other[i];
    return !differing;
  }
  uint32_t getSize() const { return size; }
  const uint64_t *getWords() const { return words; }

private:
  /// Their number comes first, which is the first word of no argument.
  void addOptions(const TilerunCompileOptions &options);
  uint32_t size = 0;
  uint64_t words[kMaxWords]; ///< The first `size` of them.
};

namespace detail {
/// The meaning of an argument for the compiler.
struct Meaning {
  enum Kind : uint64_t { Pointer = 1, Integer, Float, Bool, One, None, Constant } kind;
  uint16_t dtype = TILERUN_DTYPE_AUTO;
  bool aligned = false;
};

/// The meaning of an argument; false if the parameter cannot take it (makeKeyError says why).
[[gnu::always_inline]] inline bool getMeaning(const ParameterFacts &parameter,
                                              const TilerunArgument &argument, Meaning &meaning) {
  if (parameter.isConstexpr) {
    meaning.kind = Meaning::Constant;
    return argument.kind != TILERUN_ARGUMENT_POINTER;
  }
  bool mayAlign = parameter.specialize && parameter.specializeAlignment;
  if (argument.kind == TILERUN_ARGUMENT_POINTER) [[likely]] {
    meaning = {Meaning::Pointer, argument.dtype, mayAlign && argument.value.address % 16 == 0};
    return argument.dtype && argument.dtype <= TILERUN_DTYPE_FP64;
  }
  switch (argument.kind) {
  case TILERUN_ARGUMENT_INTEGER:
  case TILERUN_ARGUMENT_NATURAL: {
    IntegerValue value = getInteger(argument);
    uint16_t dtype = argument.dtype;
    if (dtype == TILERUN_DTYPE_AUTO) {
      if (value.bits == 1 && !value.negative && parameter.specialize) {
        meaning.kind = Meaning::One;
        return true;
      }
      dtype = parameter.annotation;
      if (!isIntegerType(dtype)) {
        meaning = {Meaning::Integer, getNaturalType(value), mayAlign && value.bits % 16 == 0};
        return true;
      }
    }
    meaning = {Meaning::Integer, dtype, mayAlign && value.bits % 16 == 0};
    return isIntegerType(dtype) && fitsType(value, dtype);
  }
  case TILERUN_ARGUMENT_FLOAT:
    meaning = {Meaning::Float,
               argument.dtype                            ? argument.dtype
               : isScalarFloatType(parameter.annotation) ? parameter.annotation
                                                         : uint16_t(TILERUN_DTYPE_FP32),
               false};
    return isScalarFloatType(meaning.dtype);
  case TILERUN_ARGUMENT_BOOL:
    meaning = {Meaning::Bool, TILERUN_DTYPE_I1, false};
    return isTruthValid(argument);
  case TILERUN_ARGUMENT_NONE:
    meaning.kind = Meaning::None;
    return true;
  default:
    return false;
  }
}

bool addText(SpecializationKey &key, const char *text);

/// Adds the words of a constant; false if there are too many, or it is not a constant.
[[gnu::always_inline]] inline bool addConstant(SpecializationKey &key,
                                               const TilerunArgument &argument) {
  if (!key.add(uint64_t(Meaning::Constant) << 32 | uint64_t(argument.kind) << 8))
    return false;
  switch (argument.kind) {
  case TILERUN_ARGUMENT_INTEGER:
  case TILERUN_ARGUMENT_NATURAL:
  case TILERUN_ARGUMENT_FLOAT:
    return key.add(argument.value.natural);
  case TILERUN_ARGUMENT_BOOL:
    return isTruthValid(argument) && key.add(argument.value.natural);
  case TILERUN_ARGUMENT_STRING:
    return argument.value.text && addText(key, argument.value.text);
  case TILERUN_ARGUMENT_DTYPE:
    return argument.dtype && argument.dtype <= TILERUN_DTYPE_FP64 && key.add(argument.dtype);
  case TILERUN_ARGUMENT_NONE:
    return true;
  default:
    return false;
  }
}
} // namespace detail

/// Adds what one argument says to the key. False if the parameter cannot take it, or the key is
/// full: then `makeKeyError` says why.
[[gnu::always_inline]] inline bool addToKey(SpecializationKey &key, const ParameterFacts &parameter,
                                            const TilerunArgument &argument) {
  detail::Meaning meaning = {detail::Meaning::None};
  if (!detail::getMeaning(parameter, argument, meaning) || argument.reserved) [[unlikely]]
    return false;
  if (meaning.kind == detail::Meaning::Constant)
    return detail::addConstant(key, argument);
  return key.add(meaning.kind << 32 | uint64_t(meaning.dtype) << 8 | meaning.aligned);
}
/// The end of a sentence about a parameter: `reserved` is not 0.
std::string describeReserved(const TilerunArgument &argument);
/// INVALID_ARGUMENT, with a message that ends a sentence about the parameter.
Status makeKeyError(const ParameterFacts &parameter, const TilerunArgument &argument);
/// The same as text of a signature: "*fp32:16", "i32", "1024".
std::string getSpecText(const ParameterFacts &parameter, const TilerunArgument &argument);
/// Whether an argument may be specialized on whether the memory behind it is small.
inline bool mayBeSmall(const ParameterFacts &parameter, const TilerunArgument &argument) {
  return parameter.specialize && argument.kind == TILERUN_ARGUMENT_POINTER;
}

} // namespace tilerun::core
