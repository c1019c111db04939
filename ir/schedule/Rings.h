// Which loads of a loop can run ahead through a ring on a target, and in which form their slots
// are. The same rules choose a schedule and check one written by hand.
#pragma once

#include "ir/schedule/Boxes.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/RingTile.h"

namespace tilerun::schedule {

class RingRules {
public:
  RingRules(mlir::scf::ForOp loop, const distribute::LayoutAssignment &layouts, CopyKind copies)
      : loop(loop), layouts(layouts), copies(copies), hazards(loop), boxes(loop) {}

  /// The form of the slots of `load`; null with a reason if it cannot run ahead.
  RingAttr plan(tile::LoadOp load, Refusal &refusal);
  /// Whether the target fills and reads such slots; nothing that the verifier of the dialect
  /// checks.
  bool check(tile::LoadOp load, RingAttr ring, Refusal &refusal);
  /// The tensor of a load that is a box, into slots of this form; null if it is not one.
  BoxAttr findBox(tile::LoadOp load, RingAttr ring);
  /// Whether the product's instructions may run on into the next iteration. Precondition: rings
  /// are attributes of the loop's loads.
  bool mayDefer(tile::DotOp dot);
  /// Whether the product may be made one iteration late (LateProducts.h).
  bool mayBeLate(tile::DotOp dot, Refusal &refusal);

private:
  bool checkAhead(tile::LoadOp load, Refusal &refusal);
  bool checkCopies(tile::LoadOp load, RingAttr ring, Refusal &refusal);
  /// Whether its instructions may be under way while others follow: nothing is done with its sum
  /// behind them.
  bool endsAlone(tile::DotOp dot) const;

  mlir::scf::ForOp loop;
  const distribute::LayoutAssignment &layouts;
  CopyKind copies;
  LoopHazards hazards;
  BoxFinder boxes;
};

/// Whether a product of the loop's body reads `value`, at most transpositions away.
bool feedsProduct(mlir::Value value, mlir::Block *body);

/// Why `load` is not among the loads that feed a product of the loop's body, although a product
/// reads it: there is a conversion in between, or one of them is inside an `if`. None if no product
/// reads it.
std::optional<Refusal> explainDetour(tile::LoadOp load, mlir::scf::ForOp loop);

/// Bytes of one slot of every ring of the loop.
int64_t slotBytesOf(mlir::scf::ForOp loop);

} // namespace tilerun::schedule
