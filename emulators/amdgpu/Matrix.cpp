// Matrix instructions. Each has a map from (row, k) and (row, column) to registers and lanes;
// operands are gathered into matrices, multiplied, and put back. EXEC does not matter, and must be
// full.
//
// Products of 8- and 16-bit floats are exact in single precision; sums round after each step of k,
// in ascending order. Hardware may sum in another order.
#include "emulators/amdgpu/Vector.h"

#include <algorithm>
#include <cmath>

namespace tilerun::amdsim {
namespace {

constexpr Type A = Type::raw;

// Elements of an operand: how many fit in a register (0: one needs two), and their values.
struct FloatElement {
  using Value = float;
  static constexpr unsigned perWord = 1;
  static float get(const Wave &, uint32_t word, unsigned) { return std::bit_cast<float>(word); }
};
struct HalfElement {
  using Value = float;
  static constexpr unsigned perWord = 2;
  static float get(const Wave &, uint32_t word, unsigned at) {
    return halfToFloat(uint16_t(word >> 16 * at));
  }
  static float flush(float value) { return std::fabs(value) < 0x1p-14f ? value * 0 : value; }
};
struct BfloatElement {
  using Value = float;
  static constexpr unsigned perWord = 2;
  static float get(const Wave &, uint32_t word, unsigned at) {
    return bfloatToFloat(uint16_t(word >> 16 * at));
  }
  static float flush(float value) { return flushed(value); }
};
template <unsigned exponentBits> struct Float8Element {
  using Value = float;
  static constexpr unsigned perWord = 4;
  static float get(const Wave &w, uint32_t word, unsigned at) {
    return float8ToFloat(uint8_t(word >> 8 * at), exponentBits, w.target->float8 == Float8::fnuz);
  }
};
struct SignedByteElement {
  using Value = int32_t;
  static constexpr unsigned perWord = 4;
  static int32_t get(const Wave &, uint32_t word, unsigned at) { return int8_t(word >> 8 * at); }
};
struct UnsignedByteElement {
  using Value = int32_t;
  static constexpr unsigned perWord = 4;
  static int32_t get(const Wave &, uint32_t word, unsigned at) {
    return int32_t(word >> 8 * at & 255);
  }
};
// Single precision with 10 bits of fraction.
struct XfloatElement {
  using Value = float;
  static constexpr unsigned perWord = 1;
  static float get(const Wave &, uint32_t word, unsigned) {
    return std::bit_cast<float>(word & 0xffffe000);
  }
};

// The maps: k of element j of a lane's operand, and the row of a register of its result. In all of
// them the operand's row and the result's column are the lane's number modulo `rows`.
template <unsigned size, unsigned depth> struct Mfma {
  static constexpr unsigned lanes = 64, rows = size, k = depth, elements = depth * size / 64,
                            results = size * size / 64;
  static unsigned operandK(unsigned lane, unsigned j) { return lane / size * elements + j; }
  static unsigned resultRow(unsigned lane, unsigned reg) {
    return reg / 4 * (size / 4) + lane / size * 4 + reg % 4;
  }
};
// gfx11: both halves of the wave hold the same operand.
struct Wmma11 {
  static constexpr unsigned lanes = 32, rows = 16, k = 16, elements = 16, results = 8;
  static unsigned operandK(unsigned, unsigned j) { return j; }
  static unsigned resultRow(unsigned lane, unsigned reg) { return 2 * reg + lane / 16; }
};
struct Wmma12 {
  static constexpr unsigned lanes = 32, rows = 16, k = 16, elements = 8, results = 8;
  static unsigned resultRow(unsigned lane, unsigned reg) { return reg + lane / 16 * 8; }
};
struct Wmma12Half : Wmma12 {
  static unsigned operandK(unsigned lane, unsigned j) {
    return (j & 3) + (j >> 2) * 8 + lane / 16 * 4;
  }
};
struct Wmma12Byte : Wmma12 {
  static unsigned operandK(unsigned lane, unsigned j) { return j + lane / 16 * 8; }
};

void checkOperand(Wave &w, const Operand &o, unsigned words) {
  uint64_t undefined = 0;
  for (unsigned word = 0; o.place == Operand::vgpr && word < words; ++word) {
    w.checkVector(o.reg + word);
    undefined |= w.shadowLow[o.reg + word] | w.shadowHigh[o.reg + word];
  }
  if (undefined & w.allLanes)
    w.reportUndefined(undefined & w.allLanes, "an operand of a matrix instruction");
}

// Signs change in pairs of halves only: neg_lo those of even elements, neg_hi those of odd ones.
template <class Element>
constexpr bool takesSigns = std::is_same_v<typename Element::Value, float> && Element::perWord == 2;

// Whether subnormal numbers are zeros in all operands and in the result.
template <class Element> bool flushesSubnormals(const Wave &w) {
  return takesSigns<Element> && w.target->flushesMatrix16;
}

template <class Map, class Element>
void gather(Wave &w, const Operand &o, typename Element::Value (*matrix)[Map::rows]) {
  constexpr unsigned words = Map::elements / Element::perWord;
  uint32_t flip = 0;
  if constexpr (takesSigns<Element>)
    flip = (o.isNegated ? 0x8000u : 0) | (o.negateHigh ? 0x80000000u : 0);
  checkOperand(w, o, words);
  for (unsigned word = 0; word < words; ++word) {
    const uint32_t *row = w.row(o.reg + word);
    // Lanes that follow each other hold rows that do.
    for (unsigned at = 0; at < Element::perWord; ++at)
      for (unsigned first = 0; first < Map::lanes; first += Map::rows) {
        typename Element::Value *to = matrix[Map::operandK(first, word * Element::perWord + at)];
        for (unsigned n = 0; n < Map::rows; ++n)
          to[n] = Element::get(w, row[first + n] ^ flip, at);
      }
  }
  if constexpr (takesSigns<Element>)
    if (flushesSubnormals<Element>(w))
      for (unsigned k = 0; k < Map::k; ++k)
        for (unsigned n = 0; n < Map::rows; ++n)
          matrix[k][n] = Element::flush(matrix[k][n]);
}

// The hardware's behaviour with EXEC off, in waves of the other width, or with signs of other types
// is not known here.
bool canMultiply(Wave &w, const Instruction &i, unsigned lanes, bool takesA, bool takesB,
                 bool takesC) {
  auto hasSigns = [&](unsigned source) {
    return i.src[source].isNegated || i.src[source].negateHigh;
  };
  if (w.exec() != w.allLanes)
    w.report(FindingKind::unsupported, std::countr_one(w.exec()),
             "a matrix instruction while lanes are off");
  if (w.lanes != lanes)
    w.fault(FindingKind::unsupported, -1,
            "this matrix instruction is emulated in waves of " + std::to_string(lanes) +
                " lanes only");
  else if ((hasSigns(0) && !takesA) || (hasSigns(1) && !takesB) || (hasSigns(2) && !takesC))
    w.fault(FindingKind::unsupported, -1, "neg_lo or neg_hi of this operand is not emulated");
  return w.state != WaveState::faulted;
}

// An element of C: neg_hi stands for the absolute value, neg_lo negates what that gives.
template <class Sum> Sum elementOfC(const Operand &c, uint32_t bits) {
  if (c.negateHigh)
    bits &= 0x7fffffff;
  return std::bit_cast<Sum>(c.isNegated ? bits ^ 0x80000000 : bits);
}

// D = A * B + C of single-precision or 32-bit integer results.
template <class Map, class ElementA, class ElementB> void multiply(Wave &w, const Instruction &i) {
  using Value = typename ElementA::Value;
  using Sum = std::conditional_t<std::is_same_v<Value, float>, float, uint32_t>;
  constexpr unsigned n = Map::rows;
  alignas(64) Value a[Map::k][n], b[Map::k][n];
  alignas(64) Sum d[n][n];
  if (!canMultiply(w, i, Map::lanes, takesSigns<ElementA>, takesSigns<ElementB>,
                   std::is_same_v<Sum, float>))
    return;
  gather<Map, ElementA>(w, i.src[0], a);
  gather<Map, ElementB>(w, i.src[1], b);
  const Operand &c = i.src[2];
  checkOperand(w, c, Map::results);
  for (unsigned reg = 0; reg < Map::results; ++reg)
    for (unsigned first = 0; first < Map::lanes; first += n) {
      Sum *row = d[Map::resultRow(first, reg)];
      const uint32_t *from = c.place == Operand::vgpr ? w.row(c.reg + reg) + first : nullptr;
      for (unsigned column = 0; column < n; ++column)
        row[column] = elementOfC<Sum>(c, from ? from[column] : uint32_t(c.value));
    }
  auto flush = [&] {
    if constexpr (std::is_same_v<Sum, float>)
      if (flushesSubnormals<ElementA>(w))
        for (unsigned row = 0; row < n; ++row)
          std::transform(d[row], d[row] + n, d[row], flushed);
  };
  flush();
  // Some rows at a time, whose sums fit in the registers of the host.
  constexpr unsigned atOnce = n == 32 ? 2 : 4;
  for (unsigned row = 0; row < n; row += atOnce) {
    Sum sums[atOnce][n];
    std::memcpy(sums, d[row], sizeof sums);
    for (unsigned k = 0; k < Map::k; ++k)
      for (unsigned r = 0; r < atOnce; ++r)
        for (unsigned column = 0; column < n; ++column) {
          if constexpr (std::is_same_v<Sum, float>)
            sums[r][column] = std::fma(a[k][row + r], b[k][column], sums[r][column]);
          else
            sums[r][column] += uint32_t(a[k][row + r]) * uint32_t(b[k][column]);
        }
    std::memcpy(d[row], sums, sizeof sums);
  }
  flush();
  for (unsigned reg = 0; reg < Map::results; ++reg) {
    unsigned to = i.dst[0].reg + reg;
    w.checkVector(to);
    for (unsigned first = 0; first < Map::lanes; first += n)
      std::memcpy(w.row(to) + first, d[Map::resultRow(first, reg)], sizeof(uint32_t) * n);
    w.shadowLow[to] = w.shadowHigh[to] = 0;
  }
  w.counters->matrixFlops += 2 * n * n * Map::k;
}

// v_wmma_i32_16x16x16_iu8: neg_lo of an operand says that it is signed.
template <class Map> void multiplyBytes(Wave &w, const Instruction &i) {
  Instruction plain = i;
  bool a = i.src[0].isNegated, b = i.src[1].isNegated;
  plain.src[0].isNegated = plain.src[1].isNegated = false;
  if (a && b)
    multiply<Map, SignedByteElement, SignedByteElement>(w, plain);
  else if (a)
    multiply<Map, SignedByteElement, UnsignedByteElement>(w, plain);
  else if (b)
    multiply<Map, UnsignedByteElement, SignedByteElement>(w, plain);
  else
    multiply<Map, UnsignedByteElement, UnsignedByteElement>(w, plain);
}

// The instruction table knows no type of C, so that a constant with a point was read as a single.
// Inline constants are those and the integers from -16 to 64.
double doubleConstant(uint64_t value) {
  constexpr float inverseOfTwoPi = 0.15915494f;
  auto integer = int64_t(value);
  if (integer >= -16 && integer <= 64)
    return std::bit_cast<double>(value);
  auto single = std::bit_cast<float>(uint32_t(value));
  return single == inverseOfTwoPi ? 0.15915494309189532 : single;
}

// Double precision 16x16x4: one element of A and B in a lane, four of C and D.
void multiplyDouble(Wave &w, const Instruction &i) {
  constexpr unsigned n = 16, depth = 4;
  if (!canMultiply(w, i, 64, false, false, false))
    return;
  double a[depth][n], b[depth][n], d[n][n];
  auto value = [&](const Operand &o, unsigned reg, unsigned lane) {
    return std::bit_cast<double>(w.row(o.reg + 2 * reg)[lane] |
                                 uint64_t(w.row(o.reg + 2 * reg + 1)[lane]) << 32);
  };
  checkOperand(w, i.src[0], 2);
  checkOperand(w, i.src[1], 2);
  checkOperand(w, i.src[2], 8);
  bool hasC = i.src[2].place == Operand::vgpr;
  double constant = doubleConstant(i.src[2].value);
  for (unsigned lane = 0; lane < 64; ++lane) {
    a[lane / n][lane % n] = value(i.src[0], 0, lane);
    b[lane / n][lane % n] = value(i.src[1], 0, lane);
    for (unsigned reg = 0; reg < 4; ++reg)
      d[reg * 4 + lane / n][lane % n] = hasC ? value(i.src[2], reg, lane) : constant;
  }
  for (unsigned row = 0; row < n; ++row)
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned column = 0; column < n; ++column)
        d[row][column] = std::fma(a[k][row], b[k][column], d[row][column]);
  for (unsigned word = 0; word < 8; ++word)
    w.checkVector(i.dst[0].reg + word);
  for (unsigned reg = 0; reg < 4; ++reg)
    for (unsigned lane = 0; lane < 64; ++lane) {
      uint64_t bits = std::bit_cast<uint64_t>(d[reg * 4 + lane / n][lane % n]);
      unsigned to = i.dst[0].reg + 2 * reg;
      w.row(to)[lane] = uint32_t(bits), w.row(to + 1)[lane] = uint32_t(bits >> 32);
      w.shadowLow[to] = w.shadowHigh[to] = w.shadowLow[to + 1] = w.shadowHigh[to + 1] = 0;
    }
  w.counters->matrixFlops += 2 * n * n * depth;
}

// The elements of the formats that the instruction's selectors name, as exact numbers. A lane's
// elements of 4 bits are neighbours along k; those of 8 bits are two runs of 16, one in each half
// of k. Formats of 6 bits are not emulated.
enum class Narrow : uint8_t { e4m3, e5m2, e2m3, e3m2, e2m1 };

template <unsigned size, unsigned depth>
void gatherNarrow(Wave &w, const Operand &o, Narrow format, double (*matrix)[size]) {
  constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  constexpr unsigned lanes = 64, each = depth * size / lanes, run = 16;
  const bool isFour = format == Narrow::e2m1;
  const unsigned bits = isFour ? 4 : 8, perWord = 32 / bits;
  checkOperand(w, o, each / perWord);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned element = 0; element < each; ++element) {
      const unsigned group = lane / size;
      const unsigned k = isFour ? group * each + element
                                : element / run * (depth / 2) + group * run + element % run;
      const uint32_t code =
          w.row(o.reg + element / perWord)[lane] >> element % perWord * bits & ((1u << bits) - 1);
      matrix[k][lane % size] =
          isFour ? (code & 8 ? -values[code & 7] : values[code & 7])
                 : double(float8ToFloat(uint8_t(code), format == Narrow::e4m3 ? 4 : 5, false));
    }
}

