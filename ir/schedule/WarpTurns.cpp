// See WarpTurns.h.
#include "ir/schedule/WarpTurns.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/RegisterDemand.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

/// Cycles of its unit in which a warp computes the product.
static int64_t countMatrixCycles(const DotPlan &plan) {
  return int64_t(plan.instruction->cycles)
         << (plan.stepBits + plan.rowBits + plan.columnBits + plan.batchBits);
}

/// Cycles in which shared memory gives a warp of every unit its operands. Those that come from a
/// ring are read in each iteration; others lie in registers.
static int64_t countReadCycles(tile::DotOp dot, const LayoutAssignment &layouts) {
  const DotPlan &plan = layouts.getDot(dot);
  const target::TargetInfo &target = layouts.target();
  int64_t bytes = 0;
  for (auto [operand, layout] :
       {std::pair(Value(dot.getA()), &plan.a), std::pair(Value(dot.getB()), &plan.b)}) {
    tile::LoadOp load = loadOf(operand);
    if (load && load->getBlock() == dot->getBlock() && getRing(load))
      bytes += int64_t(tile::getElementBytes(getElementTypeOrSelf(operand.getType())))
               << layout->inBits(layout::kRegister);
  }
  return bytes * target.warpSize * target.matrixUnits / target.sharedModel.lineBytes();
}

/// Registers of a thread in the loop if `dot` is a turn, which has all of its operands at once; the
/// loads that run ahead through registers are among them.
static int64_t countTurnRegisters(scf::ForOp loop, tile::DotOp dot,
                                  const LayoutAssignment &layouts) {
  int64_t needed = countRegisters(loop, layouts, dot);
  if (getPipeline(loop).getCopies() == CopyKind::Registers)
    for (auto load : loop.getBody()->getOps<tile::LoadOp>())
      if (getRing(load))
        needed += countRegisters(load, layouts);
  return needed;
}

/// Why a turn of the product would not pay; empty if it does. Precondition: there are two warps for
/// each unit.
static std::string findLoss(scf::ForOp loop, tile::DotOp dot, const LayoutAssignment &layouts) {
  const DotPlan &plan = layouts.getDot(dot);
  const target::TargetInfo &target = layouts.target();
  const int64_t matrix = countMatrixCycles(plan), reads = countReadCycles(dot, layouts);
  if (matrix < reads)
    return ("a warp multiplies for " + Twine(matrix) + " cycles, and shared memory takes " +
            Twine(reads) + " to give one warp of each unit its operands")
        .str();
  // The rest is for addresses and masks.
  const int64_t most = int64_t(target.registers) * 7 / 8,
                needed = countTurnRegisters(loop, dot, layouts);
  if (most && needed > most)
    return ("with all operands at once a thread would need about " + Twine(needed) +
            " registers, and " + Twine(most) + " are for them")
        .str();
  return {};
}

std::optional<std::string>
schedule::setTurnsOfWarps(scf::ForOp loop, const LayoutAssignment &layouts, Choice choice) {
  const target::TargetInfo &target = layouts.target();
  bool hasAny = false;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    const DotPlan &plan = layouts.getDot(dot);
    if (!plan.instruction || plan.instruction->isOpaque || plan.warpGroup)
      continue;
    hasAny = true;
    if (choice == Choice::Auto) {
      // One warp of a unit has nothing to take turns with.
      if (!target.matrixUnits || !plan.instruction->cycles ||
          layouts.numWarps() < 2 * target.matrixUnits)
        continue;
      if (std::string why = findLoss(loop, dot, layouts); !why.empty()) {
        emitRemark(dot, RemarkName::TurnsNotTaken,
                   "warps do not compute the product in turns: " + why);
        continue;
      }
    }
    dot->setAttr(SchedDialect::kTurns, UnitAttr::get(loop.getContext()));
    emitRemark(dot, RemarkName::ProductTakesTurns,
               "warps compute the product in turns, by " + plan.instruction->name,
               /*isMissed=*/false);
  }
  if (hasAny)
    return std::nullopt;
  return "no product of its body has a matrix instruction of a warp";
}
