// Python's own functions, as far as kernels use them.
#include "frontend/lang/Emit.h"
#include "frontend/lang/OlderForms.h"
#include "frontend/lang/Table.h"
#include "frontend/types/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;

namespace tilerun::lang {

namespace {
double asDouble(const Literal &literal) {
  return std::visit([](auto v) { return static_cast<double>(v); }, literal);
}

/// Whether a < b, exactly where both are integers.
bool isLess(const Literal &a, const Literal &b) {
  if (std::holds_alternative<double>(a) || std::holds_alternative<double>(b))
    return asDouble(a) < asDouble(b);
  auto asInt = [](const Literal &v) {
    return std::holds_alternative<bool>(v) ? PyInt(std::get<bool>(v)) : std::get<PyInt>(v);
  };
  return asInt(a) < asInt(b);
}

template <bool IsMax> Result emitMinMax(Emitter &e, const Arguments &args) {
  std::vector<Value> values = getElements(args[0]);
  if (values.size() == 1 && values[0].getTuple())
    values = getElements(values[0]);
  if (values.empty())
    return callError(e, args, "needs at least one value");
  FailureOr<int64_t> propagate = getInt(e, args, 1);
  if (failed(propagate))
    return failure();
  Value best = values[0];
  for (const Value &v : values)
    if (!getOperand(v))
      return callError(e, args, "needs numbers or tensors, but one is " + v.describe());
  for (const Value &v : ArrayRef(values).drop_front()) {
    std::optional<Literal> a = getLiteral(best), b = getLiteral(v);
    if (a && b) {
      if (IsMax ? isLess(*a, *b) : isLess(*b, *a))
        best = v;
      continue;
    }
    Result next = extremum(e, displayName(*args.builtin), IsMax, *propagate != 0, best, v);
    if (failed(next))
      return failure();
    best = *next;
  }
  return best;
}

Result emitAbsolute(Emitter &e, const Arguments &args) {
  if (auto *b = args[0].getIf<bool>())
    return Value::integer(*b);
  if (auto *i = args[0].getIf<PyInt>())
    return Value::integer(*i < 0 ? -*i : *i);
  if (auto *d = args[0].getIf<double>())
    return Value(std::fabs(*d));
  return emitAbsOf(e, args);
}

Result emitLen(Emitter &e, const Arguments &args) {
  if (const TupleValue *tuple = args[0].getTuple(); tuple && !tuple->isRecord())
    return Value::integer(tuple->elements.size());
  if (auto *text = args[0].getIf<std::string>())
    return Value::integer(text->size());
  if (auto *tensor = args[0].getIf<TensorValue>(); tensor && !tensor->type.isScalar())
    return Value::integer(tensor->type.shape[0]);
  return argError(e, args, 0, "has no length: it is " + args[0].describe());
}

Result emitFloat(Emitter &e, const Arguments &args) {
  if (std::optional<Literal> literal = getLiteral(args[0]))
    return Value(asDouble(*literal));
  if (auto *text = args[0].getIf<std::string>()) {
    std::string lower = StringRef(*text).trim().lower();
    StringRef name = lower;
    bool negative = name.consume_front("-");
    if (!negative)
      name.consume_front("+");
    std::optional<double> value =
        llvm::StringSwitch<std::optional<double>>(name)
            .Cases({"inf", "infinity"}, std::numeric_limits<double>::infinity())
            .Case("nan", std::numeric_limits<double>::quiet_NaN())
            .Default(std::nullopt);
    double number;
    if (!value && !name.empty() && !name.getAsDouble(number))
      value = number;
    if (value)
      return Value(negative ? -*value : *value);
    return argError(e, args, 0, "is '" + *text + "', which is not a number");
  }
  return argError(e, args, 0,
                  "must be known at compile time, but it is " + args[0].describe() +
                      "; use .to(tl.float32)");
}

/// `int("0x10", 16)`: blanks around it, a sign, underscores and a prefix, as in Python.
Result readInt(Emitter &e, const Arguments &args, StringRef text) {
  FailureOr<int64_t> base = getInt(e, args, 1, 0, 36);
  if (failed(base))
    return failure();
  auto wrong = [&] {
    return argError(e, args, 0,
                    "is '" + text.str() + "', which is not an integer in base " +
                        std::to_string(*base));
  };
  if (*base == 1)
    return argError(e, args, 1, "is 1; use 0 or 2 to 36");
  StringRef digits = text.trim();
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  for (auto [prefix, number] : {std::pair{"0x", 16}, {"0b", 2}, {"0o", 8}})
    if ((*base == 0 || *base == number) && digits.starts_with_insensitive(prefix)) {
      digits = digits.drop_front(2);
      digits.consume_front("_");
      *base = number;
    }
  const int64_t radix = *base ? *base : 10;
  PyInt out = 0;
  bool afterDigit = false;
  for (char c : digits) {
    if (c == '_' && afterDigit) {
      afterDigit = false;
      continue;
    }
    int digit = llvm::isDigit(c) ? c - '0' : llvm::isAlpha(c) ? llvm::toLower(c) - 'a' + 10 : 99;
    if (digit >= radix)
      return wrong();
    if (__builtin_mul_overflow(out, PyInt(radix), &out) ||
        __builtin_add_overflow(out, PyInt(digit), &out))
      return argError(e, args, 0, "is '" + text.str() + "', which is too large");
    afterDigit = true;
  }
  if (!afterDigit)
    return wrong();
  return Value::integer(negative ? -out : out);
}

Result emitInt(Emitter &e, const Arguments &args) {
  if (auto *text = args[0].getIf<std::string>())
    return readInt(e, args, *text);
  if (args.given[1])
    return argError(e, args, 1, "is for texts, but 'x' is " + args[0].describe());
  std::optional<Literal> literal = getLiteral(args[0]);
  if (!literal)
    return argError(e, args, 0,
                    "must be a number known at compile time, but it is " + args[0].describe() +
                        (args[0].isTensor() ? "; use .to(tl.int32)" : ""));
  if (auto *d = std::get_if<double>(&*literal)) {
    if (!(std::fabs(*d) < 1e38))
      return argError(e, args, 0, "is " + args[0].describe() + ", which no integer can hold");
    return Value::integer(static_cast<PyInt>(*d));
  }
  if (auto *b = std::get_if<bool>(&*literal))
    return Value::integer(*b);
  return args[0];
}

Result emitBool(Emitter &e, const Arguments &args) {
  if (std::optional<Literal> literal = getLiteral(args[0]))
    return Value(std::visit([](auto v) { return v != 0; }, *literal));
  if (args[0].isNone())
    return Value(false);
  if (auto *text = args[0].getIf<std::string>())
    return Value(!text->empty());
  if (const TupleValue *tuple = args[0].getTuple())
    return Value(tuple->isRecord() || !tuple->elements.empty());
  if (args[0].isTensor()) {
    TensorOr v = cast(e, args[0], dtype(Scalar::Int1));
    if (failed(v))
      return failure();
    return Value(*v);
  }
  return Value(true);
}

Result emitStr(Emitter &e, const Arguments &args) {
  if (args[0].is<std::string>())
    return args[0];
  if (args[0].is<DType>())
    return Value(getTextOf(args[0].get<DType>()));
  if (!args[0].isConstexpr())
    return argError(e, args, 0, "must be known at compile time, but it is " + args[0].describe());
  return Value(args[0].repr());
}

Result emitSequence(Emitter &e, const Arguments &args, bool isList) {
  const TupleValue *given = args[0].getSequence();
  if (!given)
    return argError(e, args, 0, "must be a tuple or a list, but it is " + args[0].describe());
  auto out = std::make_shared<TupleValue>();
  out->elements = given->elements;
  out->isList = isList;
  return Value(std::move(out));
}
Result emitTuple(Emitter &e, const Arguments &args) { return emitSequence(e, args, false); }
Result emitList(Emitter &e, const Arguments &args) { return emitSequence(e, args, true); }

//===----------------------------------------------------------------------===//
// isinstance, getattr, hasattr
//===----------------------------------------------------------------------===//

/// Whether a value is of a type that a builtin names; none if the builtin names no type.
std::optional<bool> isOfType(const Value &v, const Builtin &type) {
  bool isNumber = v.isConstNumber();
  if (type.namespacePath == kPython)
    return llvm::StringSwitch<std::optional<bool>>(type.name)
        .Case("int", v.is<PyInt>() || v.is<bool>())
        .Case("float", v.is<double>())
        .Case("bool", v.is<bool>())
        .Case("str", v.is<std::string>())
        .Case("tuple", v.getSequence() && !v.getSequence()->isList)
        .Case("list", v.getTuple() && v.getTuple()->isList)
        .Default(std::nullopt);
  auto *dtypeValue = v.getIf<DType>();
  return llvm::StringSwitch<std::optional<bool>>(type.name)
      .Case("constexpr", isNumber || v.is<std::string>() || v.isNone() || dtypeValue)
      .Case("tensor", v.isTensor())
      .Case("dtype", dtypeValue != nullptr)
      .Case("pointer_type", dtypeValue && dtypeValue->isPointer())
      .Case("block_type", v.is<TensorType>())
      .Case("tuple", v.getSequence() != nullptr)
      .Case("tensor_descriptor", v.is<DescriptorValue>())
      .Case("slice", v.is<SliceValue>())
      .Case("constexpr_type", false) // Types of compile-time values are not values here.
      .Default(std::nullopt);
}

Result emitIsInstance(Emitter &e, const Arguments &args) {
  std::vector<Value> types = getElements(args[1]);
  if (types.size() == 1 && types[0].getTuple())
    types = getElements(types[0]);
  bool matches = false;
  for (const Value &type : types) {
    auto *builtin = type.getIf<BuiltinValue>();
    std::optional<bool> one = builtin ? isOfType(args[0], *builtin->builtin) : std::nullopt;
    if (!one && type.isNone())
      one = args[0].isNone();
    if (auto *wanted = type.getIf<ClassValue>()) {
      const TupleValue *instance = args[0].getTuple();
      auto *object = args[0].getIf<OpaqueValue>();
      const ClassInfo *info = instance                   ? instance->info.get()
                              : object && object->member ? object->member->info.get()
                                                         : nullptr;
      one = info && info->isDerivedFrom(*wanted->info);
    }
    if (!one && type.is<OpaqueValue>())
      one = false; // A host class: no value of a kernel is an instance of one.
    if (!one)
      return argError(e, args, 1,
                      "must be a type such as tl.tensor, tl.constexpr, int, float or str, but it "
                      "is " +
                          type.describe());
    matches |= *one;
  }
  return Value(matches);
}

/// Only host code knows what a module has that is not the language's.
LogicalResult requireOfLanguage(Emitter &e, const Arguments &args, llvm::StringRef name) {
  auto *space = args[0].getIf<NamespaceValue>();
  if (!space || (!space->module && llvm::StringRef(space->path).split('.').first == "triton"))
    return success();
  return argError(e, args, 0,
                  "is the module '" + space->path + "', and only host code knows whether it has '" +
                      name.str() + "'");
}

/// As `findAttribute`, without the names of earlier releases: code asks for those to tell releases
/// apart.
std::optional<Value> findToday(Emitter &e, const Value &base, StringRef name) {
  if (auto *space = base.getIf<NamespaceValue>(); space && findOlderName(space->path, name))
    return std::nullopt;
  return findAttribute(e, base, name);
}

Result emitGetAttr(Emitter &e, const Arguments &args) {
  auto *name = args[1].getIf<std::string>();
  if (!name)
    return argError(e, args, 1, "must be a string, but it is " + args[1].describe());
  if (!args.given[2])
    return attribute(e, args[0], *name);
  std::optional<Value> found = findToday(e, args[0], *name);
  if (!found && failed(requireOfLanguage(e, args, *name)))
    return failure();
  return found ? *found : args[2];
}

Result emitHasAttr(Emitter &e, const Arguments &args) {
  auto *name = args[1].getIf<std::string>();
  if (!name)
    return argError(e, args, 1, "must be a string, but it is " + args[1].describe());
  bool found = findToday(e, args[0], *name).has_value();
  if (!found && failed(requireOfLanguage(e, args, *name)))
    return failure();
  return Value(found);
}

const Builtin kRows[] = {
    {"min", kPython, "*values, propagate_nan=0", "The smallest of several values.",
     emitMinMax<false>},
    {"max", kPython, "*values, propagate_nan=0", "The largest of several values.",
     emitMinMax<true>},
    {"abs", kPython, "x", "Absolute value.", emitAbsolute},
    {"len", kPython, "x", "Length of a tuple or string, or the first size of a tensor.", emitLen},
    {"float", kPython, "x=0.0", "A compile-time float, also of \"inf\" or \"nan\".", emitFloat},
    {"int", kPython, "x=0, base=10", "A compile-time integer, also of a text.", emitInt},
    {"bool", kPython, "x=False", "Truth of a value.", emitBool},
    {"str", kPython, "x=\"\"", "Text of a compile-time value.", emitStr},
    {"tuple", kPython, "x=()", "A tuple of the elements of a sequence.", emitTuple},
    {"list", kPython, "x=()", "A list of the elements of a sequence.", emitList},
    {"isinstance", kPython, "x, type", "Whether a value is of a type, or of one of several.",
     emitIsInstance},
    {"getattr", kPython, "x, name, default=None", "An attribute by name.", emitGetAttr},
    {"hasattr", kPython, "x, name", "Whether an attribute exists.", emitHasAttr},
};
} // namespace

void addPythonBuiltins(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
