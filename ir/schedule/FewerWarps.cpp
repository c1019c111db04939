// See FewerWarps.h.
#include "ir/schedule/FewerWarps.h"
#include "ir/distribute/Facts.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/Check.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/SharedDemand.h"
#include "ir/schedule/Stages.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

/// Whether `kernel`, a copy that may be changed, fits with layouts for so many warps.
static bool fitsWith(func::FuncOp kernel, unsigned numWarps, const target::TargetInfo &target,
                     const AccessAnalysis &accesses) {
  if (failed(assignLayouts(kernel, {numWarps, &target, accesses.getRuns()}, accesses.getFacts())))
    return false;
  LayoutAssignment layouts(kernel, target, numWarps);
  if (failed(checkSchedule(kernel, layouts)))
    return false;
  scf::ForOp roles = findRoleLoop(kernel);
  int64_t rings = roles ? ringBytesOf(roles, target) : 0;
  return rings + SharedDemand(kernel, layouts).fixedWithin(kernel) <= target.budget().total();
}

void schedule::noteFewerWarps(func::FuncOp kernel, const LayoutAssignment &layouts) {
  const target::TargetInfo &target = layouts.target();
  if (layouts.numWarps() < 2 || getDemand(kernel, layouts) <= target.budget().total())
    return;
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc());
  func::FuncOp copy = kernel.clone();
  scratch->push_back(copy);
  copy.walk([](scf::ForOp loop) {
    if (!loop->hasAttr(SchedDialect::kByHand) && !hasRoles(loop))
      removePipeline(loop);
  });
  AccessAnalysis accesses(*scratch, kernel->hasAttr(tile::TileDialect::kMostProgramsAttr));
  // Errors of the variant with fewer warps are not errors of this kernel.
  ScopedDiagnosticHandler ignore(kernel.getContext(), [](Diagnostic &) { return success(); });
  for (unsigned warps = layouts.numWarps() / 2; warps; warps /= 2)
    if (fitsWith(copy, warps, target, accesses)) {
      kernel->setAttr(SchedDialect::kFewerWarps,
                      IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), warps));
      return;
    }
}
