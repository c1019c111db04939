// Python's operators on numbers, tuples, strings and tensors.
#include "tools/tilerun/host/Operators.h"

#include <cmath>
#include <functional>

using namespace tilerun;
using namespace tilerun::host;
using ast::BinaryOp;
using ast::CompareOp;
using ast::UnaryOp;

llvm::Expected<Array> host::getArray(const Value &value) {
  if (auto *tensor = value.getIf<Tensor>()) {
    if (tensor->dtype.isPointer())
      return makeError("a tensor of pointers has no values to compute with");
    return toArray(*tensor);
  }
  if (auto *array = value.getIf<std::shared_ptr<const Array>>())
    return **array;
  if (auto number = value.asDouble()) {
    llvm::Expected<Array> array = Array::create({});
    if (array)
      array->data[0] = *number;
    return array;
  }
  if (const Tuple *tuple = value.asTuple()) { // Rows of one shape, as NumPy makes arrays of lists.
    std::vector<Array> rows;
    for (const Value &element : tuple->elements) {
      TILERUN_TRY_VALUE(row, getArray(element));
      row.shape.insert(row.shape.begin(), 1);
      rows.push_back(std::move(row));
    }
    return rows.empty() ? Array::create({0}) : concatenate(rows, 0);
  }
  return makeError("expected a tensor or a number, found " + value.describe());
}

llvm::Expected<int64_t> host::getInt64(const Value &value, const llvm::Twine &what) {
  auto integer = value.asInteger();
  if (!integer)
    return makeError(what + " must be an integer, not " + value.describe());
  if (*integer > INT64_MAX || *integer < INT64_MIN)
    return makeError(what + " does not fit 64 bits: " + formatInteger(*integer));
  return static_cast<int64_t>(*integer);
}

llvm::Expected<Shape> host::getShape(const Value &value, const llvm::Twine &what) {
  Shape shape;
  const Tuple *tuple = value.asTuple();
  for (const Value &element :
       tuple ? llvm::ArrayRef(tuple->elements) : llvm::ArrayRef<Value>(value)) {
    TILERUN_TRY_VALUE(dim, getInt64(element, what));
    shape.push_back(dim);
  }
  return shape;
}

llvm::Expected<bool> host::getTruth(const Value &value) {
  if (value.isNone())
    return false;
  if (auto number = value.asDouble())
    return *number != 0;
  if (auto *text = value.getIf<std::string>())
    return !text->empty();
  if (const Tuple *tuple = value.asTuple())
    return !tuple->elements.empty();
  return makeError("expected a condition, found " + value.describe());
}

static llvm::Error overflow() { return makeError("the integer result does not fit 128 bits"); }

static llvm::Expected<Integer> powInteger(Integer base, Integer exponent) {
  Integer result = 1;
  while (exponent > 0) {
    if (exponent & 1)
      if (__builtin_mul_overflow(result, base, &result))
        return overflow();
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base))
      return overflow();
  }
  return result;
}

