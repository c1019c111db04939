// See Writers.h.
#include "backends/interpreter/Writers.h"

#include <algorithm>

using namespace tilerun::interp;

void Writers::record(const Allocation &allocation, uint64_t offset, unsigned bytes,
                     uint32_t program) {
  auto [found, isNew] = shadows.try_emplace(&allocation);
  if (isNew) // Zeroed pages cost nothing until they are touched.
    found->second.reset(static_cast<uint32_t *>(std::calloc(allocation.size, sizeof(uint32_t))));
  if (found->second)
    std::fill_n(found->second.get() + offset, bytes, program + 1);
}

std::optional<WriterMap> Writers::getMap(const Allocation &allocation) const {
  auto found = shadows.find(&allocation);
  if (found == shadows.end() || !found->second)
    return std::nullopt;
  WriterMap map;
  const uint32_t *writers = found->second.get();
  for (uint64_t begin = 0; begin < allocation.size;) {
    const uint32_t *end = std::find_if(writers + begin, writers + allocation.size,
                                       [&](uint32_t writer) { return writer != writers[begin]; });
    const uint64_t bytes = uint64_t(end - writers) - begin;
    if (writers[begin]) {
      if (map.runs.size() == WriterMap::kMost) {
        map.complete = false;
        break;
      }
      map.runs.push_back({begin, bytes, writers[begin] - 1});
    }
    begin += bytes;
  }
  return map;
}
