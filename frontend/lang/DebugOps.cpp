// Printing, assertions and barriers.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"
#include "frontend/types/Text.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
std::string plainText(const Value &v) {
  if (auto *text = v.getIf<std::string>())
    return *text;
  if (auto *type = v.getIf<DType>())
    return getTextOf(*type);
  return v.isTensor() ? v.describe() : v.repr();
}

Result emitStaticPrint(Emitter &e, const Arguments &args) {
  FailureOr<std::string> separator = getString(e, args, 1);
  if (failed(separator))
    return failure();
  FailureOr<std::string> end = getString(e, args, 2);
  if (failed(end))
    return failure();
  std::string text;
  bool first = true;
  for (const Value &v : getElements(args[0])) {
    if (!first)
      text += *separator;
    first = false;
    text += plainText(v);
  }
  e.services.print(text + *end);
  return Value::none();
}

Result emitStaticAssert(Emitter &e, const Arguments &args) {
  const Value &condition = args[0];
  std::optional<Literal> literal = getLiteral(condition);
  bool holds;
  if (literal)
    holds = std::visit([](auto v) { return v != 0; }, *literal);
  else if (auto *text = condition.getIf<std::string>())
    holds = !text->empty();
  else if (condition.isNone())
    holds = false;
  else if (condition.getTuple())
    holds = !condition.getTuple()->elements.empty();
  else if (condition.isTensor())
    return argError(e, args, 0,
                    "must be known at compile time, but it is " + condition.describe() +
                        "; use tl.device_assert");
  else
    holds = true;
  if (holds)
    return Value::none();
  std::string message = plainText(args[1]);
  return argError(e, args, 0, message.empty() ? "is false" : "is false: " + message);
}

/// A value as it is printed: 8-bit floats as float32, and in hexadecimal as the bits.
TensorOr asPrinted(Emitter &e, TensorValue value, bool hex) {
  DType type = value.type.dtype;
  if (!type.isFloat() || (!hex && !type.isFp8()))
    return value;
  if (!hex)
    return convert(e, value, dtype(Scalar::F32));
  Scalar bits = type.getBits() == 8    ? Scalar::UInt8
                : type.getBits() == 16 ? Scalar::UInt16
                : type.getBits() == 32 ? Scalar::UInt32
                                       : Scalar::UInt64;
  return cast(e, Value(value), dtype(bits), /*bitcast=*/true);
}

Result devicePrint(Emitter &e, std::string prefix, ArrayRef<Value> values, bool hex,
                   const Arguments &args) {
  SmallVector<mlir::Value> operands;
  SmallVector<bool> isSigned;
  for (const Value &v : values) {
    if (!getOperand(v)) {
      // Compile-time text joins the prefix.
      if (!v.isConstexpr())
        return callError(e, args, "cannot print " + v.describe());
      prefix += (prefix.empty() ? "" : " ") + plainText(v);
      continue;
    }
    TensorOr tensor = toTensor(e, v);
    if (succeeded(tensor))
      tensor = asPrinted(e, *tensor, hex);
    if (failed(tensor))
      return failure();
    operands.push_back(tensor->value);
    isSigned.push_back(tensor->type.dtype.isSigned());
  }
  // Values stand after a colon, which is added where the text has none.
  if (!operands.empty()) {
    StringRef text = StringRef(prefix).rtrim();
    text.consume_back(":");
    prefix = text.empty() ? "" : (text + ": ").str(); // Without a text, the format has the colon.
  }
  tile::PrintOp::create(e.builder, e.loc(), prefix, hex, operands, isSigned);
  return Value::none();
}

Result emitDevicePrint(Emitter &e, const Arguments &args) {
  auto *prefix = args[0].getIf<std::string>();
  if (!prefix)
    return argError(e, args, 0,
                    "must be a string, but it is " + args[0].describe() +
                        "; put a text in front of the values");
  FailureOr<bool> hex = getBool(e, args, 2);
  if (failed(hex))
    return failure();
  return devicePrint(e, *prefix, getElements(args[1]), *hex, args);
}

/// Python's print: as device_print, but the prefix may be missing.
Result emitPrint(Emitter &e, const Arguments &args) {
  std::vector<Value> values = getElements(args[0]);
  std::string prefix;
  if (!values.empty() && values[0].is<std::string>()) {
    prefix = values[0].get<std::string>();
    values.erase(values.begin());
  }
  FailureOr<bool> hex = getBool(e, args, 1);
  if (failed(hex))
    return failure();
  return devicePrint(e, prefix, values, *hex, args);
}

Result emitDeviceAssert(Emitter &e, const Arguments &args) {
  TensorOr condition = getTensor(e, args, 0);
  if (failed(condition))
    return failure();
  if (condition->type.dtype.isPointer())
    return argError(e, args, 0, "must be a condition, but it is " + args[0].describe());
  FailureOr<std::string> message = getString(e, args, 1);
  if (failed(message))
    return failure();
  std::optional<TensorValue> mask;
  if (!args[2].isNone()) {
    TensorOr given = getTensor(e, args, 2);
    if (failed(given))
      return failure();
    if (!given->type.dtype.isInt())
      return argError(e, args, 2, "must be a tensor of int1, but it is " + args[2].describe());
    mask = convert(e, *given, dtype(Scalar::Int1));
  }
  if (e.services.getOption("debug") == 0)
    return Value::none();
  TensorValue holds =
      condition->type.dtype.isFp8() ? convert(e, *condition, dtype(Scalar::F32)) : *condition;
  holds = convert(e, holds, dtype(Scalar::Int1));
  if (mask) {
    TensorValue both[] = {holds, *mask};
    if (failed(broadcastTogether(e, both)))
      return failure();
    holds = both[0];
    mask = both[1];
  }
  tile::AssertOp::create(e.builder, e.loc(), holds.value, *message,
                         mask ? mask->value : mlir::Value());
  return Value::none();
}

Result emitBarrier(Emitter &e, const Arguments &) {
  tile::BarrierOp::create(e.builder, e.loc());
  return Value::none();
}

Result emitBreakpoint(Emitter &e, const Arguments &) {
  e.beyondTriton("'breakpoint()'", "H6", "remove it");
  if (e.services.getOption("debug_events"))
    tile::DebugEventOp::create(e.builder, e.loc(), tile::DebugEvent::Break, "", "", mlir::Value());
  else
    e.services.warning(e.range, "'breakpoint()' stops under 'tilerun debug' alone; it does nothing "
                                "here");
  return Value::none();
}

const Builtin kRows[] = {
    {"static_print", kTl, "*values, sep=\" \", end=\"\\n\", file=None, flush=False",
     "Prints values, or the types of run-time values, while compiling.", emitStaticPrint},
    {"static_assert", kTl, "cond, msg=\"\"",
     "Stops compilation with a message unless a compile-time condition holds.", emitStaticAssert},
    {"device_print", kTl, "prefix, *args, hex=False",
     "Prints a text and the elements of values while running.", emitDevicePrint},
    {"device_assert", kTl, "cond, msg=\"\", mask=None",
     "In debug mode, stops the launch with a message where a condition does not hold.",
     emitDeviceAssert},
    {"debug_barrier", kTl, "",
     "Completes the memory accesses of this program before it, ahead of those after it.",
     emitBarrier},
    {"print", kPython, "*values, hex=False, sep=\" \", end=\"\\n\"",
     "As `tl.device_print`; the text is optional.", emitPrint},
    {"breakpoint", kPython, "", "Stops under `tilerun debug`; does nothing elsewhere.",
     emitBreakpoint},
};
} // namespace

void addDebugOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
