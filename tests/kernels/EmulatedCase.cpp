// See EmulatedCase.h.
#include "tests/kernels/EmulatedCase.h"
#include "tests/kernels/Emulator.h"

#include "ir/distribute/Passes.h"
#include "ir/distribute/SplitTensors.h"
#include "ir/simt/SimtOps.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace tilerun;
using namespace tilerun::test;

/// Runs lowered code on copies of the case's tensors; the error, or nothing.
static std::string emulateOnce(const PreparedCase &prepared, mlir::func::FuncOp kernel,
                               const EmulatorOptions &options,
                               std::vector<TensorArgument> &tensors) {
  tensors = prepared.tensors;
  // Aligned as device memory is.
  std::vector<std::unique_ptr<uint8_t[]>> storage;
  std::vector<MemoryRange> memory;
  for (TensorArgument &tensor : tensors) {
    storage.push_back(std::make_unique<uint8_t[]>(tensor.bytes.size() + 256));
    auto *base = reinterpret_cast<uint8_t *>(
        llvm::alignTo(reinterpret_cast<uint64_t>(storage.back().get()), 256));
    llvm::copy(tensor.bytes, base);
    memory.push_back({base, tensor.bytes.size()});
  }
  std::vector<uint64_t> arguments;
  for (const PreparedCase::Argument &argument : prepared.arguments)
    arguments.push_back(argument.tensor >= 0
                            ? reinterpret_cast<uint64_t>(memory[argument.tensor].base)
                        : argument.isFloat ? std::bit_cast<uint32_t>(float(argument.number))
                                           : argument.bits);
  for (auto [word, type] : llvm::zip(arguments, kernel.getArgumentTypes()))
    if (type.isInteger() && type.getIntOrFloatBitWidth() < 64)
      word &= (uint64_t(1) << type.getIntOrFloatBitWidth()) - 1;
  if (llvm::Error error = emulate(kernel, arguments, memory, options))
    return llvm::toString(std::move(error));
  for (auto [tensor, range] : llvm::zip(tensors, memory))
    tensor.bytes.assign(range.base, range.base + range.bytes);
  return "";
}

std::string test::emulateOn(PreparedCase &prepared, const target::TargetInfo &target,
                            unsigned numWarps, const KernelCase &testCase,
                            std::vector<TensorArgument> &tensors, int64_t mostElements,
                            llvm::ArrayRef<uint64_t> seeds, const backend::ScheduleText &schedule,
                            llvm::function_ref<void(mlir::func::FuncOp)> look) {
  mlir::OwningOpRef<mlir::ModuleOp> module = prepared.kernel.module->clone();
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(prepared.context.get(), [&](mlir::Diagnostic &d) {
    diagnostics += d.str() + "\n";
    return mlir::success();
  });
  // In smaller parts than backends ask for.
  if (mostElements) {
    mlir::PassManager padding(prepared.context.get());
    padding.addPass(createTilePad());
    if (mlir::failed(padding.run(*module)))
      return "padding fails: " + diagnostics;
    splitTensors(*module, mostElements, mostElements / 4);
  }
  if (mlir::failed(backend::lowerToThreads(
          *module, {&target, numWarps, testCase.numStages, 0, testCase.acrossK, testCase.numCtas},
          backend::ThreadStage::Simt, schedule)))
    return "lowering fails: " + diagnostics;
  if (mlir::failed(mlir::verify(*module)))
    return "per-thread IR is invalid: " + diagnostics;
  auto kernel = module->lookupSymbol<mlir::func::FuncOp>(prepared.kernel.name);
  if (look)
    look(kernel);
  // With those of roles.
  auto threads = kernel->getAttrOfType<mlir::IntegerAttr>(simt::SimtDialect::kThreadsAttr);
  unsigned allWarps = threads.getInt() / target.warpSize;
  std::vector<TensorArgument> first;
  for (uint64_t seed : seeds) {
    std::string error =
        emulateOnce(prepared, kernel, {&target, allWarps, testCase.grid, seed}, tensors);
    if (!error.empty())
      return error + " (seed " + std::to_string(seed) + ")";
    if (first.empty())
      first = tensors;
    std::string difference = compare(first, tensors);
    if (!difference.empty())
      return difference + " with seed " + std::to_string(seed);
  }
  return "";
}
