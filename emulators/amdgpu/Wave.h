// The state of a wave and of its workgroup while a kernel runs, with what the checks know about it.
//
// One thread runs all waves of a workgroup, in turns: a wave is plain data, so switching costs
// nothing. Registers are rows of lanes, so that a vector instruction is a loop over contiguous
// arrays.
//
// Shadow bits: a vector register has, for each lane, one bit for each 16-bit half; a scalar
// register a bit for each bit. A set bit means that the value was computed from something that was
// never written. Copies carry it along; addresses, branches and stores that depend on it are
// reported.
#ifndef TILERUN_EMULATORS_AMDGPU_WAVE_H
#define TILERUN_EMULATORS_AMDGPU_WAVE_H

#include "emulators/amdgpu/Instruction.h"
#include "emulators/amdgpu/Launch.h"

#include <bit>
#include <cstring>
#include <random>
#include <vector>

namespace tilerun::amdsim {

enum class WaveState : uint8_t { running, atBarrier, ended, faulted };

// What a register waits for. The wait instructions of all generations reduce to these.
enum class Pending : uint8_t { nothing, vectorMemory, lds, scalarMemory, store, count };

struct Workgroup;

// A copy from global memory to LDS under way: lane n writes `bytes` at `at` + n * `step`.
struct LdsCopy {
  uint32_t number; // of vector memory accesses
  uint32_t at, bytes, step;
  uint64_t lanes;
};

struct Wave {
  uint32_t pc = 0; // index of the next instruction
  WaveState state = WaveState::running;
  uint8_t lanes = 64;
  uint8_t index = 0; // in its workgroup
  // By MODE, of single precision and of the other two: subnormal operands or results become zeros.
  bool flushesInput32 = false, flushesInput16 = false;
  bool flushesOutput32 = false, flushesOutput16 = false;
  bool roundsDirected = false; // some direction in MODE is not to the nearest even value
  bool isIeee = false, clampsNan = false;
  bool hasSignalled = false; // at the barrier that its workgroup is in
  bool mayPass = false;      // all have signalled; the next wait goes on
  uint32_t epoch = 1;        // barriers passed, for the detection of races
  uint32_t mode = 0;
  uint64_t allLanes = ~uint64_t(0);
  Workgroup *group = nullptr;
  const Target *target = nullptr;
  LaunchState *launch = nullptr;
  Counters *counters = nullptr;
  const Instruction *current = nullptr;
  const Allocation *lastAllocation = nullptr;

  uint32_t *vgprs = nullptr;  // [vgprCount][lanes]
  uint8_t *scratch = nullptr; // [lanes][scratchBytes]
  uint32_t scratchBytes = 0;
  std::vector<LdsCopy> copies;
  uint32_t issued[unsigned(Pending::count)] = {}, done[unsigned(Pending::count)] = {};

  alignas(64) uint32_t sgprs[sgprCount] = {};
  uint32_t sgprShadow[sgprCount] = {};
  uint32_t sgprPending[sgprCount] = {};
  uint32_t vgprPending[vgprCount] = {};
  uint64_t shadowLow[vgprCount], shadowHigh[vgprCount];

  uint32_t *row(unsigned reg) { return vgprs + reg * lanes; }
  uint64_t wide(unsigned reg) const {
    uint64_t value;
    std::memcpy(&value, sgprs + reg, 8);
    return value;
  }
  void setWide(unsigned reg, uint64_t value) { std::memcpy(sgprs + reg, &value, 8); }
  uint64_t exec() const { return wide(sgprExec); }
  bool scc() const { return sgprs[sgprScc]; }
  void setScc(bool value) { sgprs[sgprScc] = value, sgprShadow[sgprScc] = 0; }
  // A mask of lanes in scalar registers: one register with 32 lanes, else two.
  uint64_t maskAt(unsigned reg) const { return lanes == 32 ? sgprs[reg] : wide(reg); }
  uint64_t maskShadow(unsigned reg) const {
    return sgprShadow[reg] | (lanes == 32 ? 0 : uint64_t(sgprShadow[reg + 1]) << 32);
  }
  void setMask(unsigned reg, uint64_t value, uint64_t shadow) {
    sgprs[reg] = uint32_t(value), sgprShadow[reg] = uint32_t(shadow);
    if (lanes == 64)
      sgprs[reg + 1] = uint32_t(value >> 32), sgprShadow[reg + 1] = uint32_t(shadow >> 32);
    sgprs[sgprNull] = sgprs[sgprNull + 1] = 0;
    sgprShadow[sgprNull] = sgprShadow[sgprNull + 1] = 0;
  }

