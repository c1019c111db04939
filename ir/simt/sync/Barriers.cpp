// See Barriers.h: a forward data flow over accesses since the last barrier.
#include "ir/simt/sync/Barriers.h"
#include "ir/simt/sync/Roles.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {
using Buffers = llvm::SetVector<SharedAllocOp>;

/// Buffers with accesses since the last barrier.
struct Pending {
  Buffers reads, writes, adds;
  /// Of the roles before this place, which do not order each other's accesses by barriers.
  Buffers roleReads, roleWrites, roleAdds;
  /// Accesses to buffers of which each warp has its part, since the last barrier of any scope.
  Buffers warpReads, warpWrites;
  /// Accesses in flight, which no barrier ends, by queue.
  struct {
    Buffers reads, writes;
  } flying[kNumAsyncQueues];

  void clear() {
    reads.clear();
    writes.clear();
    adds.clear();
    clearWarps();
  }
  void clearWarps() {
    warpReads.clear();
    warpWrites.clear();
  }
  bool isEmpty() const { return reads.empty() && writes.empty() && adds.empty(); }
  /// The state after a role; `role` began with an empty one.
  void leaveRole(const Pending &role) {
    roleReads.insert(role.reads.begin(), role.reads.end());
    roleWrites.insert(role.writes.begin(), role.writes.end());
    roleAdds.insert(role.adds.begin(), role.adds.end());
    for (auto [to, from] : llvm::zip_equal(flying, role.flying)) {
      to.reads.insert(from.reads.begin(), from.reads.end());
      to.writes.insert(from.writes.begin(), from.writes.end());
    }
  }
  /// After the last role its accesses are like all others.
  void endRoles() {
    reads.insert(roleReads.begin(), roleReads.end());
    writes.insert(roleWrites.begin(), roleWrites.end());
    adds.insert(roleAdds.begin(), roleAdds.end());
    roleReads.clear();
    roleWrites.clear();
    roleAdds.clear();
  }
  /// Whether that adds anything.
  bool merge(Pending &other) {
    bool grows = false;
    for (auto [to, from] : llvm::zip_equal(all(), other.all())) {
      size_t before = to->size();
      to->insert(from->begin(), from->end());
      grows |= to->size() != before;
    }
    return grows;
  }

private:
  SmallVector<Buffers *> all() {
    SmallVector<Buffers *> sets = {&reads,      &writes,   &adds,      &roleReads,
                                   &roleWrites, &roleAdds, &warpReads, &warpWrites};
    for (auto &queue : flying)
      sets.append({&queue.reads, &queue.writes});
    return sets;
  }
};

class BarrierInserter {
public:
  explicit BarrierInserter(BarrierScope scope) : scope(scope) {}
  void block(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, pending);
  }

