// See Explain.h.
#include "ir/schedule/Explain.h"
#include "ir/distribute/AccessGroups.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/tile/Remarks.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

/// Why each thread reads one element at a time, as the end of a sentence about the load.
static std::string explainWidth(tile::LoadOp load, const LayoutAssignment &layouts) {
  const AccessPlan &plan = layouts.getAccess(load);
  auto type = cast<RankedTensorType>(load.getType());
  int64_t bytes = tile::getElementBytes(type.getElementType());
  int64_t threads = int64_t(layouts.numWarps()) * layouts.target().warpSize;
  unsigned inner = plan.order.front();
  auto number = [](int64_t value) { return std::to_string(value); };
  if (plan.facts.contiguity[inner] < 2)
    return "neighbouring elements are not known to be neighbours in memory";
  if (plan.facts.alignment[inner] < 2 * bytes)
    return "its addresses are known to be multiples of " + number(plan.facts.alignment[inner]) +
           " bytes only, and two elements take " + number(2 * bytes);
  if (plan.facts.constancy[inner] < 2)
    return "its mask is not known to be the same for neighbouring elements";
  if (type.getNumElements() <= threads)
    return "the tile has " + number(type.getNumElements()) + " elements for " + number(threads) +
           " threads";
  if (plan.tileInner)
    return "it is transposed on its way to shared memory";
  return "its layout follows from values that it depends on, which keep neighbours apart";
}

static void explain(tile::LoadOp load, const LayoutAssignment &layouts) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  // A box is not an access of one thread.
  if (!type || load->hasAttr(SchedDialect::kBox))
    return;
  unsigned bytes = tile::getElementBytes(type.getElementType());
  if (bytes < layouts.target().maxVectorBytes &&
      groupRegisters(layouts.getAccess(load), bytes, layouts.target().maxVectorBytes)
              .front()
              .size() == 1)
    emitRemark(load, RemarkName::LoadNotVectorized,
               "each access reads one element: " + explainWidth(load, layouts));
}

void schedule::explainLayouts(func::FuncOp kernel, const LayoutAssignment &layouts) {
  if (!wantsRemarks(kernel.getContext()))
    return;
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      explain(load, layouts);
    } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
      const DotPlan &plan = layouts.getDot(dot);
      if (!plan.instruction && !plan.warpGroup)
        emitRemark(dot, RemarkName::NoMatrixInstruction,
                   "the product is computed by multiply-adds: " +
                       explainNoInstruction(dot, layouts.getOptions()));
    }
  });
}
