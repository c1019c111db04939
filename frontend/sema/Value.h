// What an expression of kernel source stands for while it is being compiled: a compile-time Python
// value, or a run-time tensor or scalar in the IR.
#pragma once

#include "frontend/module/Module.h"
#include "frontend/types/DType.h"

#include "mlir/IR/Value.h"

#include <memory>
#include <variant>

namespace tilerun {

namespace lang {
struct Builtin;
}
class Value;

/// A class of kernel source.
struct ClassInfo : std::enable_shared_from_this<ClassInfo> {
  enum class Kind {
    Constants,  ///< Holds compile-time constants and functions; has no values.
    NamedTuple, ///< `typing.NamedTuple`, `collections.namedtuple`.
    Record      ///< `@triton.aggregate`.
  };
  struct Field {
    std::string name;
    const ast::Expr *annotation = nullptr;
    const ast::Expr *defaultValue = nullptr;   ///< In the class's module.
    std::shared_ptr<const Value> knownDefault; ///< Of `namedtuple(…, defaults=…)`.
    bool isConstexpr = false;
    SourceRange range;
  };
  Kind kind = Kind::Constants;
  std::string name;
  std::vector<Field> fields;                 ///< Those of bases first.
  const ast::ClassDef *definition = nullptr; ///< Null for `namedtuple(…)`.
  LoadedModule *module = nullptr;            ///< Where `definition` is.
  std::string scope;                         ///< Qualified name of the function around it, if any.
  std::vector<std::shared_ptr<const ClassInfo>> bases;
  std::string unknownDecorator; ///< Of the class, if any.
  std::string unknownBase; ///< A base, or another part of its header, that may change constants.
  bool isEnum = false;     ///< A plain `enum.Enum`, whose members are objects.
  bool isFlag = false;     ///< A plain `enum.Flag`, whose members may also be sets of others.

  /// The number of a field; none if there is no such field.
  std::optional<size_t> findField(llvm::StringRef field) const;
  bool isDerivedFrom(const ClassInfo &other) const;
};

/// A tuple, list, set, dict, named tuple or record (whose elements are its fields; one that
/// `__init__` has not set yet is an invalid value).
struct TupleValue {
  static constexpr const char *kDict = "dict", *kSet = "set";
  std::vector<Value> elements;
  std::vector<std::string> names; ///< Empty, or one per element; of a dict, its keys.
  std::vector<Value> keys;        ///< Of a dict whose keys are not all strings, instead of names.
  std::string typeName;           ///< Of a named tuple or record.
  bool isList = false;
  std::shared_ptr<const ClassInfo> info; ///< Of a value of a class; otherwise null.

  bool isRecord() const { return info && info->kind == ClassInfo::Kind::Record; }
  bool isDict() const { return !info && typeName == kDict; }
  bool isSet() const { return !info && typeName == kSet; }
  /// The key of an entry of a dict.
  Value getKey(size_t i) const;
  /// Has elements to iterate over, by number.
  bool isSequence() const { return !isRecord() && !isDict(); }
};

/// A run-time value.
struct TensorValue {
  mlir::Value value;
  TensorType type;
};

/// A tensor descriptor: a run-time value of type `!tile.descriptor`.
struct DescriptorValue {
  mlir::Value value;
  TensorType block;         ///< The type of its blocks.
  bool padsWithNan = false; ///< Outside of its tensor, instead of with 0.
  bool isConst = false;     ///< Its memory is not written.

  /// Whether a variable may hold both, one after the other.
  bool hasTypeOf(const DescriptorValue &o) const {
    return block == o.block && padsWithNan == o.padsWithNan;
  }
};

/// A function in kernel source: a jit function, with no captured run-time state.
struct FunctionValue {
  const JitFunction *function;
};

/// A language function or Python builtin out of the table.
struct BuiltinValue {
  const lang::Builtin *builtin;
};

/// `x.sum`: a function with its first argument.
struct BoundValue {
  std::shared_ptr<Value> self;
  std::shared_ptr<Value> function;
};

/// A namespace by its canonical path: "triton", "triton.language", "triton.language.math",
/// "triton.language.extra.libdevice", or a kernel file.
struct NamespaceValue {
  std::string path;
  LoadedModule *module = nullptr;
};

/// `a:b:c` in a subscript; missing parts are None.
struct SliceValue {
  std::shared_ptr<Value> lower, upper, step;
};

/// The result of `range`, `tl.range` and `tl.static_range`, for a `for` statement.
struct RangeValue {
  enum class Kind { Range, TlRange, StaticRange } kind = Kind::Range;
  std::shared_ptr<Value> lower, upper, step;
  /// num_stages, loop_unroll_factor, flatten, warp_specialize, disallow_acc_multi_buffer,
  /// disable_licm: as given.
  std::vector<std::pair<std::string, int64_t>> hints;
};

/// Of a member of a plain `enum.Enum`.
struct EnumMember;

/// A thing of host code; using it is an error that says why. It is known to be a function, a
/// class or a member of an enumeration, which is true and equal to nothing else, or nothing is
/// known of it (`cause` says why), and whatever depends on its value is an error.
struct OpaqueValue {
  std::string what; ///< "the host function 'foo'", "the class 'Bar'", "the global 'FLAG'".
  SourceRange range;
  std::string cause = {};    ///< Of an unknown value: "host code computes it".
  std::string name = {};     ///< Of an unknown value that a signature may give.
  std::string remedy = {};   ///< The advice if it may not.
  std::string origin = {};   ///< The other object that makes it unknown, if any.
  bool isSomeObject = false; ///< Not None; everything else about it is unknown.
  bool isFunction = false;   ///< One of several; a signature may give its line.
  std::shared_ptr<const EnumMember> member = nullptr; ///< If it is one.

