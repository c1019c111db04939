// Matrix products.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
/// Where the row has `trans_a`; `trans_b` follows.
constexpr size_t kTransposes = 7;

/// Smallest inner dimension by operand width.
int64_t getMinK(unsigned bits) { return bits == 8 ? 32 : bits == 16 ? 16 : bits == 32 ? 8 : 4; }

FailureOr<tile::InputPrecision> getPrecision(Emitter &e, const Arguments &args, DType type) {
  FailureOr<std::string> text = getString(e, args, 3);
  if (failed(text))
    return failure();
  if (!text->empty() && !args[4].isNone())
    return callError(e, args, "got both 'input_precision' and 'allow_tf32'; pass one of them");
  std::optional<tile::InputPrecision> precision = tile::InputPrecision::IEEE;
  if (!text->empty()) {
    precision = tile::symbolizeInputPrecision(*text);
    if (!precision)
      return argError(e, args, 3,
                      "is '" + *text + "'; use 'tf32', 'tf32x3', 'bf16x3', 'bf16x6' or 'ieee'");
  } else if (!args[4].isNone()) {
    FailureOr<bool> allow = getBool(e, args, 4);
    if (failed(allow))
      return failure();
    precision = *allow ? tile::InputPrecision::TF32 : tile::InputPrecision::IEEE;
  } else if (e.services.getTarget().split(':').first == "cuda") {
    precision = tile::InputPrecision::TF32;
  }
  // It only means something for float32 operands.
  return type == dtype(Scalar::F32) ? *precision : tile::InputPrecision::IEEE;
}

/// The accumulator's type.
FailureOr<DType> getAccumulator(Emitter &e, const Arguments &args, DType a) {
  FailureOr<DType> out = getDType(e, args, 6);
  if (failed(out))
    return failure();
  if (a.isInt()) // Whatever the caller asks for, as in Triton.
    return dtype(Scalar::Int32);
  if (*out == dtype(Scalar::BF16))
    return argError(e, args, 6,
                    "is bfloat16; use float32 or float16 and cast with .to(tl.bfloat16)");
  if (a == dtype(Scalar::F64))
    return a;
  if (*out == dtype(Scalar::F32))
    return out;
  if (*out == dtype(Scalar::F16) && (a == dtype(Scalar::F16) || a.isFp8()))
    return out;
  return argError(e, args, 6,
                  "is " + out->str() + ", which cannot accumulate products of " + a.str() +
                      "; use float32");
}

/// With all dimensions before the last two as one.
TensorValue collapseBatch(Emitter &e, const TensorValue &value) {
  const Shape &shape = value.type.shape;
  if (shape.size() <= 3)
    return value;
  int64_t batch = 1;
  for (int64_t size : llvm::ArrayRef(shape).drop_back(2))
    batch *= size;
  return reshapeTo(e, value, {batch, shape[shape.size() - 2], shape.back()});
}

/// An operand, which `trans_a` and `trans_b` of Triton 2.0 transpose.
TensorOr getFactor(Emitter &e, const Arguments &args, size_t i) {
  TensorOr factor = getBlock(e, args, i);
  const size_t flag = kTransposes + i;
  if (failed(factor) || !args.given[flag])
    return factor;
  const char *name = i == 0 ? "a" : "b";
  e.services.olderForm(args.ranges[flag], llvm::Twine("trans_") + name + "' of 'tl.dot",
                       llvm::Twine("tl.trans(") + name + ")");
  FailureOr<bool> isTransposed = getBool(e, args, flag);
  if (failed(isTransposed))
    return failure();
  TensorType type = factor->type;
  const size_t rank = type.shape.size();
  if (!*isTransposed || rank < 2)
    return factor;
  auto order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
  std::swap(order[rank - 1], order[rank - 2]);
  std::swap(type.shape[rank - 1], type.shape[rank - 2]);
  return TensorValue{tile::TransOp::create(e.builder, e.loc(),
                                           getMlirType(e.builder.getContext(), type), factor->value,
                                           order),
                     type};
}

