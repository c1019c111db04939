// The types of operands as the vector templates see them: how a lane's value is read from rows of
// registers and written back. Modifiers have been applied before (Operands.cpp).
#ifndef TILERUN_EMULATORS_AMDGPU_TYPES_H
#define TILERUN_EMULATORS_AMDGPU_TYPES_H

#include "emulators/amdgpu/Floats.h"
#include "emulators/amdgpu/Instruction.h"

#include <bit>

namespace tilerun::amdsim {

constexpr unsigned mostLanes = 64;

struct Rows {
  const uint32_t *word[2];
};

template <Type type, class Value> struct Word {
  static constexpr Type kind = type;
  static constexpr unsigned words = 1;
  using T = Value;
  static T load(const Rows &rows, unsigned lane) { return std::bit_cast<T>(rows.word[0][lane]); }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    out[0][lane] = std::bit_cast<uint32_t>(value);
  }
};
template <Type type, class Value> struct Wide {
  static constexpr Type kind = type;
  static constexpr unsigned words = 2;
  using T = Value;
  static T load(const Rows &rows, unsigned lane) {
    return std::bit_cast<T>(rows.word[0][lane] | uint64_t(rows.word[1][lane]) << 32);
  }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    uint64_t bits = std::bit_cast<uint64_t>(value);
    out[0][lane] = uint32_t(bits), out[1][lane] = uint32_t(bits >> 32);
  }
};
template <Type type, class Value> struct Half {
  static constexpr Type kind = type;
  static constexpr unsigned words = 1;
  using T = Value;
  static T load(const Rows &rows, unsigned lane) { return T(rows.word[0][lane]); }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    out[0][lane] = uint16_t(value);
  }
};

using B32 = Word<Type::b32, uint32_t>;
using I32 = Word<Type::i32, int32_t>;
using F32 = Word<Type::f32, float>;
using B64 = Wide<Type::b64, uint64_t>;
using I64 = Wide<Type::i64, int64_t>;
using F64 = Wide<Type::f64, double>;
using B16 = Half<Type::b16, uint16_t>;
using I16 = Half<Type::i16, int16_t>;
// A 16-bit float as a float: sums and products of two round once, as they must.
struct F16 {
  static constexpr Type kind = Type::f16;
  static constexpr unsigned words = 1;
  using T = float;
  static T load(const Rows &rows, unsigned lane) {
    return halfToFloat(uint16_t(rows.word[0][lane]));
  }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    out[0][lane] = floatToHalf(value);
  }
};
// The same as a double, for what a float cannot hold exactly (fused multiply-add).
struct F16D {
  static constexpr Type kind = Type::f16;
  static constexpr unsigned words = 1;
  using T = double;
  static T load(const Rows &rows, unsigned lane) { return F16::load(rows, lane); }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    out[0][lane] = doubleToHalf(value);
  }
};
// A bit of a mask of lanes.
struct Mask {
  static constexpr Type kind = Type::mask;
  static constexpr unsigned words = 1;
  using T = bool;
  static T load(const Rows &rows, unsigned lane) { return rows.word[0][lane]; }
};

// Two values in one operand; functions are applied to each.
template <class Value> struct Pair {
  Value low, high;
};
struct PkF16 {
  static constexpr Type kind = Type::pkF16;
  static constexpr unsigned words = 1;
  using Element = F16D;
  using T = Pair<double>;
  static T load(const Rows &rows, unsigned lane) {
    uint32_t bits = rows.word[0][lane];
    return {halfToFloat(uint16_t(bits)), halfToFloat(uint16_t(bits >> 16))};
  }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    out[0][lane] = doubleToHalf(value.low) | uint32_t(doubleToHalf(value.high)) << 16;
  }
};
// Two halves that have been rounded already.
struct PkF16Bits : Word<Type::pkF16, uint32_t> {};
template <Type type, class Value> struct PackedInteger {
  static constexpr Type kind = type;
  static constexpr unsigned words = 1;
  using T = Pair<Value>;
  static T load(const Rows &rows, unsigned lane) {
    uint32_t bits = rows.word[0][lane];
    return {Value(bits), Value(bits >> 16)};
  }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    out[0][lane] = uint16_t(value.low) | uint32_t(uint16_t(value.high)) << 16;
  }
};
using PkB16 = PackedInteger<Type::pkB16, uint16_t>;
using PkI16 = PackedInteger<Type::pkI16, int16_t>;
struct PkF32 {
  static constexpr Type kind = Type::pkF32;
  static constexpr unsigned words = 2;
  using T = Pair<float>;
  static T load(const Rows &rows, unsigned lane) {
    return {std::bit_cast<float>(rows.word[0][lane]), std::bit_cast<float>(rows.word[1][lane])};
  }
  static void store(uint32_t *const *out, unsigned lane, T value) {
    out[0][lane] = std::bit_cast<uint32_t>(value.low);
    out[1][lane] = std::bit_cast<uint32_t>(value.high);
  }
};

constexpr bool isHalf(Type t) { return t == Type::b16 || t == Type::i16 || t == Type::f16; }
constexpr bool isPacked(Type t) { return t == Type::pkB16 || t == Type::pkI16 || t == Type::pkF16; }
constexpr bool isFloat(Type t) {
  return t == Type::f32 || t == Type::f16 || t == Type::f64 || t == Type::pkF16 || t == Type::pkF32;
}
constexpr bool isWide(Type t) {
  return t == Type::b64 || t == Type::i64 || t == Type::f64 || t == Type::pkF32;
}

} // namespace tilerun::amdsim

#endif
