// What is to be said of a layout, and of the way from one layout to another on a target. The plans
// are the compiler's own (ir/target/ConversionChoice.h, ir/layout/SharedMemory.h); here they are
// only counted.
#pragma once

#include "ir/target/ConversionChoice.h"

#include "llvm/Support/JSON.h"

namespace tilerun::picture {

/// A layout over threads (register, lane, warp, block) or of memory (offset).
struct LayoutFacts {
  layout::LinearLayout map;
  bool isMemory = false;
  llvm::SmallVector<uint64_t, 4> shape;
  /// Positions that hold each element; 0: some elements are held nowhere.
  uint64_t copies = 1;

  // Of a layout over threads.
  uint64_t registers = 1, lanes = 1, warps = 1, blocks = 1;
  /// Consecutive registers with consecutive elements, and the dimension along which; 1: none.
  uint64_t vector = 1;
  unsigned vectorDim = 0;

  // Of a layout of memory, one warp that reads along a dimension, a word or an element a lane.
  struct Walk {
    unsigned dim;
    uint64_t phases, conflicts;
  };
  std::vector<Walk> walks;
  uint64_t bytes = 0;
};

/// An error if the inputs are neither those of threads nor of memory. `elementBytes` is a power of
/// two, at most 16.
llvm::Expected<LayoutFacts> describeLayout(const layout::LinearLayout &map,
                                           const target::TargetInfo &target, unsigned elementBytes);

/// How far a value moves.
enum class Move { Stays, Register, Lane, Warp, Block };
inline constexpr unsigned kMoves = 5;
llvm::StringRef toString(Move move);

/// The way of a tensor from one layout to another.
struct Transfer {
  enum class Kind { Conversion, Store, Load } kind = Kind::Conversion;
  unsigned elementBytes = 4;
  /// Of a conversion.
  std::optional<layout::ConversionPlan> plan;
  /// Of its destination positions by how far their values move; of all threads.
  uint64_t counts[kMoves] = {};
  uint64_t cost = 0;   ///< In the target's units; 0 where nothing is executed.
  uint64_t pieces = 1; ///< Rounds that the memory of the target allows.
  /// Of a store to memory or a load from it.
  std::optional<layout::SharedAccess> access;
};

/// An error says why the conversion does not exist: other shapes, elements that the source does not
/// hold, both sides memory.
llvm::Expected<Transfer> planTransfer(const LayoutFacts &from, const LayoutFacts &to,
                                      const target::TargetInfo &target, unsigned elementBytes);

/// From where each position of the destination takes its value. Precondition: a conversion.
Move classify(const Transfer &transfer, uint64_t position, uint64_t &source);

/// Lines for people; the layouts' own text comes first.
void printFacts(llvm::raw_ostream &os, const LayoutFacts &facts, unsigned elementBytes);
void printFacts(llvm::raw_ostream &os, const Transfer &transfer);
llvm::json::Object toJson(const LayoutFacts &facts);
llvm::json::Object toJson(const Transfer &transfer);

} // namespace tilerun::picture