Result emitDot(Emitter &e, const Arguments &args) {
  TensorOr a = getFactor(e, args, 0);
  if (failed(a))
    return failure();
  TensorOr b = getFactor(e, args, 1);
  if (failed(b))
    return failure();
  const Shape &sa = a->type.shape, &sb = b->type.shape;
  std::string shapes = shapeString(sa) + " and " + shapeString(sb);
  if (sa.size() != sb.size() || sa.size() < 2)
    return callError(e, args,
                     "needs two tensors with the same number of dimensions, 2 or more, but got " +
                         shapes);
  size_t rank = sa.size();
  if (sa[rank - 1] != sb[rank - 2])
    return callError(e, args,
                     "inner dimensions differ: " + shapes + " (" + Twine(sa[rank - 1]) + " and " +
                         Twine(sb[rank - 2]) + "); transpose one with tl.trans?");
  if (llvm::ArrayRef(sa).drop_back(2) != llvm::ArrayRef(sb).drop_back(2))
    return callError(e, args, "batch sizes differ: " + shapes);

  DType ta = a->type.dtype, tb = b->type.dtype;
  auto isOperand = [](DType t) {
    return t == dtype(Scalar::Int8) || (t.isFloat() && !t.isPointer());
  };
  for (size_t i = 0; i < 2; ++i)
    if (DType t = i == 0 ? ta : tb; !isOperand(t))
      return argError(e, args, i,
                      "has dtype " + t.str() + "; a product takes int8 or floats" +
                          (t.isInt() ? ", so cast it" : ""));
  if (ta != tb && !(ta.isFp8() && tb.isFp8()))
    return callError(e, args,
                     "operands have different dtypes: " + ta.str() + " and " + tb.str() +
                         "; cast one of them");
  int64_t minK = getMinK(ta.getBits());
  if (sa[rank - 1] < minK)
    return callError(e, args,
                     "the inner dimension is " + Twine(sa[rank - 1]) + ", but " + ta.str() +
                         " operands need at least " + Twine(minK) +
                         "; use a larger block and mask the elements past the end");
  // This format is for storage only; float16 holds all of its values.
  for (TensorValue *v : {&*a, &*b})
    if (v->type.dtype == dtype(Scalar::F8E4B15)) {
      *a = convert(e, *a, dtype(Scalar::F16));
      *b = convert(e, *b, dtype(Scalar::F16));
      break;
    }
  ta = a->type.dtype;

  FailureOr<tile::InputPrecision> precision = getPrecision(e, args, ta);
  if (failed(precision))
    return failure();
  FailureOr<DType> accType = getAccumulator(e, args, ta);
  if (failed(accType))
    return failure();
  // Without a bound, 8-bit products are accumulated as the hardware does best.
  int64_t imprecise = ta.isFp8() ? sa[rank - 1] : 0;
  if (!args[5].isNone()) {
    FailureOr<int64_t> count = getInt(e, args, 5, 0, INT32_MAX);
    if (failed(count))
      return failure();
    if (ta.isFp8() && *count > sa[rank - 1])
      return argError(e, args, 5,
                      "is " + std::to_string(*count) + ", more than the inner dimension, " +
                          std::to_string(sa[rank - 1]) + "; Triton refuses that, too");
    imprecise = ta.isFp8() ? *count : 0;
  }

  TensorType type{*accType, sa};
  type.shape[rank - 1] = sb[rank - 1];
  if (std::string excess = findExcess(type.shape); !excess.empty())
    return callError(e, args, "the result " + shapeString(type.shape) + " would have " + excess);
  TensorValue acc;
  if (args[2].isNone()) {
    acc = makeConstant(e, type, Literal(PyInt(0)));
  } else {
    TensorOr given = getTensor(e, args, 2);
    if (failed(given))
      return failure();
    if (given->type.isScalar() && getLiteral(args[2])) {
      given = makeConstant(e, type, *getLiteral(args[2]));
    } else if (given->type.shape != type.shape) {
      return argError(e, args, 2,
                      "is " + args[2].describe() + ", but the product has shape " +
                          shapeString(type.shape));
    } else if (given->type.dtype != *accType) {
      return argError(e, args, 2,
                      "is " + args[2].describe() + ", but the product accumulates in " +
                          accType->str() + "; cast it, or set out_dtype");
    }
    if (FailureOr<DType> out = getDType(e, args, 6); succeeded(out) && *out != *accType)
      e.beyondTriton("'acc' of " + accType->str() + " without out_dtype", "D9",
                     "add out_dtype=tl." + accType->str());
    acc = *given;
  }
  acc = collapseBatch(e, acc);
  auto op = tile::DotOp::create(e.builder, e.loc(), acc.value.getType(), collapseBatch(e, *a).value,
                                collapseBatch(e, *b).value, acc.value, *precision,
                                static_cast<uint32_t>(imprecise));
  TensorValue product = {op.getResult(), acc.type};
  return Value(rank > 3 ? reshapeTo(e, product, type.shape) : product);
}

const Builtin kRows[] = {
    {"dot", kTl,
     "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, "
     "out_dtype=float32, *, trans_a=False, trans_b=False",
     "Matrix product of two tensors of 2 dimensions, or of more with equal batch sizes, plus "
     "`acc`. "
     "int8 accumulates in int32, whatever `out_dtype` is, float64 in float64, other floats in "
     "float32. `trans_a` and `trans_b` are of Triton 2.0: they transpose an operand.",
     emitDot},
};
} // namespace

void addDotOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
