// Promises about values that the analyses use.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
enum class Hint { Divisibility, Contiguity, Constancy };

template <Hint H> Result emitHint(Emitter &e, const Arguments &args) {
  FailureOr<Shape> values = getIntList(e, args, 1);
  if (failed(values))
    return failure();
  if (args[0].isConstNumber())
    return args[0]; // Known anyway.
  auto *v = args[0].getIf<TensorValue>();
  if (!v || v->type.dtype.isFloat())
    return argError(e, args, 0,
                    "must be an integer or a pointer, or a tensor of them, but it is " +
                        args[0].describe());
  size_t rank = std::max<size_t>(v->type.shape.size(), 1);
  if (values->size() != rank)
    return argError(e, args, 1,
                    "has " + Twine(values->size()) + " entries, but " + args[0].describe() +
                        " needs " + Twine(rank) + " (one per dimension)");
  for (int64_t value : *values)
    if (value < 1)
      return argError(e, args, 1, "must hold positive integers, but one is " + Twine(value));
  ArrayRef<int64_t> none, given = *values;
  auto op = tile::HintOp::create(
      e.builder, e.loc(), v->value, H == Hint::Divisibility ? given : none,
      H == Hint::Contiguity ? given : none, H == Hint::Constancy ? given : none);
  return Value(TensorValue{op.getResult(), v->type});
}

Result emitAssume(Emitter &e, const Arguments &args) {
  if (std::optional<Literal> literal = getLiteral(args[0])) {
    bool holds = std::visit([](auto v) { return v != 0; }, *literal);
    if (!holds)
      return argError(e, args, 0, "is false at compile time; nothing may be assumed from it");
    return Value::none();
  }
  FailureOr<mlir::Value> holds = condition(e, args[0], displayName(*args.builtin));
  if (failed(holds))
    return failure();
  tile::AssumeOp::create(e.builder, e.loc(), *holds);
  return Value::none();
}

const Builtin kRows[] = {
    {"multiple_of", kTl, "input, values",
     "Promises that the first element of every contiguous run along each dimension is a multiple "
     "of a number.",
     emitHint<Hint::Divisibility>},
    {"max_contiguous", kTl, "input, values",
     "Promises that aligned runs of that many elements along each dimension are consecutive "
     "numbers.",
     emitHint<Hint::Contiguity>},
    {"max_constancy", kTl, "input, values",
     "Promises that aligned runs of that many elements along each dimension are equal.",
     emitHint<Hint::Constancy>},
    {"assume", kTl, "cond", "Promises that a scalar condition holds.", emitAssume},
};
} // namespace

void addHintOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
