// AMD architectures: their names, features, and the facts that distribution, lowering and the
// report of resources use.
//
// Rules of this folder: no driver, no file but the linker's temporary one, no process. An intrinsic
// that an architecture lacks terminates the process or becomes an instruction that it does not
// know, so each is guarded by a field here.
#pragma once

#include "ir/target/TargetInfo.h"
#include "llvm/Support/Error.h"

namespace tilerun::amdgpu {

/// Families of instructions: a later one need not have all of an earlier one.
enum class Generation { Cdna2, Cdna3, Cdna4, Rdna2, Rdna3, Rdna4 };

/// The vector registers of one SIMD, and what of a compute unit (of RDNA: of a pair, which share
/// shared memory) limits how many waves run at a time.
struct WaveLimits {
  unsigned registers; ///< Of a SIMD, for each lane, as vectors of a wave's size.
  unsigned granule;   ///< A wave gets a multiple of it.
  unsigned maxWaves;  ///< Of a SIMD.
  unsigned simds;     ///< That share the unit's shared memory.
  uint64_t sharedBytes;
};

struct Architecture {
  std::string name;     ///< "gfx942"
  std::string targetId; ///< With features, as code objects name it: "gfx942:sramecc+:xnack-".
  Generation generation = Generation::Cdna3;
  std::string llvmFeatures; ///< "+sramecc,-xnack"
  WaveLimits limits;
  target::TargetInfo info;

  bool isCdna() const { return generation <= Generation::Cdna4; }
  /// DPP row_xmask and permlanex16.
  bool hasPermlane() const { return !isCdna(); }
  /// v_dot4_i32_iu8 in place of v_dot4_i32_i8.
  bool hasMixedDot() const { return generation >= Generation::Rdna3; }
  /// cvt.pk.{fp8,bf8}.f32 and back, of the formats of the Open Compute Project or of those without
  /// a negative zero (FNUZ): float8e4b8 and float8e5b16.
  bool hasFloat8() const {
    return hasUnsignedZeros8() || generation == Generation::Cdna4 ||
           generation == Generation::Rdna4;
  }
  bool hasUnsignedZeros8() const { return generation == Generation::Cdna3; }
  /// global_load_lds of 16 bytes of a lane. The instruction of gfx90a and gfx942 copies 4: four
  /// times as many as loads through registers.
  bool hasWideCopies() const { return generation == Generation::Cdna4; }
  /// v_minimum and v_maximum, which keep NaN.
  bool hasMinimum() const {
    return generation == Generation::Cdna4 || generation == Generation::Rdna4;
  }
};

/// "gfx90a" and so on, in the order of their generations.
std::vector<std::string> getArchitectureNames();

/// From "gfx942", "hip:gfx942" or with features "gfx942:sramecc+:xnack-", in any order. An error
/// says what is known.
llvm::Expected<Architecture> getArchitecture(llvm::StringRef name);

/// How many waves of a program with these needs run on one SIMD; 0 if none does.
unsigned getOccupancy(const Architecture &arch, unsigned registers, uint64_t sharedBytes,
                      unsigned wavesPerProgram);
/// How many one resource alone allows. The first of the least ones is what limits a program.
struct OccupancyBound {
  llvm::StringLiteral name; ///< "waves", "registers", "shared memory"
  unsigned waves;
};
std::array<OccupancyBound, 3> getOccupancyBounds(const Architecture &arch, unsigned registers,
                                                 uint64_t sharedBytes, unsigned wavesPerProgram);

} // namespace tilerun::amdgpu
