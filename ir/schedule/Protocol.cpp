// See Protocol.h. Each role is traced by itself (ProtocolTrace.h); then the traces run beside each
// other (ProtocolSimulation.h).
#include "ir/schedule/Protocol.h"
#include "ir/schedule/ProtocolSimulation.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

/// Whether ops of the role have tensors, which are spread over its warps.
static bool hasTensors(RoleOp role) {
  auto isTensor = [](Value value) { return isa<RankedTensorType>(value.getType()); };
  return role
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperands(), isTensor) || llvm::any_of(op->getResults(), isTensor)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What roles need of the target.
static LogicalResult checkRoles(MutableArrayRef<RoleOp> roles, func::FuncOp kernel,
                                const LayoutAssignment &layouts) {
  if (roles.empty())
    return success();
  const target::TargetInfo &target = layouts.target();
  unsigned warps = 0;
  for (auto [i, role] : llvm::enumerate(roles)) {
    if (!target.hasRoles)
      return role->emitOpError() << "cannot be on " << target.name << ", which has no roles";
    if (role.getWarps() != layouts.numWarps() && hasTensors(role))
      return role->emitOpError() << "has " << role.getWarps() << " warps, but layouts are for "
                                 << layouts.numWarps();
    for (RoleOp other : roles.slice(0, i))
      if (role.getFirst() < other.getEnd() && other.getFirst() < role.getEnd())
        return role->emitOpError("has warps of another role");
    warps = std::max(warps, role.getEnd());
  }
  for (Operation &op : kernel.getBody().front())
    if (!isa<RoleOp, RingOp, ChannelOp, StoreBufferOp, func::ReturnOp>(op))
      return op.emitOpError("is beside roles; all of a kernel but rings, channels and store "
                            "buffers is in them");
  if (uint64_t threads = uint64_t(warps) * target.warpSize; threads > target.maxThreads)
    return kernel.emitError() << "roles take " << threads << " threads, but " << target.name
                              << " allows " << target.maxThreads << " in a program";
  return success();
}

LogicalResult schedule::simulate(func::FuncOp kernel, int64_t trips, int64_t limit,
                                 const ProtocolValues &values, Simulation &simulation,
                                 ProtocolCost &cost) {
  TripCounts counts(trips, limit);
  ProtocolTracer tracer(counts, values);
  auto trace = [&](Block &block) { return tracer.trace(block); };
  llvm::scope_exit addCost([&] {
    cost.traced += tracer.getVisits();
    cost.simulated += simulation.getSteps();
  });
  std::vector<Runner> runners;
  for (auto role : kernel.getOps<RoleOp>()) {
    const ProtocolTrace *steps = trace(role.getBody().front());
    if (!steps)
      return failure();
    runners.emplace_back(role, *steps);
  }
  if (runners.empty()) {
    const ProtocolTrace *steps = trace(kernel.getBody().front());
    if (!steps)
      return failure();
    runners.emplace_back(RoleOp(), *steps);
    return simulation.run(runners);
  }
  // Channels between roles are there before any of them.
  ProtocolTrace made;
  for (auto channel : kernel.getOps<ChannelOp>())
    made.steps.push_back({channel});
  Runner before(RoleOp(), made);
  return success(succeeded(simulation.run(before)) && succeeded(simulation.run(runners)));
}

LogicalResult schedule::checkProtocol(func::FuncOp kernel, const LayoutAssignment &layouts,
                                      ProtocolCost *cost) {
  int64_t slots = 0;
  kernel.walk([&](ChannelOp op) { slots = std::max(slots, getChannelType(op).getSlots()); });
  SmallVector<RoleOp> roles(kernel.getOps<RoleOp>());
  if (failed(checkRoles(roles, kernel, layouts)))
    return failure();
  if (!slots && roles.empty())
    return success();
  ProtocolValues values(kernel);
  ProtocolCost ignored;
  for (int64_t trips : {int64_t(0), int64_t(1), slots, 2 * slots + 2}) {
    Simulation simulation;
    if (failed(simulate(kernel, trips, 2 * slots + 2, values, simulation, cost ? *cost : ignored)))
      return failure();
  }
  return success();
}
