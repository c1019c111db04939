// The table itself: all rows in one place, and look-up by namespace.
#include "frontend/lang/Table.h"
#include "frontend/lang/Emit.h"
#include "frontend/lang/OlderForms.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
/// Private functions of the language's own library that programs use all the same.
constexpr StringLiteral kPrivateNames[] = {
    "_log2", "_get_int_dtype", "_is_power_of_two", "_unwrap_if_constexpr", "_sum_combine",
    "_prod_combine", "_xor_combine", "_or_combine", "_elementwise_max", "_elementwise_min",
    "_argmax_combine", "_argmin_combine", "_argmax_combine_tie_break_left",
    "_argmax_combine_tie_break_fast", "_argmin_combine_tie_break_left",
    "_argmin_combine_tie_break_fast", "_promote_bfloat16_to_float32",
    // Of Triton 3.0 to 3.3 (OlderForms.cpp).
    "_experimental_descriptor_load", "_experimental_descriptor_store",
    "_experimental_reinterpret_tensor_descriptor", "_experimental_device_tensormap_create1d",
    "_experimental_device_tensormap_create2d", "_experimental_tensormap_fenceproxy_acquire"};

/// Functions of the prelude that are also methods of tensors, or only methods.
struct PreludeMethod {
  StringLiteral name, function;
};
constexpr PreludeMethod kPreludeMethods[] = {
    {"cdiv", "cdiv"},   {"logical_and", "_logical_and"}, {"logical_or", "_logical_or"},
    {"ravel", "ravel"}, {"sigmoid", "sigmoid"},          {"softmax", "softmax"}};

/// Folders of the language's own implementation whose names mean the language itself.
StringRef canonical(StringRef path) {
  if (path == "triton.language.core" || path == "triton.language.standard" ||
      path == "triton.language.random" || path == "triton.language.semantic")
    return kTl;
  if (path == "triton.language.extra.cuda.libdevice" ||
      path == "triton.language.extra.hip.libdevice" || path == "triton.language.libdevice")
    return kLibdevice;
  return path;
}

struct Child {
  StringLiteral parent, name, path;
};
constexpr Child kNamespaces[] = {
    {"triton", "language", "triton.language"},
    {"triton.language", "core", "triton.language"},
    {"triton.language", "standard", "triton.language"},
    {"triton.language", "random", "triton.language"},
    {"triton.language", "math", "triton.language.math"},
    {"triton.language", "extra", "triton.language.extra"},
    {"triton.language", "target_info", "triton.language.target_info"},
    {"triton.language", "PropagateNan", "triton.language.PropagateNan"},
    {"triton.language.dtype", "KIND", "triton.language.dtype.KIND"},
    {"triton.language.dtype", "SIGNEDNESS", "triton.language.dtype.SIGNEDNESS"},
    {"triton.language.extra", "libdevice", "triton.language.extra.libdevice"},
    {"triton.language.extra", "cuda", "triton.language.extra.cuda"},
    {"triton.language.extra", "hip", "triton.language.extra.hip"},
    {"triton.language.extra.cuda", "libdevice", "triton.language.extra.libdevice"},
    {"triton.language.extra.hip", "libdevice", "triton.language.extra.libdevice"},
};

struct Constant {
  StringLiteral parent, name;
  int64_t value;
};
constexpr Constant kConstants[] = {
    {"triton.language", "TRITON_MAX_TENSOR_NUMEL", kMaxTensorElements},
    {"triton.language", "CONSTEXPR_0", 0},
    {"triton.language", "N_ROUNDS_DEFAULT", 10},
    {"triton.language.PropagateNan", "NONE", 0},
    {"triton.language.PropagateNan", "ALL", 0xffff},
    {"triton.language.dtype.KIND", "BOOLEAN", 0},
    {"triton.language.dtype.KIND", "INTEGRAL", 1},
    {"triton.language.dtype.KIND", "FLOATING", 2},
    {"triton.language.dtype.SIGNEDNESS", "SIGNED", 0},
    {"triton.language.dtype.SIGNEDNESS", "UNSIGNED", 1},
};

struct Table {
  Rows rows;
  std::map<std::pair<StringRef, StringRef>, const Builtin *> byName;
  std::map<StringRef, const Builtin *> methods;

  Table() {
#define TILERUN_FAMILY(add, title) add(rows);
#include "frontend/lang/Families.def"
    for (const Builtin &row : rows) {
      [[maybe_unused]] bool isNew = byName.try_emplace({row.namespacePath, row.name}, &row).second;
      assert(isNew && "a name is in the table twice");
      if (row.isMethod)
        methods.try_emplace(row.name, &row);
    }
  }
};

