// The reader of what distribution wrote; and what must be there before the lowering may rely on it.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/TensorLayout.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

static AccessPlan toPlan(AccessAttr access) {
  auto list = [](DenseI64ArrayAttr numbers) {
    return SmallVector<int64_t, 4>(numbers.asArrayRef());
  };
  AccessPlan plan;
  plan.layout = access.getLayout().getMap();
  plan.facts = {list(access.getContiguity()), list(access.getAlignment()),
                list(access.getConstancy())};
  for (int64_t dim : access.getOrder().asArrayRef())
    plan.order.push_back(dim);
  if (access.getTileInner() >= 0)
    plan.tileInner = access.getTileInner();
  return plan;
}

static DotPlan toPlan(DotAttr dot, const target::TargetInfo &target) {
  auto layout = [](LayoutAttr attribute) {
    return attribute ? attribute.getMap() : LinearLayout();
  };
  DotPlan plan;
  // The verifier knows that the target has these rows.
  if (StringAttr name = dot.getInstruction())
    plan.instruction = target.findMatrix(name);
  if (StringAttr name = dot.getWarpGroup())
    plan.warpGroup = WarpGroupPlan{target.findWarpGroup(name), dot.getColumns(), dot.getTurns()};
  plan.a = layout(dot.getA());
  plan.b = layout(dot.getB());
  plan.d = layout(dot.getD());
  plan.parts = dot.getParts();
  plan.swapped = dot.getSwapped();
  plan.stepBits = dot.getStepBits();
  plan.rowBits = dot.getRowBits();
  plan.columnBits = dot.getColumnBits();
  plan.batchBits = dot.getBatchBits();
  return plan;
}

LayoutAssignment::LayoutAssignment(func::FuncOp kernel, const target::TargetInfo &target,
                                   unsigned numWarps)
    : info(&target), threads{target.warpSize, numWarps} {
  auto name = [&](StringRef text) { return StringAttr::get(kernel.getContext(), text); };
  homes = name(DistributeDialect::kHomesAttr);
  arguments = name(DistributeDialect::kArgumentsAttr);
  access = name(DistributeDialect::kAccessAttr);
  dot = name(DistributeDialect::kDotAttr);
  runs = name(DistributeDialect::kRunsAttr);
  kernel.walk([&](Operation *op) {
    if (auto plan = dyn_cast_or_null<AccessAttr>(op->getDiscardableAttr(access)))
      if (auto [it, isNew] = accesses.try_emplace(plan); isNew)
        it->second = toPlan(plan);
    if (auto plan = dyn_cast_or_null<DotAttr>(op->getDiscardableAttr(dot)))
      if (auto [it, isNew] = dots.try_emplace(plan); isNew)
        it->second = toPlan(plan, target);
  });
}

/// The home of `value` in the lists of these names; null: none is given.
static LayoutAttr findHome(Value value, StringAttr homes, StringAttr arguments) {
  Operation *op = value.getDefiningOp();
  unsigned index = 0;
  StringAttr name = homes;
  if (op) {
    index = cast<OpResult>(value).getResultNumber();
  } else {
    auto argument = cast<BlockArgument>(value);
    op = argument.getOwner()->getParentOp();
    index = argument.getArgNumber();
    for (Region &region : op->getRegions()) {
      if (&region == argument.getOwner()->getParent())
        break;
      index += region.getNumArguments();
    }
    name = arguments;
  }
  auto list = dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(name));
  return list && index < list.size() ? dyn_cast<LayoutAttr>(list[index]) : LayoutAttr();
}

const LinearLayout *LayoutAssignment::getHome(Value value) const {
  LayoutAttr layout = findHome(value, homes, arguments);
  return layout ? &layout.getMap() : nullptr;
}

Attribute LayoutAssignment::getHomeAttr(Value value) const {
  if (LayoutAttr layout = findHome(value, homes, arguments))
    return layout;
  return UnitAttr::get(value.getContext());
}

const AccessPlan &LayoutAssignment::getAccess(Operation *op) const {
  return accesses.find(op->getDiscardableAttr(access))->second;
}

const DotPlan &LayoutAssignment::getDot(Operation *op) const {
  return dots.find(op->getDiscardableAttr(dot))->second;
}

SmallVector<int64_t> LayoutAssignment::getSameRegisters(Value value,
                                                        const LinearLayout &layout) const {
  auto list =
      value.getDefiningOp()
          ? dyn_cast_or_null<DenseI64ArrayAttr>(value.getDefiningOp()->getDiscardableAttr(runs))
          : DenseI64ArrayAttr();
  unsigned bits = layout.inBits(kRegister);
  if (!list || !bits)
    return {};
  // Registers that differ in positions within a run alone, in whichever lane and warp.
  uint64_t within = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    within |= uint64_t(llvm::all_of(llvm::enumerate(list.asArrayRef()),
                                    [&, bit](auto run) {
                                      return layout.getBasis(kRegister, bit, dimName(run.index())) <
                                             uint64_t(run.value());
                                    }))
              << bit;
  SmallVector<int64_t> same;
  if (within)
    for (uint64_t index = 0; index < uint64_t(1) << bits; ++index)
      same.push_back(index & ~within);
  return same;
}

//===----------------------------------------------------------------------===//
// What must be there
//===----------------------------------------------------------------------===//

/// Whether the lowering computes the results of `op` once, rather than for each user.
static bool isComputedOnce(Operation *op) {
  return op->getNumRegions() || !isMemoryEffectFree(op) ||
         isa<tile::DotOp, tile::SplitOp, tile::GatherOp, tile::HistogramOp, tile::InlineAsmOp>(op);
}

bool distribute::keepsLayouts(func::FuncOp kernel) { return kernel->hasAttr("sched.expanded"); }

LogicalResult distribute::checkAssignment(func::FuncOp kernel) {
  auto missing = [](Operation *op, StringRef name) {
    return op->emitOpError() << "has no '" << name << "'; run tile-distribute first";
  };
  MLIRContext *context = kernel.getContext();
  auto homes = StringAttr::get(context, DistributeDialect::kHomesAttr);
  auto arguments = StringAttr::get(context, DistributeDialect::kArgumentsAttr);
  auto lacksHome = [&](Value value) {
    return isa<RankedTensorType>(value.getType()) && !findHome(value, homes, arguments);
  };
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (op == kernel)
      return WalkResult::advance();
    bool accesses =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
                [](auto access) { return isa<RankedTensorType>(access.getPtr().getType()); })
            .Default(false);
    if (accesses && !op->hasAttr(DistributeDialect::kAccessAttr))
      return missing(op, DistributeDialect::kAccessAttr);
    if (isa<tile::DotOp>(op) && !op->hasAttr(DistributeDialect::kDotAttr))
      return missing(op, DistributeDialect::kDotAttr);
    if (isComputedOnce(op) && llvm::any_of(op->getResults(), lacksHome))
      return missing(op, DistributeDialect::kHomesAttr);
    if (isa<LoopLikeOpInterface>(op))
      for (Region &region : op->getRegions())
        if (llvm::any_of(region.getArguments(), lacksHome))
          return missing(op, DistributeDialect::kArgumentsAttr);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
