// A case of the table on the emulator of threads.
#pragma once

#include "backends/common/Stages.h"
#include "ir/target/TargetInfo.h"
#include "tests/kernels/KernelCase.h"

namespace tilerun::test {

/// Lowers the case's kernel for `target` and runs it, once with each seed of the order of warps;
/// `tensors` are then those that it wrote. Returns the error, or nothing; results that depend on
/// the order are one. Tensors of more than `mostElements` are computed in parts, if it is not 0.
/// `look` is shown the lowered kernel.
std::string emulateOn(PreparedCase &prepared, const target::TargetInfo &target, unsigned numWarps,
                      const KernelCase &testCase, std::vector<TensorArgument> &tensors,
                      int64_t mostElements = 0, llvm::ArrayRef<uint64_t> seeds = {0},
                      const backend::ScheduleText &schedule = {},
                      llvm::function_ref<void(mlir::func::FuncOp)> look = {});

} // namespace tilerun::test
