// Slots of channels as roles use them, one step after the other. Internal to this folder.
//
// Roles run beside each other: each stops where it waits for another one, and goes on once that has
// come so far. The fate of a slot does not depend on who goes first, because phases are checked
// against how often it has been used.
//
// A loop that waits for no other role does the same whenever it begins in the same state of the
// slots that it uses, so it is simulated once for each such state, and its effect is applied where
// the state comes again. Loops in loops therefore cost the sum of their trip counts, not the
// product.
#pragma once

#include "ir/schedule/Protocol.h"
#include "ir/schedule/ProtocolTrace.h"

#include <functional>

namespace tilerun::schedule {

/// What one role has done so far.
class Runner {
public:
  Runner(RoleOp role, const ProtocolTrace &trace) : role(role) { calls.push_back({&trace, 0}); }
  /// The step to do next; null if it has done all.
  const ProtocolStep *getNext();
  void pass() { ++calls.back().next; }
  void enter(const ProtocolTrace &loop) { calls.push_back({&loop, 0}); }

  /// A slot of a ring that somebody reads.
  struct Place {
    mlir::Value ring;
    int64_t slot;
    bool operator==(const Place &) const = default;
  };
  using Product = llvm::SmallVector<Place, 2>;

  RoleOp role;                   ///< Null: there are no roles.
  std::vector<Product> products; ///< That may be under way, oldest first.
  /// The last step of the turns that its warp groups take.
  TurnStep turn = TurnStep::Close;

private:
  struct Call {
    const ProtocolTrace *trace;
    size_t next;
  };
  llvm::SmallVector<Call> calls; ///< The loops that it is in, outermost first.
};

class Simulation {
public:
  /// Sees each step once it is done. Loops are then simulated each time, so that none is missed.
  using Listener = std::function<void(const Runner &runner, const ProtocolStep &step)>;
  explicit Simulation(Listener listener = nullptr) : listener(std::move(listener)) {}

  /// Runs all of them to their ends. Fails with a diagnostic where they break the protocol.
  mlir::LogicalResult run(llvm::MutableArrayRef<Runner> runners);
  /// Steps that were simulated, and effects that were applied.
  int64_t getSteps() const { return count; }

private:
  enum class Progress { Step, Wait, Error };
  using Code = Progress;
  /// A slot of a channel: how often each has happened to it.
  struct Slot {
    int64_t acquired = 0, published = 0, awaited = 0, released = 0;
    int64_t group = 0;       ///< The publish that counts its latest copies.
    bool isInFlight = false; ///< They may be under way.
    bool isRead = false;     ///< By products behind the channel's latest await.
    /// That have been filled since it was acquired.
    llvm::SmallVector<mlir::Value, 2> rings;
  };
  struct Channel {
    std::vector<Slot> slots;
    int64_t publishes = 0; ///< Those that make no slot full, too.
    /// The copies of all but the last `pending` publishes have landed.
    void land(int64_t pending);
  };
  /// What a loop does to the slots that it uses, of channels in the order of its trace: additions
  /// to counts; groups are relative to the channel's publishes.
  struct Effect {
    std::vector<Channel> channels;
    std::vector<Runner::Product> products;
    TurnStep turn;
  };
  using State = std::vector<int64_t>;

  Code advance(Runner &runner);
  Code runLoop(Runner &runner, const ProtocolTrace &loop);
  State getState(const Runner &runner, const ProtocolTrace &loop);
  Effect getEffect(const Runner &runner, const ProtocolTrace &loop, llvm::ArrayRef<Channel> before);
  void apply(Runner &runner, const ProtocolTrace &loop, const Effect &effect);
  Code step(Runner &runner, const ProtocolStep &step);
  Code dispatch(Runner &runner, const ProtocolStep &step);
  Code acquire(Runner &runner, AcquireOp op, const ProtocolStep &step);
  Code publish(Runner &runner, PublishOp op, const ProtocolStep &step);
  Code await(Runner &runner, AwaitOp op, const ProtocolStep &step);
  Code release(Runner &runner, ReleaseOp op, const ProtocolStep &step);
  Code fill(Runner &runner, mlir::Operation *op, mlir::Value ring, const ProtocolStep &step);
  Code read(ReadOp op, const ProtocolStep &step);
  Code multiply(Runner &runner, tile::DotOp dot);
  Code takeTurn(Runner &runner, TurnOp op);
  Code fail(mlir::Operation *op, const llvm::Twine &what) {
    (void)op->emitOpError(what);
    return Progress::Error;
  }
  /// The slot, if there is one of this number, and the role is who it must be.
  Slot *find(Runner &runner, mlir::Operation *op, mlir::Value channel, int64_t slot, bool fills);
  bool isRead(const Runner &runner, Runner::Place place) const;
  mlir::LogicalResult checkLanded(ChannelOp channel);
  mlir::LogicalResult checkEnd(llvm::ArrayRef<Runner> runners);

  llvm::MapVector<mlir::Value, Channel> channels;
  /// The slot of a tile that has been read, and of which of its uses.
  struct Reading {
    int64_t slot = 0, use = 0;
  };
  llvm::DenseMap<mlir::Value, Reading> readings;
  std::map<std::pair<const ProtocolTrace *, State>, Effect> effects;
  int64_t count = 0;
  const Listener listener;
};

/// Traces the roles, or the kernel if it has none, and runs them beside each other. Loops whose
/// trip counts are not known run `trips` times, those with other bounds more often, up to `limit`.
mlir::LogicalResult simulate(mlir::func::FuncOp kernel, int64_t trips, int64_t limit,
                             const ProtocolValues &values, Simulation &simulation,
                             ProtocolCost &cost);

} // namespace tilerun::schedule
