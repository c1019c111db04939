// See Facts.h.
#include "ir/distribute/Facts.h"
#include "ir/analysis/AxisInfo.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;

AccessAnalysis::AccessAnalysis(Operation *root, bool fewPrograms)
    : addresses(std::make_unique<AxisInfoMap>(root, AxisAssumption::PlainDividends)) {
  bool divides = root->walk([](Operation *op) {
                       return isa<arith::DivSIOp, arith::RemSIOp>(op) ? WalkResult::interrupt()
                                                                      : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (divides)
    masks = std::make_unique<AxisInfoMap>(root, AxisAssumption::None);
  if (divides && fewPrograms)
    assumeFewPrograms(root);
}

/// Which numbers `/` and `%` divide is known of few programs, whose numbers times the size of a
/// block do not overflow: they are not negative.
void AccessAnalysis::assumeFewPrograms(Operation *root) {
  SmallVector<int32_t, 3> most;
  root->walk([&](Operation *op) {
    std::optional<ProgramProduct> product = getProgramProduct(op);
    if (!product || product->factor == 1)
      return;
    most.resize(3);
    auto limit = int32_t(product->getMostPrograms());
    int32_t &known = most[product->axis];
    known = known ? std::min(known, limit) : limit;
  });
  if (most.empty())
    return;
  auto assuming = std::make_unique<AxisInfoMap>(root, AxisAssumption::FewPrograms);
  const bool differs =
      root->walk([&](Operation *op) {
            return llvm::any_of(
                       op->getResults(),
                       [&](Value value) { return masks->lookup(value) != assuming->lookup(value); })
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (!differs)
    return;
  masks = std::move(assuming);
  mostPrograms = std::move(most);
}

AccessAnalysis::~AccessAnalysis() = default;

FactsFunction AccessAnalysis::getFacts() const {
  return [&map = *addresses, &maskMap = masks ? *masks : *addresses](Value ptr, Value mask) {
    auto type = cast<RankedTensorType>(ptr.getType());
    auto pointee = cast<tile::PointerType>(type.getElementType()).getPointeeType();
    AxisInfo pointer = map.lookup(ptr);
    AxisInfo selected = mask ? maskMap.lookup(mask) : AxisInfo();
    AccessFacts facts;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool known = pointer.getRank() > dim;
      facts.contiguity.push_back(known ? pointer[dim].contiguity : 1);
      facts.alignment.push_back(known ? pointer.getAlignedRun(dim) * tile::getElementBytes(pointee)
                                      : tile::getElementBytes(pointee));
      facts.constancy.push_back(!mask                      ? type.getDimSize(dim)
                                : selected.getRank() > dim ? selected[dim].constancy
                                                           : 1);
    }
    return facts;
  };
}

RunsFunction AccessAnalysis::getRuns() const {
  return [&map = masks ? *masks : *addresses](Value value) {
    AxisInfo info = map.lookup(value);
    SmallVector<int64_t, 4> runs;
    for (unsigned dim = 0; dim < info.getRank(); ++dim)
      runs.push_back(info[dim].constancy);
    return runs;
  };
}
