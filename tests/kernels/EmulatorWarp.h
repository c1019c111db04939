// One warp on the emulator: its values and where it is. Emulator.cpp runs its operations,
// EmulatorControl.cpp its control flow, EmulatorMemory.cpp its memory accesses and
// EmulatorMatrices.cpp matrix instructions. Internal to the emulator.
#pragma once

#include "tests/kernels/EmulatorProgram.h"
#include "tests/kernels/EmulatorTask.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <deque>

namespace tilerun::test::emulator {

using namespace mlir;
using namespace tilerun::simt;

struct Data {
  unsigned count = 1;          ///< Elements of a thread.
  std::vector<uint64_t> words; ///< By lane and element.
};

class Warp {
public:
  enum class State { Ready, Waiting, Polling, Done };

  Warp(Program &program, unsigned number, ArrayRef<uint64_t> arguments);
  Warp(const Warp &) = delete;
  Warp &operator=(const Warp &) = delete;

  State getState() const { return state; }
  unsigned getNumber() const { return number; }
  /// Runs up to the next place where another warp may take its turn.
  void resume();
  /// The barrier at which it waits has let it through.
  void release() { state = State::Ready; }
  /// The barrier at which it waits, and how often the loops around it have run.
  const Step *getBarrier() const { return current; }
  ArrayRef<uint64_t> getIterations() const { return iterations; }
  /// The warps that meet at this barrier, from the first up to the end.
  std::pair<unsigned, unsigned> getMembers() const;
  /// Whether it may take a turn now.
  bool canGoOn() const;
  /// Whether it polls this phase barrier and has a phase to see.
  bool isAboutToSee(uint64_t place) const {
    return state == State::Polling && !awaitedTurn && awaitedPlace == place && canGoOn();
  }
  /// Where it is, for messages.
  std::string describe() const;

  Levels levels; ///< For Task.

private:
  bool fail(Operation *op, const Twine &message) { return program.fail(*this, op, message); }
  bool check(Operation *op, const SharedMemory::Problem &problem) {
    return !problem || fail(op, *problem);
  }
  Thread thread(unsigned lane) const { return {program.countThrough(number), lane}; }

  // Values
  Data &get(Value value) { return values[program.code.slots.at(value)]; }
  unsigned countOf(Value value) { return program.code.counts[program.code.slots.at(value)]; }
  Data &define(unsigned slot) {
    Data &data = values[slot];
    data.count = program.code.counts[slot];
    data.words.assign(size_t(lanes) * data.count, 0);
    return data;
  }
  Data &define(Value value) { return define(program.code.slots.at(value)); }
  uint64_t at(Value value, unsigned lane, unsigned i = 0) {
    const Data &data = get(value);
    return data.words[size_t(lane) * data.count + i];
  }
  /// In the lanes that run.
  void assign(ValueRange to, ValueRange from);

  // Lanes
  uint64_t allLanes() const { return lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1; }
  bool runs(unsigned lane) const { return running >> lane & 1; }
  bool isActive(Value mask, unsigned lane) { return runs(lane) && (!mask || (at(mask, lane) & 1)); }
  uint64_t flags(Value value);

  // Control flow
  Task runKernel();
  Task runSteps(const std::vector<Step> &steps);
  Task runLoop(const Step &step, scf::ForOp op);
  Task runWhile(const Step &step, scf::WhileOp op);
  Task runRole(const Step &step, RoleOp op);
  Task waitForPhase(PhaseWaitOp op);
  Task waitForTurn(TurnAwaitOp op);
  Task runBranch(const Step &step, scf::IfOp op);

  // Operations
  bool execute(const Step &step);
  bool executeScalar(const Step &step);
  bool executeVector(const Step &step);
  bool synchronize(const Step &step);
  bool constant(const Step &step, arith::ConstantOp op);
  bool elementwise(const Step &step);
  bool exchange(ShuffleOp op);
  bool castFloats(FpCastOp op);
  bool giveTurn(TurnGiveOp op);
  /// The group of the op, which all lanes agree about; nullopt after a failure.
  template <typename Op> std::optional<unsigned> getGroup(Op op);
  bool checkInFlight(const Step &step);

  // Memory; nothing where the operation does something else
  std::optional<bool> accessMemory(Operation *op);
  bool access(AtomicRMWOp op);
  bool access(AtomicSumOp op);
  bool access(LoadOp op);
  bool access(StoreOp op);
  bool access(AtomicCASOp op);
  bool access(SharedLoadOp op);
  bool access(SharedStoreOp op);
  bool access(SharedAddOp op);
  bool access(AsyncCopyOp op);
  bool access(BoxCopyOp op);
  bool access(BoxStoreOp op);
  llvm::SmallVector<int32_t, 5> startsIn(ValueRange starts, unsigned lane);
  bool access(PhaseInitOp op);
  bool access(PhaseArriveOp op);
  uint64_t placeOf(Value buffer, Value offset, unsigned lane) {
    return *buffer.getDefiningOp<SharedAllocOp>().getOffset() + uint32_t(at(offset, lane));
  }

  // Matrices
  std::optional<bool> multiplyMatrices(Operation *op);
  bool multiply(MmaOp op);
  bool loadMatrix(LoadMatrixOp op);
  bool loadTransposed(LoadTransposedOp op);
  bool multiplyInGroup(GroupMmaOp op);
  bool readOperand(GroupMmaOp op, bool isA, unsigned firstRow, unsigned rows, unsigned k,
                   target::MatrixElement element, std::vector<double> &matrix);
  bool transferMatrix(Operation *op, Value buffer, Value offset, MatrixType type, uint64_t pitch,
                      bool byColumns, Data &data);
  bool multiplyOpaque(MatrixMultiplyAddOp op);

  // Asynchronous work
  /// An access that is in flight.
  struct Flight {
    Operation *op;
    Thread thread;
    uint64_t place, count;
    llvm::SmallVector<uint8_t, 16> bytes; ///< Of a copy; of a read, none.
    const uint8_t *source;                ///< Of a copy that reads late.
    /// Of a box that is stored: where elements go, and what they are.
    std::vector<std::pair<uint8_t *, uint64_t>> stored = {};
    uint64_t elementBytes = 0;
  };
  struct Queue {
    std::vector<Flight> open;
    std::deque<std::vector<Flight>> groups;
    uint64_t closed = 0; ///< Groups so far, with those that have been waited for.
  };
  bool complete(Flight &flight);
  bool checkEnd();

  Program &program;
  const unsigned number, lanes;
  State state = State::Ready;
  const Step *current = nullptr;
  RoleOp role; ///< The one it is in.
  uint64_t awaitedPlace = 0;
  unsigned awaitedParity = 0;
  /// The group and the number of the turn that it polls for.
  std::optional<std::pair<unsigned, uint64_t>> awaitedTurn;
  std::vector<uint64_t> iterations; ///< Of the loops around it, outermost first.
  uint64_t running;                 ///< Lanes, a bit each.
  std::vector<Data> values;         ///< By slot.
  Queue queues[kNumAsyncQueues];
  /// Results that matrix instructions have not delivered yet, by the number of their group.
  llvm::DenseMap<Value, uint64_t> inFlight;
  unsigned products = 0; ///< Instructions of its group so far.
  Task main;
};

} // namespace tilerun::test::emulator
