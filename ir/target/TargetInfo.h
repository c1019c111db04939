// The facts about a target that distribution, scheduling and the lowering to threads use. Plain
// data: a backend supplies a table, never a pass.
//
// Rules of this folder: no MLIR, and no vendor-specific facts. Every field has a word of the text
// form (GenericTarget.h), so that any target can be written down, printed and compared.
#pragma once

#include "ir/layout/LinearLayout.h"
#include "ir/layout/SharedMemory.h"
#include "ir/target/MatrixElement.h"
#include "ir/target/MemoryBudget.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::target {

/// One matrix instruction of a warp. Layouts map (register, lane) to (dim0, dim1) of a fragment:
/// a: rows × k, b: k × columns, d: rows × columns.
struct MatrixInstruction {
  std::string name;
  MatrixElement a, b, acc;
  unsigned m = 0, n = 0, k = 0;
  layout::LinearLayout aLayout, bLayout, dLayout;
  bool isImprecise = false; ///< It accumulates with less precision than its accumulator has.
  /// Which lane holds what of a fragment is unknown: operands are read from shared memory, and
  /// dLayout is the layout of results after a trip through it. See opaqueInstruction.
  bool isOpaque = false;
  /// Each kScaleBlock elements along k have a common scale, a power of two (E8M0). A lane holds one
  /// byte of scales of a, and one of b: of its row (column); of the lanes that have the same one,
  /// the first has the scale of the first block, and so on.
  bool isScaled = false;
  unsigned cycles = 0; ///< For which one instruction occupies its warp's unit; 0: unknown.
  static constexpr unsigned kScaleBlock = 32;

  bool operator==(const MatrixInstruction &) const = default;
};

/// An instruction whose fragments are opaque, for warps of `lanes`. nullopt if a lane would hold
/// less than one element of the result, or if a size is not a power of two.
std::optional<MatrixInstruction> opaqueInstruction(MatrixElement a, MatrixElement b,
                                                   MatrixElement acc, unsigned m, unsigned n,
                                                   unsigned k, unsigned lanes);

/// One matrix instruction of a warp group, `warps` consecutive warps. It works asynchronously and
/// reads its operands from shared memory, as layout::MatrixTile; the first one may be in registers
/// instead. The result is m rows by a power of two of columns, up to n. Each warp has m / warps of
/// the rows, in order, and `aLayout` and `dLayout` map its (register, lane) to (dim0, dim1): of the
/// first operand, and of as few columns of the result as there can be. More columns are more
/// registers.
struct WarpGroupInstruction {
  std::string name;
  MatrixElement a, b, acc;
  unsigned warps = 0, m = 0, n = 0, k = 0;
  layout::LinearLayout aLayout, dLayout;
  bool takesAnyOrder = false; ///< Otherwise operands must be contiguous along k.
  bool isImprecise = false;   ///< It accumulates with less precision than its accumulator has.

  unsigned leastColumns() const { return 1u << dLayout.outBits(layout::dimName(1)); }
  /// (register, lane, warp) to m × k.
  layout::LinearLayout operandLayout() const { return aLayout * overWarps(); }
  /// (register, lane, warp) to m × columns. Precondition: a power of two from leastColumns() to n.
  layout::LinearLayout resultLayout(unsigned columns) const {
    unsigned more = unsigned(std::countr_zero(columns)) - dLayout.outBits(layout::dimName(1));
    return dLayout * layout::LinearLayout::identity1D(more, layout::kRegister, layout::dimName(1)) *
           overWarps();
  }
  bool operator==(const WarpGroupInstruction &) const = default;

private:
  layout::LinearLayout overWarps() const {
    return layout::LinearLayout::identity1D(unsigned(std::countr_zero(warps)), layout::kWarp,
                                            layout::dimName(0));
  }
};

/// Costs of exchanging registers within a program, in any one unit, to choose between shuffles,
/// selects and trips through shared memory.
struct ExchangeCosts {
  unsigned shuffle = 2;
  unsigned select = 1;
  unsigned sharedWavefront = 2; ///< One phase of a load or store.
  unsigned barrier = 32;        ///< Of all warps, including the delay.

  bool operator==(const ExchangeCosts &) const = default;
};

