// Which program wrote each byte of memory last: four bytes of shadow memory for each byte that is
// in an allocation which is written to. For one thread.
#pragma once

#include "backends/interpreter/Heap.h"
#include "backends/interpreter/Launch.h"

#include "llvm/ADT/DenseMap.h"

namespace tilerun::interp {

class Writers {
public:
  /// `program`: linear index, at most 2^32 - 2.
  void record(const Allocation &allocation, uint64_t offset, unsigned bytes, uint32_t program);
  /// nullopt if nothing was written to it, or if memory to record that in ran out.
  std::optional<WriterMap> getMap(const Allocation &allocation) const;

private:
  struct FreeDeleter {
    void operator()(void *memory) const { std::free(memory); }
  };
  /// By byte, the program and 1; 0: nobody. Null: no memory.
  llvm::DenseMap<const Allocation *, std::unique_ptr<uint32_t[], FreeDeleter>> shadows;
};

} // namespace tilerun::interp
