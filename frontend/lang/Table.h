// Registration of the rows of the table, one function a family. Internal to this folder.
#pragma once

#include "frontend/lang/Builtin.h"

namespace tilerun::lang {

inline constexpr llvm::StringLiteral kTl{"triton.language"};
inline constexpr llvm::StringLiteral kMath{"triton.language.math"};
inline constexpr llvm::StringLiteral kLibdevice{"triton.language.extra.libdevice"};
inline constexpr llvm::StringLiteral kDTypeMembers{"triton.language.dtype"};
inline constexpr llvm::StringLiteral kDescriptorMembers{"triton.language.tensor_descriptor"};
inline constexpr llvm::StringLiteral kPython{"builtins"};

using Rows = std::vector<Builtin>;

#define TILERUN_FAMILY(add, title) void add(Rows &rows);
#include "frontend/lang/Families.def"

/// One parameter of a row's signature.
struct SignatureParameter {
  std::string name;
  bool keywordOnly = false;
  bool variadic = false; ///< `*args`
  std::optional<Value> defaultValue;
};
/// The parsed signature of a row of the table.
llvm::ArrayRef<SignatureParameter> getParameters(const Builtin &builtin);

/// Names of `tl.math` that are also in `tl`.
bool isMathName(llvm::StringRef name);

/// The row with this name, or null.
const Builtin *findBuiltin(llvm::StringRef namespacePath, llvm::StringRef name);
/// A method of tensors by name: a row, or a function of the prelude. Null if there is none.
std::optional<Value> findMethod(llvm::StringRef name, LoadedModule *prelude);
/// Names of tensor methods, sorted.
std::vector<llvm::StringRef> listMethods(LoadedModule *prelude);

} // namespace tilerun::lang
