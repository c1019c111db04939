// See EmulatorElementwise.h. Floats of 32 bits and less are computed in float64 and rounded once,
// which is exact for + - * / and the square root.
#include "tests/kernels/EmulatorElementwise.h"

#include "backends/interpreter/SmallFloat.h"
#include "ir/tile/TileOps.h"

#include <cmath>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

static unsigned bitsOf(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}
static uint64_t cut(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}
static int64_t sign(uint64_t value, unsigned bits) {
  return bits >= 64 ? int64_t(value) : int64_t(value << (64 - bits)) >> (64 - bits);
}

double test::toDouble(uint64_t bits, Type type) {
  if (type.isF64())
    return std::bit_cast<double>(bits);
  if (type.isF32())
    return std::bit_cast<float>(uint32_t(bits));
  if (type.isF16())
    return halfToFloat(uint16_t(bits));
  if (type.isBF16())
    return bfloatToFloat(uint16_t(bits));
  if (isa<Float8E5M2Type>(type))
    return decode<FormatF8E5M2>(uint8_t(bits));
  if (isa<Float8E5M2FNUZType>(type))
    return decode<FormatF8E5M2FNUZ>(uint8_t(bits));
  if (isa<Float8E4M3FNType>(type))
    return decode<FormatF8E4M3FN>(uint8_t(bits));
  if (isa<Float8E4M3FNUZType>(type))
    return decode<FormatF8E4M3FNUZ>(uint8_t(bits));
  return decode<FormatF8E4M3B15>(uint8_t(bits));
}

static uint64_t narrow(double value, Type type, Narrowing mode) {
  if (type.isF64())
    return std::bit_cast<uint64_t>(value);
  if (type.isF32())
    return encode<FormatF32>(value, mode);
  if (type.isF16())
    return encode<FormatF16>(value, mode);
  if (type.isBF16())
    return encode<FormatBF16>(value, mode);
  if (isa<Float8E5M2Type>(type))
    return encode<FormatF8E5M2>(value, mode);
  if (isa<Float8E5M2FNUZType>(type))
    return encode<FormatF8E5M2FNUZ>(value, mode);
  if (isa<Float8E4M3FNType>(type))
    return encode<FormatF8E4M3FN>(value, mode);
  if (isa<Float8E4M3FNUZType>(type))
    return encode<FormatF8E4M3FNUZ>(value, mode);
  return encode<FormatF8E4M3B15>(value, mode);
}

uint64_t test::fromDouble(double value, Type type) { return narrow(value, type, {}); }

uint64_t test::castFloat(uint64_t bits, Type from, Type to, bool towardZero) {
  bool saturate = getElementTypeOrSelf(to).getIntOrFloatBitWidth() == 8;
  uint64_t result = narrow(toDouble(bits, from), to, {towardZero, saturate});
  // Registers hold tf32 as the upper bits of a float32.
  return isa<FloatTF32Type>(getElementTypeOrSelf(to)) ? result << 13 : result;
}

static bool compareIntegers(arith::CmpIPredicate predicate, uint64_t x, uint64_t y, unsigned bits) {
  int64_t a = sign(x, bits), b = sign(y, bits);
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return x == y;
  case P::ne:
    return x != y;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return x < y;
  case P::ule:
    return x <= y;
  case P::ugt:
    return x > y;
  case P::uge:
    return x >= y;
  }
  return false;
}

static bool compareFloats(arith::CmpFPredicate predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return x == y;
  case P::OGT:
    return x > y;
  case P::OGE:
    return x >= y;
  case P::OLT:
    return x < y;
  case P::OLE:
    return x <= y;
  case P::ONE:
    return !unordered && x != y;
  case P::UEQ:
    return unordered || x == y;
  case P::UGT:
    return unordered || x > y;
  case P::UGE:
    return unordered || x >= y;
  case P::ULT:
    return unordered || x < y;
  case P::ULE:
    return unordered || x <= y;
  case P::UNE:
    return unordered || x != y;
  }
  return false;
}

/// x * y + z of narrow floats as a double whose last bit is set if it is not exact, so that
/// rounding it once more rounds the exact value.
static double fuseNarrow(double x, double y, double z) {
  double product = x * y, sum = product + z;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - product, error = (product - (sum - part)) + (z - part);
  if (error != 0 && !(std::bit_cast<uint64_t>(sum) & 1))
    sum = std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
  return sum;
}

using Words = ArrayRef<uint64_t>;

