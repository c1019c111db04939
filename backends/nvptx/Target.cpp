// See Target.h. Limits are from the CUDA programming guide's table of compute capabilities;
// fragment layouts from the PTX ISA's section on mma.
#include "backends/nvptx/Target.h"
#include "ir/layout/Fragments.h"

using namespace tilerun;
using namespace tilerun::nvptx;
using namespace tilerun::layout;
using target::MatrixElement;
using target::MatrixInstruction;

namespace {
struct Row {
  const char *name;
  unsigned number, ptx;
  unsigned sharedKilobytes; ///< For one program, opted in.
  unsigned threads;         ///< Of a multiprocessor.
};
} // namespace

static constexpr Row kRows[] = {
    {"sm_75", 75, 74, 64, 1024},    {"sm_80", 80, 74, 163, 2048},   {"sm_86", 86, 74, 99, 1536},
    {"sm_87", 87, 74, 163, 1536},   {"sm_89", 89, 84, 99, 1536},    {"sm_90", 90, 84, 227, 2048},
    {"sm_90a", 90, 84, 227, 2048},  {"sm_100", 100, 86, 227, 2048}, {"sm_100a", 100, 86, 227, 2048},
    {"sm_103", 103, 88, 227, 2048}, {"sm_120", 120, 87, 99, 1536},  {"sm_120a", 120, 87, 99, 1536},
};

static std::vector<MatrixInstruction> matrixInstructions(unsigned number) {
  using E = MatrixElement;
  using F = FragmentKind;
  std::vector<MatrixInstruction> rows;
  auto add = [&](const char *types, unsigned m, unsigned k, E a, E b, E acc, F fragmentA,
                 F fragmentB) {
    rows.push_back({"m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col." + types, a, b,
                    acc, m, 8, k, fragmentLayout(fragmentA), fragmentLayout(fragmentB),
                    fragmentLayout(m == 16 ? F::MmaD : F::Mma8D)});
  };
  add("f32.f16.f16.f32", 16, 8, E::F16, E::F16, E::F32, F::MmaA16K8, F::MmaB16K8);
  add("f16.f16.f16.f16", 16, 8, E::F16, E::F16, E::F16, F::MmaA16K8, F::MmaB16K8);
  add("s32.s8.s8.s32", 8, 16, E::I8, E::I8, E::I32, F::Mma8A8, F::Mma8B8);
  if (number >= 80) {
    add("f32.f16.f16.f32", 16, 16, E::F16, E::F16, E::F32, F::MmaA16, F::MmaB16);
    add("f16.f16.f16.f16", 16, 16, E::F16, E::F16, E::F16, F::MmaA16, F::MmaB16);
    add("f32.bf16.bf16.f32", 16, 8, E::BF16, E::BF16, E::F32, F::MmaA16K8, F::MmaB16K8);
    add("f32.bf16.bf16.f32", 16, 16, E::BF16, E::BF16, E::F32, F::MmaA16, F::MmaB16);
    add("f32.tf32.tf32.f32", 16, 8, E::TF32, E::TF32, E::F32, F::MmaA32, F::MmaB32);
    add("s32.s8.s8.s32", 16, 16, E::I8, E::I8, E::I32, F::MmaA8K16, F::MmaB8K16);
    add("s32.s8.s8.s32", 16, 32, E::I8, E::I8, E::I32, F::MmaA8, F::MmaB8);
    add("f64.f64.f64.f64", 8, 4, E::F64, E::F64, E::F64, F::Mma8A64, F::Mma8B64);
  }
  if (number >= 89) {
    add("f32.e4m3.e4m3.f32", 16, 32, E::E4M3, E::E4M3, E::F32, F::MmaA8, F::MmaB8);
    add("f32.e4m3.e5m2.f32", 16, 32, E::E4M3, E::E5M2, E::F32, F::MmaA8, F::MmaB8);
    add("f32.e5m2.e4m3.f32", 16, 32, E::E5M2, E::E4M3, E::F32, F::MmaA8, F::MmaB8);
    add("f32.e5m2.e5m2.f32", 16, 32, E::E5M2, E::E5M2, E::F32, F::MmaA8, F::MmaB8);
  }
  // sm_90 and sm_100 compute 8-bit products as f16 ones, precisely (measured on sm_90).
  for (MatrixInstruction &row : rows)
    row.isImprecise = row.k == 32 && row.acc == E::F32 && (number == 89 || number >= 120);
  if (number >= 90) {
    add("f64.f64.f64.f64", 16, 4, E::F64, E::F64, E::F64, F::MmaA64K4, F::MmaB64K4);
    add("f64.f64.f64.f64", 16, 8, E::F64, E::F64, E::F64, F::MmaA64K8, F::MmaB64K8);
    add("f64.f64.f64.f64", 16, 16, E::F64, E::F64, E::F64, F::MmaA64K16, F::MmaB64K16);
  }
  return rows;
}

