// Access facts from the axis analysis, which distribution itself does not depend on.
#pragma once

#include "ir/distribute/LayoutAssignment.h"

namespace tilerun {
class AxisInfoMap;
}

namespace tilerun::distribute {
/// Facts as `map` knows them. The map must outlive the function, and the IR must not change.
FactsFunction factsFrom(const AxisInfoMap &map);
} // namespace tilerun::distribute
