// A kernel's shared memory as an image: what lies where, over the course of the program
// (ir/simt/sync/SharedMap.h).
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace tilerun::picture {

struct SharedMemory {
  uint64_t bytes = 0, limit = 0;
  size_t places = 0; ///< In the program.
  struct Buffer {
    uint64_t offset = 0, bytes = 0;
    size_t first = 0, last = 0; ///< Places where it is used first and last.
    std::string uses;           ///< "line 21: async_copy, load_matrix"
  };
  std::vector<Buffer> buffers;
};

/// The phase "shared-memory-json" of a compiler.
llvm::Expected<SharedMemory> readSharedMemory(llvm::StringRef json);
void writeSvg(llvm::raw_ostream &os, const SharedMemory &memory);

} // namespace tilerun::picture