/// Python's integer arithmetic: `//` and `%` floor.
static llvm::Expected<Value> applyIntegers(BinaryOp op, Integer a, Integer b) {
  Integer out = 0;
  auto check = [&](bool overflows) -> llvm::Expected<Value> {
    if (overflows)
      return overflow();
    return Value::integer(out);
  };
  const bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && b == 0)
    return makeError("division by zero");
  const bool shifts = op == BinaryOp::Shl || op == BinaryOp::Shr;
  if (shifts && b < 0)
    return makeError("a negative shift count");
  switch (op) {
  case BinaryOp::Add:
    return check(__builtin_add_overflow(a, b, &out));
  case BinaryOp::Sub:
    return check(__builtin_sub_overflow(a, b, &out));
  case BinaryOp::Mul:
    return check(__builtin_mul_overflow(a, b, &out));
  case BinaryOp::Div:
    return Value(static_cast<double>(a) / static_cast<double>(b));
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod: {
    constexpr Integer kMin = static_cast<Integer>(1) << 127;
    if (a == kMin && b == -1)
      return overflow();
    Integer quotient = a / b, remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
      --quotient;
      remainder += b;
    }
    return Value::integer(op == BinaryOp::FloorDiv ? quotient : remainder);
  }
  case BinaryOp::Pow: {
    if (b < 0)
      return Value(std::pow(static_cast<double>(a), static_cast<double>(b)));
    TILERUN_TRY_VALUE(power, powInteger(a, b));
    return Value::integer(power);
  }
  case BinaryOp::Shr:
    return Value::integer(b > 126 ? (a < 0 ? -1 : 0) : a >> b);
  case BinaryOp::Shl:
    if (b > 126)
      return check(a != 0);
    return check(__builtin_mul_overflow(a, static_cast<Integer>(1) << static_cast<int>(b), &out));
  case BinaryOp::And:
    return Value::integer(a & b);
  case BinaryOp::Or:
    return Value::integer(a | b);
  case BinaryOp::Xor:
    return Value::integer(a ^ b);
  case BinaryOp::MatMul:
    return makeError("'@' needs tensors; use '*' for numbers");
  }
  llvm_unreachable("unknown operator");
}

