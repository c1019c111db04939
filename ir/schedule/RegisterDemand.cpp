// See RegisterDemand.h.
#include "ir/schedule/RegisterDemand.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Registers of 32 bits for the elements that `layout` gives a thread.
static int64_t countRegisters(const LinearLayout &layout, Type element) {
  const uint64_t bits = uint64_t(tile::getElementBytes(element)) * 8;
  return int64_t(llvm::divideCeil(bits << layout.inBits(kRegister), uint64_t(32)));
}

int64_t schedule::countRegisters(Value tensor, const LayoutAssignment &layouts) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || isa<tile::PointerType>(type.getElementType()))
    return 0;
  const LinearLayout *home = layouts.getHome(tensor);
  return ::countRegisters(home ? *home : layouts.getDefault(type), type.getElementType());
}

int64_t schedule::countRegisters(tile::LoadOp load, const LayoutAssignment &layouts) {
  return ::countRegisters(layouts.getAccess(load).layout, getElementTypeOrSelf(load.getType()));
}

int64_t schedule::countRegisters(scf::ForOp loop, const LayoutAssignment &layouts,
                                 tile::DotOp whole) {
  int64_t kept = 0, step = 0;
  for (Value carried : loop.getRegionIterArgs())
    kept += countRegisters(carried, layouts);
  llvm::SmallDenseSet<Value> outside;
  Operation *yield = loop.getBody()->getTerminator();
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    const DotPlan &plan = layouts.getDot(dot);
    if (!plan.instruction || plan.instruction->isOpaque || plan.warpGroup)
      continue;
    if (!llvm::is_contained(yield->getOperands(), dot.getResult()))
      kept += 2 * ::countRegisters(plan.d, getElementTypeOrSelf(dot.getType()));
    int64_t fragments = 0;
    for (auto [operand, layout] :
         {std::pair(Value(dot.getA()), &plan.a), std::pair(Value(dot.getB()), &plan.b)}) {
      int64_t all = ::countRegisters(*layout, getElementTypeOrSelf(operand.getType()));
      if (!loop.isDefinedOutsideOfLoop(operand))
        fragments += dot == whole ? all : all >> plan.stepBits;
      else if (outside.insert(operand).second)
        kept += all;
    }
    step = std::max(step, fragments);
  }
  return kept + step;
}
