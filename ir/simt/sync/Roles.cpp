// See Roles.h.
#include "ir/simt/sync/Roles.h"
#include "ir/tile/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

/// Whether groups meet between the beginning of a turn and its end, where they would wait for each
/// other forever.
static bool meetInTurns(RoleOp role) {
  WalkResult walk = role.walk([](TurnAwaitOp await) {
    bool meet = false;
    for (Operation *op = await; op; op = op->getNextNode()) {
      if (isa<TurnGiveOp>(op))
        return meet ? WalkResult::interrupt() : WalkResult::advance();
      op->walk([&](BarrierOp barrier) { meet |= barrier.getScope() != BarrierScope::Warp; });
    }
    return WalkResult::advance(); // The last turn, which only the first group takes.
  });
  return walk.wasInterrupted();
}

void simt::dropBlockedTurns(func::FuncOp kernel) {
  kernel.walk([](RoleOp role) {
    if (!meetInTurns(role))
      return;
    role.walk([](Operation *op) {
      if (isa<TurnAwaitOp, TurnGiveOp>(op))
        op->erase();
    });
    emitRemark(role, RemarkName::TurnsNotTaken,
               "warp groups start products as they come: they meet between the first product and "
               "the late ones beside it");
  });
}

/// Numbers the barriers by which warp groups of the role give each other turns, one for each group.
static void numberTurns(RoleOp role, unsigned &last) {
  unsigned groups = 0;
  role.walk([&](Operation *op) {
    if (auto give = dyn_cast<TurnGiveOp>(op))
      give.setNumber(last + 1), groups = give.getGroups();
    else if (auto await = dyn_cast<TurnAwaitOp>(op))
      await.setNumber(last + 1);
  });
  last += groups;
}

/// Numbers the role's barriers, if it has any.
static void numberBarriers(RoleOp role, unsigned warpSize, unsigned &last) {
  SmallVector<BarrierOp> barriers;
  role.walk([&](BarrierOp barrier) {
    if (barrier.getScope() == BarrierScope::Role)
      barriers.push_back(barrier);
  });
  last += !barriers.empty();
  for (BarrierOp barrier : barriers) {
    barrier.setNumber(last);
    barrier.setThreads(role.getWarps() * warpSize);
  }
}

static void toBranch(RoleOp role, unsigned warpSize, unsigned ownRegisters) {
  OpBuilder b(role);
  Location loc = role.getLoc();
  Value thread = ThreadIdOp::create(b, loc);
  auto constant = [&](unsigned value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
  };
  Value first = constant(role.getFirst() * warpSize);
  Value own = arith::SubIOp::create(b, loc, thread, first);
  // Unsigned: threads before the first one are beyond the last.
  Value isIn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, own,
                                     constant(role.getWarps() * warpSize));
  auto branch = scf::IfOp::create(b, loc, isIn, /*withElseRegion=*/false);
  role.getBody().getArgument(0).replaceAllUsesWith(own);
  Block *body = branch.thenBlock();
  if (unsigned registers = role.getRegisters()) {
    b.setInsertionPointToStart(body);
    SetRegistersOp::create(b, loc, registers, registers > ownRegisters);
  }
  body->getOperations().splice(std::prev(body->end()), role.getBody().front().getOperations());
  role.erase();
}

bool simt::setRegisters(func::FuncOp kernel) {
  return kernel
      .walk([](RoleOp role) {
        return role.getRegisters() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult simt::expandRoles(func::FuncOp kernel, unsigned warpSize, unsigned namedBarriers,
                                unsigned ownRegisters) {
  SmallVector<RoleOp> roles;
  kernel.walk([&](RoleOp role) { roles.push_back(role); });
  unsigned last = 0;
  for (RoleOp role : roles) {
    numberBarriers(role, warpSize, last);
    numberTurns(role, last);
    if (last > namedBarriers)
      return role.emitOpError() << "needs barriers of its own, but roles have only "
                                << namedBarriers << " in all";
  }
  for (RoleOp role : roles)
    toBranch(role, warpSize, ownRegisters);
  return success();
}
