// What an op says about its use of shared memory (the interface SharedUser). Plain data, so that
// barrier insertion, the arena and the emulator of tests read the same answer.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include "ir/simt/SimtEnums.h.inc"

#include <optional>

namespace tilerun::simt {

/// Work that an op starts and that continues after it. Groups of a queue end in order.
enum class AsyncQueue { Copies, Products, Stores };
inline constexpr unsigned kNumAsyncQueues = 3;

struct SharedUse {
  /// Additions are atomic, and so are arrivals and waits: no barrier between each other.
  enum class Kind { Read, Write, Add };
  struct Access {
    mlir::Value buffer; ///< Of type !simt.shared.
    Kind kind;
    /// The access is in flight until a wait for its queue: a read may see the buffer as late as
    /// that, a write shows nothing before.
    std::optional<AsyncQueue> queue = {};
    /// Existing barriers, or an op before it, separate it from others' accesses: none is inserted
    /// for it.
    bool isSeparated = false;
  };
  struct Wait {
    AsyncQueue queue;
    unsigned pending; ///< Groups that may still be in flight after it.
  };

  llvm::SmallVector<Access, 2> accesses;
  std::optional<AsyncQueue> closes; ///< Its accesses since the last one are a group.
  std::optional<Wait> waits;
  std::optional<BarrierScope> barrier; ///< Who meets here and sees each other's accesses.
  /// This many warps run its region, concurrently with the ops after it.
  std::optional<unsigned> roleWarps;
  bool isFence = false; ///< Makes its thread's writes visible to asynchronous instructions.

  bool isNone() const {
    return accesses.empty() && !closes && !waits && !barrier && !roleWarps && !isFence;
  }
};

} // namespace tilerun::simt

#include "ir/simt/sync/SharedUser.h.inc"

namespace tilerun::simt {

/// Fails with a diagnostic at the first op in `root` that may touch shared memory and does not say
/// how, or touches a buffer that is not the result of a `simt.shared_alloc`.
mlir::LogicalResult checkSharedUsers(mlir::Operation *root);

} // namespace tilerun::simt
