// One kernel from tree to verdict: the interpreter without and with the optimizer, and devices.
#pragma once

#include "tests/matrix/Runner.h"
#include "tests/property/Kernel.h"

#include "mlir/IR/MLIRContext.h"

namespace tilerun::property {

/// Runs kernels one after the other, in one process. Not thread-safe.
class Checker {
public:
  /// The seed is that of the contents of tensors.
  Checker(std::vector<std::unique_ptr<matrix::Target>> devices, uint64_t seed);

  /// Pass, Unsupported (by a device, by name), or Fail; a failure's text begins with its stage, as
  /// "optimizer: …", "interpreter: …", "vulkan:0 differs: …". A device whose driver has known
  /// defects runs the kernel as it is written around them: "vulkan:0 (guarded) differs: …". A
  /// target that is compiled for and not run must take the kernel.
  matrix::Result check(const Kernel &kernel, bool useDevices = true);

private:
  matrix::Result checkOn(const Kernel &kernel, llvm::ArrayRef<matrix::Target *> targets);

  std::vector<std::unique_ptr<matrix::Target>> devices;
  std::vector<matrix::Target *> sound, defective;
  std::unique_ptr<matrix::Target> interpreter;
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses = 0;
  uint64_t seed;
};

/// Whether a failure is one of the kernel as it is written around defects.
bool isGuarded(const matrix::Result &result);

/// What two failures have in common if they are the same: the stage, and the message without
/// numbers.
std::string getFailureKind(const matrix::Result &result);

} // namespace tilerun::property
