// Which memory a step is about to access, for observers.
#pragma once

#include "backends/interpreter/Frame.h"

#include <optional>

namespace tilerun::interp {

/// The lanes of a load, a store or an atomic operation: as many as the step has elements. It refers
/// to the frame's arena, whose contents are as they are before the step.
struct LaneAccess {
  enum class Kind : uint8_t { Load, Store, Atomic } kind;
  const uint64_t *pointers;
  const uint8_t *mask; ///< Null: all lanes are on.
  size_t count;
  unsigned bytes; ///< Of a lane.

  bool isOn(size_t lane) const { return !mask || mask[lane]; }
};

/// None for steps that access no memory.
std::optional<LaneAccess> getAccess(const Frame &frame, const Step &step);

} // namespace tilerun::interp
