// What the emulator counts while a kernel runs, and its form as JSON (docs/amd-emulator.md).
#ifndef TILERUN_EMULATORS_AMDGPU_COUNTERS_H
#define TILERUN_EMULATORS_AMDGPU_COUNTERS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace tilerun::amdsim {

struct Target;
struct Kernel;
struct LaunchOptions;
struct OpcodeRow;

// The classes by which instructions are counted: each row of the instruction table is of one.
enum class InstructionClass : uint8_t {
  salu,
  valu,
  transcendental,
  matrix,
  scalarLoad,
  vectorLoad, // of global memory, by any form of address; copies to LDS, too
  vectorStore,
  vectorAtomic,
  privateMemory, // loads and stores by scratch instructions
  lds,           // also exchanges between lanes by its crossbar
  ldsAtomic,
  branch,
  wait,
  barrier,
  other, // hints, messages, cache control, s_endpgm
  count
};
const char *instructionClassName(InstructionClass kind); // "vector_load"
InstructionClass classOf(const OpcodeRow &row);

// Accesses of global memory. A transaction is a line that an instruction touches; `fewest` counts
// those that the same distinct bytes would take if they were contiguous and aligned.
struct GlobalCounts {
  uint64_t accesses = 0, bytes = 0, transactions = 0, fewest = 0;
  void add(const GlobalCounts &other);
};
// Accesses of LDS. Those with the two addresses of one instruction count twice. `conflicts` are
// phases beyond one for each group of lanes that the hardware serves at once.
struct LdsCounts {
  uint64_t accesses = 0, bytes = 0, phases = 0, conflicts = 0;
  void add(const LdsCounts &other);
};

// Sums over all waves of a launch.
struct Counters {
  std::vector<uint64_t> byRow; // instructions by row of the table (rowAt)
  uint64_t instructions = 0, waves = 0;
  uint64_t matrixFlops = 0; // or integer operations: two for each product of two elements
  // Only where `countsMemory` asks for them; both by what is done: load, store, atomic operation.
  GlobalCounts global[3];
  LdsCounts lds[3];
  bool countsMemory = false;

  uint64_t ofClass(InstructionClass kind) const;
  void add(const Counters &other);
};

// One launch as an object of JSON, on one line.
std::string countersJson(const Target &target, const Kernel &kernel, const LaunchOptions &options,
                         const Counters &counters, size_t findings);

} // namespace tilerun::amdsim

#endif