  // A register with an access under way is marked with the counter and the access's number there.
  uint32_t issue(Pending kind) {
    return uint32_t(kind) << 28 | (++issued[unsigned(kind)] & 0xfffffff);
  }
  void waitFor(Pending kind, uint32_t atMost) {
    uint32_t now = issued[unsigned(kind)], &before = done[unsigned(kind)];
    if (now > atMost && now - atMost > before)
      before = now - atMost;
    if (kind == Pending::vectorMemory && !copies.empty()) [[unlikely]]
      finishCopies();
  }
  // Copies to LDS that the wave has waited for are writes of this moment (LdsChecks.cpp).
  void finishCopies();
  uint32_t outstanding(Pending kind) const { return issued[unsigned(kind)] - done[unsigned(kind)]; }
  bool isPending(uint32_t mark) const { return mark && (mark & 0xfffffff) > done[mark >> 28]; }
  void checkVector(unsigned reg) {
    if (isPending(vgprPending[reg])) [[unlikely]]
      reportPending(reg, true);
  }
  // Before a load from global memory writes a register: such loads return in order, so that an
  // earlier one may still be under way.
  void checkReload(unsigned reg) {
    if (vgprPending[reg] >> 28 != uint32_t(Pending::vectorMemory))
      checkVector(reg);
  }
  void checkScalar(unsigned reg) {
    if (isPending(sgprPending[reg])) [[unlikely]]
      reportPending(reg, false);
  }

  // MODE as the kernel's descriptor or s_setreg gives it.
  void setMode(uint32_t value);
  // MODE.FP16_OVFL: results of 16-bit floats that overflow become the largest finite number.
  bool saturates16() const { return mode >> 23 & 1; }

  // Records a finding about the current instruction (Launch.cpp). The wave goes on, unless it is a
  // fault. Lane -1 stands for the first one that is on.
  void report(FindingKind kind, int lane, const std::string &text);
  void fault(FindingKind kind, int lane, const std::string &text);
  void reportPending(unsigned reg, bool isVector);
  // Reports a use of what was never written, by the first of `lanesUsed`; 0 where all lanes that
  // are on use it.
  void reportUndefined(uint64_t lanesUsed, const char *use);
};

// One 4-byte cell of LDS, for the detection of races: who touched it last since the last barrier.
struct LdsCell {
  uint32_t epoch = 0;
  uint8_t writer = 0, reader = 0; // wave + 1; reader 255: several
};

struct Workgroup {
  LaunchState *launch = nullptr;
  uint32_t id[3] = {};
  std::vector<uint8_t> lds, ldsUndefined; // the second: 1 for a byte never written
  std::vector<LdsCell> cells;
  // Of each cell: the number of the wave, + 1, whose copy from global memory may not have arrived.
  std::vector<uint16_t> copiers;
  uint32_t copiedCells = 0; // that have one
  std::vector<Wave> waves;
  std::vector<uint32_t> registers;
  std::vector<uint8_t> scratch;
  std::mt19937_64 random;
};

// The wave arrives at the barrier; when all have, those that wait go on (Control.cpp). A
// fault if one has ended before this barrier.
void signalBarrier(Wave &w);
void waitBarrier(Wave &w);

} // namespace tilerun::amdsim

#endif
