// See EmulatorTarget.h.
#include "tests/language/EmulatorTarget.h"

#include "backends/nvptx/Compile.h"
#include "backends/nvptx/Target.h"
#include "ir/distribute/Facts.h"
#include "ir/transforms/PadShapes.h"
#include "tests/kernels/Emulator.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

using namespace tilerun;
using namespace tilerun::test;
using matrix::Failure;

namespace {

/// What each tensor's memory is aligned to.
constexpr uint64_t kAlignment = 256;

class EmulatorTarget : public matrix::Target {
public:
  explicit EmulatorTarget(simt::TargetInfo info) : info(std::move(info)) {
    mlir::DialectRegistry registry;
    nvptx::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  std::string getName() const override {
    return "emulator, " + std::to_string(info.warpSize) + " lanes";
  }
  std::string getDescription() const override { return getName(); }
  bool defaultsToTf32() const override { return false; }

  matrix::Outcome run(const matrix::Request &request, std::array<uint32_t, 3> grid,
                      const std::vector<matrix::RunArgument> &arguments,
                      std::vector<std::vector<uint8_t>> &buffers) override {
    std::string messages;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return mlir::success();
    });
    auto fail = [&](const std::string &what) {
      return Failure{Failure::Kind::Compile, what + ": " + messages};
    };
    llvm::StringRef bytes(reinterpret_cast<const char *>(request.bytecode.data()),
                          request.bytecode.size());
    auto module = mlir::parseSourceString<mlir::ModuleOp>(bytes, &context);
    if (!module)
      return fail("the module cannot be read");
    if (mlir::failed(padShapes(*module)))
      return fail("padding fails");
    {
      distribute::AccessAnalysis accesses(*module);
      simt::LowerOptions options;
      options.numWarps = request.numWarps;
      options.numStages = request.numStages;
      options.target = &info;
      if (mlir::failed(simt::lowerTileToSimt(*module, options, accesses.getFacts())))
        return fail("lowering fails");
    }
    if (mlir::failed(mlir::verify(*module)))
      return fail("per-thread IR is invalid");
    return emulate(*module, request, grid, arguments, buffers);
  }

private:
  matrix::Outcome emulate(mlir::ModuleOp module, const matrix::Request &request,
                          std::array<uint32_t, 3> grid,
                          const std::vector<matrix::RunArgument> &arguments,
                          std::vector<std::vector<uint8_t>> &buffers) {
    std::vector<std::unique_ptr<uint8_t[]>> storage;
    std::vector<MemoryRange> memory;
    for (const auto &buffer : buffers) {
      storage.push_back(std::make_unique<uint8_t[]>(buffer.size() + kAlignment));
      auto *base = reinterpret_cast<uint8_t *>(
          llvm::alignTo(reinterpret_cast<uint64_t>(storage.back().get()), kAlignment));
      llvm::copy(buffer, base);
      memory.push_back({base, buffer.size()});
    }
    auto kernel = module.lookupSymbol<mlir::func::FuncOp>(request.kernel);
    std::vector<uint64_t> words;
    for (auto [argument, type] : llvm::zip(arguments, kernel.getArgumentTypes())) {
      uint64_t word = argument.bits;
      if (argument.buffer >= 0)
        word = reinterpret_cast<uint64_t>(memory[size_t(argument.buffer)].base) + argument.offset;
      else if (type.isF32())
        word = std::bit_cast<uint32_t>(float(std::bit_cast<double>(word)));
      else if (type.isInteger() && type.getIntOrFloatBitWidth() < 64)
        word &= llvm::maskTrailingOnes<uint64_t>(type.getIntOrFloatBitWidth());
      words.push_back(word);
    }
    if (llvm::Error error =
            test::emulate(kernel, words, memory, {&info, request.numWarps, grid[0]}))
      return Failure{Failure::Kind::Run, llvm::toString(std::move(error))};
    for (auto [buffer, range] : llvm::zip(buffers, memory))
      buffer.assign(range.base, range.base + range.bytes);
    return std::nullopt;
  }

  simt::TargetInfo info;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

} // namespace

std::unique_ptr<matrix::Target> test::makeEmulator(unsigned lanes) {
  simt::TargetInfo info = llvm::cantFail(nvptx::getArchitecture("sm_80")).info;
  if (lanes > 0) {
    info = simt::TargetInfo();
    info.name = "generic";
    info.warpSize = lanes;
    info.sharedMemoryBytes = 160 * 1024;
  }
  return std::make_unique<EmulatorTarget>(std::move(info));
}