struct TargetInfo {
  std::string name; ///< As in diagnostics: "cuda:sm_90a".
  unsigned warpSize = 32;
  unsigned maxThreads = 1024; ///< Of one program.
  unsigned maxVectorBytes = 16;
  uint64_t sharedMemoryBytes = 48 * 1024;
  MemoryBudget budget() const { return MemoryBudget(sharedMemoryBytes); }
  /// simt.shuffle, and with it barriers of one warp. Otherwise threads exchange through shared
  /// memory only, and nothing depends on which of them run in lockstep.
  bool hasShuffle = true;
  bool hasAsyncCopy = false;
  /// Of an asynchronous copy the lanes of a warp fill neighbouring places of shared memory, in
  /// order. It moves 4 or 16 bytes of each.
  bool copiesFollowLanes = false;
  bool hasLoadMatrix = false;
  /// simt.load_transposed is an instruction, for elements of 8 and of 16 bits.
  bool hasTransposedRead = false;
  /// Of loads that run ahead through registers, those in flight are one of the stages that a loop
  /// asks for: so two stages are one slot, with two barriers in an iteration. Otherwise they come
  /// on top of it.
  bool countsFlightAsStage = false;
  /// Registers of 32 bits that a thread has at most, before some are spilled. 0: unknown.
  unsigned registers = 0;
  /// Registers of 32 bits, and threads, of the programs that run at a time on one unit. 0: unknown.
  unsigned unitRegisters = 0, unitThreads = 0;
  /// Bytes of the cache that all units share, by their number. 0: unknown.
  unsigned unitCacheBytes = 0;
  /// Most instructions along k whose operands one access of shared memory brings. A power of two.
  unsigned mostStepsOfRead = 16;
  bool hasDotBytes = false; ///< simt.dot_bytes is an instruction, for products without a matrix.
  /// simt.fp_cast reads the target's formats of 8-bit floats; else integer arithmetic does.
  bool readsFloat8 = true;
  /// simt.fp_cast rounds into them, to nearest; else integer arithmetic does.
  bool roundsToFloat8 = false;
  /// These are f8E4M3FNUZ and f8E5M2FNUZ in place of f8E4M3FN and f8E5M2.
  bool hasUnsignedZeros8 = false;
  /// The assembly language, as tile.inline_asm names it: "ptx"; empty: it has none.
  std::string assembler;
  /// A launch may begin before the previous one has ended, so tile.grid_dependency is an
  /// instruction.
  bool hasGridDependency = false;
  /// Loads and stores may say what stays in the caches longer than the rest, and what goes first.
  bool hasEvictionPolicies = false;
  /// What one instruction adds to floats of 16 or 32 bits in global memory, each of them
  /// atomically, without giving old values: bytes. 0: one float.
  unsigned vectorSumBytes = 0;
  /// Warps of a program may be roles that do different things: there are phase barriers in shared
  /// memory, and barriers of some of the warps.
  bool hasRoles = false;
  /// Registers of one lane of four warps that run at a time, each of which may give some of its own
  /// to others: of all roles of a program together. 0: every warp keeps what it begins with.
  unsigned roleRegisters = 0;
  /// One instruction copies a box of a tensor in global memory to shared memory and counts its
  /// bytes at a phase barrier; the tensor is described before the launch.
  bool hasBoxCopies = false;
  /// Most blocks that a program may run on: they begin together, each with threads and shared
  /// memory of its own. A power of two; 1: a program is one block.
  unsigned maxBlocks = 1;
  /// simt.turn: warps that share a unit for matrices use it in turns.
  bool hasTurns = false;
  /// Units for matrices over which the warps of a program are spread evenly. 0: unknown.
  unsigned matrixUnits = 0;
  layout::SharedMemoryModel sharedModel;
  ExchangeCosts exchange;
  std::vector<MatrixInstruction> matrixInstructions;
  std::vector<WarpGroupInstruction> warpGroupInstructions;

  /// How many programs of `threads` run at a time on a unit if each thread takes `ofThread`
  /// registers; 0 if a thread, or all of one program, cannot have so many. Precondition: the
  /// registers of a unit are known.
  unsigned countPrograms(unsigned threads, unsigned ofThread) const {
    if (registers && ofThread > registers)
      return 0;
    // A warp's registers are given out by eight for each thread.
    const unsigned each = threads * ((ofThread + 7) / 8 * 8);
    return std::min(unitThreads / threads, unitRegisters / each);
  }

  /// The instruction of this name, which is the table's; null: there is none.
  const MatrixInstruction *findMatrix(llvm::StringRef name) const {
    return find(matrixInstructions, name);
  }
  const WarpGroupInstruction *findWarpGroup(llvm::StringRef name) const {
    return find(warpGroupInstructions, name);
  }
  bool operator==(const TargetInfo &) const = default;

private:
  template <typename Row>
  static const Row *find(const std::vector<Row> &rows, llvm::StringRef name) {
    for (const Row &row : rows)
      if (row.name == name)
        return &row;
    return nullptr;
  }
};

} // namespace tilerun::target
