// Operators on run-time values: which ops they become, after both sides have one type and shape.
#include "frontend/lang/Emit.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
using ast::BinaryOp;
using ast::CompareOp;

Combine combineOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Div:
    return Combine::Divide;
  case BinaryOp::FloorDiv:
    return Combine::FloorDivide;
  case BinaryOp::Mod:
    return Combine::Modulo;
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return Combine::Shift;
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor:
    return Combine::Bitwise;
  default:
    return Combine::Arithmetic;
  }
}

bool isPointer(const Value &v) {
  auto *tensor = v.getIf<TensorValue>();
  return tensor && tensor->type.dtype.isPointer();
}

/// The parameter that a pointer has come from, for messages; empty if there is none.
std::string getParameterName(const Value &pointer) {
  mlir::Value value = pointer.get<TensorValue>().value;
  // Through offsets and changes of the shape; not through addresses as numbers.
  auto isPointerLike = [](mlir::Value v) {
    return isa<tile::PointerType>(getElementTypeOrSelf(v.getType()));
  };
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() == 0 || !isMemoryEffectFree(op) || !isPointerLike(op->getOperand(0)))
      return "";
    value = op->getOperand(0);
  }
  auto argument = llvm::cast<BlockArgument>(value);
  auto function = dyn_cast_if_present<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function || argument.getArgNumber() >= function.getNumArguments())
    return "";
  auto name =
      function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::TileDialect::kNameAttr);
  return name ? name.str() : "";
}

/// One operand in the type that an operation computes in.
TensorValue toOperand(Emitter &e, const Value &v, DType type, bool weak) {
  std::optional<Literal> literal = getLiteral(v);
  if (!literal)
    return convert(e, v.get<TensorValue>(), type);
  if (weak)
    return makeConstant(e, type, *literal);
  // Typed by itself first: -1 beside uint32 is an int32 that wraps.
  return *cast(e, v, type);
}

/// Pointer plus an integer, in elements.
Result addPointer(Emitter &e, BinaryOp op, const Value &pointer, const Value &offset) {
  auto base = pointer.get<TensorValue>();
  TensorValue steps;
  std::optional<Literal> literal = getLiteral(offset);
  bool negate = op == BinaryOp::Sub;
  if (literal && !std::holds_alternative<double>(*literal)) {
    PyInt value = std::holds_alternative<bool>(*literal) ? PyInt(std::get<bool>(*literal))
                                                         : std::get<PyInt>(*literal);
    value = negate ? -value : value;
    TypeOrError type = getLiteralType(Literal(value));
    if (!type || *type == dtype(Scalar::UInt64))
      return e.error("the pointer offset " + formatInt(value) + " does not fit in 64 signed bits");
    steps = makeConstant(e, (*type).isSigned() ? *type : dtype(Scalar::Int64), Literal(value));
  } else {
    auto *tensor = offset.getIf<TensorValue>();
    if (!tensor || !tensor->type.dtype.isInt())
      return e.error("a pointer takes an integer offset, but got " + offset.describe());
    steps = *tensor;
    DType type = steps.type.dtype;
    // The offset is read as signed; negation must not overflow either.
    if (type.isUnsigned() || negate)
      steps = convert(e, steps, dtype(Scalar::Int64));
    if (negate) {
      TensorValue zero = makeConstant(e, steps.type, Literal(PyInt(0)));
      steps.value = arith::SubIOp::create(e.builder, e.loc(), zero.value, steps.value);
    }
  }
  TensorValue both[] = {base, steps};
  if (failed(broadcastTogether(e, both)))
    return failure();
  return Value(TensorValue{tile::AddPtrOp::create(e.builder, e.loc(), both[0].value, both[1].value),
                           both[0].type});
}

