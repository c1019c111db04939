// Forms of earlier releases of Triton that today's does not have: what they mean, and what is
// written instead. A kernel may use them; each form is noted once (SemaServices::olderForm).
#pragma once

#include "frontend/lang/Builtin.h"

namespace tilerun::lang {

/// A name that the language had.
struct OlderName {
  std::string form;           ///< As it was written: "tl.math.tanh".
  std::string today;          ///< What is written instead.
  llvm::StringRef path, name; ///< The name that has its meaning.
};

/// What `path.name` was; none if it is not such a name. Today's names are not.
std::optional<OlderName> findOlderName(llvm::StringRef path, llvm::StringRef name);

} // namespace tilerun::lang
