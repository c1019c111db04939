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

void addProgramOps(Rows &rows);
void addCreationOps(Rows &rows);
void addElementwiseOps(Rows &rows);
void addMathOps(Rows &rows);
void addLibdevice(Rows &rows);
void addMemoryOps(Rows &rows);
void addBlockPointerOps(Rows &rows);
void addTensorDescriptorOps(Rows &rows);
void addAtomicOps(Rows &rows);
void addShapeOps(Rows &rows);
void addReduceOps(Rows &rows);
void addSortOps(Rows &rows);
void addGatherOps(Rows &rows);
void addDotOps(Rows &rows);
void addHintOps(Rows &rows);
void addDebugOps(Rows &rows);
void addTypeNames(Rows &rows);
void addPythonBuiltins(Rows &rows);
void addTargetOps(Rows &rows);

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
