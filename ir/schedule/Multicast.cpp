// See Multicast.h.
#include "ir/schedule/Multicast.h"

#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Persistence.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/tile/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEMULTICAST
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// Whether scalars differ between the blocks of a program.
static bool dependOnBlock(ValueRange scalars) {
  SmallVector<Value> work(scalars);
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (loop && argument == loop.getInductionVar())
        work.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      else if (loop)
        work.append({loop.getInitArgs()[argument.getArgNumber() - 1],
                     loop.getYieldedValues()[argument.getArgNumber() - 1]});
      else if (!isa<func::FuncOp>(parent))
        return true; // Nothing is known.
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (isa<tile::BlockRankOp>(op))
      return true;
    op->walk([&](Operation *inner) { work.append(inner->operand_begin(), inner->operand_end()); });
  }
  return false;
}

static bool canShare(CopyBoxOp copy, unsigned blocks) {
  constexpr int64_t kGroup = 8; // Lines of a swizzle.
  RingType ring = getRingType(copy.getRing());
  return ring.getTile().getDimSize(1 - ring.getForm().getInner()) % (kGroup * blocks) == 0 &&
         !dependOnBlock(copy.getStarts());
}

void schedule::chooseMulticast(func::FuncOp kernel, Choice choice) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(tile::TileDialect::kBlocksAttr);
  if (choice == Choice::Off || !blocks || blocks.getInt() == 1)
    return;
  // Blocks wait for each other's slots, which nothing hides while a program begins or ends.
  if (choice == Choice::Auto && !isPersistent(kernel))
    return;
  unsigned shared = 0, all = 0;
  Operation *first = nullptr;
  kernel.walk([&](CopyBoxOp copy) {
    ++all;
    auto channel = getChannel(copy.getRing()).getDefiningOp<ChannelOp>();
    if (!channel || !canShare(copy, unsigned(blocks.getInt())))
      return;
    ++shared;
    first = first ? first : copy;
    channel.setEverywhere(true);
    copy.setMulticast(true);
  });
  if (shared)
    emitRemark(first, RemarkName::CopiesShared,
               Twine(shared) + " of " + Twine(all) + " copies of boxes are made once for all " +
                   Twine(blocks.getInt()) + " blocks, of which each copies a part to all",
               /*isMissed=*/false);
}

namespace {
struct ScheduleMulticastPass : public schedule::impl::ScheduleMulticastBase<ScheduleMulticastPass> {
  using ScheduleMulticastBase::ScheduleMulticastBase;

  void runOnOperation() override {
    FailureOr<Choice> choice = readChoice(getOperation(), "multicast", multicast);
    if (failed(choice))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(tile::TileDialect::kKernelAttr) && isExpanded(kernel))
        chooseMulticast(kernel, *choice);
  }
};
} // namespace
