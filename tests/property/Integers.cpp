// Operations that make integers and bools.
#include "tests/property/Builder.h"

using namespace tilerun;
using namespace tilerun::property;

namespace {

std::string cast(const ValueType &type) { return ".to(" + spell(type.dtype) + ")"; }

ValueType withDtype(const ValueType &type, DType dtype) { return {dtype, type.shape}; }

/// Two operands, of which one may stretch to the result.
std::array<ExprRef, 2> makePair(Builder &b, ValueType x, ValueType y, int depth,
                                Traits need = {false, false}) {
  if (!x.shape.empty() && b.random.chance(35)) {
    Shape small = b.random.chance(25) ? Shape() : b.pickStretching(x.shape);
    (b.random.chance(50) ? x : y).shape = small;
  }
  ExprRef left = b.make(x, depth - 1, need);
  return {left, b.make(y, depth - 1, need)};
}

ExprRef makeArithmetic(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kOperators[] = {"+", "-", "*", "&", "|", "^"};
  std::string text = "($0 " + std::string(b.random.pick(kOperators)) + " $1)";
  if (b.random.chance(30)) {
    // Two dtypes; what they promote to is cut or widened.
    auto [x, y] =
        makePair(b, withDtype(type, b.pickInteger()), withDtype(type, b.pickInteger()), depth);
    return makeExpr(type, text + cast(type), {x, y});
  }
  auto [x, y] = makePair(b, type, type, depth);
  return makeExpr(type, text, {x, y});
}

ExprRef makeLiteral(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kForms[] = {
      "($0 + 1)", "($0 * 3)",  "(5 - $0)",  "($0 & 15)", "($0 | 1)",     "($0 ^ 85)", "($0 // 3)",
      "($0 % 5)", "($0 << 1)", "($0 >> 2)", "(~$0)",     "($0 * 2 + 1)", "($0 % 8)",  "($0 // 4)"};
  ExprRef x = b.make(type, depth - 1);
  if (type.dtype.isSigned() && b.random.chance(15))
    return makeExpr(type, b.random.chance(50) ? "(-$0)" : "($0 * -1)", {x});
  return makeExpr(type, b.random.pick(kForms), {x});
}

ExprRef makeShift(Builder &b, const ValueType &type, int depth, Traits) {
  auto [x, y] = makePair(b, type, type, depth);
  std::string bits = std::to_string(type.dtype.getBits() - 1);
  return makeExpr(type,
                  "($0 " + std::string(b.random.chance(50) ? "<<" : ">>") + " ($1 & " + bits + "))",
                  {x, y});
}

ExprRef makeDivision(Builder &b, const ValueType &type, int depth, Traits) {
  auto [x, y] = makePair(b, type, type, depth);
  if (b.random.chance(15))
    return makeExpr(type, "tl.cdiv($0, ($1 & 7) + 1)", {x, y});
  // No divisor is 0, and none is -1.
  std::string divisor =
      type.dtype.isSigned() && b.random.chance(40) ? "(-2 - ($1 & 7))" : "(($1 & 15) + 1)";
  return makeExpr(
      type, "($0 " + std::string(b.random.chance(50) ? "//" : "%") + " " + divisor + ")", {x, y});
}

ExprRef makeExtremum(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kForms[] = {"tl.maximum($0, $1)", "tl.minimum($0, $1)", "max($0, $1)",
                                       "min($0, $1)"};
  auto [x, y] = makePair(b, type, type, depth);
  return makeExpr(type, b.random.pick(kForms), {x, y});
}

ExprRef makeAbs(Builder &b, const ValueType &type, int depth, Traits) {
  return makeExpr(type, b.random.chance(50) ? "tl.abs($0)" : "abs($0)", {b.make(type, depth - 1)});
}

ExprRef makeHigh(Builder &b, const ValueType &type, int depth, Traits) {
  if (type.dtype.getBits() < 32)
    return nullptr;
  ExprRef x = b.make(type, depth - 1), y = b.make(type, depth - 1);
  return makeExpr(type, "tl.umulhi($0, $1)", {x, y});
}

ExprRef makeCast(Builder &b, const ValueType &type, int depth, Traits) {
  DType from = b.random.chance(20) ? dtype(Scalar::Int1) : b.pickDtype();
  if (from == type.dtype || from.isFp8())
    return nullptr;
  ExprRef x = b.make(withDtype(type, from), depth - 1);
  if (!from.isFloat())
    return makeExpr(type, "$0" + cast(type), {x});
  if (type.shape.empty())
    return nullptr;
  // Inside of every integer's range.
  std::string inside = type.dtype.isSigned() ? "tl.abs($0) < 100" : "($0 >= 0) & ($0 < 100)";
  return makeExpr(type, "tl.where(" + inside + ", $0, 3)" + cast(type), {x});
}

ExprRef makeBitcast(Builder &b, const ValueType &type, int depth, Traits) {
  std::vector<DType> from;
  for (DType candidate : b.dtypes)
    if (candidate.getBits() == type.dtype.getBits() && !(candidate == type.dtype))
      from.push_back(candidate);
  if (from.empty())
    return nullptr;
  ExprRef x = b.make(withDtype(type, b.random.pick(from)), depth - 1, {false, true});
  return makeExpr(type, "$0.to(" + spell(type.dtype) + ", bitcast=True)", {x});
}

/// A reduction along an axis that the result lacks, or has with size 1.
ExprRef makeReduction(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kSums[] = {"tl.sum($0, axis=A)",
                                      "tl.xor_sum($0, axis=A)",
                                      "tl.max($0, axis=A)",
                                      "tl.min($0, axis=A)",
                                      "tl.reduce($0, A, comb_add)",
                                      "tl.reduce($0, A, comb_xor)",
                                      "tl.reduce($0, A, comb_max)",
                                      "tl.argmax($0, axis=A)",
                                      "tl.argmin($0, axis=A)",
                                      "tl.max($0, axis=A, return_indices=True)[1]",
                                      "tl.reduce_or($0, axis=A)",
                                      "tl.reduce($0, A, comb_branch)",
                                      "tl.reduce(($0, $1), A, comb_pair)[0]",
                                      "tl.reduce(($0, $1), A, comb_bounds)[1]",
                                      "tl.reduce(($0, $1), A, comb_count)[0]",
                                      "tl.reduce(($0, tl.zeros_like($0) + 1), A, comb_count)[1]",
                                      "tl.reduce(($0, $1), A, comb_segments)[0]",
                                      "tl.reduce(($0, $1), A, comb_linear)[1]",
                                      "tl.reduce(($0, $1, $0), A, comb_three)[1]",
                                      "tl.reduce(($0, $0, $1, $1), A, comb_matrix)[2]"};
  Shape shape = type.shape;
  size_t axis = b.random.below(shape.size() + 1);
  std::string text = b.random.pick(kSums);
  if (shape.size() >= 3 || b.inRegion)
    return nullptr;
  if (axis < shape.size() && shape[axis].isOne() && text.find("tl.sum") == 0) {
    shape[axis] = b.pickDim();
    text = "tl.sum($0, axis=A, keep_dims=True)";
  } else {
    shape = b.insertDim(shape, axis);
  }
  if (!b.isSmall(shape))
    return nullptr;
  text.replace(text.find('A'), 1, std::to_string(axis));
  if (shape.size() == 1 && text == "tl.sum($0, axis=0)" && b.random.chance(50))
    text = "tl.sum($0)";
  DType from = b.random.chance(70) ? type.dtype : b.pickInteger();
  std::vector<ExprRef> args{b.make({from, shape}, depth - 1)};
  if (text.find("$1") != std::string::npos) {
    bool isOne = text.find("comb_pair") == std::string::npos;
    args.push_back(b.make({isOne ? from : b.pickInteger(), shape}, depth - 1));
  }
  return makeExpr(type, text + cast(type), args);
}

ExprRef makeScan(Builder &b, const ValueType &type, int depth, Traits) {
  if (type.shape.empty())
    return nullptr;
  static const char *const kScans[] = {"tl.cumsum($0, axis=A",
                                       "tl.cumprod($0, axis=A",
                                       "tl.associative_scan($0, A, comb_xor",
                                       "tl.associative_scan($0, A, comb_max",
                                       "tl.associative_scan(($0, $1), A, comb_linear",
                                       "tl.associative_scan($0, A, comb_branch",
                                       "tl.associative_scan(($1, $0), A, comb_segments",
                                       "tl.associative_scan(($1, $0), A, comb_count",
                                       "tl.associative_scan(($1, $0, $1), A, comb_three",
                                       "tl.associative_scan(($0, $0, $1, $1), A, comb_matrix"};
  std::string text = b.random.pick(kScans);
  text.replace(text.find('A'), 1, std::to_string(b.random.below(type.shape.size())));
  text += b.random.chance(30) ? ", reverse=True)" : ")";
  std::vector<ExprRef> args{b.make(type, depth - 1)};
  if (text.find("$1") != std::string::npos) {
    args.push_back(b.make(type, depth - 1));
    text += "[1]";
  }
  return makeExpr(type, text + cast(type), args);
}

ExprRef makeSort(Builder &b, const ValueType &type, int depth, Traits) {
  if (type.shape.empty() || !b.isPowerOfTwo(type.shape.back())) // Sorting takes no other.
    return nullptr;
  const Shape &s = type.shape;
  if (b.random.chance(30)) { // The largest of a longer line.
    Shape from = s;
    from.back().twos += 1 + static_cast<int>(b.random.below(2));
    if (!b.isSmall(from))
      return nullptr;
    return makeExpr(type, "tl.topk($0, #0)", {b.make({type.dtype, from}, depth - 1)}, {s.back()});
  }
  if (s.back().twos > 0 && b.random.chance(30)) { // Up, then down.
    Shape half = s;
    --half.back().twos;
    ExprRef x = b.make({type.dtype, half}, depth - 1), y = b.make({type.dtype, half}, depth - 1);
    return makeExpr(type,
                    "tl.bitonic_merge(tl.cat(tl.sort($0), tl.sort($1, descending=True), dim=" +
                        std::to_string(s.size() - 1) + ")" +
                        (b.random.chance(50) ? ", descending=True)" : ")"),
                    {x, y});
  }
  return makeExpr(type, b.random.chance(50) ? "tl.sort($0)" : "tl.sort($0, descending=True)",
                  {b.make(type, depth - 1)});
}

ExprRef makeHistogram(Builder &b, const ValueType &type, int depth, Traits) {
  if (type.shape.size() != 1 || b.getSize(type.shape[0]) < 2)
    return nullptr;
  Shape from{b.pickDim()};
  ExprRef x = b.make({b.pickInteger(), from}, depth - 1);
  std::vector<ExprRef> args{x};
  std::string mask;
  if (b.random.chance(40)) {
    args.push_back(b.makeMask(from, depth - 1));
    mask = ", mask=$1";
  }
  // 64 fits every dtype; bins from there on stay empty.
  return makeExpr(
      type,
      std::string("tl.histogram(") +
          (b.kernel.hasOddSizes() ? "($0 & 63) % min(#0, 64)" : "$0 & min(#0 - 1, 63)") + ", #0" +
          mask + ")" + cast(type),
      args, {type.shape[0]});
}

ExprRef makeDot(Builder &b, const ValueType &type, int depth, Traits) {
  const Shape &s = type.shape;
  if (s.size() < 2 || type.dtype.getBits() < 32)
    return nullptr;
  Dim k{{}, 5};
  Shape left = s, right = s;
  left[s.size() - 1] = k;
  right[s.size() - 2] = k;
  if (!b.isSmall(left) || !b.isSmall(right))
    return nullptr;
  DType i8 = dtype(Scalar::Int8);
  std::vector<ExprRef> args{b.make({i8, left}, depth - 1), b.make({i8, right}, depth - 1)};
  if (!b.random.chance(35))
    return makeExpr(type, "tl.dot($0, $1)" + cast(type), args);
  args.push_back(b.make({dtype(Scalar::Int32), s}, depth - 1));
  return makeExpr(type, "tl.dot($0, $1, acc=$2)" + cast(type), args);
}

ExprRef makeRandom(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kForms[] = {"tl.randint(7, $0)", "tl.randint4x(7, $0)[2]",
                                       "tl.philox(12345678901, $0, $0, 0, 1)[3]"};
  ExprRef x = b.make(withDtype(type, dtype(Scalar::Int32)), depth - 1);
  std::string text = b.random.pick(kForms);
  if (text.find("philox") != std::string::npos && x->format.size() > 4)
    text = "tl.randint(7, $0, n_rounds=6)";
  return makeExpr(type, text + cast(type), {x});
}

/// Functions of bits.
ExprRef makeBits(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kAny[] = {"libdevice.popc($0)", "libdevice.clz($0)", "libdevice.ffs($0)",
                                     "libdevice.brev($0)", "libdevice.mulhi($0, $1)"};
  static const char *const kWords[] = {"libdevice.hadd($0, $1)", "libdevice.rhadd($0, $1)",
                                       "libdevice.mul24($0, $1)"};
  if (type.dtype.getBits() < 32)
    return nullptr;
  std::string text = b.random.pick(kAny);
  if (type.dtype.getBits() == 32 && b.random.chance(40))
    text = b.random.pick(kWords);
  std::vector<ExprRef> args{b.make(type, depth - 1)};
  if (text.find("$1") != std::string::npos)
    args.push_back(b.make(type, depth - 1));
  return makeExpr(type, text + cast(type), args);
}

/// What kind of number a float is, or its bits.
ExprRef makeKind(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kForms[] = {"libdevice.isnan($0)", "libdevice.isinf($0)",
                                       "libdevice.finitef($0)"};
  ExprRef x = b.make(withDtype(type, dtype(Scalar::F32)), depth - 1);
  return makeExpr(type, b.random.pick(kForms) + cast(type), {x});
}

ExprRef makeComparison(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kOperators[] = {"<", "<=", ">", ">=", "==", "!="};
  DType of = b.pickDtype();
  if (of.isFp8() || of.isBool())
    of = dtype(Scalar::Int32);
  const char *sign = b.random.pick(kOperators);
  if (b.random.chance(35))
    return makeExpr(type,
                    "($0 " + std::string(sign) + " " + std::to_string(b.random.below(9)) + ")",
                    {b.make(withDtype(type, of), depth - 1)});
  auto [x, y] = makePair(b, withDtype(type, of), withDtype(type, of), depth);
  return makeExpr(type, "($0 " + std::string(sign) + " $1)", {x, y});
}

ExprRef makeLogic(Builder &b, const ValueType &type, int depth, Traits) {
  static const char *const kOperators[] = {"&", "|", "^", "==", "!="};
  if (b.random.chance(20))
    return makeExpr(type, "(~$0)", {b.make(type, depth - 1)});
  if (b.random.chance(15)) {
    ExprRef x = b.make(withDtype(type, dtype(Scalar::Int32)), depth - 1);
    return makeExpr(type, b.random.chance(50) ? "(-3 <= $0 < 20)" : "(50 > $0 >= 2)", {x});
  }
  if (type.shape.empty() && b.random.chance(50)) {
    ExprRef x = b.make(type, depth - 1), y = b.make(type, depth - 1);
    return makeExpr(type, b.random.chance(50) ? "($0 and $1)" : "($0 or not $1)", {x, y});
  }
  auto [x, y] = makePair(b, type, type, depth);
  return makeExpr(type, "($0 " + std::string(b.random.pick(kOperators)) + " $1)", {x, y});
}

ExprRef makeTruth(Builder &b, const ValueType &type, int depth, Traits) {
  DType from = b.pickDtype();
  if (from.isFp8() || from.isBool())
    return nullptr;
  return makeExpr(type, "$0.to(tl.int1)", {b.make(withDtype(type, from), depth - 1)});
}

} // namespace

const Operations &property::getIntegerOperations() {
  static const Operations operations = {
      {"arithmetic", 25, makeArithmetic},
      {"literal", 12, makeLiteral},
      {"shift", 6, makeShift},
      {"division", 6, makeDivision},
      {"extremum", 5, makeExtremum},
      {"abs", 2, makeAbs},
      {"umulhi", 2, makeHigh},
      {"cast", 12, makeCast},
      {"bitcast", 6, makeBitcast},
      {"reduction", 12, makeReduction},
      {"scan", 7, makeScan},
      {"sort", 3, makeSort},
      {"histogram", 4, makeHistogram},
      {"dot", 3, makeDot},
      {"randint", 1, makeRandom},
      {"bits", 3, makeBits},
      {"kind", 1, makeKind},
  };
  return operations;
}

const Operations &property::getBoolOperations() {
  static const Operations operations = {
      {"comparison", 20, makeComparison},
      {"logic", 10, makeLogic},
      {"truth", 4, makeTruth},
  };
  return operations;
}