/// wgmma, which only sm_90a has: operands of 16 bits in either order, others contiguous along k. A
/// step along k is 32 bytes. Products of 8-bit floats are added up less precisely than f32 could.
/// Names are the instructions' types.
static std::vector<target::WarpGroupInstruction> warpGroupInstructions() {
  using E = MatrixElement;
  using F = FragmentKind;
  std::vector<target::WarpGroupInstruction> rows;
  auto add = [&](const char *types, E a, E b, E acc, F fragmentA, bool takesAnyOrder = false) {
    bool isImprecise = fragmentA == F::MmaA8 && acc == E::F32;
    rows.push_back({types, a, b, acc, /*warps=*/4, /*m=*/64, /*n=*/256, 32 / bytesOf(a),
                    fragmentLayout(fragmentA), fragmentLayout(F::MmaD), takesAnyOrder,
                    isImprecise});
  };
  add("f32.f16.f16", E::F16, E::F16, E::F32, F::MmaA16, true);
  add("f16.f16.f16", E::F16, E::F16, E::F16, F::MmaA16, true);
  add("f32.bf16.bf16", E::BF16, E::BF16, E::F32, F::MmaA16, true);
  add("f32.tf32.tf32", E::TF32, E::TF32, E::F32, F::MmaA32);
  add("f32.e4m3.e4m3", E::E4M3, E::E4M3, E::F32, F::MmaA8);
  add("f32.e4m3.e5m2", E::E4M3, E::E5M2, E::F32, F::MmaA8);
  add("f32.e5m2.e4m3", E::E5M2, E::E4M3, E::F32, F::MmaA8);
  add("f32.e5m2.e5m2", E::E5M2, E::E5M2, E::F32, F::MmaA8);
  add("s32.s8.s8", E::I8, E::I8, E::I32, F::MmaA8);
  return rows;
}

llvm::Expected<Architecture> nvptx::getArchitecture(llvm::StringRef name) {
  name.consume_front("cuda:");
  std::string known;
  for (const Row &row : kRows) {
    if (name == row.name) {
      Architecture result;
      result.number = row.number;
      result.name = row.name;
      result.defaultPtx = row.ptx;
      result.info.name = "cuda:" + result.name;
      result.info.sharedMemoryBytes = uint64_t(row.sharedKilobytes) * 1024;
      result.info.unitRegisters = 65536;
      result.info.unitThreads = row.threads;
      // 50 MB for 132 units. Others are not measured yet.
      result.info.unitCacheBytes = row.number == 90 ? 384 * 1024 : 0;
      result.info.registers = row.number >= 80 ? 255 : 0; // sm_75 copies through registers.
      result.info.hasAsyncCopy = row.number >= 80;
      result.info.hasLoadMatrix = true;
      result.info.assembler = "ptx";
      result.info.hasGridDependency = row.number >= 90;
      result.info.hasEvictionPolicies = row.number >= 80;
      result.info.vectorSumBytes = row.number >= 90 ? 16 : 0;
      result.info.hasRoles = row.number >= 90;
      result.info.maxBlocks = row.number >= 90 ? 8 : 1; // Larger clusters are not portable.
      result.info.roundsToFloat8 = row.number >= 89;
      result.info.matrixInstructions = matrixInstructions(row.number);
      // Others from sm_90 on copy boxes, too; what reads them best there is not measured yet.
      result.info.hasBoxCopies = result.name == "sm_90a";
      if (result.name == "sm_90a")
        result.info.roleRegisters = 512; // setmaxnreg
      if (result.name == "sm_90a")
        result.info.warpGroupInstructions = warpGroupInstructions();
      return result;
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "unknown NVIDIA architecture '" +
                                                                     name.str() + "'; known are " +
                                                                     known);
}
