// What distribution and the lowering to threads ask about a target. Plain data: a backend supplies
// a table, never a pass.
#pragma once

#include "ir/layout/LinearLayout.h"
#include "ir/layout/SharedMemory.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Type;
} // namespace mlir

namespace tilerun::simt {

/// Element types as matrix instructions know them.
enum class MatrixElement { F16, BF16, TF32, F32, F64, I8, I32, E4M3, E5M2 };

/// One matrix instruction of a warp. Layouts map (register, lane) to (dim0, dim1) of a fragment:
/// a: rows × k, b: k × columns, d: rows × columns.
struct MatrixInstruction {
  std::string name;
  MatrixElement a, b, acc;
  unsigned m = 0, n = 0, k = 0;
  layout::LinearLayout aLayout, bLayout, dLayout;
};

struct TargetInfo {
  std::string name; ///< As in diagnostics: "cuda:sm_90a".
  unsigned warpSize = 32;
  unsigned maxVectorBytes = 16;
  uint64_t sharedMemoryBytes = 48 * 1024;
  bool hasAsyncCopy = false;
  bool hasLoadMatrix = false;
  layout::SharedMemoryModel sharedModel;
  std::vector<MatrixInstruction> matrixInstructions;
};

} // namespace tilerun::simt