Result pointerBinary(Emitter &e, BinaryOp op, const Value &lhs, const Value &rhs) {
  if (isPointer(lhs) && isPointer(rhs)) {
    if (op == BinaryOp::Sub)
      return e.error("cannot subtract pointers; cast both to tl.int64 and divide by the element "
                     "size");
    return e.error("cannot apply '" + ast::getSpelling(op) + "' to two pointers (" +
                   lhs.describe() + " and " + rhs.describe() + "); add an integer offset");
  }
  if (op == BinaryOp::Add)
    return isPointer(lhs) ? addPointer(e, op, lhs, rhs) : addPointer(e, op, rhs, lhs);
  if (op == BinaryOp::Sub && isPointer(lhs))
    return addPointer(e, op, lhs, rhs);
  return e.error("cannot apply '" + ast::getSpelling(op) + "' to " + lhs.describe() + " and " +
                 rhs.describe() + "; pointers only take + and - with an integer");
}

mlir::Value emitInt(Emitter &e, BinaryOp op, DType type, bool arithmeticShift, mlir::Value l,
                    mlir::Value r) {
  OpBuilder &b = e.builder;
  Location loc = e.loc();
  bool isSigned = type.isSigned();
  switch (op) {
  case BinaryOp::Add:
    return arith::AddIOp::create(b, loc, l, r);
  case BinaryOp::Sub:
    return arith::SubIOp::create(b, loc, l, r);
  case BinaryOp::Mul:
    return arith::MulIOp::create(b, loc, l, r);
  case BinaryOp::FloorDiv:
    return isSigned ? arith::DivSIOp::create(b, loc, l, r).getResult()
                    : arith::DivUIOp::create(b, loc, l, r).getResult();
  case BinaryOp::Mod:
    return isSigned ? arith::RemSIOp::create(b, loc, l, r).getResult()
                    : arith::RemUIOp::create(b, loc, l, r).getResult();
  case BinaryOp::Shl:
    return arith::ShLIOp::create(b, loc, l, r);
  case BinaryOp::Shr:
    return arithmeticShift ? arith::ShRSIOp::create(b, loc, l, r).getResult()
                           : arith::ShRUIOp::create(b, loc, l, r).getResult();
  case BinaryOp::And:
    return arith::AndIOp::create(b, loc, l, r);
  case BinaryOp::Or:
    return arith::OrIOp::create(b, loc, l, r);
  case BinaryOp::Xor:
    return arith::XOrIOp::create(b, loc, l, r);
  default:
    llvm_unreachable("not an integer operation");
  }
}

mlir::Value emitFloat(Emitter &e, BinaryOp op, DType type, mlir::Value l, mlir::Value r) {
  OpBuilder &b = e.builder;
  Location loc = e.loc();
  switch (op) {
  case BinaryOp::Add:
    return arith::AddFOp::create(b, loc, l, r);
  case BinaryOp::Sub:
    return arith::SubFOp::create(b, loc, l, r);
  case BinaryOp::Mul:
    return arith::MulFOp::create(b, loc, l, r);
  case BinaryOp::Div:
    return arith::DivFOp::create(b, loc, l, r, fastFlags(type));
  case BinaryOp::Mod:
    return arith::RemFOp::create(b, loc, l, r);
  default:
    llvm_unreachable("not a float operation");
  }
}

arith::CmpIPredicate intPredicate(CompareOp op, bool isSigned) {
  using P = arith::CmpIPredicate;
  switch (op) {
  case CompareOp::Eq:
    return P::eq;
  case CompareOp::Ne:
    return P::ne;
  case CompareOp::Lt:
    return isSigned ? P::slt : P::ult;
  case CompareOp::Le:
    return isSigned ? P::sle : P::ule;
  case CompareOp::Gt:
    return isSigned ? P::sgt : P::ugt;
  default:
    return isSigned ? P::sge : P::uge;
  }
}

arith::CmpFPredicate floatPredicate(CompareOp op) {
  using P = arith::CmpFPredicate;
  switch (op) {
  case CompareOp::Eq:
    return P::OEQ;
  case CompareOp::Ne:
    return P::UNE;
  case CompareOp::Lt:
    return P::OLT;
  case CompareOp::Le:
    return P::OLE;
  case CompareOp::Gt:
    return P::OGT;
  default:
    return P::OGE;
  }
}

