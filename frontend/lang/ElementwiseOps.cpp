// Elementwise functions of several operands: selection, extrema, arithmetic by name.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
std::string quotedName(const Arguments &args) { return displayName(*args.builtin); }

/// Computes in float32 what is typed as an 8-bit float, and rounds back.
template <typename F>
TensorValue viaFloat32(Emitter &e, DType type, ArrayRef<TensorValue> in, F f) {
  if (!type.isFp8()) {
    return f(in, type);
  }
  SmallVector<TensorValue> wide;
  for (const TensorValue &v : in)
    wide.push_back(convert(e, v, dtype(Scalar::F32)));
  return convert(e, f(wide, dtype(Scalar::F32)), type);
}

Result emitWhere(Emitter &e, const Arguments &args) {
  TensorOr condition = getTensor(e, args, 0);
  if (failed(condition))
    return failure();
  if (condition->type.dtype.isPointer())
    return argError(e, args, 0, "must be a condition, but it is " + args[0].describe());
  if (condition->type.dtype != dtype(Scalar::Int1) && args[0].is<TensorValue>())
    e.services.warning(e.range, "tl.where: 'condition' is " + args[0].describe() +
                                    ", not boolean, which a future Triton refuses; compare it "
                                    "with 0");
  TensorValue values[3];
  values[0] =
      condition->type.dtype.isFp8() ? convert(e, *condition, dtype(Scalar::F32)) : *condition;
  values[0] = convert(e, values[0], dtype(Scalar::Int1));
  auto *x = args[1].getIf<TensorValue>(), *y = args[2].getIf<TensorValue>();
  if (x && y && x->type.dtype.isPointer() && x->type.dtype == y->type.dtype) {
    values[1] = *x;
    values[2] = *y;
    if (failed(broadcastTogether(e, MutableArrayRef(values).drop_front())))
      return failure();
  } else {
    FailureOr<Operands> operands =
        bringTogether(e, Combine::Arithmetic, quotedName(args), args[1], args[2]);
    if (failed(operands))
      return failure();
    values[1] = operands->lhs;
    values[2] = operands->rhs;
  }
  // A scalar condition selects whole tensors.
  if (!values[0].type.isScalar() && failed(broadcastTogether(e, values)))
    return failure();
  TensorType type = values[1].type;
  type.dtype.isConst |= values[2].type.dtype.isConst;
  return Value(TensorValue{arith::SelectOp::create(e.builder, e.loc(), values[0].value,
                                                   values[1].value, values[2].value),
                           type});
}

/// The propagate_nan parameter: PropagateNan.NONE or PropagateNan.ALL.
FailureOr<bool> getPropagateNan(Emitter &e, const Arguments &args, size_t i) {
  FailureOr<int64_t> value = getInt(e, args, i);
  if (failed(value))
    return failure();
  if (*value != 0 && *value != 0xffff)
    return argError(e, args, i, "must be tl.PropagateNan.NONE or tl.PropagateNan.ALL");
  return *value != 0;
}
} // namespace

FailureOr<DType> promoteAll(Emitter &e, const Arguments &args, size_t count) {
  std::optional<DType> type;
  for (bool literals : {false, true})
    for (size_t i = 0; i < count; ++i) {
      std::optional<Operand> operand = getOperand(args[i]);
      if (!operand)
        return argError(e, args, i,
                        "must be a tensor or a number, but it is " + describeNonTensor(args[i]));
      if (operand->literal.has_value() != literals)
        continue;
      TypeOrError both = !type ? (operand->literal ? getLiteralType(*operand->literal)
                                                   : TypeOrError(operand->type))
                               : combine(Combine::Arithmetic, *type, *operand);
      if (!both)
        return argError(e, args, i, "does not fit: " + both.error);
      type = *both;
    }
  return *type;
}

FailureOr<SmallVector<TensorValue>> convertAll(Emitter &e, const Arguments &args, size_t count,
                                               DType type) {
  SmallVector<TensorValue> out;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Literal> literal = getLiteral(args[i]);
    out.push_back(literal ? makeConstant(e, type, *literal)
                          : convert(e, args[i].get<TensorValue>(), type));
  }
  if (failed(broadcastTogether(e, out)))
    return failure();
  return out;
}

