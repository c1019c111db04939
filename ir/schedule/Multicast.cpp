// See Multicast.h.
#include "ir/schedule/Multicast.h"

#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Persistence.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEMULTICAST
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

static bool canShare(CopyBoxOp copy, unsigned blocks) {
  constexpr int64_t kGroup = 8; // Lines of a swizzle.
  RingType ring = getRingType(copy.getRing());
  return ring.getTile().getDimSize(1 - ring.getForm().getInner()) % (kGroup * blocks) == 0 &&
         !tile::dependsOn(copy.getStarts(), llvm::IsaPred<tile::BlockRankOp>);
}

void schedule::chooseMulticast(func::FuncOp kernel, Choice choice) {
  const unsigned blocks = tile::getBlocks(kernel);
  if (choice == Choice::Off || blocks == 1)
    return;
  // Blocks wait for each other's slots, which nothing hides while a program begins or ends.
  if (choice == Choice::Auto && !isPersistent(kernel))
    return;
  unsigned shared = 0, all = 0;
  Operation *first = nullptr;
  kernel.walk([&](CopyBoxOp copy) {
    ++all;
    auto channel = getChannel(copy.getRing()).getDefiningOp<ChannelOp>();
    if (!channel || !canShare(copy, blocks))
      return;
    ++shared;
    first = first ? first : copy;
    channel.setEverywhere(true);
    copy.setMulticast(true);
  });
  if (shared)
    emitRemark(first, RemarkName::CopiesShared,
               Twine(shared) + " of " + Twine(all) + " copies of boxes are made once for all " +
                   Twine(blocks) + " blocks, of which each copies a part to all",
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
