// What each op of the simt dialect does with shared memory, and the check that ops say it.
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

#include "ir/simt/sync/SharedUser.cpp.inc"

using Kind = SharedUse::Kind;

static SharedUse now(Value buffer, Kind kind) {
  SharedUse use;
  use.accesses = {{buffer, kind}};
  return use;
}

SharedUse BarrierOp::getSharedUse() {
  SharedUse use;
  use.barrier = getScope();
  return use;
}

SharedUse RoleOp::getSharedUse() {
  SharedUse use;
  use.roleWarps = getWarps();
  return use;
}

SharedUse PhaseInitOp::getSharedUse() { return now(getBuffer(), Kind::Write); }
SharedUse PhaseArriveOp::getSharedUse() { return now(getBuffer(), Kind::Add); }
SharedUse PhaseWaitOp::getSharedUse() { return now(getBuffer(), Kind::Add); }
SharedUse SharedLoadOp::getSharedUse() { return now(getBuffer(), Kind::Read); }

SharedUse SharedStoreOp::getSharedUse() {
  SharedUse use = now(getBuffer(), Kind::Write);
  use.accesses.front().isSeparated = getAhead();
  return use;
}

SharedUse SharedAddOp::getSharedUse() { return now(getBuffer(), Kind::Add); }
SharedUse LoadMatrixOp::getSharedUse() { return now(getBuffer(), Kind::Read); }
SharedUse LoadTransposedOp::getSharedUse() { return now(getBuffer(), Kind::Read); }
SharedUse MatrixLoadOp::getSharedUse() { return now(getBuffer(), Kind::Read); }
SharedUse MatrixStoreOp::getSharedUse() { return now(getBuffer(), Kind::Write); }

//===----------------------------------------------------------------------===//
// Asynchronous copies and products
//===----------------------------------------------------------------------===//

static SharedUse closing(AsyncQueue queue) {
  SharedUse use;
  use.closes = queue;
  return use;
}

static SharedUse waitingFor(AsyncQueue queue, unsigned pending) {
  SharedUse use;
  use.waits = {queue, pending};
  return use;
}

SharedUse AsyncCopyOp::getSharedUse() {
  SharedUse use;
  use.accesses = {{getBuffer(), Kind::Write, AsyncQueue::Copies}};
  return use;
}

SharedUse BoxCopyOp::getSharedUse() {
  // A phase barrier says when it has landed, and orders it against the readers.
  SharedUse use;
  use.accesses = {{getBuffer(), Kind::Write, std::nullopt, /*isSeparated=*/true},
                  {getPhases(), Kind::Add}};
  return use;
}

SharedUse BoxStoreOp::getSharedUse() {
  SharedUse use;
  use.accesses = {{getBuffer(), Kind::Read, AsyncQueue::Stores}};
  return use;
}

SharedUse BoxStoreWaitOp::getSharedUse() {
  SharedUse use = waitingFor(AsyncQueue::Stores, 0);
  use.closes = AsyncQueue::Stores;
  use.accesses = {{getBuffer(), Kind::Read, std::nullopt, /*isSeparated=*/true}};
  return use;
}

SharedUse AsyncCommitOp::getSharedUse() { return closing(AsyncQueue::Copies); }
SharedUse AsyncWaitOp::getSharedUse() { return waitingFor(AsyncQueue::Copies, getPending()); }

SharedUse AsyncFenceOp::getSharedUse() {
  SharedUse use;
  use.isFence = true;
  return use;
}

SharedUse GroupMmaFenceOp::getSharedUse() {
  SharedUse use;
  for (Value buffer : getBuffers())
    use.accesses.push_back({buffer, Kind::Read, AsyncQueue::Products});
  return use;
}

SharedUse GroupMmaOp::getSharedUse() {
  // The fence before has named the same buffers; no barrier can come between the two.
  SharedUse use;
  for (Value buffer : {Value(getABuffer()), Value(getBBuffer())})
    if (buffer)
      use.accesses.push_back({buffer, Kind::Read, AsyncQueue::Products, /*isSeparated=*/true});
  return use;
}

SharedUse GroupMmaCommitOp::getSharedUse() { return closing(AsyncQueue::Products); }
SharedUse GroupMmaWaitOp::getSharedUse() { return waitingFor(AsyncQueue::Products, getPending()); }

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

/// Whether the op itself, without what is in its regions, reads or writes shared memory as far as
/// its effects tell. An op with unknown effects may.
static bool mayTouchShared(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    SideEffects::Resource *resource = effect.getResource();
    return isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()) &&
           (resource == SharedMemory::get() || resource == SideEffects::DefaultResource::get());
  });
}

/// Whether the op's declaration speaks of shared memory: an operand is a buffer, or an effect is on
/// it. What has effects on unknown memory speaks of global memory.
static bool declaresShared(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<SharedType>(type); }))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource() == SharedMemory::get();
  });
}

static LogicalResult checkSharedUser(Operation *op) {
  auto user = dyn_cast<SharedUser>(op);
  if (!user) {
    if (!mayTouchShared(op))
      return success();
    return op->emitOpError("may touch shared memory, but does not say how; it must implement the "
                           "interface SharedUser");
  }
  SharedUse use = user.getSharedUse();
  if (use.isNone() && declaresShared(op))
    return op->emitOpError("takes or touches shared memory by its operands or effects, but says "
                           "that it does not");
  for (const SharedUse::Access &access : use.accesses)
    if (!access.buffer.getDefiningOp<SharedAllocOp>())
      return op->emitOpError("uses a buffer of shared memory that is not the result of a "
                             "simt.shared_alloc");
  return success();
}

LogicalResult simt::checkSharedUsers(Operation *root) {
  WalkResult result = root->walk([&](Operation *op) {
    return op == root || succeeded(checkSharedUser(op)) ? WalkResult::advance()
                                                        : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