// Multiplies rows by their scales: of 32 elements along k, one byte of a lane, which is a power of
// two in the format E8M0.
template <unsigned size>
void applyScales(Wave &w, const Operand &o, unsigned byte, double (*matrix)[size]) {
  constexpr unsigned block = 32;
  checkOperand(w, o, 1);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const uint32_t word = o.place == Operand::vgpr ? w.row(o.reg)[lane] : uint32_t(o.value);
    const auto code = uint8_t(word >> 8 * byte);
    const double scale = code == 255 ? double(NAN) : std::ldexp(1.0, int(code) - 127);
    for (unsigned k = 0; k < block; ++k)
      matrix[lane / size * block + k][lane % size] *= scale;
  }
}

// D = A * B + C of 4- and 8-bit floats, which products in double precision hold exactly.
template <unsigned size, unsigned depth, bool isScaled>
void multiplyNarrow(Wave &w, const Instruction &i) {
  constexpr unsigned registers = size * size / 64;
  using Map = Mfma<size, depth>;
  if (!canMultiply(w, i, 64, false, false, false))
    return;
  for (Narrow format : {Narrow(i.offset0), Narrow(i.offset1)})
    if (format != Narrow::e4m3 && format != Narrow::e5m2 && format != Narrow::e2m1)
      return w.fault(FindingKind::unsupported, -1,
                     "a matrix operand of 6-bit floats is not emulated");
  if (isScaled && (i.src[3].place == Operand::sgpr || i.src[4].place == Operand::sgpr))
    return w.fault(FindingKind::unsupported, -1, "a scale in a scalar register is not emulated");
  static thread_local double a[depth][size], b[depth][size];
  gatherNarrow<size, depth>(w, i.src[0], Narrow(i.offset0), a);
  gatherNarrow<size, depth>(w, i.src[1], Narrow(i.offset1), b);
  if (isScaled) {
    // op_sel and op_sel_hi of an operand choose the byte of its scales.
    applyScales<size>(w, i.src[3], i.src[0].select, a);
    applyScales<size>(w, i.src[4], i.src[1].select, b);
  }
  const Operand &c = i.src[2];
  checkOperand(w, c, registers);
  float d[size][size];
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned reg = 0; reg < registers; ++reg)
      d[Map::resultRow(lane, reg)][lane % size] = std::bit_cast<float>(
          c.place == Operand::vgpr ? w.row(c.reg + reg)[lane] : uint32_t(c.value));
  for (unsigned row = 0; row < size; ++row)
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned column = 0; column < size; ++column)
        d[row][column] = float(double(d[row][column]) + a[k][row] * b[k][column]);
  for (unsigned reg = 0; reg < registers; ++reg) {
    const unsigned to = i.dst[0].reg + reg;
    w.checkVector(to);
    for (unsigned lane = 0; lane < 64; ++lane)
      w.row(to)[lane] = std::bit_cast<uint32_t>(d[Map::resultRow(lane, reg)][lane % size]);
    w.shadowLow[to] = w.shadowHigh[to] = 0;
  }
  w.counters->matrixFlops += 2 * size * size * depth;
}