void warnAboutShift(Emitter &e, const Value &amount, DType type) {
  auto *bits = amount.getIf<PyInt>();
  if (bits && (*bits < 0 || *bits >= PyInt(type.getBits())))
    e.services.warning(e.range, "shifting " + type.str() + " by " + formatInt(*bits) +
                                    " has no defined result; the amount must be 0 to " +
                                    Twine(type.getBits() - 1));
}
} // namespace

FailureOr<Operands> bringTogether(Emitter &e, Combine op, StringRef what, const Value &lhs,
                                  const Value &rhs) {
  std::optional<Operand> l = getOperand(lhs), r = getOperand(rhs);
  if (!l || !r)
    return e.error("cannot apply " + what + " to " + lhs.describe() + " and " + rhs.describe() +
                   "; it needs numbers or tensors");
  TypeOrError type = combine(op, *l, *r);
  if (!type)
    return e.error(what + ": " + type.error);
  bool weak = op != Combine::Compare && op != Combine::Extremum;
  TensorValue both[] = {toOperand(e, lhs, *type, weak), toOperand(e, rhs, *type, weak)};
  if (failed(broadcastTogether(e, both)))
    return failure();
  return Operands{both[0], both[1]};
}

Result binary(Emitter &e, BinaryOp op, const Value &lhs, const Value &rhs) {
  if (op == BinaryOp::Pow)
    return e.error("'**' is not defined on run-time values (" + lhs.describe() + " ** " +
                   rhs.describe() + "); multiply, or use tl.exp2 and tl.log2, or libdevice.pow");
  if (op == BinaryOp::MatMul)
    return e.error("'@' is not defined on tensors; use tl.dot");
  if (isPointer(lhs) || isPointer(rhs))
    return pointerBinary(e, op, lhs, rhs);

  std::string what = ("'" + ast::getSpelling(op) + "'").str();
  FailureOr<Operands> operands = bringTogether(e, combineOf(op), what, lhs, rhs);
  if (failed(operands))
    return failure();
  TensorType type = operands->lhs.type;
  mlir::Value l = operands->lhs.value, r = operands->rhs.value;
  if (type.dtype.isFp8()) {
    // No target computes in 8 bits: go through float32 and round back.
    DType wide = dtype(Scalar::F32);
    l = convert(e, operands->lhs, wide).value;
    r = convert(e, operands->rhs, wide).value;
    TensorValue out{emitFloat(e, op, wide, l, r), TensorType{wide, type.shape}};
    return Value(convert(e, out, type.dtype));
  }
  if (type.dtype.isFloat())
    return Value(TensorValue{emitFloat(e, op, type.dtype, l, r), type});

  // A right shift fills as the left operand says, which promotion may have changed.
  auto *left = lhs.getIf<TensorValue>();
  bool arithmeticShift = left ? left->type.dtype.isSigned() : type.dtype.isSigned();
  if (op == BinaryOp::Shl || op == BinaryOp::Shr)
    warnAboutShift(e, rhs, type.dtype);
  mlir::Value out = emitInt(e, op, type.dtype, arithmeticShift, l, r);
  if (op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul)
    markOverflow(e, out, type.dtype);
  return Value(TensorValue{out, type});
}