TensorValue emitExtremum(Emitter &e, bool isMax, bool propagateNan, const TensorValue &lhs,
                         const TensorValue &rhs) {
  DType type = lhs.type.dtype;
  return viaFloat32(e, type, {lhs, rhs}, [&](ArrayRef<TensorValue> in, DType t) {
    OpBuilder &b = e.builder;
    Location loc = e.loc();
    mlir::Value l = in[0].value, r = in[1].value, out;
    if (t.isFloat()) {
      if (propagateNan)
        out = isMax ? arith::MaximumFOp::create(b, loc, l, r).getResult()
                    : arith::MinimumFOp::create(b, loc, l, r).getResult();
      else
        out = isMax ? arith::MaxNumFOp::create(b, loc, l, r).getResult()
                    : arith::MinNumFOp::create(b, loc, l, r).getResult();
    } else if (t.isSigned()) {
      out = isMax ? arith::MaxSIOp::create(b, loc, l, r).getResult()
                  : arith::MinSIOp::create(b, loc, l, r).getResult();
    } else {
      out = isMax ? arith::MaxUIOp::create(b, loc, l, r).getResult()
                  : arith::MinUIOp::create(b, loc, l, r).getResult();
    }
    return TensorValue{out, TensorType{t, in[0].type.shape}};
  });
}

Result extremum(Emitter &e, StringRef what, bool isMax, bool propagateNan, const Value &lhs,
                const Value &rhs) {
  FailureOr<Operands> operands = bringTogether(e, Combine::Extremum, what, lhs, rhs);
  if (failed(operands))
    return failure();
  return Value(emitExtremum(e, isMax, propagateNan, operands->lhs, operands->rhs));
}

