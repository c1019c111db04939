// tile-dead-loads: erases loads that are unused, that read nothing, or that repeat an earlier load.
// Generic CSE does less: it stops at any write, and does not follow loads into branches and loops.
#include "ir/tile/TileOps.h"
#include "ir/tile/TileUtils.h"
#include "ir/transforms/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEDEADLOADS
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun::tile;

namespace {

/// The properties that two loads must share to give the same value.
using LoadKey = std::tuple<Value, Value, Value>;
using AvailableLoads = llvm::SmallDenseMap<LoadKey, LoadOp>;

LoadKey keyOf(LoadOp load) { return {load.getPtr(), load.getMask(), load.getOther()}; }

/// Whether `op`, with everything inside it, may change what a load sees. Checks and hints of this
/// dialect have a write effect only to keep their place; memory is another resource.
bool mayWriteMemory(Operation *op) {
  bool writes = false;
  op->walk([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!interface) {
      // Nothing is known of a call.
      writes = true;
    } else {
      SmallVector<MemoryEffects::EffectInstance> effects;
      interface.getEffects(effects);
      bool ours = isa<TileDialect>(inner->getDialect());
      writes = llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
        return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
               (!ours || effect.getResource() == GlobalMemory::get());
      });
    }
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return writes;
}

/// Whether `op` runs each of its regions at most once, so that what holds before `op` holds at
/// their entry.
bool runsRegionsOnce(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
}

/// Replaces loads in `block` by equal ones in `available`, which holds those that dominate its
/// entry with no write in between.
void reuseLoads(Block &block, AvailableLoads available) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<LoadOp>(op); load && !load.getIsVolatile()) {
      auto [it, isNew] = available.try_emplace(keyOf(load), load);
      LoadOp earlier = it->second;
      if (isNew || earlier.getCache() != load.getCache() || earlier.getEvict() != load.getEvict())
        continue;
      earlier->setLoc(FusedLoc::get(op.getContext(), {earlier.getLoc(), load.getLoc()}));
      load.getResult().replaceAllUsesWith(earlier.getResult());
      load.erase();
      continue;
    }
    bool writes = mayWriteMemory(&op);
    for (Region &region : op.getRegions())
      // Only structured control flow: one block, entered from its parent.
      if (region.hasOneBlock())
        reuseLoads(region.front(), writes && !runsRegionsOnce(&op) ? AvailableLoads() : available);
      else
        for (Block &inner : region)
          reuseLoads(inner, AvailableLoads());
    if (writes)
      available.clear();
  }
}

/// Erases loads that are unused or whose mask is false; to a fixed point, since the pointers of one
/// may come from another.
void eraseDeadLoads(Operation *root) {
  SmallVector<LoadOp> loads;
  root->walk([&](LoadOp load) { loads.push_back(load); });
  for (LoadOp load : llvm::reverse(loads)) {
    if (load.getIsVolatile())
      continue;
    if (load.getMask() && matchPattern(load.getMask(), m_Zero())) {
      OpBuilder builder(load);
      Value value = load.getOther();
      if (!value)
        value = createZero(builder, load.getLoc(), load.getType());
      load.getResult().replaceAllUsesWith(value);
    }
    if (!load.getResult().use_empty())
      continue;
    // Ops that only computed its address are erased with it, so an earlier load may become unused
    // too.
    llvm::SmallSetVector<Operation *, 8> worklist;
    worklist.insert(load);
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (!op->use_empty() || (op != load.getOperation() && !isOpTriviallyDead(op)))
        continue;
      // Loads are erased by the loop around, and only there.
      if (op != load.getOperation() && (isa<LoadOp>(op) || op->getNumRegions() != 0))
        continue;
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          worklist.insert(producer);
      worklist.remove(op);
      op->erase();
    }
  }
}

struct DeadLoadsPass : public tilerun::impl::TileDeadLoadsBase<DeadLoadsPass> {
  void runOnOperation() final {
    for (Region &region : getOperation()->getRegions())
      for (Block &block : region)
        reuseLoads(block, AvailableLoads());
    eraseDeadLoads(getOperation());
  }
};

} // namespace
