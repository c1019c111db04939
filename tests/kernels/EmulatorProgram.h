// One program on the emulator: its warps, their shared state, and whose turn it is.
#pragma once

#include "tests/kernels/Emulator.h"
#include "tests/kernels/EmulatorCode.h"
#include "tests/kernels/EmulatorShared.h"

#include <map>
#include <memory>

namespace tilerun::test::emulator {

class Warp;

class Program {
public:
  Program(const Code &code, llvm::ArrayRef<MemoryRange> memory, const EmulatorOptions &options,
          uint64_t number, uint64_t launched);
  ~Program();
  llvm::Error run(llvm::ArrayRef<uint64_t> arguments);

  /// Ends the program with a message; returns false. The first one counts.
  bool fail(const Warp &warp, mlir::Operation *op, const llvm::Twine &message);
  bool hasFailed() const { return !error.empty(); }
  /// Counts a step; false if there were too many.
  bool countStep() { return ++steps <= 2000000 * uint64_t(options.numWarps); }
  /// Whether another warp takes its turn at a place where that may matter.
  bool drawSwitch() { return drawBelow(256) < switches; }
  unsigned drawBelow(unsigned bound);

  /// Where `bytes` aligned bytes of global memory are; null after a failure.
  uint8_t *find(const Warp &warp, mlir::Operation *op, uint64_t address, uint64_t bytes);
  /// The instruction that a warp of a group of `size` executes as its `index`-th: all of the group
  /// must execute the same ones.
  bool joinGroup(const Warp &warp, unsigned size, unsigned index, mlir::Operation *op);

  /// An arrival, with `bytes` to come, must not end a phase while a warp has not yet seen the end
  /// of the last one: to it the two look like none.
  bool checkPhaseEnd(const Warp &warp, mlir::Operation *op, uint64_t place, uint32_t bytes);

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

  const Code &code;
  llvm::ArrayRef<MemoryRange> memory;
  const EmulatorOptions &options;
  const uint64_t number, launched; ///< Of how many.
  SharedMemory shared;

private:
  /// Of a warp group: a barrier at which the warps that give its turn and those of its own meet.
  struct Turn {
    unsigned given = 0, awaited = 0; ///< Warps that have arrived.
    uint64_t taken = 0;
  };
  void takeTurn(Turn &turn, unsigned warps);

  void schedule();
  /// Lets one of the boxes land.
  void landBox();
  /// Lets those who meet at a barrier go on, if the one that has arrived there is the last.
  void releaseBarrier(const Warp &arrived);
  std::string describeWarps() const;

  std::vector<std::unique_ptr<Warp>> warps;
  /// What each group has multiplied, by its first warp.
  std::vector<std::vector<mlir::Operation *>> groups;
  std::vector<Box> boxes;
  std::map<unsigned, Turn> turns; ///< By group.
  uint64_t random, steps = 0;
  unsigned switches; ///< Of 256 places.
  std::string error;
};

} // namespace tilerun::test::emulator
