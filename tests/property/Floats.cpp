// Operations that make floats: those that IEEE 754 defines to the last bit. A rounded product must
// not meet an addition, since a device may fuse the two; sums along an axis are of small whole
// numbers, so that their order does not matter.
#include "tests/property/Builder.h"

using namespace tilerun;
using namespace tilerun::property;

namespace {

constexpr Traits kRounded{true, false};
constexpr Traits kProduct{false, false};

std::string cast(const ValueType &type) { return ".to(" + spell(type.dtype) + ")"; }

ExprRef makeSum(Builder &b, const ValueType &type, int depth, Traits need) {
  if (need.raw)
    return nullptr;
  std::string text = b.random.chance(50) ? "($0 + $1)" : "($0 - $1)";
  ValueType x = type, y = type;
  if (!type.shape.empty() && b.random.chance(35))
    (b.random.chance(50) ? x : y).shape =
        b.random.chance(25) ? Shape() : b.pickStretching(type.shape);
  if (b.random.chance(25)) {
    // Two dtypes, then rounded to this one.
    (b.random.chance(50) ? x : y).dtype = b.random.chance(50) ? b.pickFloat() : b.pickInteger();
    text += cast(type);
  }
  ExprRef left = b.make(x, depth - 1, kRounded);
  return makeExpr(type, text, {left, b.make(y, depth - 1, kRounded)}, {}, kRounded);
}

ExprRef makeProduct(Builder &b, const ValueType &type, int depth, Traits need) {
  if (need.raw || need.noProduct)
    return nullptr;
  ExprRef x = b.make(type, depth - 1), y = b.make(type, depth - 1);
  return makeGuarded(type, "($0 * $1)", "(finite($0) * finite($1))", {x, y}, kProduct);
}

ExprRef makeLiteral(Builder &b, const ValueType &type, int depth, Traits need) {
  static const char *const kSums[] = {"($0 + 1)", "(0.5 - $0)", "($0 - 3.25)", "(1.0 + $0)"};
  static const char *const kProducts[] = {"($0 * 2)", "($0 * 0.1)", "(-3.0 * $0)", "($0 * $0)"};
  if (need.raw)
    return nullptr;
  if (!need.noProduct && b.random.chance(40))
    return makeExpr(type, b.random.pick(kProducts), {b.make(type, depth - 1)}, {}, kProduct);
  return makeExpr(type, b.random.pick(kSums), {b.make(type, depth - 1, kRounded)}, {}, kRounded);
}

/// Exact operations of one operand.
ExprRef makeUnary(Builder &b, const ValueType &type, int depth, Traits need) {
  if (need.raw)
    return nullptr;
  ExprRef x = b.make(type, depth - 1, {need.noProduct, false});
  Traits has{x->has.noProduct, false};
  if (type.dtype.getBits() >= 32 && b.random.chance(40))
    return makeExpr(type, b.random.chance(50) ? "tl.floor($0)" : "tl.ceil($0)", {x}, {}, has);
  return makeExpr(type, b.random.chance(50) ? "(-$0)" : "tl.abs($0)", {x}, {}, has);
}

ExprRef makeExtremum(Builder &b, const ValueType &type, int depth, Traits need) {
  static const char *const kForms[] = {"tl.maximum($0, $1)", "tl.minimum($0, $1)",
                                       "tl.maximum($0, $1, propagate_nan=tl.PropagateNan.ALL)",
                                       "tl.minimum($0, $1, propagate_nan=tl.PropagateNan.ALL)",
                                       "max($0, $1)"};
  if (need.raw)
    return nullptr;
  Traits operands{need.noProduct, false};
  ExprRef x = b.make(type, depth - 1, operands);
  if (b.random.chance(20))
    return makeExpr(type, "tl.clamp($0, -2.0, 8.0)" + cast(type), {x}, {},
                    {x->has.noProduct, false});
  ExprRef y = b.make(type, depth - 1, operands);
  return makeExpr(type, b.random.pick(kForms) + cast(type), {x, y}, {},
                  {x->has.noProduct && y->has.noProduct, false});
}

/// Correctly rounded operations.
ExprRef makeRounded(Builder &b, const ValueType &type, int depth, Traits need) {
  if (need.raw)
    return nullptr;
  ExprRef x = b.make(type, depth - 1, kRounded);
  switch (b.random.below(type.dtype == dtype(Scalar::F32) ? 5 : 2)) {
  case 0: {
    ExprRef y = b.make(type, depth - 1, kRounded), z = b.make(type, depth - 1, kRounded);
    return makeGuarded(type, "tl.fma($0, $1, $2)", "tl.fma(finite($0), finite($1), $2)", {x, y, z},
                       kRounded);
  }
  case 1:
    return makeGuarded(type, "tl.fdiv($0, $1, ieee_rounding=True)",
                       "tl.fdiv($0, nonzero($1), ieee_rounding=True)",
                       {x, b.make(type, depth - 1, kRounded)}, kRounded);
  case 2:
    return makeGuarded(type, "tl.div_rn($0, $1)", "tl.div_rn($0, nonzero($1))",
                       {x, b.make(type, depth - 1, kRounded)}, kRounded);
  case 3:
    return makeExpr(type, "tl.sqrt_rn($0)", {x}, {}, kRounded);
  default:
    if (type.shape.empty())
      return nullptr;
    return makeExpr(
        type, "(tl.where(tl.abs($0) < 500, $0, 7.5) % tl.where(($1 > 0.5) & ($1 < 9), $1, 2.0))",
        {x, b.make(type, depth - 1, kRounded)}, {}, kRounded);
  }
}

ExprRef makeCast(Builder &b, const ValueType &type, int depth, Traits need) {
  DType from = b.pickDtype();
  if (from == type.dtype)
    return nullptr;
  if (!from.isFloat()) // Neither NaN nor -0.
    return makeExpr(type, "$0" + cast(type), {b.make({from, type.shape}, depth - 1)}, {},
                    {true, true});
  if (need.raw)
    return nullptr;
  ExprRef x = b.make({from, type.shape}, depth - 1, {need.noProduct, false});
  bool narrows = type.dtype.getBits() < from.getBits() && !from.isFp8();
  std::string rounding = narrows && b.random.chance(25) ? ", fp_downcast_rounding=\"rtz\"" : "";
  return makeExpr(type, "$0.to(" + spell(type.dtype) + rounding + ")", {x}, {},
                  {x->has.noProduct, false});
}

ExprRef makeBitcast(Builder &b, const ValueType &type, int depth, Traits) {
  std::vector<DType> from;
  for (DType candidate : b.dtypes)
    if (candidate.getBits() == type.dtype.getBits() && candidate.isInt() && !candidate.isBool())
      from.push_back(candidate);
  if (from.empty())
    return nullptr;
  ExprRef x = b.make({b.random.pick(from), type.shape}, depth - 1);
  return makeExpr(type, "$0.to(" + spell(type.dtype) + ", bitcast=True)", {x}, {}, {true, true});
}

/// Functions by their accurate names.
ExprRef makeNamed(Builder &b, const ValueType &type, int depth, Traits need) {
  static const char *const kUnary[] = {"trunc", "rint", "nearbyint", "round"};
  static const char *const kBinary[] = {"add_rn", "sub_rn", "mul_rn",
                                        "div_rn", "fdim",   "nextafter"};
  if (need.raw || type.dtype.getBits() < 32)
    return nullptr;
  ExprRef x = b.make(type, depth - 1, kRounded);
  if (type.dtype == dtype(Scalar::F32) && b.random.chance(10))
    return makeExpr(type, "libdevice.saturatef($0)", {x}, {}, kRounded);
  if (b.random.chance(35))
    return makeExpr(type, "libdevice." + std::string(b.random.pick(kUnary)) + "($0)", {x}, {},
                    kRounded);
  std::string function = b.random.pick(kBinary), guarded;
  if (function == "mul_rn")
    guarded = "libdevice.mul_rn(finite($0), finite($1))";
  if (function == "div_rn")
    guarded = "libdevice.div_rn($0, nonzero($1))";
  return makeGuarded(type, "libdevice." + function + "($0, $1)", guarded,
                     {x, b.make(type, depth - 1, kRounded)}, kRounded);
}

/// Uniform numbers: a conversion and a product.
ExprRef makeRandom(Builder &b, const ValueType &type, int depth, Traits need) {
  if (need.raw || need.noProduct || type.dtype != dtype(Scalar::F32))
    return nullptr;
  ExprRef x = b.make({dtype(Scalar::Int32), type.shape}, depth - 1);
  return makeExpr(type, b.random.chance(50) ? "tl.rand(11, $0)" : "tl.rand4x(11, $0)[1]", {x}, {},
                  kProduct);
}

/// Whole numbers so small that each partial sum of them is exact.
ExprRef makeWhole(Builder &b, DType of, const Shape &shape, int depth) {
  ExprRef x = b.make({b.pickInteger(), shape}, depth - 1);
  std::string mask = of == dtype(Scalar::BF16) ? "1" : "3";
  std::string step = of.isFp8() ? ".to(tl.float32)" : "";
  return makeExpr({of, shape}, "($0 & " + mask + ")" + step + ".to(" + spell(of) + ")", {x});
}

ExprRef makeReduction(Builder &b, const ValueType &type, int depth, Traits need) {
  static const char *const kExtrema[] = {"tl.max($0, axis=", "tl.min($0, axis="};
  if (need.raw || type.shape.size() >= 3 || b.inRegion)
    return nullptr;
  size_t axis = b.random.below(type.shape.size() + 1);
  Shape shape = b.insertDim(type.shape, axis);
  std::string place = std::to_string(axis) + ")" + cast(type);
  if (b.random.chance(50)) {
    ExprRef x = b.make({type.dtype, shape}, depth - 1, {need.noProduct, false});
    return makeExpr(type, b.random.pick(kExtrema) + place, {x}, {}, {x->has.noProduct, false});
  }
  if (type.dtype == dtype(Scalar::BF16) && b.getSize(shape[axis]) > 128)
    return nullptr;
  return makeExpr(type, "tl.sum($0, axis=" + place, {makeWhole(b, type.dtype, shape, depth)}, {},
                  kRounded);
}

ExprRef makeScan(Builder &b, const ValueType &type, int depth, Traits need) {
  if (need.raw || type.shape.empty())
    return nullptr;
  std::string axis = std::to_string(b.random.below(type.shape.size()));
  if (b.random.chance(40)) {
    ExprRef x = b.make(type, depth - 1, {need.noProduct, false});
    return makeExpr(type, "tl.associative_scan($0, " + axis + ", comb_max)" + cast(type), {x}, {},
                    {x->has.noProduct, false});
  }
  if (type.dtype == dtype(Scalar::BF16) && b.getSize(getNumElements(type.shape)) > 128)
    return nullptr;
  return makeExpr(type,
                  "tl.cumsum($0, axis=" + axis + (b.random.chance(30) ? ", reverse=True)" : ")") +
                      cast(type),
                  {makeWhole(b, type.dtype, type.shape, depth)}, {}, kRounded);
}

ExprRef makeSort(Builder &b, const ValueType &type, int depth, Traits) {
  if (type.shape.empty() || !b.isPowerOfTwo(type.shape.back()))
    return nullptr;
  // Of integers: a NaN has no place in an order.
  bool isTop = b.random.chance(30);
  Shape from = type.shape;
  if (isTop)
    ++from.back().twos;
  if (!b.isSmall(from))
    return nullptr;
  ExprRef x = b.make({b.pickInteger(), from}, depth - 1);
  if (isTop)
    return makeExpr(type, "tl.topk(($0 & 127)" + cast(type) + ", #0)", {x}, {type.shape.back()});
  return makeExpr(type, "tl.sort(($0 & 127)" + cast(type) + ")", {x});
}

/// A product of 8-bit floats with scales of 1 and 2 for each 32 of them.
ExprRef makeScaledDot(Builder &b, const ValueType &type, int depth) {
  static const std::pair<Scalar, const char *> kFormats[] = {{Scalar::F8E4NV, "e4m3"},
                                                             {Scalar::F8E5, "e5m2"}};
  auto [left, leftName] = b.random.pick(kFormats);
  auto [right, rightName] = b.random.pick(kFormats);
  const Shape &s = type.shape;
  Dim k{{}, 5};
  if (!b.isSmall({s[0], k}) || !b.isSmall({k, s[1]}))
    return nullptr;
  auto makeScale = [&](const Dim &rows) {
    DType i32 = dtype(Scalar::Int32);
    return makeExpr({i32, {rows, Dim()}}, "(($0 & 1) + 127).to(tl.uint8)",
                    {b.make({i32, {rows, Dim()}}, depth - 1)});
  };
  std::vector<ExprRef> args{makeWhole(b, dtype(left), {s[0], k}, depth),
                            makeWhole(b, dtype(right), {k, s[1]}, depth), makeScale(s[0])};
  std::string scale = "None";
  if (b.random.chance(60)) {
    args.push_back(makeScale(s[1]));
    scale = "$3";
  }
  return makeExpr(type,
                  "tl.dot_scaled($0, $2, \"" + std::string(leftName) + "\", $1, " + scale + ", \"" +
                      rightName + "\")" + cast(type),
                  args, {}, kProduct);
}

/// Products of small whole numbers, exact in every precision.
ExprRef makeDot(Builder &b, const ValueType &type, int depth, Traits need) {
  static const Scalar kOperands[] = {Scalar::F16, Scalar::F16, Scalar::BF16,
                                     Scalar::F32, Scalar::F64, Scalar::F8E5};
  static const char *const kPrecisions[] = {"ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"};
  const Shape &s = type.shape;
  if (need.raw || need.noProduct || s.size() < 2)
    return nullptr;
  if (s.size() == 2 && b.random.chance(15))
    return makeScaledDot(b, type, depth);
  DType of = dtype(b.random.pick(kOperands));
  Dim k{{}, of.isFp8() ? 5 : 4};
  Shape left = s, right = s;
  left[s.size() - 1] = k;
  right[s.size() - 2] = k;
  if (!b.isSmall(left) || !b.isSmall(right))
    return nullptr;
  std::vector<ExprRef> args{makeWhole(b, of, left, depth), makeWhole(b, of, right, depth)};
  std::string options;
  if (of == dtype(Scalar::F32))
    options = ", input_precision=\"" + std::string(b.random.pick(kPrecisions)) + "\"";
  DType sum = dtype(of == dtype(Scalar::F64) ? Scalar::F64 : Scalar::F32);
  if (of == dtype(Scalar::F16) && b.random.chance(20)) {
    options = ", out_dtype=tl.float16";
  } else if (b.random.chance(35)) {
    args.push_back(makeWhole(b, sum, s, depth));
    options += ", acc=$2";
  }
  return makeExpr(type, "tl.dot($0, $1" + options + ")" + cast(type), args, {}, kProduct);
}

ExprRef makeFp8Cast(Builder &b, const ValueType &type, int depth, Traits need) {
  if (need.raw)
    return nullptr;
  ExprRef x = b.make({b.pickFloat(), type.shape}, depth - 1, {need.noProduct, false});
  // A format without NaN shows the sign of one.
  bool showsSign = type.dtype == dtype(Scalar::F8E4B15);
  return makeExpr(type, (showsSign ? "number($0)" : "$0") + cast(type), {x}, {},
                  {x->has.noProduct, false});
}

} // namespace

const Operations &property::getFloatOperations() {
  static const Operations operations = {
      {"sum", 20, makeSum},    {"product", 12, makeProduct},  {"literal", 10, makeLiteral},
      {"unary", 8, makeUnary}, {"extremum", 8, makeExtremum}, {"rounded", 10, makeRounded},
      {"cast", 14, makeCast},  {"bitcast", 6, makeBitcast},   {"reduction", 10, makeReduction},
      {"scan", 5, makeScan},   {"sort", 3, makeSort},         {"dot", 4, makeDot},
      {"named", 5, makeNamed}, {"random", 2, makeRandom},
  };
  return operations;
}

const Operations &property::getFp8Operations() {
  static const Operations operations = {
      {"cast", 20, makeFp8Cast},
      {"bitcast", 10, makeBitcast},
  };
  return operations;
}
