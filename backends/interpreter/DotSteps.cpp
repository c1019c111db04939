// Matrix products. Operands are converted to the type that accumulates (float32, float64 or int32),
// then multiplied by one plain loop nest; every result element adds its products to the accumulator
// in the order of k.
//
// Precision: `tf32` rounds float32 operands to 10 mantissa bits (ties away from zero); tf32x3,
// bf16x3 and bf16x6 are approximations of the float32 product, which is what they get here. A
// float16 accumulator is kept in float32 and rounded once at the end.
#include "backends/interpreter/Frame.h"
#include "backends/interpreter/SmallFloat.h"
#include "backends/interpreter/Steps.h"

using namespace tilerun;
using namespace tilerun::interp;

namespace {

/// A block of ROWS × COLS results lives in registers while k runs.
template <class T, int ROWS, int COLS>
[[gnu::always_inline]] inline void multiplyBlock(const T *a, const T *b, T *c, int64_t n,
                                                 int64_t depth) {
  T sum[ROWS][COLS];
  for (int r = 0; r < ROWS; ++r)
    for (int j = 0; j < COLS; ++j)
      sum[r][j] = c[r * n + j];
  for (int64_t k = 0; k < depth; ++k)
    for (int r = 0; r < ROWS; ++r)
      for (int j = 0; j < COLS; ++j)
        sum[r][j] += a[r * depth + k] * b[k * n + j];
  for (int r = 0; r < ROWS; ++r)
    for (int j = 0; j < COLS; ++j)
      c[r * n + j] = sum[r][j];
}

/// c (m×n) += a (m×depth) · b (depth×n), all row-major.
template <class T>
[[gnu::always_inline]] inline void multiply(const T *a, const T *b, T *c, int64_t m, int64_t n,
                                            int64_t depth) {
  constexpr int kRows = 4, kCols = 64 / sizeof(T);
  for (int64_t j = 0; j < n;) {
    const bool wide = j + kCols <= n;
    for (int64_t i = 0; i < m;) {
      const T *left = a + i * depth;
      T *out = c + i * n + j;
      if (wide && i + kRows <= m) {
        multiplyBlock<T, kRows, kCols>(left, b + j, out, n, depth);
        i += kRows;
      } else if (wide) {
        multiplyBlock<T, 1, kCols>(left, b + j, out, n, depth);
        ++i;
      } else {
        multiplyBlock<T, 1, 1>(left, b + j, out, n, depth);
        ++i;
      }
    }
    j += wide ? kCols : 1;
  }
}

// The same arithmetic for wider vectors where the processor has them; no contraction, so the same
// bits.
#if defined(__x86_64__)
#define TILERUN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TILERUN_CLONES
#endif

TILERUN_CLONES void multiplySingle(const float *a, const float *b, float *c, int64_t m, int64_t n,
                                   int64_t k) {
  multiply(a, b, c, m, n, k);
}
TILERUN_CLONES void multiplyDouble(const double *a, const double *b, double *c, int64_t m,
                                   int64_t n, int64_t k) {
  multiply(a, b, c, m, n, k);
}
TILERUN_CLONES void multiplyInt(const uint32_t *a, const uint32_t *b, uint32_t *c, int64_t m,
                                int64_t n, int64_t k) {
  multiply(a, b, c, m, n, k);
}

/// Ties away from zero; infinities keep their bits, and so does NaN.
float roundToTF32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return value != value ? value : std::bit_cast<float>((bits + 0x1000) & 0xffffe000);
}

/// The operand in the accumulating type: itself if it has that type, else converted into scratch
/// memory.
template <class T>
const T *prepare(Frame &frame, const Step &step, unsigned operand, size_t count) {
  const char *in = frame.at(step.operands[operand]);
  if (step.operands[3 + operand] == kNoSlot)
    return reinterpret_cast<const T *>(in);
  char *out = frame.at(step.operands[3 + operand]);
  T *to = reinterpret_cast<T *>(out);
  const Dtype type = step.operandTypes[operand];
  if constexpr (std::is_same_v<T, uint32_t>) {
    for (size_t i = 0; i < count; ++i)
      to[i] = uint32_t(int32_t(int8_t(in[i])));
  } else if constexpr (std::is_same_v<T, double>) {
    if (type == Dtype::F32)
      for (size_t i = 0; i < count; ++i)
        to[i] = reinterpret_cast<const float *>(in)[i];
    else
      getToDouble(type)(in, out, count);
  } else if (type == Dtype::F32) {
    for (size_t i = 0; i < count; ++i)
      to[i] = roundToTF32(reinterpret_cast<const float *>(in)[i]);
  } else {
    getToFloat(type)(in, out, count);
  }
  return to;
}

template <class T, class Multiply> void dot(Frame &frame, const Step &step, Multiply multiply) {
  const int64_t batch = step.numbers[0], m = step.numbers[1], n = step.numbers[2],
                k = step.numbers[3];
  const T *a = prepare<T>(frame, step, 0, batch * m * k);
  const T *b = prepare<T>(frame, step, 1, batch * k * n);
  const Slot scratch = step.operands[5];
  T *c = frame.as<T>(scratch == kNoSlot ? step.results[0] : scratch);
  const char *accumulator = frame.at(step.operands[2]);
  if (scratch == kNoSlot)
    std::memcpy(c, accumulator, batch * m * n * sizeof(T));
  else
    getToFloat(step.resultTypes[0])(accumulator, reinterpret_cast<char *>(c), batch * m * n);
  for (int64_t i = 0; i < batch; ++i)
    multiply(a + i * m * k, b + i * k * n, c + i * m * n, m, n, k);
  if (scratch != kNoSlot)
    getFromFloat(step.resultTypes[0])(reinterpret_cast<const char *>(c), frame.at(step.results[0]),
                                      batch * m * n);
}

} // namespace

void interp::runDot(Frame &frame, const Step &step) {
  switch (step.resultTypes[0]) {
  case Dtype::I32:
    return dot<uint32_t>(frame, step, multiplyInt);
  case Dtype::F64:
    return dot<double>(frame, step, multiplyDouble);
  default:
    return dot<float>(frame, step, multiplySingle);
  }
}
