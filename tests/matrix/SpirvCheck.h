// Whether a SPIR-V module is valid: by spirv-val, if it is installed, and by checks that it lacks.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilerun::matrix {

/// The error in the form of a module, or "": its header, the lengths of its instructions,
/// and ids that are 0 or beyond the bound in OpPhi, which serializers leave there.
std::string checkWords(llvm::StringRef module);

/// The message of `validator` (a path to spirv-val) about the module for Vulkan 1.3; "" if it
/// accepts it.
std::string validate(llvm::StringRef module, const std::string &validator);

} // namespace tilerun::matrix
