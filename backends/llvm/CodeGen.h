// LLVM's optimizer and code generator behind one call each.
#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilerun::llvmbackend {

/// Splits register vectors into scalars and runs the -O3 (or -O1) pipeline. With `rotatesLoops`,
/// loops are rotated before it, however many values they carry (RotateLoops.h).
void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned level,
              bool rotatesLoops = false);

/// The module as text assembly.
llvm::Expected<std::string> emitAssembly(llvm::Module &module, llvm::TargetMachine &machine);

/// The module as a relocatable object, its bytes.
llvm::Expected<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tilerun::llvmbackend