private:
  static bool overlap(SharedAllocOp x, SharedAllocOp y) {
    int64_t startX = *x.getOffset(), startY = *y.getOffset();
    return startX < startY + int64_t(y.getBytes()) && startY < startX + int64_t(x.getBytes());
  }
  void visit(Operation *op, Pending &pending);
  void visitLoop(Operation *loop, Pending &pending);
  /// What one more iteration leaves pending where `entry` may be, to which that is added; `true`
  /// once nothing is.
  bool iterate(Operation *loop, Pending &entry);
  /// How many barriers the loop's body gets behind `entry`.
  unsigned countBarriers(Operation *loop, Pending entry);
  void enterRole(Operation *op, unsigned warps, Pending &pending);
  /// Of one op: the barriers before it, and the accesses pending after it.
  void apply(Operation *op, const SharedUse &use, Pending &pending);
  /// Whether each warp has a part of both, the same bytes.
  static bool shareWarpParts(SharedAllocOp x, SharedAllocOp y) {
    return x.getPerWarp() && y.getPerWarp() && x.getOffset() == y.getOffset() &&
           x.getBytes() == y.getBytes();
  }
  static bool shareWarpParts(SharedAllocOp buffer, const Buffers &others) {
    return llvm::any_of(others, [&](SharedAllocOp other) { return shareWarpParts(buffer, other); });
  }
  /// Accesses of a warp to its own part do not meet other warps' to theirs.
  static bool overlapAny(SharedAllocOp buffer, const Buffers &others) {
    return llvm::any_of(others, [&](SharedAllocOp other) {
      return overlap(buffer, other) && !shareWarpParts(buffer, other);
    });
  }
  void read(Operation *op, SharedAllocOp buffer, Pending &pending) {
    if (overlapAny(buffer, pending.writes) || overlapAny(buffer, pending.adds))
      insertBefore(op, pending);
    if (buffer.getPerWarp()) {
      if (shareWarpParts(buffer, pending.warpWrites))
        insertInWarp(op, pending);
      pending.warpReads.insert(buffer);
    }
    pending.reads.insert(buffer);
  }
  /// Additions only conflict with others' reads and writes.
  void add(Operation *op, SharedAllocOp buffer, Pending &pending) {
    if (overlapAny(buffer, pending.reads) || overlapAny(buffer, pending.writes) ||
        llvm::any_of(pending.adds, [&](SharedAllocOp other) {
          return other != buffer && overlap(buffer, other);
        }))
      insertBefore(op, pending);
    pending.adds.insert(buffer);
  }
  void write(Operation *op, SharedAllocOp buffer, Pending &pending) {
    if (overlapAny(buffer, pending.reads) || overlapAny(buffer, pending.adds) ||
        llvm::any_of(pending.writes, [&](SharedAllocOp other) {
          return other != buffer && overlap(buffer, other) && !shareWarpParts(buffer, other);
        }))
      insertBefore(op, pending);
    if (buffer.getPerWarp()) {
      bool overwrites = llvm::any_of(pending.warpWrites, [&](SharedAllocOp other) {
        return other != buffer && shareWarpParts(buffer, other);
      });
      if (overwrites || shareWarpParts(buffer, pending.warpReads))
        insertInWarp(op, pending);
      pending.warpWrites.insert(buffer);
    }
  }
  void insertInWarp(Operation *op, Pending &pending) {
    if (!isTrial) {
      OpBuilder b(op);
      BarrierOp::create(b, op->getLoc(), BarrierScope::Warp);
    }
    pending.clearWarps();
  }
  void insertBefore(Operation *op, Pending &pending) {
    if (!isTrial) {
      OpBuilder b(op);
      BarrierOp::create(b, op->getLoc(), scope);
    }
    ++barriers;
    pending.clear();
  }
  BarrierScope scope;
  bool isTrial = false;  ///< Only find out what is pending.
  unsigned barriers = 0; ///< So far, those of trials too.
};
} // namespace

/// A role sees earlier accesses after a barrier of the program. Barriers in it are its own.
void BarrierInserter::enterRole(Operation *op, unsigned warps, Pending &pending) {
  // The first one of a block may follow those of an earlier iteration, run by other warps or its
  // own.
  bool isFirst = true;
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    auto user = dyn_cast<SharedUser>(before);
    isFirst &= !(user && user.getSharedUse().roleWarps);
  }
  if (isFirst)
    pending.endRoles();
  if (!pending.isEmpty())
    insertBefore(op, pending);
  BarrierScope outer =
      std::exchange(scope, warps == 1 && scope == BarrierScope::Program ? BarrierScope::Warp
                                                                        : BarrierScope::Role);
  Pending inner;
  std::copy(std::begin(pending.flying), std::end(pending.flying), std::begin(inner.flying));
  block(op->getRegion(0).front(), inner);
  scope = outer;
  pending.leaveRole(inner);
}

