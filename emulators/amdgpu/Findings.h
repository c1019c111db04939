// What the emulator finds wrong with a kernel while it runs.
#ifndef TILERUN_EMULATORS_AMDGPU_FINDINGS_H
#define TILERUN_EMULATORS_AMDGPU_FINDINGS_H

#include <cstdint>
#include <string>

namespace tilerun::amdsim {

enum class FindingKind : uint8_t {
  unknownInstruction,
  unsupported,
  outOfBounds,
  misaligned,
  undefinedValue,
  missingWait,
  ldsBounds,
  ldsUndefined,
  ldsRace,
  barrier,
  readOnly,
  trap,
  endless
};
const char *findingName(FindingKind kind); // "out of bounds"
// Whether the launch ends there. Otherwise the hardware would go on, and so does the emulator.
bool isFault(FindingKind kind);

struct Finding {
  FindingKind kind;
  uint64_t times; // at this instruction; the other fields are of the first time
  std::string kernel, instruction, text;
  std::string source;  // "file:line", or empty
  uint32_t program[3]; // the workgroup
  int wave, lane;      // the first that is on, unless one is to blame; -1: all are off
  uint32_t offset;     // of the instruction, from the kernel's entry
  // "kernel 'k', program (1, 0, 0), wave 2, lane 5, +0x40 'global_load_dword ...', k.py:12: out of
  // bounds: ..."
  std::string message() const;
};

} // namespace tilerun::amdsim

#endif
