// Masked accesses side by side: those with nothing but movable arithmetic between them are brought
// together, so that conversion can guard them by one branch instead of one each (Memory.cpp).
// Drivers cannot do this, because to them each guard is control flow.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

/// 32-bit registers that the loads of one group may fill: all of them are live together.
constexpr unsigned kMostRegisters = 64;

unsigned registersOf(VectorType type) {
  return std::max<unsigned>(1, type.getNumElements() * type.getElementTypeBitWidth() / 32);
}

/// Whether the elements of a vector are known from its definition (heldElements in Memory.cpp).
bool areKnown(Value vector) {
  Attribute constant;
  if (!vector || matchPattern(vector, m_Constant(&constant)))
    return true;
  auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
  return vector.getDefiningOp<vector::FromElementsOp>() ||
         (broadcast && !isa<VectorType>(broadcast.getSourceType()));
}

bool isMaskedLoad(Operation *op) {
  auto load = dyn_cast<simt::LoadOp>(op);
  return load && load.getMask() && !load.getIsVolatile() && areKnown(load.getOther());
}
bool isMaskedStore(Operation *op) {
  auto store = dyn_cast<simt::StoreOp>(op);
  return store && store.getMask() && areKnown(store.getValue());
}

/// One block's accesses of one kind.
class Grouping {
public:
  Grouping(Block &block, bool (*isMember)(Operation *), bool areLoads, KernelContext &kernel)
      : block(block), isMember(isMember), areLoads(areLoads), kernel(kernel) {}

  void run() {
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : ops)
      visit(op);
    close();
  }

private:
  bool dependsOnGroup(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *definition = operand.getDefiningOp();
      return definition && later.contains(definition);
    });
  }

  void visit(Operation *op) {
    bool isFree = isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                  !op->hasTrait<OpTrait::IsTerminator>();
    if (isMember(op)) {
      auto type = cast<VectorType>(areLoads ? op->getResult(0).getType()
                                            : cast<simt::StoreOp>(op).getValue().getType());
      if (!members.empty() &&
          (dependsOnGroup(op) || registers + registersOf(type) > kMostRegisters))
        close();
      if (members.empty())
        front = op;
      else
        op->moveBefore(front->getBlock(), std::next(members.back()->getIterator()));
      members.push_back(op);
      later.insert(op);
      registers += registersOf(type);
      return;
    }
    if (members.empty())
      return;
    if (!isFree) {
      // Loads may pass other loads; nothing passes what writes or waits.
      bool onlyReads = areLoads && isa<simt::LoadOp>(op);
      if (!onlyReads)
        return close();
    }
    if (dependsOnGroup(op))
      later.insert(op);
    else
      op->moveBefore(front);
  }

  void close() {
    if (members.size() > 1)
      kernel.groups[front] = members;
    members.clear();
    later.clear();
    registers = 0;
    front = nullptr;
  }

  Block &block;
  bool (*isMember)(Operation *);
  bool areLoads;
  KernelContext &kernel;
  Operation *front = nullptr;
  SmallVector<Operation *> members;
  llvm::SmallPtrSet<Operation *, 32> later; ///< The group, and what uses it.
  unsigned registers = 0;
};

} // namespace

void spirvbackend::groupAccesses(KernelContext &kernel) {
  SmallVector<Block *> blocks;
  kernel.function.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    Grouping(*block, isMaskedLoad, /*areLoads=*/true, kernel).run();
    Grouping(*block, isMaskedStore, /*areLoads=*/false, kernel).run();
  }
}
