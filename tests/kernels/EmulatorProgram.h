// One program on the emulator: its blocks, their warps and shared state, and whose turn it is.
#pragma once

#include "tests/kernels/Emulator.h"
#include "tests/kernels/EmulatorCode.h"
#include "tests/kernels/EmulatorShared.h"

#include <map>
#include <memory>

namespace tilerun::test::emulator {

class Warp;

class Program;

/// The blocks of a program that run at the same time.
class Cluster {
public:
  Cluster(unsigned warpsOfBlock, unsigned blocks, uint64_t seed);
  /// Runs the blocks that have been added.
  llvm::Error run(llvm::ArrayRef<uint64_t> arguments);
  unsigned drawBelow(unsigned bound);
  bool drawSwitch() { return drawBelow(256) < switches; }

  Clocks clocks;
  std::vector<std::unique_ptr<Program>> blocks; ///< By rank.
  std::string error;                            ///< The first one ends all.
  uint64_t steps = 0;

private:
  void schedule();
  uint64_t random;
  unsigned switches; ///< Of 256 places.
};

/// One block of a program, all of it where it has no others.
class Program {
public:
  Program(Cluster &cluster, const Code &code, llvm::ArrayRef<MemoryRange> memory,
          const EmulatorOptions &options, uint64_t number, uint64_t launched, uint64_t rank);
  ~Program();
  void start(llvm::ArrayRef<uint64_t> arguments);

  /// Ends the program with a message; returns false. The first one counts.
  bool fail(const Warp &warp, mlir::Operation *op, const llvm::Twine &message);
  bool hasFailed() const { return !cluster.error.empty(); }
  /// Counts a step; false if there were too many.
  bool countStep() {
    return ++cluster.steps <= 2000000 * uint64_t(options.numWarps) * cluster.blocks.size();
  }
  /// Whether another warp takes its turn at a place where that may matter.
  bool drawSwitch() { return cluster.drawSwitch(); }
  unsigned drawBelow(unsigned bound) { return cluster.drawBelow(bound); }
  /// The number of a warp among those of all blocks.
  unsigned countThrough(unsigned warp) const { return index * (options.numWarps + 1) + warp; }

  /// Where `bytes` aligned bytes of global memory are; null after a failure.
  uint8_t *find(const Warp &warp, mlir::Operation *op, uint64_t address, uint64_t bytes);
  /// The instruction that a warp of a group of `size` executes as its `index`-th: all of the group
  /// must execute the same ones.
  bool joinGroup(const Warp &warp, unsigned size, unsigned index, mlir::Operation *op);

  /// An arrival, with `bytes` to come, must not end a phase while a warp has not yet seen the end
  /// of the last one: to it the two look like none.
  bool checkPhaseEnd(const Warp &warp, mlir::Operation *op, uint64_t place, uint32_t bytes);
  /// A thread of this block, or of another one, arrives at a phase barrier of this one.
  bool arrive(const Warp &warp, mlir::Operation *op, Thread thread, uint64_t place, uint32_t bytes);

  /// A warp gives the turn to a group of `warps`; false if that has not taken the last one.
  bool giveTurn(unsigned group, unsigned warps);
  /// A warp of the group waits for its turn, which has this number.
  uint64_t awaitTurn(unsigned group, unsigned warps);
  bool hasTurn(unsigned group, uint64_t number) { return turns[group].taken > number; }

  /// A box on its way to shared memory.
  struct Box {
    mlir::Operation *op;
    const Warp *warp; ///< That has started it.
    uint64_t place, phase;
    std::vector<uint8_t> bytes;
  };
  /// It lands at any later time.
  void send(Box box) { boxes.push_back(std::move(box)); }
  bool hasEnded() const;

  Cluster &cluster;
  const Code &code;
  llvm::ArrayRef<MemoryRange> memory;
  const EmulatorOptions &options;
  const uint64_t number, launched; ///< Of how many.
  const uint64_t rank;             ///< Of this block among those of the program.
  const unsigned index;            ///< Among those that run at the same time.
  SharedMemory shared;

private:
  /// Of a warp group: a barrier at which the warps that give its turn and those of its own meet.
  struct Turn {
    unsigned given = 0, awaited = 0; ///< Warps that have arrived.
    uint64_t taken = 0;
  };
  void takeTurn(Turn &turn, unsigned warps);

  friend class Cluster;
  /// Lets one of the boxes land.
  void landBox();
  /// What is left undone at the end.
  void checkEnd();
  /// Lets those who meet at a barrier go on, if the one that has arrived there is the last.
  void releaseBarrier(const Warp &arrived);
  /// The same for a barrier of all blocks.
  void releaseCluster(const Warp &arrived);
  std::string describeWarps() const;

  std::vector<std::unique_ptr<Warp>> warps;
  /// What each group has multiplied, by its first warp.
  std::vector<std::vector<mlir::Operation *>> groups;
  std::vector<Box> boxes;
  std::map<unsigned, Turn> turns; ///< By group.
};

} // namespace tilerun::test::emulator