static double floorMod(double a, double b) {
  double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/// The float64 operator, or null where floats have none.
static BinaryFn getFloatOperator(BinaryOp op) {
  static constexpr std::pair<BinaryOp, BinaryFn> operators[] = {
      {BinaryOp::Add, [](double a, double b) { return a + b; }},
      {BinaryOp::Sub, [](double a, double b) { return a - b; }},
      {BinaryOp::Mul, [](double a, double b) { return a * b; }},
      {BinaryOp::Div, [](double a, double b) { return a / b; }},
      {BinaryOp::FloorDiv, [](double a, double b) { return std::floor(a / b); }},
      {BinaryOp::Mod, floorMod},
      {BinaryOp::Pow, [](double a, double b) { return std::pow(a, b); }}};
  for (auto [known, fn] : operators)
    if (op == known)
      return fn;
  return nullptr;
}

template <typename Operator> static double applyToIntegers(double x, double y) {
  return static_cast<double>(Operator()(static_cast<int64_t>(x), static_cast<int64_t>(y)));
}

/// Bitwise operators on integer tensors; nothing where an element is no 64-bit integer.
static llvm::Expected<Value> applyBitwise(BinaryOp op, const Array &a, const Array &b) {
  for (const Array *operand : {&a, &b})
    for (double x : operand->data)
      if (!(std::fabs(x) <= 0x1p53) || x != std::trunc(x))
        return makeError(llvm::Twine("'") + ast::getSpelling(op) +
                         "' needs integers of at most 53 bits");
  const BinaryFn fn = op == BinaryOp::And   ? applyToIntegers<std::bit_and<int64_t>>
                      : op == BinaryOp::Or  ? applyToIntegers<std::bit_or<int64_t>>
                      : op == BinaryOp::Xor ? applyToIntegers<std::bit_xor<int64_t>>
                      : op == BinaryOp::Shl
                          ? [](double x, double y) { return x * std::exp2(y); }
                          : [](double x, double y) { return std::floor(x * std::exp2(-y)); };
  TILERUN_TRY_VALUE(out, mapElements(a, b, fn));
  return Value::array(std::move(out));
}

static llvm::Expected<Value> repeatTuple(const Tuple &tuple, Integer count) {
  constexpr int64_t kMaxElements = 1 << 16;
  if (count > kMaxElements || static_cast<Integer>(tuple.elements.size()) * count > kMaxElements)
    return makeError("a tuple of more than 65536 elements");
  std::vector<Value> elements;
  for (Integer i = 0; i < count; ++i)
    llvm::append_range(elements, tuple.elements);
  return Value::tuple(std::move(elements), tuple.isList);
}

llvm::Expected<Value> host::applyBinary(BinaryOp op, const Value &lhs, const Value &rhs) {
  if (lhs.isTensorLike() || rhs.isTensorLike()) {
    TILERUN_TRY_VALUE(a, getArray(lhs));
    TILERUN_TRY_VALUE(b, getArray(rhs));
    if (BinaryFn fn = getFloatOperator(op)) {
      TILERUN_TRY_VALUE(out, mapElements(a, b, fn));
      return Value::array(std::move(out));
    }
    if (op != BinaryOp::MatMul)
      return applyBitwise(op, a, b);
    TILERUN_TRY_VALUE(out, matmul(a, b));
    return Value::array(std::move(out));
  }
  auto ia = lhs.asInteger(), ib = rhs.asInteger();
  if (ia && ib) {
    // Python keeps booleans under `&`, `|` and `^`.
    llvm::Expected<Value> out = applyIntegers(op, *ia, *ib);
    bool logic = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
    if (out && logic && lhs.is<bool>() && rhs.is<bool>())
      return Value(*out->asInteger() != 0);
    return out;
  }
  auto da = lhs.asDouble(), db = rhs.asDouble();
  if (da && db) {
    BinaryFn fn = getFloatOperator(op);
    if (!fn)
      return makeError(llvm::Twine("'") + ast::getSpelling(op) + "' is not defined for floats");
    bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
    if (divides && *db == 0)
      return makeError("division by zero");
    return Value(fn(*da, *db));
  }
  const Tuple *ta = lhs.asTuple(), *tb = rhs.asTuple();
  if (op == BinaryOp::Add && ta && tb) {
    std::vector<Value> elements = ta->elements;
    llvm::append_range(elements, tb->elements);
    return Value::tuple(std::move(elements), ta->isList);
  }
  if (op == BinaryOp::Mul && ta && ib)
    return repeatTuple(*ta, *ib);
  if (op == BinaryOp::Mul && tb && ia)
    return repeatTuple(*tb, *ia);
  auto *sa = lhs.getIf<std::string>(), *sb = rhs.getIf<std::string>();
  if (op == BinaryOp::Add && sa && sb)
    return Value(*sa + *sb);
  return makeError(llvm::Twine("'") + ast::getSpelling(op) + "' is not defined for " +
                   lhs.describe() + " and " + rhs.describe());
}

llvm::Expected<Value> host::applyUnary(UnaryOp op, const Value &operand) {
  if (op == UnaryOp::Not) {
    TILERUN_TRY_VALUE(truth, getTruth(operand));
    return Value(!truth);
  }
  if (operand.isTensorLike()) {
    TILERUN_TRY_VALUE(array, getArray(operand));
    if (op == UnaryOp::Plus)
      return Value::array(std::move(array));
    UnaryFn fn = op == UnaryOp::Minus ? [](double x) { return -x; }
                                      : array.dtype.isBool()
                     ? [](double x) -> double { return x == 0; }
    : [](double x) { return -x - 1; };
    return Value::array(mapElements(std::move(array), fn));
  }
  if (auto integer = operand.asInteger()) {
    if (op == UnaryOp::Invert)
      return Value::integer(~*integer);
    Integer out;
    if (op == UnaryOp::Minus && __builtin_sub_overflow(Integer{0}, *integer, &out))
      return overflow();
    return Value::integer(op == UnaryOp::Minus ? out : *integer);
  }
  if (auto number = operand.asDouble(); number && op != UnaryOp::Invert)
    return Value(op == UnaryOp::Minus ? -*number : *number);
  return makeError(llvm::Twine("unary '") + ast::getSpelling(op) + "' is not defined for " +
                   operand.describe());
}

/// Gives `use` the comparison as a function object.
template <typename Use> static auto withComparison(CompareOp op, Use use) {
  switch (op) {
  case CompareOp::Eq:
    return use(std::equal_to<>());
  case CompareOp::Ne:
    return use(std::not_equal_to<>());
  case CompareOp::Lt:
    return use(std::less<>());
  case CompareOp::Le:
    return use(std::less_equal<>());
  case CompareOp::Gt:
    return use(std::greater<>());
  default:
    return use(std::greater_equal<>());
  }
}
template <typename T> static bool compareOrdered(CompareOp op, const T &a, const T &b) {
  return withComparison(op, [&](auto compare) { return compare(a, b); });
}

static llvm::Expected<Value> compareArrays(CompareOp op, const Value &lhs, const Value &rhs) {
  const BinaryFn fn = withComparison(op, [](auto compare) -> BinaryFn {
    return [](double a, double b) -> double { return decltype(compare)()(a, b); };
  });
  TILERUN_TRY_VALUE(a, getArray(lhs));
  TILERUN_TRY_VALUE(b, getArray(rhs));
  TILERUN_TRY_VALUE(out, mapElements(a, b, fn));
  out.dtype = dtype(Scalar::Int1);
  return Value::array(std::move(out));
}

/// Python's `==`; values of different kinds are unequal.
static bool isEqual(const Value &a, const Value &b) {
  if (auto ia = a.asInteger(), ib = b.asInteger(); ia && ib)
    return *ia == *ib;
  if (auto da = a.asDouble(), db = b.asDouble(); da && db)
    return *da == *db;
  if (auto *sa = a.getIf<std::string>(), *sb = b.getIf<std::string>(); sa && sb)
    return *sa == *sb;
  if (auto *ta = a.getIf<DType>(), *tb = b.getIf<DType>(); ta && tb)
    return *ta == *tb;
  if (auto *ja = a.getIf<JitName>(), *jb = b.getIf<JitName>(); ja && jb)
    return ja->name == jb->name;
  if (const Tuple *ta = a.asTuple(), *tb = b.asTuple(); ta && tb)
    return ta->elements.size() == tb->elements.size() &&
           std::equal(ta->elements.begin(), ta->elements.end(), tb->elements.begin(), isEqual);
  return a.isNone() && b.isNone();
}

llvm::Expected<Value> host::applyCompare(CompareOp op, const Value &lhs, const Value &rhs) {
  switch (op) {
  case CompareOp::Is:
  case CompareOp::IsNot:
    return Value(isEqual(lhs, rhs) == (op == CompareOp::Is));
  case CompareOp::In:
  case CompareOp::NotIn: {
    bool found = false;
    if (const Tuple *tuple = rhs.asTuple())
      found = llvm::any_of(tuple->elements, [&](const Value &v) { return isEqual(lhs, v); });
    else if (auto *dict = rhs.getIf<std::shared_ptr<Dictionary>>(); dict && lhs.is<std::string>())
      found = (*dict)->entries.count(*lhs.getIf<std::string>()) != 0;
    else
      return makeError("'in' needs a tuple, not " + rhs.describe());
    return Value(found == (op == CompareOp::In));
  }
  default:
    break;
  }
  if (lhs.isTensorLike() || rhs.isTensorLike())
    return compareArrays(op, lhs, rhs);
  if (op == CompareOp::Eq || op == CompareOp::Ne)
    return Value(isEqual(lhs, rhs) == (op == CompareOp::Eq));
  if (auto a = lhs.asInteger(), b = rhs.asInteger(); a && b)
    return Value(compareOrdered(op, *a, *b));
  if (auto a = lhs.asDouble(), b = rhs.asDouble(); a && b)
    return Value(compareOrdered(op, *a, *b));
  if (auto *a = lhs.getIf<std::string>(), *b = rhs.getIf<std::string>(); a && b)
    return Value(compareOrdered(op, *a, *b));
  return makeError(llvm::Twine("'") + ast::getSpelling(op) + "' is not defined for " +
                   lhs.describe() + " and " + rhs.describe());
}
