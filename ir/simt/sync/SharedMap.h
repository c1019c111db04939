// What lies where in a kernel's shared memory, and when: for people, from per-thread IR whose
// buffers have been placed (Arena.h).
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tilerun::simt {

struct SharedMap {
  struct Buffer {
    uint64_t offset, bytes;
    /// The places in the program where it is used first and last; places are numbered from 0, and
    /// at each one some buffer is used first or last.
    size_t first, last;
    unsigned line;                 ///< Of the source; 0: not known.
    std::vector<std::string> uses; ///< Names of the ops that use it, "async_copy".
  };
  std::vector<Buffer> buffers; ///< By offset.
  size_t places = 0;
  uint64_t bytes = 0, limit = 0; ///< Of the kernel, and what the target has for a program.
};

/// `limit`: bytes that the target has.
SharedMap makeSharedMap(mlir::func::FuncOp kernel, uint64_t limit);

/// A line for each buffer, with '=' where it is alive.
std::string toText(const SharedMap &map);
/// An object with bytes, limit, places and buffers.
std::string toJson(const SharedMap &map);

} // namespace tilerun::simt
