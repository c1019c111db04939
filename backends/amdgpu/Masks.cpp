// Masks as branches. Neighbouring accesses with the same mask share a branch, so that their
// latencies overlap.
#include "backends/amdgpu/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;

namespace {

/// The mask of an access; null if it has none.
Value maskOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<simt::LoadOp, simt::StoreOp, simt::SharedStoreOp, simt::SharedAddOp, simt::AtomicRMWOp,
            simt::AtomicCASOp>([](auto access) { return access.getMask(); })
      .Default(Value());
}

/// Registers of 32 bits that the accesses of one branch may fill: all are alive together.
constexpr unsigned kMostRegisters = 64;

unsigned registersOf(Operation *op) {
  unsigned bits = 0;
  auto count = [&](Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      bits += vector.getNumElements() * vector.getElementTypeBitWidth();
  };
  llvm::for_each(op->getOperandTypes(), count);
  llvm::for_each(op->getResultTypes(), count);
  return std::max(1u, bits / 32);
}

/// Accesses with one mask. The ops between them have no effects; those that use results are moved
/// behind the branch.
class Group {
public:
  /// Takes an access or closes: then it is the first of the next one.
  void visitAccess(Operation *op, Value itsMask);
  /// Any other op. Nothing is moved past one with effects.
  void visitOther(Operation *op);
  /// Puts the accesses into a branch where the last one is.
  void close();

private:
  bool dependsOnIt(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *definition = operand.getDefiningOp();
      return definition && later.contains(definition);
    });
  }

  Value mask;
  SmallVector<Operation *> accesses;
  /// Ops that depend on the accesses: between two of them, and behind the last.
  SmallVector<Operation *> between, behind;
  llvm::SmallPtrSet<Operation *, 32> later; ///< All of these.
  unsigned registers = 0;
};

} // namespace

/// What an access gives where its mask is false.
static Value makeOther(OpBuilder &b, Operation *op) {
  if (auto load = dyn_cast<simt::LoadOp>(op); load && load.getOther())
    return load.getOther();
  return arith::ConstantOp::create(b, op->getLoc(), b.getZeroAttr(op->getResult(0).getType()));
}

static void dropMask(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<simt::LoadOp>([](simt::LoadOp load) {
        load.getMaskMutable().clear();
        load.getOtherMutable().clear();
      })
      .Case<simt::StoreOp, simt::SharedStoreOp, simt::SharedAddOp, simt::AtomicRMWOp,
            simt::AtomicCASOp>([](auto access) { access.getMaskMutable().clear(); });
}

void Group::visitAccess(Operation *op, Value itsMask) {
  if (!accesses.empty() &&
      (itsMask != mask || dependsOnIt(op) || registers + registersOf(op) > kMostRegisters))
    close();
  mask = itsMask;
  accesses.push_back(op);
  later.insert(op);
  registers += registersOf(op);
  between.append(behind);
  behind.clear();
}

void Group::visitOther(Operation *op) {
  if (accesses.empty())
    return;
  if (op->getNumRegions() || !isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return close();
  if (dependsOnIt(op)) {
    behind.push_back(op);
    later.insert(op);
  }
}

void Group::close() {
  if (accesses.empty())
    return;
  Operation *last = accesses.back();
  OpBuilder b(last);
  SmallVector<Value> results;
  for (Operation *op : accesses)
    results.append(op->result_begin(), op->result_end());
  auto branch = scf::IfOp::create(b, last->getLoc(), ValueRange(results).getTypes(), mask,
                                  /*withElseRegion=*/!results.empty());
  if (!results.empty()) {
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> others;
    for (Operation *op : accesses)
      if (op->getNumResults())
        others.push_back(makeOther(b, op));
    scf::YieldOp::create(b, last->getLoc(), others);
  }
  for (auto [result, replacement] : llvm::zip(results, branch.getResults()))
    result.replaceAllUsesWith(replacement);
  Block *inside = branch.thenBlock();
  // Without results the builder has made the end already.
  Operation *end = results.empty() ? inside->getTerminator() : nullptr;
  for (Operation *op : accesses) {
    dropMask(op);
    if (end)
      op->moveBefore(end);
    else
      op->moveBefore(inside, inside->end());
  }
  if (!results.empty()) {
    b.setInsertionPointToEnd(inside);
    scf::YieldOp::create(b, last->getLoc(), results);
  }
  Operation *place = branch;
  for (Operation *op : between) {
    op->moveAfter(place);
    place = op;
  }
  *this = Group();
}

static void visit(Block &block) {
  Group group;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (Value mask = maskOf(&op)) {
      group.visitAccess(&op, mask);
      continue;
    }
    group.visitOther(&op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
  }
}

void amdgpu::branchOnMasks(func::FuncOp kernel) {
  for (Block &block : kernel.getBody())
    visit(block);
}
