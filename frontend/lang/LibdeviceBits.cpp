// Functions of libdevice on 32- and 64-bit integers and on the halves of float64.
#include "frontend/lang/Libdevice.h"

using namespace mlir;

namespace tilerun::lang {

namespace {

/// The first `count` operands as integers of one type of 32 bits (or of 64 if `wide`).
FailureOr<SmallVector<TensorValue>> getInts(Emitter &e, const Arguments &args, size_t count,
                                            bool wide = false) {
  FailureOr<DType> type = promoteAll(e, args, count);
  if (failed(type))
    return failure();
  if (!type->isInt() || (type->getBits() != 32 && !(wide && type->getBits() == 64)))
    return callError(e, args,
                     std::string("needs integers of 32 ") + (wide ? "or 64 " : "") +
                         "bits, but got " + type->str() + "; cast with .to(tl.int32)");
  return convertAll(e, args, count, *type);
}

/// Arithmetic on signless values of one type, as expressions.
struct Word {
  OpBuilder *b;
  Location loc;
  mlir::Value v;

  Word make(mlir::Value value) const { return {b, loc, value}; }
  Word constant(int64_t value) const {
    Type type = v.getType(), element = getElementTypeOrSelf(type);
    TypedAttr attribute = b->getIntegerAttr(
        element, APInt(64, uint64_t(value)).zextOrTrunc(element.getIntOrFloatBitWidth()));
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return make(arith::ConstantOp::create(*b, loc, attribute));
  }
  template <typename Op> Word apply(Word y) const { return make(Op::create(*b, loc, v, y.v)); }
  Word operator+(Word y) const { return apply<arith::AddIOp>(y); }
  Word operator-(Word y) const { return apply<arith::SubIOp>(y); }
  Word operator*(Word y) const { return apply<arith::MulIOp>(y); }
  Word operator&(Word y) const { return apply<arith::AndIOp>(y); }
  Word operator|(Word y) const { return apply<arith::OrIOp>(y); }
  Word operator^(Word y) const { return apply<arith::XOrIOp>(y); }
  Word operator<<(int64_t n) const { return apply<arith::ShLIOp>(constant(n)); }
  Word shiftRight(Word n, bool isSigned) const {
    return isSigned ? apply<arith::ShRSIOp>(n) : apply<arith::ShRUIOp>(n);
  }
  Word shiftRight(int64_t n, bool isSigned) const { return shiftRight(constant(n), isSigned); }
};

Word word(Emitter &e, const TensorValue &v) { return {&e.builder, e.loc(), v.value}; }

/// The mean of two, rounded down or up, without overflow.
template <bool Up> Result emitMean(Emitter &e, const Arguments &args) {
  auto in = getInts(e, args, 2);
  if (failed(in))
    return failure();
  TensorType type = (*in)[0].type;
  Word x = word(e, (*in)[0]), y = word(e, (*in)[1]);
  Word half = (x ^ y).shiftRight(1, type.dtype.isSigned());
  return Value(TensorValue{(Up ? (x | y) - half : (x & y) + half).v, type});
}

/// The product of the lower 24 bits.
Result emitMul24(Emitter &e, const Arguments &args) {
  auto in = getInts(e, args, 2);
  if (failed(in))
    return failure();
  TensorType type = (*in)[0].type;
  auto low = [&](const TensorValue &v) {
    return (word(e, v) << 8).shiftRight(8, type.dtype.isSigned());
  };
  return Value(TensorValue{(low((*in)[0]) * low((*in)[1])).v, type});
}

/// |x - y| + z.
Result emitSad(Emitter &e, const Arguments &args) {
  auto in = getInts(e, args, 3);
  if (failed(in))
    return failure();
  TensorValue x = (*in)[0], y = (*in)[1];
  Word larger = word(e, emitExtremum(e, true, false, x, y));
  Word smaller = word(e, emitExtremum(e, false, false, x, y));
  return Value(TensorValue{((larger - smaller) + word(e, (*in)[2])).v, x.type});
}

/// Bits in reverse: neighbours are swapped, then neighbouring pairs, and so on.
Result emitReverse(Emitter &e, const Arguments &args) {
  auto in = getInts(e, args, 1, /*wide=*/true);
  if (failed(in))
    return failure();
  Word x = word(e, (*in)[0]);
  const unsigned width = (*in)[0].type.dtype.getBits();
  for (unsigned distance = 1; distance < width; distance *= 2) {
    uint64_t mask = 0; // groups of `distance` ones and zeros
    for (unsigned i = 0; i < 64; i += 2 * distance)
      mask |= ((uint64_t(1) << distance) - 1) << i;
    Word lower = x.constant(int64_t(mask));
    x = ((x & lower) << distance) | (x.shiftRight(distance, false) & lower);
  }
  return Value(TensorValue{x.v, (*in)[0].type});
}

/// Bytes of (y, x) that the four lower digits of s choose.
Result emitBytePerm(Emitter &e, const Arguments &args) {
  auto in = getInts(e, args, 3);
  if (failed(in))
    return failure();
  TensorType type = (*in)[0].type;
  Word x = word(e, (*in)[0]), y = word(e, (*in)[1]), s = word(e, (*in)[2]);
  Word result = x.constant(0);
  for (int i = 0; i < 4; ++i) {
    Word digit = s.shiftRight(4 * i, false);
    Word bit = (digit & s.constant(3)) << 3;
    auto upper = arith::CmpIOp::create(e.builder, e.loc(), arith::CmpIPredicate::ne,
                                       (digit & s.constant(4)).v, s.constant(0).v);
    Word from = x.make(arith::SelectOp::create(e.builder, e.loc(), upper, y.v, x.v));
    result = result | ((from.shiftRight(bit, false) & x.constant(255)) << 8 * i);
  }
  return Value(TensorValue{result.v, type});
}

/// The upper or lower half of a float64's bits.
template <bool Upper> Result emitHalf(Emitter &e, const Arguments &args) {
  TensorOr v = getTensor(e, args, 0);
  if (failed(v))
    return failure();
  if (v->type.dtype != dtype(Scalar::F64))
    return argError(e, args, 0, "must be float64, but it is " + args[0].describe());
  TensorOr bits = cast(e, Value(*v), dtype(Scalar::Int64), /*bitcast=*/true);
  if (failed(bits))
    return failure();
  if (Upper)
    bits->value = word(e, *bits).shiftRight(32, true).v;
  return Value(convert(e, *bits, dtype(Scalar::Int32)));
}

Result emitJoinHalves(Emitter &e, const Arguments &args) {
  auto in = getInts(e, args, 2);
  if (failed(in))
    return failure();
  auto widened = [&](TensorValue v) {
    v.type.dtype = dtype(Scalar::UInt32); // the same bits, without a sign to extend
    return convert(e, v, dtype(Scalar::Int64));
  };
  TensorValue high = widened((*in)[0]), low = widened((*in)[1]);
  high.value = ((word(e, high) << 32) | word(e, low)).v;
  TensorOr joined = cast(e, Value(high), dtype(Scalar::F64), /*bitcast=*/true);
  if (failed(joined))
    return failure();
  return Value(*joined);
}

constexpr StringLiteral kOne{"arg0"}, kTwo{"arg0, arg1"}, kThree{"arg0, arg1, arg2"};

const Builtin kRows[] = {
    {"brev", kLibdevice, kOne, "Bits in reverse order.", emitReverse},
    {"byte_perm", kLibdevice, kThree, "Bytes of (y, x) that the four lower hex digits of z choose.",
     emitBytePerm},
    {"double2hiint", kLibdevice, kOne, "The upper half of a float64's bits, as int32.",
     emitHalf<true>},
    {"double2loint", kLibdevice, kOne, "The lower half of a float64's bits, as int32.",
     emitHalf<false>},
    {"hadd", kLibdevice, kTwo, "The mean of two integers, rounded down.", emitMean<false>},
    {"hiloint2double", kLibdevice, kTwo, "A float64 from the upper and lower half of its bits.",
     emitJoinHalves},
    {"mul24", kLibdevice, kTwo, "The product of the lower 24 bits of two integers.", emitMul24},
    {"rhadd", kLibdevice, kTwo, "The mean of two integers, rounded up.", emitMean<true>},
    {"sad", kLibdevice, kThree, "`|x - y| + z`.", emitSad},
};
} // namespace

void addBitLibdevice(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
