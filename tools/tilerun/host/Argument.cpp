// Parses tensor specifications and fills tensors.
#include "tools/tilerun/host/Argument.h"

#include "frontend/parse/Parser.h"
#include "tools/tilerun/host/Npy.h"
#include "tools/tilerun/host/Operators.h"
#include "tools/tilerun/host/Random.h"
#include "tools/tilerun/host/Try.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::host;
using mlir::failed;
using mlir::failure;

const ast::Expr *host::parseExpressionAt(ExpressionContext &context, uint32_t file, uint32_t begin,
                                         uint32_t end) {
  llvm::StringRef text = context.sources.getText(file);
  while (begin < end && llvm::isSpace(text[begin]))
    ++begin;
  while (begin < end && llvm::isSpace(text[end - 1]))
    --end;
  SourceRange range{{file, begin}, std::max(end, begin + 1)};
  if (begin == end) {
    context.diagnostics.error(range, "expected an expression");
    return nullptr;
  }
  std::optional<ast::Block> block =
      parseStatements(context.sources, file, begin, end, context.arena, &context.diagnostics);
  if (!block)
    return nullptr;
  if (block->size() == 1)
    if (auto *statement = llvm::dyn_cast<ast::ExprStmt>((*block)[0]))
      return statement->value;
  context.diagnostics.error(range, "expected one expression");
  return nullptr;
}

