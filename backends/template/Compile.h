// The template of a backend: tile IR to C for a machine with one thread per program. Copy this
// folder, rename it, and replace the target's table and the writer; the code around them is the
// same in every backend that lowers to threads.
//
// Rules: nothing here knows a driver. An op or a type without code is an error at its place in the
// kernel, never code that computes something else.
#pragma once

#include "backends/common/Stages.h"

namespace tilerun::templatebackend {

enum class Stage { Layout, Simt, C };

struct Artifact {
  std::string kernel;
  std::vector<backend::KernelParameter> parameters;
  std::string code; ///< Of the stage that was asked for.
};

void registerDialects(mlir::DialectRegistry &registry);

/// The description of this target for the shared levels: one lane, one thread, 16 KiB of shared
/// memory.
target::TargetInfo getTargetInfo();

/// Consumes the module.
llvm::Expected<Artifact> compile(mlir::ModuleOp module, Stage stage);

/// A scalarized kernel as a C function; the error is a diagnostic.
mlir::FailureOr<std::string> writeC(mlir::func::FuncOp kernel);

} // namespace tilerun::templatebackend
