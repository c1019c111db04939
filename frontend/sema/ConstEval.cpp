// Python's operators between compile-time values.
#include "frontend/sema/ConstEval.h"

#include <cmath>

namespace tilerun::sema {

using ast::BinaryOp;
using ast::CompareOp;
using ast::UnaryOp;

static std::optional<PyInt> asInteger(const Value &value) {
  if (auto *v = value.getIf<bool>())
    return *v ? 1 : 0;
  if (auto *v = value.getIf<PyInt>())
    return *v;
  return std::nullopt;
}

static std::optional<double> asFloat(const Value &value) {
  if (auto *v = value.getIf<double>())
    return *v;
  if (auto v = asInteger(value))
    return static_cast<double>(*v);
  return std::nullopt;
}

static ConstResult tooLarge() {
  return ConstResult::failure("the result does not fit 128 bits; kernels have 64-bit integers");
}

static PyInt floorDivide(PyInt a, PyInt b) {
  PyInt quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

/// Why an operator does not apply.
static ConstResult refuse(const llvm::Twine &op, const Value &lhs, const Value *rhs = nullptr) {
  std::string message = "operator '" + op.str() + "' does not apply to " + lhs.describe() +
                        (rhs ? " and " + rhs->describe() : std::string());
  for (const Value *operand : {&lhs, rhs})
    if (auto *opaque = operand ? operand->getIf<OpaqueValue>() : nullptr; opaque && opaque->member)
      return ConstResult::failure(message + "; " + opaque->remedy);
  return ConstResult::failure(message);
}

static double floorModulo(double a, double b) {
  double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static ConstResult powerOf(PyInt base, PyInt exponent) {
  if (exponent < 0) {
    if (base == 0)
      return ConstResult::failure("0 cannot be raised to a negative power");
    return {Value(std::pow(static_cast<double>(base), static_cast<double>(exponent))), ""};
  }
  PyInt result = 1;
  if (base == 0 || base == 1 || base == -1) {
    result = exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
    return {Value(result), ""};
  }
  for (PyInt i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result))
      return tooLarge();
  return {Value(result), ""};
}

static ConstResult integerBinary(BinaryOp op, PyInt a, PyInt b) {
  constexpr PyInt kMin = static_cast<PyInt>(1) << 127;
  PyInt out = 0;
  switch (op) {
  case BinaryOp::Add:
    return __builtin_add_overflow(a, b, &out) ? tooLarge() : ConstResult{Value(out), ""};
  case BinaryOp::Sub:
    return __builtin_sub_overflow(a, b, &out) ? tooLarge() : ConstResult{Value(out), ""};
  case BinaryOp::Mul:
    return __builtin_mul_overflow(a, b, &out) ? tooLarge() : ConstResult{Value(out), ""};
  case BinaryOp::Div:
    if (b == 0)
      return ConstResult::failure("division by zero");
    return {Value(static_cast<double>(a) / static_cast<double>(b)), ""};
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod: {
    if (b == 0)
      return ConstResult::failure(op == BinaryOp::Mod ? "modulo by zero" : "division by zero");
    if (a == kMin && b == -1)
      return op == BinaryOp::Mod ? ConstResult{Value(PyInt(0)), ""} : tooLarge();
    PyInt quotient = floorDivide(a, b);
    return {Value(op == BinaryOp::Mod ? a - quotient * b : quotient), ""};
  }
  case BinaryOp::Pow:
    return powerOf(a, b);
  case BinaryOp::Shl:
    if (b < 0)
      return ConstResult::failure("negative shift count");
    if (a == 0)
      return {Value(PyInt(0)), ""};
    if (b > 126 || __builtin_mul_overflow(a, static_cast<PyInt>(1) << static_cast<int>(b), &out))
      return tooLarge();
    return {Value(out), ""};
  case BinaryOp::Shr:
    if (b < 0)
      return ConstResult::failure("negative shift count");
    return {Value(a >> static_cast<int>(b > 127 ? 127 : b)), ""};
  case BinaryOp::And:
    return {Value(a & b), ""};
  case BinaryOp::Or:
    return {Value(a | b), ""};
  case BinaryOp::Xor:
    return {Value(a ^ b), ""};
  case BinaryOp::MatMul:
    break;
  }
  return ConstResult::failure("'@' does not apply to numbers; use tl.dot on tensors");
}

static ConstResult floatBinary(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return {Value(a + b), ""};
  case BinaryOp::Sub:
    return {Value(a - b), ""};
  case BinaryOp::Mul:
    return {Value(a * b), ""};
  case BinaryOp::Div:
    if (b == 0)
      return ConstResult::failure("division by zero");
    return {Value(a / b), ""};
  case BinaryOp::FloorDiv:
    if (b == 0)
      return ConstResult::failure("division by zero");
    return {Value(std::floor(a / b)), ""};
  case BinaryOp::Mod:
    if (b == 0)
      return ConstResult::failure("modulo by zero");
    return {Value(floorModulo(a, b)), ""};
  case BinaryOp::Pow: {
    if (a == 0 && b < 0)
      return ConstResult::failure("0 cannot be raised to a negative power");
    double result = std::pow(a, b);
    if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
      return ConstResult::failure("a negative number to a fractional power is complex");
    return {Value(result), ""};
  }
  default:
    return ConstResult::failure("operator '" + ast::getSpelling(op) + "' needs integers");
  }
}

static ConstResult concatenate(const TupleValue &a, const TupleValue &b) {
  if (a.elements.size() + b.elements.size() > kMaxSequence)
    return ConstResult::failure("the tuple would have more than 65536 elements");
  auto out = std::make_shared<TupleValue>();
  out->isList = a.isList;
  out->elements = a.elements;
  llvm::append_range(out->elements, b.elements);
  return {Value(std::move(out)), ""};
}

static ConstResult repeat(const Value &sequence, PyInt count) {
  count = std::max<PyInt>(count, 0);
  const TupleValue *tuple = sequence.getTuple();
  size_t size = tuple ? tuple->elements.size() : sequence.get<std::string>().size();
  if (size != 0 && count > static_cast<PyInt>(kMaxSequence / size))
    return ConstResult::failure("the repeated sequence would have more than 65536 elements");
  if (size == 0)
    count = 0;
  if (!tuple) {
    std::string out;
    for (PyInt i = 0; i < count; ++i)
      out += sequence.get<std::string>();
    return {Value(std::move(out)), ""};
  }
  auto out = std::make_shared<TupleValue>();
  out->isList = tuple->isList;
  for (PyInt i = 0; i < count; ++i)
    llvm::append_range(out->elements, tuple->elements);
  return {Value(std::move(out)), ""};
}

ConstResult evalBinary(BinaryOp op, const Value &lhs, const Value &rhs) {
  // Tuples may be concatenated whatever they contain.
  for (const Value *operand : {&lhs, &rhs})
    if (const OpaqueValue *unknown = operand->asUnknown())
      return ConstResult::dependsOn(*unknown);
  if (lhs.is<bool>() && rhs.is<bool>()) {
    bool a = lhs.get<bool>(), b = rhs.get<bool>();
    if (op == BinaryOp::And)
      return {Value(a && b), ""};
    if (op == BinaryOp::Or)
      return {Value(a || b), ""};
    if (op == BinaryOp::Xor)
      return {Value(a != b), ""};
  }
  auto a = asInteger(lhs), b = asInteger(rhs);
  if (a && b)
    return integerBinary(op, *a, *b);
  if (lhs.isConstNumber() && rhs.isConstNumber())
    return floatBinary(op, *asFloat(lhs), *asFloat(rhs));

  const TupleValue *leftTuple = lhs.getSequence(), *rightTuple = rhs.getSequence();
  if (op == BinaryOp::Add && leftTuple && rightTuple)
    return concatenate(*leftTuple, *rightTuple);
  if (op == BinaryOp::Add && lhs.is<std::string>() && rhs.is<std::string>()) {
    if (lhs.get<std::string>().size() + rhs.get<std::string>().size() > kMaxSequence)
      return ConstResult::failure("the string would have more than 65536 bytes");
    return {Value(lhs.get<std::string>() + rhs.get<std::string>()), ""};
  }
  if (op == BinaryOp::Mul && (leftTuple || lhs.is<std::string>()) && b)
    return repeat(lhs, *b);
  if (op == BinaryOp::Mul && (rightTuple || rhs.is<std::string>()) && a)
    return repeat(rhs, *a);
  return refuse(ast::getSpelling(op), lhs, &rhs);
}

ConstResult evalUnary(UnaryOp op, const Value &operand) {
  if (const OpaqueValue *unknown = operand.asUnknown())
    return ConstResult::dependsOn(*unknown);
  if (op == UnaryOp::Not) {
    if (auto truth = getTruth(operand))
      return {Value(!*truth), ""};
    return ConstResult::failure("'not' does not apply to " + operand.describe());
  }
  if (auto v = asInteger(operand)) {
    constexpr PyInt kMin = static_cast<PyInt>(1) << 127;
    if (op == UnaryOp::Minus)
      return *v == kMin ? tooLarge() : ConstResult{Value(-*v), ""};
    return {Value(op == UnaryOp::Invert ? ~*v : *v), ""};
  }
  if (auto *v = operand.getIf<double>()) {
    if (op == UnaryOp::Invert)
      return ConstResult::failure("operator '~' needs an integer, not " + operand.describe());
    return {Value(op == UnaryOp::Minus ? -*v : *v), ""};
  }
  return refuse(ast::getSpelling(op), operand);
}

/// Whether dicts have equal entries, in whatever order.
static bool isEqualDict(const TupleValue &a, const TupleValue &b) {
  if (a.elements.size() != b.elements.size())
    return false;
  for (auto [i, element] : llvm::enumerate(a.elements)) {
    auto found = findKey(b, a.getKey(i));
    if (!found || !isEqual(element, b.elements[*found]))
      return false;
  }
  return true;
}

std::optional<size_t> findKey(const TupleValue &dict, const Value &key) {
  if (dict.keys.empty()) {
    auto *text = key.getIf<std::string>();
    auto found = text ? llvm::find(dict.names, *text) : dict.names.end();
    return found == dict.names.end() ? std::nullopt
                                     : std::optional<size_t>(found - dict.names.begin());
  }
  auto found = llvm::find_if(dict.keys, [&](const Value &own) { return isEqual(own, key); });
  return found == dict.keys.end() ? std::nullopt : std::optional<size_t>(found - dict.keys.begin());
}

bool isEqual(const Value &lhs, const Value &rhs) {
  if (lhs.isConstNumber() && rhs.isConstNumber()) {
    auto a = asInteger(lhs), b = asInteger(rhs);
    return a && b ? *a == *b : *asFloat(lhs) == *asFloat(rhs);
  }
  if (lhs.storage.index() != rhs.storage.index())
    return false;
  if (auto *v = lhs.getIf<std::string>())
    return *v == rhs.get<std::string>();
  if (auto *v = lhs.getIf<DType>())
    return *v == rhs.get<DType>();
  if (auto *v = lhs.getIf<TensorType>())
    return *v == rhs.get<TensorType>();
  if (const TupleValue *a = lhs.getTuple()) {
    const TupleValue *b = rhs.getTuple();
    if (a->isDict() || b->isDict())
      return a->isDict() && b->isDict() && isEqualDict(*a, *b);
    if (a->isSet() || b->isSet())
      return a->isSet() && b->isSet() && a->elements.size() == b->elements.size() &&
             llvm::all_of(a->elements, [&](const Value &element) {
               return llvm::any_of(b->elements,
                                   [&](const Value &other) { return isEqual(element, other); });
             });
    return a->isRecord() == b->isRecord() && (!a->isRecord() || a->info == b->info) &&
           a->elements.size() == b->elements.size() &&
           llvm::all_of(llvm::zip(a->elements, b->elements),
                        [](auto pair) { return isEqual(std::get<0>(pair), std::get<1>(pair)); });
  }
  if (auto *v = lhs.getIf<FunctionValue>())
    return v->function == rhs.get<FunctionValue>().function;
  if (auto *v = lhs.getIf<BuiltinValue>())
    return v->builtin == rhs.get<BuiltinValue>().builtin;
  if (auto *v = lhs.getIf<NamespaceValue>())
    return v->path == rhs.get<NamespaceValue>().path &&
           v->module == rhs.get<NamespaceValue>().module;
  if (auto *v = lhs.getIf<ClassValue>())
    return v->info == rhs.get<ClassValue>().info;
  if (auto *v = lhs.getIf<TensorValue>())
    return v->value == rhs.get<TensorValue>().value;
  if (auto *v = lhs.getIf<DescriptorValue>())
    return v->value == rhs.get<DescriptorValue>().value;
  if (auto *v = lhs.getIf<BoundValue>())
    return isSame(*v->self, *rhs.get<BoundValue>().self) &&
           isSame(*v->function, *rhs.get<BoundValue>().function);
  if (auto *v = lhs.getIf<std::shared_ptr<RangeValue>>())
    return *v == rhs.get<std::shared_ptr<RangeValue>>();
  if (auto *v = lhs.getIf<SliceValue>()) {
    const auto &other = rhs.get<SliceValue>();
    return isSame(*v->lower, *other.lower) && isSame(*v->upper, *other.upper) &&
           isSame(*v->step, *other.step);
  }
  if (auto *v = lhs.getIf<OpaqueValue>()) {
    const auto &other = rhs.get<OpaqueValue>();
    if (v->member && other.member) // Of two names with one value, the second means the first.
      return v->member->info == other.member->info &&
             (v->member->name == other.member->name ||
              isEqual(v->member->value, other.member->value));
    return v->what == other.what && v->range.begin == other.range.begin;
  }
  return lhs.isNone() || lhs.is<EllipsisValue>();
}

bool isSame(const Value &a, const Value &b) {
  return a.storage.index() == b.storage.index() && (!a.isValid() || isEqual(a, b));
}

std::string nameElement(const TupleValue &tuple, size_t index) {
  if (tuple.info && index < tuple.names.size())
    return "field '" + tuple.names[index] + "' of '" + tuple.typeName + "'";
  return "element " + std::to_string(index);
}

/// -1, 0, 1; 2 if unordered (NaN); none if the values have no order.
static std::optional<int> compareOrder(const Value &lhs, const Value &rhs) {
  auto sign = [](const auto &a, const auto &b) { return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2; };
  auto a = asInteger(lhs), b = asInteger(rhs);
  if (a && b)
    return sign(*a, *b);
  if (lhs.isConstNumber() && rhs.isConstNumber())
    return sign(*asFloat(lhs), *asFloat(rhs));
  if (lhs.is<std::string>() && rhs.is<std::string>())
    return sign(lhs.get<std::string>(), rhs.get<std::string>());
  const TupleValue *left = lhs.getSequence(), *right = rhs.getSequence();
  if (left && right) {
    for (auto [x, y] : llvm::zip(left->elements, right->elements)) {
      auto order = compareOrder(x, y);
      if (!order || *order != 0)
        return order;
    }
    return sign(left->elements.size(), right->elements.size());
  }
  return std::nullopt;
}

static ConstResult evalIn(const Value &item, const Value &container) {
  if (const TupleValue *tuple = container.getTuple(); tuple && !tuple->isRecord()) {
    if (tuple->isDict())
      return {Value(findKey(*tuple, item).has_value()), ""};
    if (!item.isConstexpr() || !container.isConstexpr())
      return ConstResult::failure("'in' needs compile-time values, but " +
                                  (item.isConstexpr() ? container : item).describe() +
                                  " is known only at run time");
    return {Value(llvm::any_of(tuple->elements, [&](const Value &v) { return isEqual(v, item); })),
            ""};
  }
  if (container.is<std::string>() && item.is<std::string>())
    return {Value(llvm::StringRef(container.get<std::string>()).contains(item.get<std::string>())),
            ""};
  return ConstResult::failure("'in' needs a tuple, list or string on its right, not " +
                              container.describe());
}

/// The requirement of a comparison.
static const OpaqueValue *findUnknown(CompareOp op, const Value &lhs, const Value &rhs) {
  const OpaqueValue *left = lhs.asUnknown(), *right = rhs.asUnknown();
  const bool isIdentity = op == CompareOp::Is || op == CompareOp::IsNot;
  if ((isIdentity || op == CompareOp::Eq || op == CompareOp::Ne) && (lhs.isNone() || rhs.isNone()))
    if (const OpaqueValue *object = left ? left : right; object && object->isSomeObject)
      return nullptr;
  if (left || right)
    return left ? left : right;
  // `is` looks into nothing, and other comparisons into both sides or none.
  if (isIdentity || (!lhs.getTuple() && !rhs.getTuple()))
    return nullptr;
  const bool isIn = op == CompareOp::In || op == CompareOp::NotIn;
  if (!isIn && !(lhs.getTuple() && rhs.getTuple()))
    return nullptr;
  left = lhs.findUnknown();
  // Only the keys of a dict are looked at.
  const TupleValue *container = rhs.getTuple();
  return left || (isIn && container && container->isDict()) ? left : rhs.findUnknown();
}

ConstResult evalCompare(CompareOp op, const Value &lhs, const Value &rhs) {
  if (const OpaqueValue *unknown = findUnknown(op, lhs, rhs))
    return ConstResult::dependsOn(*unknown);
  switch (op) {
  case CompareOp::Is:
  case CompareOp::IsNot: {
    bool same = lhs.storage.index() == rhs.storage.index() && isEqual(lhs, rhs);
    return {Value(same == (op == CompareOp::Is)), ""};
  }
  case CompareOp::In:
  case CompareOp::NotIn: {
    ConstResult result = evalIn(lhs, rhs);
    if (result.ok() && op == CompareOp::NotIn)
      result.value = Value(!result.value.get<bool>());
    return result;
  }
  case CompareOp::Eq:
  case CompareOp::Ne:
    if (lhs.isRecord() && rhs.isRecord())
      return ConstResult::failure("records are not compared as a whole; compare their fields, or "
                                  "give the class a method '__eq__'");
    if ((!lhs.isConstexpr() || !rhs.isConstexpr()) && lhs.getTuple() && rhs.getTuple())
      return ConstResult::failure(
          "tuples with run-time elements cannot be compared; compare their elements");
    return {Value(isEqual(lhs, rhs) == (op == CompareOp::Eq)), ""};
  default:
    break;
  }
  auto order = compareOrder(lhs, rhs);
  if (!order)
    return refuse(ast::getSpelling(op), lhs, &rhs);
  switch (op) {
  case CompareOp::Lt:
    return {Value(*order == -1), ""};
  case CompareOp::Le:
    return {Value(*order == -1 || *order == 0), ""};
  case CompareOp::Gt:
    return {Value(*order == 1), ""};
  default:
    return {Value(*order == 1 || *order == 0), ""};
  }
}

std::optional<bool> getTruth(const Value &value) {
  if (auto v = asInteger(value))
    return *v != 0;
  if (auto *v = value.getIf<double>())
    return *v != 0;
  if (auto *v = value.getIf<std::string>())
    return !v->empty();
  if (const TupleValue *v = value.getTuple())
    return v->isRecord() || !v->elements.empty();
  if (value.isNone())
    return false;
  if (value.is<std::monostate>() || value.is<TensorValue>() || value.asUnknown())
    return std::nullopt;
  return true;
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

/// Start, stop and step of a slice over `size` elements, as Python clips them.
static std::optional<std::string> resolveSlice(const SliceValue &slice, PyInt size, PyInt &start,
                                               PyInt &stop, PyInt &step) {
  auto part = [&](const std::shared_ptr<Value> &p,
                  std::optional<PyInt> &out) -> std::optional<std::string> {
    if (!p || p->isNone())
      return std::nullopt;
    out = asInteger(*p);
    if (out)
      return std::nullopt;
    return "slice bounds must be compile-time integers, not " + p->describe();
  };
  std::optional<PyInt> lower, upper, stride;
  for (auto [p, out] :
       {std::pair{&slice.lower, &lower}, {&slice.upper, &upper}, {&slice.step, &stride}})
    if (auto error = part(*p, *out))
      return error;
  step = stride.value_or(1);
  if (step == 0)
    return "the step of a slice cannot be 0";
  PyInt first = step > 0 ? 0 : -1, last = step > 0 ? size : size - 1;
  auto clip = [&](std::optional<PyInt> v, PyInt otherwise) {
    if (!v)
      return otherwise;
    PyInt index = *v < 0 ? *v + size : *v;
    return std::clamp(index, first, last);
  };
  start = clip(lower, step > 0 ? 0 : size - 1);
  stop = clip(upper, step > 0 ? size : -1);
  return std::nullopt;
}

ConstResult evalSubscript(const Value &base, const Value &index) {
  if (const OpaqueValue *unknown = index.findUnknown())
    return ConstResult::dependsOn(*unknown);
  const TupleValue *tuple = base.getTuple();
  if (tuple && tuple->isRecord())
    return ConstResult::failure(base.describe() + " cannot be indexed; ask for its fields by name");
  if (tuple && tuple->isDict()) {
    if (auto at = findKey(*tuple, index))
      return {tuple->elements[*at], ""};
    return ConstResult::failure("no entry " + index.repr());
  }
  if (tuple && tuple->isSet())
    return ConstResult::failure("a set cannot be indexed");
  const std::string *text = base.getIf<std::string>();
  if (!tuple && !text)
    return ConstResult::failure(base.describe() + " cannot be indexed");
  PyInt size = static_cast<PyInt>(tuple ? tuple->elements.size() : text->size());
  if (auto *slice = index.getIf<SliceValue>()) {
    PyInt start = 0, stop = 0, step = 1;
    if (auto error = resolveSlice(*slice, size, start, stop, step))
      return ConstResult::failure(*error);
    auto out = std::make_shared<TupleValue>();
    std::string characters;
    for (PyInt i = start; step > 0 ? i < stop : i > stop; i += step) {
      if (tuple)
        out->elements.push_back(tuple->elements[static_cast<size_t>(i)]);
      else
        characters += (*text)[static_cast<size_t>(i)];
    }
    if (text)
      return {Value(std::move(characters)), ""};
    out->isList = tuple->isList;
    return {Value(std::move(out)), ""};
  }
  auto position = asInteger(index);
  const char *kind = tuple ? (tuple->isList ? "list" : "tuple") : "string";
  if (!position)
    return ConstResult::failure(llvm::Twine("a ") + kind +
                                " is indexed by a compile-time integer, not " + index.describe());
  PyInt at = *position < 0 ? *position + size : *position;
  if (at < 0 || at >= size)
    return ConstResult::failure("index " + formatInteger(*position) + " is out of range for a " +
                                kind + " of " + formatInteger(size));
  if (text)
    return {Value(std::string(1, (*text)[static_cast<size_t>(at)])), ""};
  return {tuple->elements[static_cast<size_t>(at)], ""};
}

} // namespace tilerun::sema
