// See Recording.h.
#include "backends/interpreter/debug/Recording.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::interp;

size_t Recording::countAssignments(size_t moment) const {
  return moment < moments.size() ? moments[moment].assignments : assignments.size();
}

size_t Recording::countWrites(size_t moment) const {
  return moment < moments.size() ? moments[moment].writes : writes.size();
}

void Recording::finish() {
  for (auto [i, assignment] : llvm::enumerate(assignments))
    byVariable[{assignment.activation, assignment.getName()}].push_back(uint32_t(i));
}

const Assignment *Recording::find(size_t moment, uint32_t activation, llvm::StringRef name) const {
  auto it = byVariable.find({activation, name});
  if (it == byVariable.end())
    return nullptr;
  auto later = llvm::lower_bound(it->second, countAssignments(moment));
  return later == it->second.begin() ? nullptr : &assignments[*std::prev(later)];
}

std::vector<const Assignment *> Recording::getVariables(size_t moment, uint32_t activation) const {
  std::vector<std::pair<uint32_t, const Assignment *>> found;
  for (auto it = byVariable.lower_bound({activation, ""});
       it != byVariable.end() && it->first.first == activation; ++it)
    if (const Assignment *last = find(moment, activation, it->first.second))
      found.emplace_back(it->second.front(), last);
  llvm::sort(found, llvm::less_first());
  std::vector<const Assignment *> variables;
  variables.reserve(found.size());
  for (auto [first, last] : found)
    variables.push_back(last);
  return variables;
}

void Recording::rewind(size_t moment, uint64_t address,
                       llvm::MutableArrayRef<uint8_t> bytes) const {
  for (size_t i = writes.size(); i-- > countWrites(moment);) {
    const MemoryWrite &write = writes[i];
    const uint64_t begin = std::max(write.address, address);
    const uint64_t end = std::min(write.address + write.bytes, address + bytes.size());
    if (begin < end)
      std::copy_n(contents.data() + write.before + (begin - write.address), end - begin,
                  bytes.begin() + (begin - address));
  }
}