namespace {
template <bool IsMax> Result emitMaxMin(Emitter &e, const Arguments &args) {
  FailureOr<bool> propagate = getPropagateNan(e, args, 2);
  if (failed(propagate))
    return failure();
  return extremum(e, quotedName(args), IsMax, *propagate, args[0], args[1]);
}

Result emitClamp(Emitter &e, const Arguments &args) {
  FailureOr<bool> propagate = getPropagateNan(e, args, 3);
  if (failed(propagate))
    return failure();
  // One type for all three, nothing weak.
  std::optional<DType> type;
  for (size_t i = 0; i < 3; ++i) {
    TensorOr v = getTensor(e, args, i);
    if (failed(v))
      return failure();
    TypeOrError both = combine(Combine::Extremum, type.value_or(v->type.dtype), v->type.dtype);
    if (!both)
      return argError(e, args, i, "does not fit: " + both.error);
    type = *both;
  }
  if (!type->isFloat())
    return callError(e, args,
                     "needs floats, but got " + type->str() +
                         "; use tl.minimum(tl.maximum(x, min), max) for integers");
  TensorValue in[3];
  for (size_t i = 0; i < 3; ++i) {
    TensorOr v = cast(e, args[i], *type);
    if (failed(v))
      return failure();
    in[i] = *v;
  }
  if (failed(broadcastTogether(e, in)))
    return failure();
  TensorValue raised = emitExtremum(e, true, *propagate, in[0], in[1]);
  return Value(emitExtremum(e, false, *propagate, raised, in[2]));
}

template <ast::BinaryOp Op> Result emitNamed(Emitter &e, const Arguments &args) {
  FailureOr<bool> sanitize = getBool(e, args, 2);
  if (failed(sanitize))
    return failure();
  auto isPointer = [](const Value &v) {
    auto *t = v.getIf<TensorValue>();
    return t && t->type.dtype.isPointer();
  };
  for (size_t i = 0; i < 2; ++i)
    if (!getOperand(args[i]))
      return argError(e, args, i,
                      "must be a tensor or a number, but it is " + describeNonTensor(args[i]));
  Value lhs = args[0];
  if (!lhs.isTensor() && !args[1].isTensor()) {
    TensorOr scalar = toTensor(e, lhs);
    if (failed(scalar))
      return failure();
    lhs = Value(*scalar);
  }
  Result out = binary(e, Op, lhs, args[1]);
  if (failed(out) || *sanitize || isPointer(*out))
    return out;
  // Wrapping is meant: no overflow check.
  if (Operation *op = out->get<TensorValue>().value.getDefiningOp()) {
    op->removeAttr(tile::TileDialect::kSignedAttr);
    op->removeAttr(tile::TileDialect::kUnsignedAttr);
  }
  return out;
}

Result emitFma(Emitter &e, const Arguments &args) {
  FailureOr<DType> type = promoteAll(e, args, 3);
  if (failed(type))
    return failure();
  if (!type->isFloat())
    return callError(e, args, "needs floats, but got " + type->str() + "; write x * y + z");
  auto in = convertAll(e, args, 3, *type);
  if (failed(in))
    return failure();
  return Value(viaFloat32(e, *type, *in, [&](ArrayRef<TensorValue> v, DType t) {
    return TensorValue{math::FmaOp::create(e.builder, e.loc(), v[0].value, v[1].value, v[2].value),
                       TensorType{t, v[0].type.shape}};
  }));
}

Result emitFdiv(Emitter &e, const Arguments &args) {
  FailureOr<bool> ieee = getBool(e, args, 2);
  if (failed(ieee))
    return failure();
  FailureOr<Operands> operands =
      bringTogether(e, Combine::FloatDivide, quotedName(args), args[0], args[1]);
  if (failed(operands))
    return failure();
  DType type = operands->lhs.type.dtype;
  return Value(
      viaFloat32(e, type, {operands->lhs, operands->rhs}, [&](ArrayRef<TensorValue> v, DType t) {
        auto flags = *ieee ? arith::FastMathFlags::none : fastFlags(t);
        return TensorValue{arith::DivFOp::create(e.builder, e.loc(), v[0].value, v[1].value, flags),
                           v[0].type};
      }));
}

Result emitDivRn(Emitter &e, const Arguments &args) {
  FailureOr<Operands> operands =
      bringTogether(e, Combine::Arithmetic, quotedName(args), args[0], args[1]);
  if (failed(operands))
    return failure();
  DType type = operands->lhs.type.dtype;
  if (type != dtype(Scalar::F32))
    return callError(e, args,
                     "needs float32, but got " + type.str() +
                         "; cast, or use libdevice.div_rn for float64");
  return fromTensor(
      arith::DivFOp::create(e.builder, e.loc(), operands->lhs.value, operands->rhs.value), type,
      operands->lhs.type.shape);
}

Result emitUmulhi(Emitter &e, const Arguments &args) {
  FailureOr<Operands> operands =
      bringTogether(e, Combine::Arithmetic, quotedName(args), args[0], args[1]);
  if (failed(operands))
    return failure();
  DType type = operands->lhs.type.dtype;
  if (!type.isInt() || type.getBits() < 32)
    return callError(e, args,
                     "needs integers of 32 or 64 bits, but got " + type.str() + "; cast them");
  auto product =
      arith::MulUIExtendedOp::create(e.builder, e.loc(), operands->lhs.value, operands->rhs.value);
  return fromTensor(product.getHigh(), type, operands->lhs.type.shape);
}

const Builtin kRows[] = {
    {"where", kTl, "condition, x, y",
     "`x` where `condition` holds, else `y`. Both are always evaluated.", emitWhere},
    {"maximum", kTl, "x, y, propagate_nan=0",
     "The larger of two, elementwise. A NaN loses to a number, unless `propagate_nan` is "
     "`tl.PropagateNan.ALL`.",
     emitMaxMin<true>},
    {"minimum", kTl, "x, y, propagate_nan=0",
     "The smaller of two, elementwise. A NaN loses to a number, unless `propagate_nan` is "
     "`tl.PropagateNan.ALL`.",
     emitMaxMin<false>},
    {"clamp", kTl, "x, min, max, propagate_nan=0", "Floats limited to [min, max].", emitClamp},
    {"add", kTl, "x, y, sanitize_overflow=True",
     "As `x + y`; without `sanitize_overflow`, debug mode does not check it.",
     emitNamed<ast::BinaryOp::Add>},
    {"sub", kTl, "x, y, sanitize_overflow=True",
     "As `x - y`; without `sanitize_overflow`, debug mode does not check it.",
     emitNamed<ast::BinaryOp::Sub>},
    {"mul", kTl, "x, y, sanitize_overflow=True",
     "As `x * y`; without `sanitize_overflow`, debug mode does not check it.",
     emitNamed<ast::BinaryOp::Mul>},
    {"fma", kTl, "x, y, z", "`x * y + z` with one rounding, for floats.", emitFma},
    {"fdiv", kTl, "x, y, ieee_rounding=False",
     "Float division of two values of one dtype; with `ieee_rounding` it is correctly rounded.",
     emitFdiv},
    {"div_rn", kTl, "x, y", "float32 division, correctly rounded.", emitDivRn},
    {"umulhi", kTl, "x, y",
     "The upper half of the unsigned product of two integers of 32 or 64 bits.", emitUmulhi},
};
} // namespace

void addElementwiseOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