const Table &getTable() {
  static const Table *table = new Table();
  return *table;
}

bool isPublicPrelude(const JitFunction &function) {
  return !StringRef(function.qualifiedName).starts_with("_");
}
} // namespace

bool isMathName(StringRef name) {
  static const llvm::StringSet<> names = {
      "abs", "ceil", "clamp", "cos",   "div_rn",  "erf",     "exp", "exp2", "fdiv",    "floor",
      "fma", "log",  "log2",  "rsqrt", "maximum", "minimum", "sin", "sqrt", "sqrt_rn", "umulhi"};
  return names.contains(name);
}

llvm::ArrayRef<Builtin> getBuiltins() { return getTable().rows; }

const Builtin *findBuiltin(StringRef path, StringRef name) {
  const Table &table = getTable();
  auto it = table.byName.find({canonical(path), name});
  return it == table.byName.end() ? nullptr : it->second;
}

std::optional<Value> lookup(StringRef rawPath, StringRef name, LoadedModule *prelude) {
  StringRef path = canonical(rawPath);
  if (const Builtin *builtin = findBuiltin(path, name))
    return Value(BuiltinValue{builtin});
  if (path == kMath && isMathName(name))
    return lookup(kTl, name, prelude);
  if (std::optional<OlderName> older = findOlderName(path, name);
      older && (older->path != path || older->name != name))
    return lookup(older->path, older->name, prelude);
  for (const Child &child : kNamespaces)
    if (path == child.parent && name == child.name)
      return Value(NamespaceValue{child.path.str()});
  for (const Constant &constant : kConstants)
    if (path == constant.parent && name == constant.name)
      return Value::integer(constant.value);
  if (path == kTl) {
    const bool isKnown = !name.starts_with("_") || llvm::is_contained(kPrivateNames, name);
    if (prelude && isKnown)
      if (const JitFunction *function =
              prelude->findFunction(name == "get_int_dtype" ? StringRef("_get_int_dtype") : name))
        return Value(FunctionValue{function});
    if (name == "pi32_t")
      return Value(dtype(Scalar::Int32).getPointerTo());
    // Only the language's own names, not signature names or aliases.
    if (std::optional<DType> type = parseDType(name); type && type->str() == name)
      return Value(*type);
  }
  if (path == "triton" && (name == "cdiv" || name == "next_power_of_2"))
    return lookup(kTl, name, prelude);
  return std::nullopt;
}

std::vector<StringRef> listNames(StringRef rawPath, LoadedModule *prelude) {
  StringRef path = canonical(rawPath);
  std::vector<StringRef> names;
  for (const Builtin &row : getBuiltins()) {
    if (row.namespacePath == path || (path == kMath && row.namespacePath == kLibdevice) ||
        (path == kMath && row.namespacePath == kTl && isMathName(row.name)))
      names.push_back(row.name);
  }
  for (const Child &child : kNamespaces)
    if (path == child.parent)
      names.push_back(child.name);
  for (const Constant &constant : kConstants)
    if (path == constant.parent)
      names.push_back(constant.name);
  if (path == kTl) {
#define SCALAR(Enum, Name, Short, Bits, Kind) names.push_back(Name);
#include "frontend/types/Scalars.def"
    names.push_back("pi32_t");
    if (prelude)
      for (const auto &function : prelude->functions)
        if (isPublicPrelude(*function))
          names.push_back(function->qualifiedName);
  }
  if (path == "triton") {
    names.push_back("cdiv");
    names.push_back("next_power_of_2");
  }
  llvm::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<Value> findMethod(StringRef name, LoadedModule *prelude) {
  const Table &table = getTable();
  if (auto it = table.methods.find(name); it != table.methods.end())
    return Value(BuiltinValue{it->second});
  for (const PreludeMethod &method : kPreludeMethods)
    if (prelude && method.name == name)
      if (const JitFunction *function = prelude->findFunction(method.function))
        return Value(FunctionValue{function});
  return std::nullopt;
}

std::vector<StringRef> listMethods(LoadedModule *prelude) {
  std::vector<StringRef> names;
  for (const auto &[name, builtin] : getTable().methods)
    names.push_back(name);
  for (const PreludeMethod &method : kPreludeMethods)
    if (prelude && prelude->findFunction(method.function))
      names.push_back(method.name);
  llvm::sort(names);
  return names;
}

} // namespace tilerun::lang
