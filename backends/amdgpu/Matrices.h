// The matrix instructions of each architecture, and how LLVM's intrinsics take their operands.
#pragma once

#include "backends/amdgpu/Target.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tilerun::amdgpu {

/// Of an intrinsic: the operands' types, and what there is besides them.
enum class Form {
  Mfma,        ///< Vectors of the elements, or one element; three selectors, which are 0 here.
  MfmaBits,    ///< The same with bf16 as i16, and 8-bit elements in one integer or in words.
  MfmaFormats, ///< 8-bit elements in words; their formats; scales, which are 0 here: none.
  MfmaScaled,  ///< The same, of 4 bits as well, with scales.
  Wmma,        ///< Vectors of the elements.
  WmmaBits,    ///< bf16 as i16, 8-bit elements in words.
  WmmaSigned   ///< 8-bit integers in words; a flag before each operand, and one after all.
};

/// As distribution wants them; their names begin with the intrinsics', and are unique in the
/// result.
std::vector<target::MatrixInstruction> getMatrixInstructions(Generation generation);

/// Of an instruction of the generation; nullopt if it has none of this name.
std::optional<Form> findForm(Generation generation, llvm::StringRef name);

} // namespace tilerun::amdgpu