#define MATRIX(spellings, ...) {spellings, Family::matrix, 1, readsLists, {A, A, A, A}, __VA_ARGS__}
#define MFMA(spellings, size, k, Element)                                                          \
  MATRIX(spellings, multiply<Mfma<size, k>, Element, Element>)
#define MFMA_FLOAT8(name, size, k)                                                                 \
  MATRIX(name "_fp8_fp8", multiply<Mfma<size, k>, Float8Element<4>, Float8Element<4>>),            \
      MATRIX(name "_fp8_bf8", multiply<Mfma<size, k>, Float8Element<4>, Float8Element<5>>),        \
      MATRIX(name "_bf8_fp8", multiply<Mfma<size, k>, Float8Element<5>, Float8Element<4>>),        \
      MATRIX(name "_bf8_bf8", multiply<Mfma<size, k>, Float8Element<5>, Float8Element<5>>)

constexpr OpcodeRow rows[] = {
    MFMA("v_mfma_f32_32x32x2_f32|v_mfma_f32_32x32x2f32", 32, 2, FloatElement),
    MFMA("v_mfma_f32_16x16x4_f32|v_mfma_f32_16x16x4f32", 16, 4, FloatElement),
    MFMA("v_mfma_f32_32x32x4_xf32", 32, 4, XfloatElement),
    MFMA("v_mfma_f32_16x16x8_xf32", 16, 8, XfloatElement),
    MFMA("v_mfma_f32_32x32x8_f16|v_mfma_f32_32x32x8f16", 32, 8, HalfElement),
    MFMA("v_mfma_f32_16x16x16_f16|v_mfma_f32_16x16x16f16", 16, 16, HalfElement),
    MFMA("v_mfma_f32_32x32x16_f16", 32, 16, HalfElement),
    MFMA("v_mfma_f32_16x16x32_f16", 16, 32, HalfElement),
    MFMA("v_mfma_f32_32x32x8_bf16|v_mfma_f32_32x32x8bf16_1k", 32, 8, BfloatElement),
    MFMA("v_mfma_f32_16x16x16_bf16|v_mfma_f32_16x16x16bf16_1k", 16, 16, BfloatElement),
    MFMA("v_mfma_f32_32x32x16_bf16", 32, 16, BfloatElement),
    MFMA("v_mfma_f32_16x16x32_bf16", 16, 32, BfloatElement),
    MFMA("v_mfma_i32_32x32x8i8", 32, 8, SignedByteElement),
    MFMA("v_mfma_i32_16x16x16i8", 16, 16, SignedByteElement),
    MFMA("v_mfma_i32_32x32x16_i8", 32, 16, SignedByteElement),
    MFMA("v_mfma_i32_16x16x32_i8", 16, 32, SignedByteElement),
    MFMA("v_mfma_i32_32x32x32_i8", 32, 32, SignedByteElement),
    MFMA("v_mfma_i32_16x16x64_i8", 16, 64, SignedByteElement),
    MFMA_FLOAT8("v_mfma_f32_32x32x16", 32, 16),
    MFMA_FLOAT8("v_mfma_f32_16x16x32", 16, 32),
    {"v_mfma_f32_32x32x64_f8f6f4",
     Family::matrix,
     1,
     readsLists,
     {A, A, A, A},
     multiplyNarrow<32, 64, false>},
    {"v_mfma_f32_16x16x128_f8f6f4",
     Family::matrix,
     1,
     readsLists,
     {A, A, A, A},
     multiplyNarrow<16, 128, false>},
    {"v_mfma_scale_f32_32x32x64_f8f6f4",
     Family::matrix,
     1,
     readsLists | readsSelects,
     {A, A, A, A, A, A},
     multiplyNarrow<32, 64, true>},
    {"v_mfma_scale_f32_16x16x128_f8f6f4",
     Family::matrix,
     1,
     readsLists | readsSelects,
     {A, A, A, A, A, A},
     multiplyNarrow<16, 128, true>},
    MATRIX("v_mfma_f64_16x16x4_f64|v_mfma_f64_16x16x4f64", multiplyDouble),
// The generations have the same names for different maps; Wave::target tells.
#define WMMA(name, Element)                                                                        \
  MATRIX(name, [](Wave &w, const Instruction &i) {                                                 \
    if (w.target->generation == Generation::gfx11)                                                 \
      multiply<Wmma11, Element, Element>(w, i);                                                    \
    else                                                                                           \
      multiply<Wmma12Half, Element, Element>(w, i);                                                \
  })
    WMMA("v_wmma_f32_16x16x16_f16", HalfElement),
    WMMA("v_wmma_f32_16x16x16_bf16", BfloatElement),
    MATRIX("v_wmma_i32_16x16x16_iu8",
           [](Wave &w, const Instruction &i) {
             if (w.target->generation == Generation::gfx11)
               multiplyBytes<Wmma11>(w, i);
             else
               multiplyBytes<Wmma12Byte>(w, i);
           }),
    MATRIX("v_wmma_f32_16x16x16_fp8_fp8", multiply<Wmma12Byte, Float8Element<4>, Float8Element<4>>),
    MATRIX("v_wmma_f32_16x16x16_fp8_bf8", multiply<Wmma12Byte, Float8Element<4>, Float8Element<5>>),
    MATRIX("v_wmma_f32_16x16x16_bf8_fp8", multiply<Wmma12Byte, Float8Element<5>, Float8Element<4>>),
    MATRIX("v_wmma_f32_16x16x16_bf8_bf8", multiply<Wmma12Byte, Float8Element<5>, Float8Element<5>>),
};

} // namespace

llvm::ArrayRef<OpcodeRow> matrixRows() { return rows; }

} // namespace tilerun::amdsim
