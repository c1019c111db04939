// See LateChoice.h.
#include "ir/schedule/LateChoice.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/Rings.h"
#include "ir/schedule/RoleRules.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

/// Registers of a thread that the loop's sums take, and factors that are carried to late products.
static int64_t countLateRegisters(scf::ForOp loop, tile::DotOp late,
                                  const LayoutAssignment &layouts) {
  constexpr int64_t kRegisterBits = 32;
  auto bitsOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getNumElements() * tile::getElementBytes(type.getElementType()) * 8;
  };
  int64_t bits = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    bits += bitsOf(dot.getResult());
  Refusal unused;
  const std::optional<LateProduct> product = findLateProduct(late, loop, unused);
  for (unsigned number : product->computed)
    bits += bitsOf(late->getOperand(number));
  return bits / (kRegisterBits * layouts.numWarps() * layouts.target().warpSize);
}

void schedule::markLateProducts(scf::ForOp loop, const LayoutAssignment &layouts, Choice late) {
  // Of four fifths of a thread's registers; the rest is for addresses, masks, and rows.
  constexpr int64_t kMostRegisters = 255, kNumerator = 4, kDenominator = 5;
  auto products = loop.getBody()->getOps<tile::DotOp>();
  if (late == Choice::Off || llvm::any_of(products, isDeferred))
    return;
  RingRules rules(loop, layouts, CopyKind::Boxes);
  for (tile::DotOp dot : products) {
    auto explain = [&](Operation *op, const Twine &why) {
      emitRemark(op, RemarkName::ProductNotLate,
                 "the product is made in its own iteration: " + why);
    };
    if (dot == findFirstProduct(loop))
      continue;
    if (Refusal refusal; !rules.mayBeLate(dot, refusal)) {
      explain(refusal.op, refusal.why);
      continue;
    }
    unsigned registers = getRegisters(getBoxProducers(layouts), layouts).consumer;
    int64_t most = (registers ? registers : kMostRegisters) * kNumerator / kDenominator,
            takes = countLateRegisters(loop, dot, layouts);
    if (late == Choice::Auto && takes > most) {
      explain(dot, "sums and factors would take " + Twine(takes) + " registers of a thread, and " +
                       Twine(most) + " are for them");
      continue;
    }
    dot->setAttr(SchedDialect::kStage, Builder(loop.getContext()).getI32IntegerAttr(1));
  }
}

/// Whether threads store an operand of `dot` in each iteration, for which groups meet.
static bool storesOperands(tile::DotOp dot, scf::ForOp loop, const LayoutAssignment &layouts) {
  const DotPlan &plan = layouts.getDot(dot);
  return llvm::any_of(llvm::seq(0u, 2u), [&](unsigned number) {
    Value operand = dot->getOperand(number);
    tile::LoadOp load = loadOf(operand);
    bool isInRing = load && load->getBlock() == loop.getBody() && getRing(load);
    bool isInRegisters =
        number == plan.registerOperand() && isInFragments(operand, plan.registers(), layouts);
    return !isInRing && !isInRegisters && !loop.isDefinedOutsideOfLoop(operand);
  });
}

std::optional<std::string> schedule::setTurnsOfGroups(scf::ForOp loop,
                                                      const LayoutAssignment &layouts) {
  if (!hasLateProducts(loop))
    return "no product is made late, beside the next iteration's first product";
  tile::DotOp first = findFirstProduct(loop);
  if (countGroups(first, layouts) < 2)
    return "its program is one warp group";
  if (storesOperands(first, loop, layouts))
    return "the first product's operand is stored to shared memory in each iteration";
  first->setAttr(SchedDialect::kTurns, UnitAttr::get(loop.getContext()));
  return std::nullopt;
}

void schedule::explainLateProducts(scf::ForOp loop) {
  tile::DotOp first = findFirstProduct(loop);
  if (first && first->hasAttr(SchedDialect::kTurns))
    emitRemark(first, RemarkName::ProductTakesTurns,
               "warp groups start the product, and the late ones beside it, in turns",
               /*isMissed=*/false);
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (isLate(dot))
      emitRemark(dot, RemarkName::ProductLate,
                 "the product is made beside the next iteration's first product",
                 /*isMissed=*/false);
}