mlir::FailureOr<Value> host::evaluateText(ExpressionContext &context, llvm::StringRef name,
                                          llvm::StringRef text) {
  uint32_t file = context.sources.addText(name, text.str());
  const ast::Expr *expr = parseExpressionAt(context, file, 0, static_cast<uint32_t>(text.size()));
  if (!expr)
    return failure();
  return context.evaluator.evaluate(*expr);
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

namespace {

using Args = llvm::ArrayRef<Value>;

/// Of random contents; 0 where it is not given.
llvm::Expected<uint64_t> getSeed(Args args, size_t i, llvm::StringRef name) {
  const auto value = i < args.size() ? args[i].asInteger() : Integer{0};
  if (!value || *value < INT64_MIN || *value > UINT64_MAX)
    return makeError("the seed of :" + name + " must be an integer of 64 bits, not " +
                     args[i].describe());
  return static_cast<uint64_t>(*value);
}

template <typename Fn> void fillFloats(Tensor &tensor, Fn fn) {
  uint8_t *bytes = tensor.storage->bytes().data();
  tensor.forEach([&](int64_t i, uint64_t at) {
    storeElement(bytes + at, tensor.dtype.scalar, fn(static_cast<uint64_t>(i)));
  });
}
template <typename Fn> void fillIntegers(Tensor &tensor, Fn fn) {
  uint8_t *bytes = tensor.storage->bytes().data();
  tensor.forEach([&](int64_t i, uint64_t at) {
    storeInteger(bytes + at, tensor.dtype.scalar, fn(static_cast<uint64_t>(i)));
  });
}

llvm::Error fillFull(Tensor &tensor, const Value &value) {
  if (auto integer = value.asInteger()) {
    if (!fitsInteger(tensor.dtype.scalar, *integer))
      return makeError(formatInteger(*integer) + " does not fit " + tensor.dtype.str());
    fillIntegers(tensor, [&](uint64_t) { return *integer; });
    return llvm::Error::success();
  }
  auto number = value.asDouble();
  if (!number)
    return makeError(":full takes a number, not " + value.describe());
  if (tensor.dtype.isInt() && *number != std::trunc(*number))
    return makeError(":full(" + llvm::Twine(std::to_string(*number)) + ") of an integer tensor");
  fillFloats(tensor, [&](uint64_t) { return *number; });
  return llvm::Error::success();
}

llvm::Error fillArange(Tensor &tensor, Args args) {
  auto startInteger = args.size() > 0 ? args[0].asInteger() : Integer{0};
  auto stepInteger = args.size() > 1 ? args[1].asInteger() : Integer{1};
  if (startInteger && stepInteger) {
    // Bounds of 64 bits on both keep the products of the loop in range.
    for (Integer bound : {*startInteger, *stepInteger})
      if (bound > INT64_MAX || bound < INT64_MIN)
        return makeError(":arange takes numbers of at most 64 bits");
    Integer last = *startInteger + *stepInteger * std::max<int64_t>(tensor.numElements() - 1, 0);
    if (!fitsInteger(tensor.dtype.scalar, *startInteger) || !fitsInteger(tensor.dtype.scalar, last))
      return makeError(":arange reaches " + formatInteger(last) + ", which does not fit " +
                       tensor.dtype.str());
    fillIntegers(tensor, [&](uint64_t i) { return *startInteger + *stepInteger * Integer(i); });
    return llvm::Error::success();
  }
  auto start = args.size() > 0 ? args[0].asDouble() : 0.0;
  auto step = args.size() > 1 ? args[1].asDouble() : 1.0;
  if (!start || !step || tensor.dtype.isInt())
    return makeError(":arange takes numbers, and integers for an integer tensor");
  fillFloats(tensor, [&](uint64_t i) { return *start + *step * static_cast<double>(i); });
  return llvm::Error::success();
}

llvm::Error fillRandint(Tensor &tensor, Args args) {
  TILERUN_TRY_VALUE(seed, getSeed(args, 2, "randint"));
  TILERUN_TRY_VALUE(low, getInt64(args[0], "the low end of :randint"));
  TILERUN_TRY_VALUE(high, getInt64(args[1], "the high end of :randint"));
  if (low >= high)
    return makeError(":randint(" + llvm::Twine(low) + ", " + llvm::Twine(high) +
                     ") has no values; the high end is exclusive");
  if (!fitsInteger(tensor.dtype.scalar, low) || !fitsInteger(tensor.dtype.scalar, high - 1))
    return makeError(":randint(" + llvm::Twine(low) + ", " + llvm::Twine(high) + ") does not fit " +
                     tensor.dtype.str());
  fillIntegers(tensor, [&](uint64_t i) { return Integer(randomInteger(seed, i, low, high)); });
  return llvm::Error::success();
}

llvm::Error fillRandom(Tensor &tensor, Args args, llvm::StringRef name,
                       double (*get)(uint64_t seed, uint64_t index)) {
  if (!tensor.dtype.isFloat())
    return makeError(":" + name + " is for float tensors; use :randint(low, high, seed) for " +
                     tensor.dtype.str());
  TILERUN_TRY_VALUE(seed, getSeed(args, 0, name));
  fillFloats(tensor, [&](uint64_t i) { return get(seed, i); });
  return llvm::Error::success();
}

llvm::Error leaveEmpty(Tensor &tensor) {
  tensor.poisoned = true;
  // NaN for floats (all ones is NaN in every format that has one), -1 or the largest for integers.
  llvm::fill(tensor.storage->bytes(), 0xff);
  return llvm::Error::success();
}

struct Initializer {
  llvm::StringRef name;
  size_t least, most; ///< Numbers of arguments.
  llvm::Error (*fill)(Tensor &tensor, Args args);
};
constexpr Initializer kInitializers[] = {
    {"zeros", 0, 0, [](Tensor &t, Args) { return fillFull(t, Value::integer(0)); }},
    {"ones", 0, 0, [](Tensor &t, Args) { return fillFull(t, Value::integer(1)); }},
    {"full", 1, 1, [](Tensor &t, Args args) { return fillFull(t, args[0]); }},
    {"arange", 0, 2, fillArange},
    {"rand", 0, 1, [](Tensor &t, Args args) { return fillRandom(t, args, "rand", randomUniform); }},
    {"randn", 0, 1,
     [](Tensor &t, Args args) { return fillRandom(t, args, "randn", randomNormal); }},
    {"randint", 2, 3, fillRandint},
    {"empty", 0, 0, [](Tensor &t, Args) { return leaveEmpty(t); }}};

} // namespace

llvm::Error host::initializeTensor(Tensor &tensor, llvm::StringRef name,
                                   llvm::ArrayRef<Value> args) {
  std::vector<llvm::StringRef> names;
  for (const Initializer &initializer : kInitializers) {
    names.push_back(initializer.name);
    if (name != initializer.name)
      continue;
    const auto [least, most] = std::pair(initializer.least, initializer.most);
    if (args.size() >= least && args.size() <= most)
      return initializer.fill(tensor, args);
    return makeError(":" + name + " takes " +
                     (least == most ? "" : std::to_string(least) + " to ") + std::to_string(most) +
                     " arguments, found " + llvm::Twine(args.size()));
  }
  auto near = findNearName(name, names);
  return makeError("unknown contents ':" + name + "'" +
                   (near ? "; did you mean ':" + near->str() + "'?"
                         : "; choose from :" + llvm::join(names, ", :")));
}

//===----------------------------------------------------------------------===//
// Specifications
//===----------------------------------------------------------------------===//

namespace {

class ArgumentParser {
public:
  ArgumentParser(ExpressionContext &context, uint32_t file)
      : context(context), file(file), text(context.sources.getText(file)) {}

  mlir::FailureOr<Value> parse() {
    uint32_t begin = skipSpace(0);
    if (at(begin) == '@')
      return readFile(begin + 1, std::nullopt);
    uint32_t nameEnd = begin;
    while (llvm::isAlnum(at(nameEnd)) || at(nameEnd) == '_' || at(nameEnd) == '.' ||
           at(nameEnd) == '*')
      ++nameEnd;
    llvm::StringRef name = text.slice(begin, nameEnd);
    if (nameEnd > begin && at(nameEnd) == '@') {
      std::optional<DType> dtype = parseElementType(name);
      if (!dtype)
        return failDType(begin, nameEnd);
      return readFile(nameEnd + 1, dtype);
    }
    if (nameEnd > begin && at(nameEnd) == '[') {
      std::optional<uint32_t> close = findClose(nameEnd);
      uint32_t next = close ? skipSpace(*close + 1) : 0;
      bool isSpec = close && (at(next) == ':' || at(next) == '{');
      if (isSpec && !parseElementType(name))
        return failDType(begin, nameEnd);
      bool shadowed = context.evaluator.getNames().count(name) != 0;
      if (isSpec || (close && next == text.size() && !shadowed && parseElementType(name)))
        return parseSpec(*parseElementType(name), nameEnd, *close);
    }
    const ast::Expr *expr = parseExpressionAt(context, file, 0, size());
    if (!expr)
      return failure();
    return context.evaluator.evaluate(*expr);
  }

private:
  char at(uint32_t i) const { return i < text.size() ? text[i] : 0; }
  uint32_t size() const { return static_cast<uint32_t>(text.size()); }
  uint32_t skipSpace(uint32_t i) const {
    while (i < text.size() && llvm::isSpace(text[i]))
      ++i;
    return i;
  }
  mlir::LogicalResult fail(uint32_t begin, uint32_t end, const llvm::Twine &message) {
    return context.evaluator.fail({{file, begin}, std::max(end, begin + 1)}, message);
  }

  /// A dtype that memory can hold: no void, no pointer.
  static std::optional<DType> parseElementType(llvm::StringRef name) {
    name.consume_front("tl.");
    std::optional<DType> dtype = parseDType(name);
    if (dtype && (dtype->isPointer() || dtype->scalar == Scalar::Void))
      return std::nullopt;
    return dtype;
  }
  mlir::LogicalResult failDType(uint32_t begin, uint32_t end) {
    llvm::StringRef name = text.slice(begin, end);
    if (name.contains('*'))
      return fail(begin, end, "a tensor of pointers cannot be given; name the element type");
    llvm::SmallVector<llvm::StringRef> names{"f16", "bf16", "f32", "f64"};
#define SCALAR(Enum, Name, Short, Bits, Kind)                                                      \
  names.push_back(Name);                                                                           \
  names.push_back(Short);
#include "frontend/types/Scalars.def"
    auto near = findNearName(name, names);
    return fail(begin, end,
                "unknown element type '" + name + "'" +
                    (near ? "; did you mean '" + near->str() + "'?"
                          : std::string("; as in f32, bf16, i64, u8, i1, fp8e4nv")));
  }

  /// The bracket that closes the one at `open`, strings aside.
  std::optional<uint32_t> findClose(uint32_t open) const {
    std::string stack;
    for (uint32_t i = open; i < text.size(); ++i) {
      char c = text[i];
      if (c == '"' || c == '\'') {
        size_t end = text.find(c, i + 1);
        if (end == llvm::StringRef::npos)
          return std::nullopt;
        i = static_cast<uint32_t>(end);
      } else if (c == '[' || c == '(' || c == '{') {
        stack += c == '[' ? ']' : c == '(' ? ')' : '}';
      } else if (c == ']' || c == ')' || c == '}') {
        if (stack.empty() || stack.back() != c)
          return std::nullopt;
        stack.pop_back();
        if (stack.empty())
          return i;
      }
    }
    return std::nullopt;
  }

  mlir::FailureOr<Shape> parseDims(uint32_t begin, uint32_t end, llvm::StringRef what) {
    if (text.slice(begin, end).trim().empty())
      return Shape();
    const ast::Expr *expr = parseExpressionAt(context, file, begin, end);
    if (!expr)
      return failure();
    TILERUN_TRY_RESULT(value, context.evaluator.evaluate(*expr));
    return context.evaluator.check(expr->range, getShape(value, what));
  }

  mlir::FailureOr<Value> parseSpec(DType dtype, uint32_t open, uint32_t close) {
    TILERUN_TRY_RESULT(shape, parseDims(open + 1, close, "a dimension"));
    for (int64_t dim : shape)
      if (dim < 0)
        return fail(open, close + 1, "a negative dimension: " + llvm::Twine(dim));
    uint32_t next = skipSpace(close + 1);
    uint32_t layoutEnd = close + 1;
    std::optional<Shape> strides;
    if (at(next) == '{') {
      std::optional<uint32_t> strideClose = findClose(next);
      if (!strideClose)
        return fail(next, next + 1, "'{' is never closed");
      TILERUN_TRY_RESULT(parsed, parseDims(next + 1, *strideClose, "a stride"));
      if (parsed.size() != shape.size())
        return fail(next, *strideClose + 1,
                    llvm::Twine(parsed.size()) + " strides for " + llvm::Twine(shape.size()) +
                        " dimensions");
      strides = parsed;
      layoutEnd = *strideClose + 1;
      next = skipSpace(layoutEnd);
    }
    if (at(next) != ':')
      return fail(next, next + 1,
                  "expected ':' and contents, such as ':zeros', ':randn(seed)' or ':empty'");
    SourceRange range{{file, open}, layoutEnd};
    // Counting first keeps the default strides in range.
    if (failed(context.evaluator.check(range, countElements(shape, getElementBytes(dtype)))))
      return failure();
    TILERUN_TRY_RESULT(
        tensor,
        context.evaluator.check(
            range, Tensor::create(dtype, shape, strides ? *strides : contiguousStrides(shape))));
    return parseContents(std::move(tensor), skipSpace(next + 1));
  }

  mlir::FailureOr<Value> parseContents(Tensor tensor, uint32_t begin) {
    if (at(begin) == '@')
      return fillFromFile(std::move(tensor), begin + 1);
    uint32_t nameEnd = begin;
    while (llvm::isAlnum(at(nameEnd)) || at(nameEnd) == '_')
      ++nameEnd;
    if (nameEnd == begin)
      return fail(begin, begin + 1, "expected contents, such as 'zeros', 'randn(seed)' or 'empty'");
    uint32_t next = skipSpace(nameEnd), end = nameEnd;
    std::vector<Value> args;
    if (at(next) == '(') {
      std::optional<uint32_t> close = findClose(next);
      if (!close)
        return fail(next, next + 1, "'(' is never closed");
      end = *close + 1;
      if (!text.slice(next + 1, *close).trim().empty()) {
        const ast::Expr *expr = parseExpressionAt(context, file, next + 1, *close);
        if (!expr)
          return failure();
        TILERUN_TRY_RESULT(value, context.evaluator.evaluate(*expr));
        const Tuple *tuple = llvm::isa<ast::TupleExpr>(expr) ? value.asTuple() : nullptr;
        args = tuple ? tuple->elements : std::vector<Value>{value};
      }
      next = skipSpace(end);
    }
    if (next != text.size())
      return fail(next, size(), "unexpected text after the contents");
    const std::string key = makeKey(tensor, text.slice(begin, nameEnd), args);
    if (!key.empty())
      if (auto it = context.filled->find(key); it != context.filled->end())
        return Value(it->second);
    if (llvm::Error error = initializeTensor(tensor, text.slice(begin, nameEnd), args))
      return fail(begin, end, llvm::toString(std::move(error)));
    if (!key.empty())
      context.filled->emplace(key, tensor);
    return Value(std::move(tensor));
  }

  /// Of FilledTensors; "" if the tensor is not shared.
  std::string makeKey(const Tensor &tensor, llvm::StringRef contents,
                      llvm::ArrayRef<Value> args) const {
    if (!context.filled)
      return "";
    // Two arguments of the same text are two tensors.
    std::string key = (context.sources.getName(file) + "\n" + tensor.describe() +
                       formatIndex(tensor.strides) + contents)
                          .str();
    for (const Value &arg : args) {
      const std::optional<Integer> integer = arg.asInteger();
      if (!integer)
        return "";
      key += " " + formatInteger(*integer);
    }
    return key;
  }

  mlir::FailureOr<Tensor> readTensor(uint32_t begin, std::optional<DType> as) {
    llvm::StringRef path = text.drop_front(begin);
    if (path.empty())
      return fail(begin - 1, begin, "expected the path of a .npy file after '@'");
    return context.evaluator.check({{file, begin}, size()}, readNpy(path, as));
  }
  mlir::FailureOr<Value> readFile(uint32_t begin, std::optional<DType> as) {
    TILERUN_TRY_RESULT(tensor, readTensor(begin, as));
    return Value(std::move(tensor));
  }
  mlir::FailureOr<Value> fillFromFile(Tensor tensor, uint32_t begin) {
    TILERUN_TRY_RESULT(source, readTensor(begin, tensor.dtype));
    if (source.shape != tensor.shape)
      return fail(begin, size(),
                  "'" + text.drop_front(begin) + "' has shape " + formatIndex(source.shape) +
                      ", not " + formatIndex(tensor.shape));
    uint8_t *out = tensor.storage->bytes().data();
    const uint8_t *in = source.storage->bytes().data();
    unsigned bytes = tensor.elementBytes();
    tensor.forEach([&](int64_t i, uint64_t at) {
      std::memcpy(out + at, in + static_cast<uint64_t>(i) * bytes, bytes);
    });
    return Value(std::move(tensor));
  }

  ExpressionContext &context;
  uint32_t file;
  llvm::StringRef text;
};

} // namespace

mlir::FailureOr<Value> host::evaluateArgument(ExpressionContext &context, llvm::StringRef name,
                                              llvm::StringRef text) {
  uint32_t file = context.sources.addText(name, text.str());
  return ArgumentParser(context, file).parse();
}
