// tile-set-target: the target and the program's settings as attributes of the module.
#include "ir/distribute/DistributeDialect.h"
#include "ir/distribute/Passes.h"
#include "ir/distribute/ProgramOptions.h"
#include "ir/target/GenericTarget.h"
#include "ir/tile/TileOps.h"

namespace tilerun {
#define GEN_PASS_DEF_TILESETTARGET
#include "ir/distribute/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;

LogicalResult distribute::checkOptions(ModuleOp module, unsigned numWarps, unsigned numStages) {
  constexpr unsigned kMost = 65536; // more than any target has, and far from overflows
  if (!llvm::isPowerOf2_32(numWarps) || numWarps > kMost)
    return module.emitError("num-warps=")
           << numWarps << " is not a power of two from 1 to " << kMost;
  if (numStages > kMost)
    return module.emitError("num-stages=") << numStages << " is not a number from 0 to " << kMost;
  return success();
}

LogicalResult distribute::checkExpanded(ModuleOp module, StringRef pass) {
  auto isDescriptor = [](Type type) { return isa<tile::DescriptorType>(type); };
  WalkResult result = module.walk([&](Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), isDescriptor) &&
        llvm::none_of(op->getResultTypes(), isDescriptor))
      return WalkResult::advance();
    op->emitOpError() << "has a descriptor, which " << pass
                      << " does not take; run tile-expand-descriptors first";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct SetTargetPass : public tilerun::impl::TileSetTargetBase<SetTargetPass> {
  using TileSetTargetBase::TileSetTargetBase;

  void runOnOperation() final {
    llvm::Expected<target::TargetInfo> parsed = target::parseTarget(target);
    if (!parsed) {
      getOperation().emitError(llvm::toString(parsed.takeError()));
      return signalPassFailure();
    }
    if (failed(distribute::checkOptions(getOperation(), numWarps, numStages)))
      return signalPassFailure();
    std::optional<distribute::AcrossK> way = distribute::parseAcrossK(acrossK);
    if (!way) {
      getOperation().emitError("across-k=") << acrossK << " is not auto, registers or copies";
      return signalPassFailure();
    }
    if (!llvm::isPowerOf2_32(numCtas) || numCtas > tile::TileDialect::kMostBlocks) {
      getOperation().emitError("num-ctas=") << numCtas.getValue() << " is not 1, 2, 4 or 8";
      return signalPassFailure();
    }
    distribute::setProgram(getOperation(),
                           {&*parsed, numWarps, numStages, warpUnit, *way, numCtas, fewPrograms});
  }
};
} // namespace
