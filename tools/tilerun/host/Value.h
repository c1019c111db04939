// Values of the command line's expressions.
#pragma once

#include "tools/tilerun/host/Tensor.h"

#include <map>
#include <optional>
#include <variant>

namespace tilerun::ast {
struct LambdaExpr;
}

namespace tilerun::host {

class Value;
struct Function;

/// Wide enough for every integer an argument may have; leaving it is an error.
using Integer = __int128;
std::string formatInteger(Integer value);

struct Tuple {
  std::vector<Value> elements;
  bool isList = false;
};
/// The argument of a kernel file's lambda: `args["N"]`.
struct Dictionary {
  std::map<std::string, Value, std::less<>> entries;
};
/// `tl`, `triton`, `torch`, …: a prefix of names that means nothing by itself.
struct Namespace {
  std::string name;
};
/// `x.sum`: a function with its first argument.
struct BoundFunction {
  const Function *function;
  std::shared_ptr<Value> self;
};
/// A jit function of the kernel file, for parameters that take functions.
struct JitName {
  std::string name;
};
struct NoneValue {};

class Value {
public:
  using Storage = std::variant<NoneValue, bool, Integer, double, std::string, DType, Tensor,
                               std::shared_ptr<const Array>, std::shared_ptr<Tuple>,
                               std::shared_ptr<Dictionary>, Namespace, const Function *,
                               BoundFunction, JitName, const ast::LambdaExpr *>;
  Value() = default;
  template <typename T> Value(T value) : storage(std::move(value)) {}
  static Value integer(Integer value) { return Value(value); }
  static Value array(Array array) { return Value(std::make_shared<const Array>(std::move(array))); }
  static Value tuple(std::vector<Value> elements, bool isList = false);
  static Value shape(llvm::ArrayRef<int64_t> shape);

  template <typename T> bool is() const { return std::holds_alternative<T>(storage); }
  template <typename T> const T *getIf() const { return std::get_if<T>(&storage); }

  bool isNone() const { return is<NoneValue>(); }
  bool isNumber() const { return is<bool>() || is<Integer>() || is<double>(); }
  bool isTensorLike() const { return is<Tensor>() || is<std::shared_ptr<const Array>>(); }
  /// A bool or an integer.
  std::optional<Integer> asInteger() const;
  /// Any number.
  std::optional<double> asDouble() const;
  const Tuple *asTuple() const;
  /// For messages: "the integer 3", "a tensor float32[64]".
  std::string describe() const;

  Storage storage;
};

} // namespace tilerun::host