Result compare(Emitter &e, CompareOp op, const Value &lhs, const Value &rhs) {
  std::string what = ("'" + ast::getSpelling(op) + "'").str();
  if (op == CompareOp::Is || op == CompareOp::IsNot || op == CompareOp::In ||
      op == CompareOp::NotIn)
    return e.error(what + " is not defined on run-time values (" + lhs.describe() + " and " +
                   rhs.describe() + "); use == or !=");
  DType boolType = dtype(Scalar::Int1);
  if (isPointer(lhs) || isPointer(rhs)) {
    // Comparing addresses is hardly ever intended: a mask would be true of every element.
    std::string name = getParameterName(isPointer(rhs) ? rhs : lhs);
    return e.error("cannot compare " + lhs.describe() + " with " + rhs.describe() +
                   (name.empty()
                        ? "; a pointer is not a number: load what it points to, or compare "
                          "its address, p.to(tl.int64)"
                        : ": the parameter '" + name +
                              "' is a pointer here; pass a number for it (a tensor's only "
                              "element is tensor.item()), load what it points to, or "
                              "compare its address, " +
                              name + ".to(tl.int64)"));
  }
  FailureOr<Operands> operands = bringTogether(e, Combine::Compare, what, lhs, rhs);
  if (failed(operands))
    return failure();
  DType type = operands->lhs.type.dtype;
  if (type.isFp8()) {
    operands->lhs = convert(e, operands->lhs, dtype(Scalar::F32));
    operands->rhs = convert(e, operands->rhs, dtype(Scalar::F32));
  }
  mlir::Value l = operands->lhs.value, r = operands->rhs.value, out;
  if (type.isFloat())
    out = arith::CmpFOp::create(e.builder, e.loc(), floatPredicate(op), l, r);
  else
    out = arith::CmpIOp::create(e.builder, e.loc(), intPredicate(op, type.isSigned()), l, r);
  return fromTensor(out, boolType, operands->lhs.type.shape);
}

Result unary(Emitter &e, ast::UnaryOp op, const Value &operand) {
  if (op == ast::UnaryOp::Not) {
    const auto *block = operand.getIf<TensorValue>();
    if (block && !block->type.shape.empty() && !isPointer(operand)) {
      TensorValue truth = convert(e, *block, dtype(Scalar::Int1));
      TensorValue ones = makeConstant(e, truth.type, Literal(true));
      return fromTensor(arith::XOrIOp::create(e.builder, e.loc(), truth.value, ones.value),
                        truth.type.dtype, truth.type.shape);
    }
    FailureOr<mlir::Value> truth = condition(e, operand, "'not'");
    if (failed(truth))
      return failure();
    TensorValue one = makeConstant(e, dtype(Scalar::Int1), Literal(true));
    return fromTensor(arith::XOrIOp::create(e.builder, e.loc(), *truth, one.value),
                      dtype(Scalar::Int1), {});
  }
  std::string what = ("unary '" + ast::getSpelling(op) + "'").str();
  if (isPointer(operand))
    return e.error(what + " is not defined on pointers (" + operand.describe() + ")");
  TensorOr tensor = toTensor(e, operand);
  if (failed(tensor))
    return failure();
  const TensorValue &v = *tensor;
  DType type = v.type.dtype;
  switch (op) {
  case ast::UnaryOp::Plus:
    return Value(v);
  case ast::UnaryOp::Minus: {
    if (type.isFp8()) {
      TensorValue wide = convert(e, v, dtype(Scalar::F32));
      wide.value = arith::NegFOp::create(e.builder, e.loc(), wide.value);
      return Value(convert(e, wide, type));
    }
    if (type.isFloat())
      return fromTensor(arith::NegFOp::create(e.builder, e.loc(), v.value), type, v.type.shape);
    TensorValue zero = makeConstant(e, v.type, Literal(PyInt(0)));
    mlir::Value out = arith::SubIOp::create(e.builder, e.loc(), zero.value, v.value);
    // Negating an unsigned value wraps on purpose.
    if (type.isSigned())
      markOverflow(e, out, type);
    return fromTensor(out, type, v.type.shape);
  }
  default: {
    if (!type.isInt())
      return e.error(what + " needs integers, but got " + operand.describe());
    TensorValue ones = makeConstant(e, v.type, type.isBool() ? Literal(true) : Literal(PyInt(-1)));
    return fromTensor(arith::XOrIOp::create(e.builder, e.loc(), v.value, ones.value), type,
                      v.type.shape);
  }
  }
}

} // namespace tilerun::lang