test::ElementFunction test::getElementFunction(Operation *op, unsigned resultIndex) {
  StringRef name = op->getName().getStringRef();
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return {};
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned bits = bitsOf(from), out = bitsOf(to);

  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return [=, p = compare.getPredicate()](Words v) -> uint64_t {
      return compareIntegers(p, v[0], v[1], bits);
    };
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return [=, p = compare.getPredicate()](Words v) -> uint64_t {
      return compareFloats(p, toDouble(v[0], from), toDouble(v[1], from));
    };
  if (name == "arith.select")
    return [](Words v) { return v[0] & 1 ? v[1] : v[2]; };
  if (name == "arith.bitcast" || name == "arith.extui")
    return [](Words v) { return v[0]; };
  if (name == "arith.extsi" || name == "arith.trunci" || name == "arith.index_cast")
    return [=](Words v) { return cut(sign(v[0], bits), out); };
  if (name == "arith.index_castui")
    return [=](Words v) { return cut(v[0], out); };
  if (name == "arith.extf" || name == "arith.truncf")
    return [=](Words v) { return fromDouble(toDouble(v[0], from), to); };
  if (name == "arith.sitofp" || name == "arith.uitofp") {
    bool isSigned = name == "arith.sitofp";
    return [=](Words v) {
      // Directly to float32 and less: rounding twice differs for large 64-bit values.
      if (to.isF32())
        return uint64_t(std::bit_cast<uint32_t>(isSigned ? float(sign(v[0], bits)) : float(v[0])));
      return fromDouble(isSigned ? double(sign(v[0], bits)) : double(v[0]), to);
    };
  }
  if (name == "arith.fptosi" || name == "arith.fptoui") {
    bool isSigned = name == "arith.fptosi";
    return [=](Words v) {
      double value = std::trunc(toDouble(v[0], from));
      if (std::isnan(value))
        return uint64_t(0);
      if (isSigned)
        return cut(uint64_t(int64_t(std::clamp(value, -9.2233720368547e18, 9.2233720368547e18))),
                   out);
      return cut(uint64_t(std::clamp(value, 0.0, 1.8446744073709e19)), out);
    };
  }
  if (name == "arith.mulsi_extended" || name == "arith.mului_extended") {
    bool isSigned = name == "arith.mulsi_extended";
    return [=](Words v) {
      __int128 product = isSigned ? __int128(sign(v[0], bits)) * sign(v[1], bits)
                                  : __int128((unsigned __int128)v[0] * v[1]);
      return cut(uint64_t(resultIndex ? (unsigned __int128)product >> bits : product), bits);
    };
  }

  if (name == "math.isnan" || name == "math.isinf" || name == "math.isfinite")
    return [=](Words v) -> uint64_t {
      double value = toDouble(v[0], from);
      return name == "math.isnan"   ? std::isnan(value)
             : name == "math.isinf" ? std::isinf(value)
                                    : std::isfinite(value);
    };
  // Rounded once: a sum of doubles would be rounded before.
  if (name == "math.fma" && from.isF32())
    return [](Words v) -> uint64_t {
      auto number = [](uint64_t word) { return std::bit_cast<float>(uint32_t(word)); };
      return std::bit_cast<uint32_t>(std::fma(number(v[0]), number(v[1]), number(v[2])));
    };

  if (isa<FloatType>(from)) {
    std::function<double(ArrayRef<double>)> f;
    auto unary = [&](double (*g)(double)) { f = [g](ArrayRef<double> x) { return g(x[0]); }; };
    auto pickExtreme = [](ArrayRef<double> x, bool isMax, bool propagates) {
      if (std::isnan(x[0]) || std::isnan(x[1]))
        return propagates || (std::isnan(x[0]) && std::isnan(x[1])) ? std::nan("")
               : std::isnan(x[0])                                   ? x[1]
                                                                    : x[0];
      if (x[0] == x[1]) // zeros differ in sign
        return std::signbit(x[0]) == isMax ? x[1] : x[0];
      return (x[0] > x[1]) == isMax ? x[0] : x[1];
    };
    if (name == "arith.addf")
      f = [](ArrayRef<double> x) { return x[0] + x[1]; };
    else if (name == "arith.subf")
      f = [](ArrayRef<double> x) { return x[0] - x[1]; };
    else if (name == "arith.mulf")
      f = [](ArrayRef<double> x) { return x[0] * x[1]; };
    else if (name == "arith.divf")
      f = [](ArrayRef<double> x) { return x[0] / x[1]; };
    else if (name == "arith.remf")
      f = [](ArrayRef<double> x) { return std::fmod(x[0], x[1]); };
    else if (name == "arith.negf")
      f = [](ArrayRef<double> x) { return -x[0]; };
    else if (name == "math.fma")
      f = [=](ArrayRef<double> x) {
        return from.isF64() ? std::fma(x[0], x[1], x[2]) : fuseNarrow(x[0], x[1], x[2]);
      };
    else if (name == "math.powf")
      f = [](ArrayRef<double> x) { return std::pow(x[0], x[1]); };
    else if (name == "math.atan2")
      f = [](ArrayRef<double> x) { return std::atan2(x[0], x[1]); };
    else if (name == "math.copysign")
      f = [](ArrayRef<double> x) { return std::copysign(x[0], x[1]); };
    else if (name == "math.rsqrt")
      f = [](ArrayRef<double> x) { return 1 / std::sqrt(x[0]); };
    else if (name == "arith.maximumf" || name == "arith.maxnumf")
      f = [=](ArrayRef<double> x) { return pickExtreme(x, true, name == "arith.maximumf"); };
    else if (name == "arith.minimumf" || name == "arith.minnumf")
      f = [=](ArrayRef<double> x) { return pickExtreme(x, false, name == "arith.minimumf"); };
    else {
      const std::pair<StringRef, double (*)(double)> functions[] = {
          {"exp", std::exp},     {"exp2", std::exp2},      {"expm1", std::expm1},
          {"log", std::log},     {"log2", std::log2},      {"log1p", std::log1p},
          {"sqrt", std::sqrt},   {"sin", std::sin},        {"cos", std::cos},
          {"tan", std::tan},     {"tanh", std::tanh},      {"erf", std::erf},
          {"absf", std::fabs},   {"floor", std::floor},    {"ceil", std::ceil},
          {"trunc", std::trunc}, {"roundeven", std::rint}, {"round", std::round}};
      for (auto [known, g] : functions)
        if (name == ("math." + known).str())
          unary(g);
    }
    if (!f)
      return {};
    return [=](Words v) {
      SmallVector<double, 3> x;
      for (uint64_t word : v)
        x.push_back(toDouble(word, from));
      return fromDouble(f(x), to);
    };
  }

  using Binary = std::function<uint64_t(uint64_t, uint64_t)>;
  Binary f;
  auto s = [bits](uint64_t v) { return sign(v, bits); };
  if (name == "arith.addi")
    f = [](uint64_t x, uint64_t y) { return x + y; };
  else if (name == "arith.subi")
    f = [](uint64_t x, uint64_t y) { return x - y; };
  else if (name == "arith.muli")
    f = [](uint64_t x, uint64_t y) { return x * y; };
  else if (name == "arith.andi")
    f = [](uint64_t x, uint64_t y) { return x & y; };
  else if (name == "arith.ori")
    f = [](uint64_t x, uint64_t y) { return x | y; };
  else if (name == "arith.xori")
    f = [](uint64_t x, uint64_t y) { return x ^ y; };
  else if (name == "arith.shli")
    f = [](uint64_t x, uint64_t y) { return y > 63 ? 0 : x << y; };
  else if (name == "arith.shrui")
    f = [](uint64_t x, uint64_t y) { return y > 63 ? 0 : x >> y; };
  else if (name == "arith.shrsi")
    f = [=](uint64_t x, uint64_t y) { return uint64_t(s(x) >> std::min<uint64_t>(y, 63)); };
  else if (name == "arith.divui")
    f = [](uint64_t x, uint64_t y) { return y ? x / y : 0; };
  else if (name == "arith.remui")
    f = [](uint64_t x, uint64_t y) { return y ? x % y : 0; };
  else if (name == "arith.divsi")
    f = [=](uint64_t x, uint64_t y) {
      return !s(y) ? 0 : s(y) == -1 ? 0 - x : uint64_t(s(x) / s(y));
    };
  else if (name == "arith.remsi")
    f = [=](uint64_t x, uint64_t y) { return !s(y) || s(y) == -1 ? 0 : uint64_t(s(x) % s(y)); };
  else if (name == "arith.maxsi")
    f = [=](uint64_t x, uint64_t y) { return s(x) > s(y) ? x : y; };
  else if (name == "arith.minsi")
    f = [=](uint64_t x, uint64_t y) { return s(x) < s(y) ? x : y; };
  else if (name == "arith.maxui")
    f = [](uint64_t x, uint64_t y) { return std::max(x, y); };
  else if (name == "arith.minui")
    f = [](uint64_t x, uint64_t y) { return std::min(x, y); };
  else if (name == "simt.dot_bytes")
    return [](Words v) {
      uint32_t sum = uint32_t(v[2]);
      for (unsigned shift = 0; shift < 32; shift += 8)
        sum += uint32_t(int8_t(v[0] >> shift) * int8_t(v[1] >> shift));
      return uint64_t(sum);
    };
  else if (name == "math.absi")
    return [=](Words v) { return cut(s(v[0]) < 0 ? 0 - v[0] : v[0], bits); };
  else if (name == "math.ctpop")
    return [](Words v) { return uint64_t(std::popcount(v[0])); };
  else if (name == "math.ctlz")
    return [=](Words v) { return uint64_t(std::countl_zero(v[0])) - (64 - bits); };
  else if (name == "math.cttz")
    return [=](Words v) { return std::min<uint64_t>(std::countr_zero(v[0]), bits); };
  if (!f)
    return {};
  return [=](Words v) { return cut(f(v[0], v[1]), bits); };
}
