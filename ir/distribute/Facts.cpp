// See Facts.h.
#include "ir/distribute/Facts.h"
#include "ir/analysis/AxisInfo.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;

FactsFunction distribute::factsFrom(const AxisInfoMap &map) {
  return [&map](Value ptr, Value mask) {
    auto type = cast<RankedTensorType>(ptr.getType());
    auto pointee = cast<tile::PointerType>(type.getElementType()).getPointeeType();
    AxisInfo pointer = map.lookup(ptr);
    AxisInfo selected = mask ? map.lookup(mask) : AxisInfo();
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
