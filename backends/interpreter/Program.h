// A kernel as the interpreter runs it: decoded once from tile IR into nested lists of steps. A step
// names a function and the places of its operands and results in a thread's arena; no IR is
// consulted while programs run.
//
// Places are byte offsets that the decoder reuses once a value is dead, so an arena is as large as
// the peak of live tiles.
#pragma once

#include "backends/interpreter/ElementFn.h"
#include "backends/interpreter/Launch.h"

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace tilerun::interp {

struct Frame;
struct Step;
using Slot = uint32_t; ///< Byte offset in the arena, aligned to 64.
constexpr Slot kNoSlot = UINT32_MAX;
using StepList = std::vector<Step>;
using StepFn = void (*)(Frame &, const Step &);

/// Where a step comes from in the kernel's source.
struct SourceInfo {
  SourcePosition position;
  std::vector<SourcePosition> callStack; ///< Call sites, innermost first.
};

/// The checks of a step's results in a checked launch.
enum class ResultCheck : uint8_t {
  None,
  SignedOverflow,
  UnsignedOverflow,
  SignedDivision,
  UnsignedDivision,
  Shift,
  Floats
};

struct Step {
  StepFn run = nullptr;
  Kernel kernel;                       ///< Elementwise steps, and single-op reductions.
  llvm::SmallVector<Slot, 4> operands; ///< kNoSlot for an absent optional operand.
  llvm::SmallVector<Slot, 2> results;
  llvm::SmallVector<Dtype, 4> operandTypes;
  llvm::SmallVector<Dtype, 2> resultTypes;
  size_t count = 1;     ///< Elements; not used where `batched`.
  bool batched = false; ///< Elements are the frame's lanes (inside a combine region).
  ResultCheck check = ResultCheck::None;
  bool masked = false;    ///< Memory accesses: there is a mask.
  uint8_t operations = 0; ///< Of floats, for each element (Tally.h).
  uint32_t source = 0;    ///< Index in Program::sources.
  uint32_t origin = 0;    ///< Memory accesses: index in Program::origins.
  llvm::SmallVector<int64_t, 3>
      shape; ///< Of the tensor whose elements reports name; empty for scalars.
  llvm::SmallVector<int64_t, 6> numbers; ///< Meaning depends on `run`; each step function says.
  std::string text;                      ///< Messages and prefixes; operation name otherwise.
  std::vector<StepList> blocks;          ///< Nested steps of structured control flow and regions.
};

struct ArgumentInfo {
  std::string name;
  Dtype type;
  Slot slot;
  unsigned elementBytes = 0; ///< Of what a pointer points to.
};

/// The possible origins of an access's addresses.
struct Origin {
  llvm::SmallVector<uint32_t, 2> arguments; ///< Pointers, by index, ascending.
  bool unknown = false; ///< Also from integers, or pointers that were read from memory.
  bool operator==(const Origin &) const = default;
};

struct Program {
  std::string name;
  std::vector<ArgumentInfo> arguments;
  std::vector<Origin> origins;     ///< Of accesses to memory.
  StepList setup;                  ///< Constants; run once a thread.
  StepList body;                   ///< Run once a program.
  std::vector<SourceInfo> sources; ///< Index 0 is "unknown".
  size_t arenaBytes = 0;
};

/// No kernel may keep more than this alive per thread.
constexpr size_t kMaxArenaBytes = size_t(1) << 30;

} // namespace tilerun::interp