  bool isUnknown() const { return !cause.empty(); }
  /// A member in a tl.constexpr, or out of it.
  OpaqueValue inConstexpr(bool isConstexpr) const;
  /// "the value of the global 'FLAG' is not known: host code computes it; pass FLAG=… …".
  std::string explain() const;
};

/// A class of a kernel file: a named tuple or record to construct, or a holder of constants. There
/// is one `ClassInfo` for each class, so that its address says which class it is.
struct ClassValue {
  std::shared_ptr<const ClassInfo> info;
};

struct NoneValue {};
struct EllipsisValue {};

/// A wide signed integer holds every Python integer that a kernel may use; arithmetic that leaves
/// 128 bits is an error.
using PyInt = __int128;

/// Numbers as Python prints them.
std::string formatInteger(PyInt value);
std::string formatFloat(double value);

class Value {
public:
  using Storage =
      std::variant<std::monostate, NoneValue, EllipsisValue, bool, PyInt, double, std::string,
                   DType, TensorType, std::shared_ptr<TupleValue>, FunctionValue, BuiltinValue,
                   BoundValue, NamespaceValue, SliceValue, std::shared_ptr<RangeValue>, OpaqueValue,
                   ClassValue, TensorValue, DescriptorValue>;

  Value() = default;
  template <typename T> Value(T v) : storage(std::move(v)) {}
  static Value none() { return Value(NoneValue{}); }
  static Value integer(PyInt v) { return Value(v); }
  static Value string(llvm::StringRef v) { return Value(v.str()); }
  static Value tuple(std::vector<Value> elements);

  template <typename T> bool is() const { return std::holds_alternative<T>(storage); }
  template <typename T> const T *getIf() const { return std::get_if<T>(&storage); }
  template <typename T> const T &get() const { return *std::get_if<T>(&storage); }

  bool isValid() const { return !is<std::monostate>(); }
  bool isNone() const { return is<NoneValue>(); }
  bool isTensor() const { return is<TensorValue>(); } ///< Run-time, also a scalar.
  bool isConstNumber() const { return is<bool>() || is<PyInt>() || is<double>(); }
  const TupleValue *getTuple() const {
    auto *p = getIf<std::shared_ptr<TupleValue>>();
    return p ? p->get() : nullptr;
  }
  /// A tuple, list or named tuple; null for anything else, including records and dicts.
  const TupleValue *getSequence() const {
    const TupleValue *tuple = getTuple();
    return tuple && tuple->isSequence() ? tuple : nullptr;
  }
  bool isRecord() const {
    const TupleValue *tuple = getTuple();
    return tuple && tuple->isRecord();
  }
  /// Known at compile time, all the way down.
  bool isConstexpr() const;
  /// The value if it is unknown, else null.
  const OpaqueValue *asUnknown() const {
    auto *opaque = getIf<OpaqueValue>();
    return opaque && opaque->isUnknown() ? opaque : nullptr;
  }
  /// The unknown part of it or of its elements; null if there is none.
  const OpaqueValue *findUnknown() const;

  /// For messages: "int32[64]", "the integer 3", "a tuple of 2".
  std::string describe() const;
  /// As Python's `repr` (for static_print).
  std::string repr() const;

  Storage storage;
};

struct EnumMember {
  std::shared_ptr<const ClassInfo> info; ///< Of its class.
  std::string name;
  Value value;
  bool isConstexpr = false; ///< In a tl.constexpr, of which `.value` is the member itself.
};

} // namespace tilerun
