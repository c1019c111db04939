// tile-print-axis-info: makes the axis analysis visible as remarks.
#include "ir/analysis/AxisInfo.h"
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEPRINTAXISINFO
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;

namespace {

/// Facts are about integers and pointers.
bool isInteresting(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<IntegerType, tile::PointerType>(element);
}

struct PrintAxisInfoPass : public tilerun::impl::TilePrintAxisInfoBase<PrintAxisInfoPass> {
  using TilePrintAxisInfoBase::TilePrintAxisInfoBase;

  void runOnOperation() final {
    AxisInfoMap map(getOperation(),
                    plainIndices ? AxisAssumption::PlainIndices : AxisAssumption::None);
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // The scalars inside a combine region are not elements of a tile.
      if (isa_and_present<tile::ReduceOp, tile::ScanOp>(op->getParentOp()))
        return;
      for (OpResult result : op->getResults())
        if (isInteresting(result.getType()))
          op->emitRemark() << "result " << result.getResultNumber() << ": "
                           << toString(map.lookup(result));
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          if (isInteresting(argument.getType()) && !isa<tile::ReduceOp, tile::ScanOp>(op))
            op->emitRemark() << "argument " << argument.getArgNumber() << ": "
                             << toString(map.lookup(argument));
    });
    markAllAnalysesPreserved();
  }

  static std::string toString(const AxisInfo &info) {
    std::string text;
    llvm::raw_string_ostream(text) << info;
    return text;
  }
};
} // namespace