void BarrierInserter::apply(Operation *op, const SharedUse &use, Pending &pending) {
  if (use.roleWarps)
    return enterRole(op, *use.roleWarps, pending);
  if (!use.isNone())
    pending.endRoles();
  if (use.barrier) {
    if (*use.barrier == scope || *use.barrier == BarrierScope::Program ||
        *use.barrier == BarrierScope::Cluster)
      pending.clear();
    else
      pending.clearWarps();
  }
  for (const SharedUse::Access &access : use.accesses) {
    if (access.isSeparated)
      continue;
    auto buffer = access.buffer.getDefiningOp<SharedAllocOp>();
    auto *flying = access.queue ? &pending.flying[unsigned(*access.queue)] : nullptr;
    switch (access.kind) {
    case SharedUse::Kind::Read:
      read(op, buffer, pending);
      if (flying)
        flying->reads.insert(buffer);
      break;
    case SharedUse::Kind::Write:
      write(op, buffer, pending);
      (flying ? flying->writes : pending.writes).insert(buffer);
      break;
    case SharedUse::Kind::Add:
      add(op, buffer, pending);
      break;
    }
  }
  if (use.waits) {
    // Each thread waits for its own accesses only: others may see its writes, and overwrite what it
    // has read up to here, behind a barrier.
    auto &flying = pending.flying[unsigned(use.waits->queue)];
    pending.reads.insert(flying.reads.begin(), flying.reads.end());
    pending.writes.insert(flying.writes.begin(), flying.writes.end());
    if (use.waits->pending == 0)
      flying = {};
  }
}

bool BarrierInserter::iterate(Operation *loop, Pending &entry) {
  // The regions of a loop run one after the other.
  Pending state = entry;
  for (Region &region : loop->getRegions())
    for (Block &inner : region)
      block(inner, state);
  return !entry.merge(state);
}

unsigned BarrierInserter::countBarriers(Operation *loop, Pending entry) {
  llvm::SaveAndRestore trial(isTrial, true);
  llvm::SaveAndRestore before(barriers);
  do
    barriers = 0;
  while (!iterate(loop, entry));
  return barriers;
}

void BarrierInserter::visitLoop(Operation *loop, Pending &pending) {
  // A barrier that only what came before the loop needs stands before it, and not in each
  // iteration.
  Pending behindBarrier = pending;
  behindBarrier.clear();
  if (!pending.isEmpty() && countBarriers(loop, behindBarrier) < countBarriers(loop, pending))
    insertBefore(loop, pending);
  // The state at the start of later iterations must be known before the first barrier is placed.
  // Of a trial the last pass counts.
  unsigned before = barriers;
  {
    llvm::SaveAndRestore trial(isTrial, true);
    do
      barriers = before;
    while (!iterate(loop, pending));
  }
  if (!isTrial)
    iterate(loop, pending);
}

void BarrierInserter::visit(Operation *op, Pending &pending) {
  if (auto user = dyn_cast<SharedUser>(op))
    return apply(op, user.getSharedUse(), pending);
  if (!op->getNumRegions())
    return;
  if (isa<LoopLikeOpInterface>(op))
    return visitLoop(op, pending);
  // The regions of a branch are alternatives.
  Pending joined = pending;
  bool first = true;
  for (Region &region : op->getRegions())
    for (Block &inner : region) {
      Pending state = pending;
      block(inner, state);
      if (first && op->getNumRegions() == 2 && !op->getRegion(1).empty())
        joined = state;
      else
        joined.merge(state);
      first = false;
    }
  pending = joined;
}

BarrierScope simt::scopeOf(int64_t threads, const target::TargetInfo &target) {
  bool isOneWarp = threads == target.warpSize && target.hasShuffle;
  return isOneWarp ? BarrierScope::Warp : BarrierScope::Program;
}

LogicalResult simt::insertBarriers(func::FuncOp kernel, BarrierScope scope) {
  if (failed(checkSharedUsers(kernel)))
    return failure();
  BarrierInserter inserter(scope);
  Pending pending;
  for (Block &block : kernel.getBody())
    inserter.block(block, pending);
  dropBlockedTurns(kernel);
  return success();
}
