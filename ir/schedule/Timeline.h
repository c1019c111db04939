// Which iteration of a pipelined loop is copied, read and multiplied when, and by which role: the
// steps of an expanded kernel's channels, in the order in which the simulation of the protocol does
// them (ProtocolSimulation.h).
//
// Times count steps, not seconds. Each role has a clock: starting the copies of one slot takes one
// unit, and so does what reads one. A role that waits for another one goes on when that has come so
// far.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tilerun::schedule {

struct Timeline {
  struct Role {
    std::string name; ///< "producer, warps 4 to 5"; "program" without roles.
  };
  /// The slots of the loads of one loop.
  struct Channel {
    unsigned line = 0; ///< Of the loop; 0: not known.
    int64_t slots;
    std::string copies;             ///< "chunks", "boxes", "registers"
    std::vector<std::string> tiles; ///< "64x32xf16", of each load.
    int64_t iterations = 0;         ///< All; the first kMostPasses are passes.
  };
  /// The tiles of one iteration, in one slot of one channel.
  struct Pass {
    size_t channel;
    int64_t iteration; ///< From 0; of all loops that share the channel.
    int64_t slot;
    size_t producer, consumer; ///< Roles.
    int64_t copied;            ///< When the copies start,
    int64_t read = -1;         ///< when they have landed and are read; -1: never,
    int64_t freed = -1;        ///< and when the slot is free; -1: not before the loop's end.
  };
  static constexpr int64_t kMostPasses = 64; ///< Of a channel: later ones repeat the same.
  int64_t trips;                             ///< Of a loop whose bounds are not known.
  std::vector<Role> roles;
  std::vector<Channel> channels;
  std::vector<Pass> passes; ///< By channel and iteration.
  int64_t getEnd() const;   ///< After the last time.
};

/// Of a kernel that `schedule-expand` has expanded. Fails with a diagnostic if its channels break
/// the protocol.
mlir::FailureOr<Timeline> makeTimeline(mlir::func::FuncOp kernel);

/// A line for each iteration: 'C' its copies start, '-' they are under way or have landed, 'R' the
/// slot is read.
std::string toText(const Timeline &timeline);
/// An object with trips, roles, channels and passes.
std::string toJson(const Timeline &timeline);

} // namespace tilerun::schedule
