// What the emulated device must know of an architecture: how wide its waves are, how registers and
// the local data share are sized, and which of the encodings that differ between generations it
// has.
#ifndef TILERUN_EMULATORS_AMDGPU_TARGET_H
#define TILERUN_EMULATORS_AMDGPU_TARGET_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tilerun::amdsim {

enum class Generation : uint8_t { gfx9, gfx10, gfx11, gfx12 };
// The 8-bit floats that the conversion instructions know.
enum class Float8 : uint8_t { none, fnuz, ocp };

struct Target {
  const char *name;    // "gfx942"
  uint32_t elfMachine; // EF_AMDGPU_MACH_* of the ELF header's flags
  Generation generation;
  uint8_t lanes;       // of a wave, unless the kernel's descriptor says 32
  bool hasAgprs;       // accumulation registers behind the vector registers
  bool flatScratchSet; // the hardware sets up the scratch base
  bool idsInTtmp;      // workgroup ids arrive in ttmp7 and ttmp9
  Float8 float8;
  bool flushesMatrix16; // matrix instructions of 16-bit floats take and give zeros for subnormals
  uint32_t ldsBytes;    // that one workgroup may have
  uint8_t ldsBanks;     // of loads; stores have 32
  uint8_t transactionBytes; // of a line of global memory that one request fetches
};

// The target of this name or of these ELF flags; null if the emulator does not have it.
const Target *findTarget(llvm::StringRef name);
const Target *findTarget(uint32_t elfFlags);
// "gfx90a, gfx942, ...", for messages.
const char *targetNames();

} // namespace tilerun::amdsim

#endif
