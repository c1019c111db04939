// The layouts that a target's compiler chose for the tensors of a kernel, by their places.
#pragma once

#include "frontend/Frontend.h"

#include "llvm/Support/Error.h"

namespace tilerun::lsp {

/// A compiler of kernels for a target, which need not be present.
class LayoutSource {
public:
  virtual ~LayoutSource() = default;
  /// An error if nothing compiles for the target; then it has none.
  virtual llvm::Error chooseTarget(llvm::StringRef target) = 0;
  /// Empty if it does not exist.
  virtual const std::string &getTarget() const = 0;
  /// The IR with layouts and locations, as text.
  virtual llvm::Expected<std::string> emit(CompiledKernel &kernel,
                                           const KernelSignature &signature) = 0;
};

/// What computes a tensor begins here.
struct PlacedLayout {
  unsigned line = 0, column = 0; ///< From 1; in bytes.
  std::string shape;             ///< "128x64"
  std::string summary;           ///< "lane 8x4, warp 4x1, register 2x4"
  std::string text;              ///< As `tilerun layout` reads it.
};

/// The layouts in a text of IR, as far as they are about a file, in the order of the operations.
std::vector<PlacedLayout> readLayouts(llvm::StringRef text, llvm::StringRef file);

} // namespace tilerun::lsp
