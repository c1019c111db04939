// The phases that a plugin's compiler can emit, as one table for the option and for the list.
#pragma once

#include "tilerun/plugin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace tilerun::plugin_support {

/// `Stage` is the compiler's own name for it.
template <typename Stage> struct Phase {
  const char *name, *description;
  const char *comment; ///< The start of a comment line; null: the phase is bytes.
  Stage stage;
  uint32_t flags = 0; ///< TILERUN_PHASE_*, besides the one of bytes.
};

/// The phases that every compiler on the shared levels has.
template <typename Stage>
inline constexpr Phase<Stage> kThreadPhases[] = {
    {"simt", "per-thread IR of all backends", "//", Stage::Simt, TILERUN_PHASE_LOCATIONS},
    {"shared-memory", "which buffers lie where in shared memory, and when", "#",
     Stage::SharedMemory},
    {"shared-memory-json", "the same as data", "//", Stage::SharedMemoryJson},
    {"layout", "tile IR with layouts", "//", Stage::Layout, TILERUN_PHASE_LOCATIONS},
    {"schedule", "tile IR with layouts and schedule", "//", Stage::Schedule,
     TILERUN_PHASE_LOCATIONS},
    {"expand", "tile IR with its loops expanded", "//", Stage::Expand, TILERUN_PHASE_LOCATIONS},
    {"timeline", "when slots of pipelined loops are copied and read", "#", Stage::Timeline},
    {"timeline-json", "the same as data", "//", Stage::TimelineJson},
    {"passes", "the module after each pass down to threads", "//", Stage::Passes},
    {"passes-json", "the same as data", "//", Stage::PassesJson},
    {"remarks", "missed optimizations, and why", "#", Stage::Remarks},
    {"remarks-json", "the same as data", "//", Stage::RemarksJson}};

/// Several tables as one, in this order.
template <typename Stage, size_t... Sizes>
constexpr std::array<Phase<Stage>, (Sizes + ...)>
joinPhases(const Phase<Stage> (&...parts)[Sizes]) {
  std::array<Phase<Stage>, (Sizes + ...)> all{};
  auto *end = all.begin();
  ((end = std::copy(std::begin(parts), std::end(parts), end)), ...);
  return all;
}

template <typename Table>
void tellPhases(const Table &table, void (*each)(void *, const TilerunPluginPhase *), void *user) {
  for (const auto &phase : table) {
    const uint32_t flags = phase.flags | (phase.comment ? 0u : uint32_t(TILERUN_PHASE_BINARY));
    const TilerunPluginPhase told = {sizeof(told), flags, phase.name, phase.description,
                                     phase.comment};
    each(user, &told);
  }
}

/// Reads the option "emit" (Options.h).
template <typename Table, typename Stage>
std::string setPhase(const Table &table, const std::string &value, Stage &stage) {
  std::string names;
  for (const auto &phase : table) {
    if (value == phase.name) {
      stage = phase.stage;
      return "";
    }
    names += (names.empty() ? "" : ", ") + std::string(phase.name);
  }
  return "but this target can emit " + names;
}

} // namespace tilerun::plugin_support
