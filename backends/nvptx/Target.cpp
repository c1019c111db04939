// See Target.h. Limits are from the CUDA programming guide's table of compute capabilities;
// fragment layouts from the PTX ISA's section on mma.
#include "backends/nvptx/Target.h"
#include "ir/layout/Fragments.h"

using namespace tilerun;
using namespace tilerun::nvptx;
using namespace tilerun::layout;
using simt::MatrixElement;
using simt::MatrixInstruction;

namespace {
struct Row {
  const char *name;
  unsigned number, ptx;
  unsigned sharedKilobytes; ///< For one program, opted in.
};
} // namespace

static constexpr Row kRows[] = {
    {"sm_75", 75, 74, 64},    {"sm_80", 80, 74, 163},   {"sm_86", 86, 74, 99},
    {"sm_87", 87, 74, 163},   {"sm_89", 89, 84, 99},    {"sm_90", 90, 84, 227},
    {"sm_90a", 90, 84, 227},  {"sm_100", 100, 86, 227}, {"sm_100a", 100, 86, 227},
    {"sm_103", 103, 88, 227}, {"sm_120", 120, 87, 99},  {"sm_120a", 120, 87, 99},
};

static LinearLayout matrix(unsigned rowBits, unsigned columnBits,
                           llvm::ArrayRef<std::array<uint64_t, 2>> registers,
                           llvm::ArrayRef<std::array<uint64_t, 2>> lanes) {
  BitVectors bases;
  for (auto list : {registers, lanes})
    for (auto [row, column] : list)
      bases.push_back(row | (column << rowBits));
  return LinearLayout({Dim(kRegister, registers.size()), Dim(kLane, lanes.size())},
                      {Dim(dimName(0), rowBits), Dim(dimName(1), columnBits)}, bases);
}

static std::vector<MatrixInstruction> matrixInstructions(unsigned number) {
  using E = MatrixElement;
  std::vector<MatrixInstruction> rows;
  LinearLayout d = fragmentLayout(FragmentKind::MmaD);
  auto add = [&](std::string types, E a, E b, E acc, unsigned k, FragmentKind fragmentA,
                 FragmentKind fragmentB) {
    rows.push_back({"m16n8k" + std::to_string(k) + ".row.col." + types, a, b, acc, 16, 8, k,
                    fragmentLayout(fragmentA), fragmentLayout(fragmentB), d});
  };
  if (number < 80) {
    // Turing has half of the later k.
    auto a = matrix(4, 3, {{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}});
    auto b = matrix(3, 3, {{1, 0}}, {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}});
    rows.push_back({"m16n8k8.row.col.f32.f16.f16.f32", E::F16, E::F16, E::F32, 16, 8, 8, a, b, d});
    return rows;
  }
  add("f32.f16.f16.f32", E::F16, E::F16, E::F32, 16, FragmentKind::MmaA16, FragmentKind::MmaB16);
  add("f32.bf16.bf16.f32", E::BF16, E::BF16, E::F32, 16, FragmentKind::MmaA16,
      FragmentKind::MmaB16);
  add("f32.tf32.tf32.f32", E::TF32, E::TF32, E::F32, 8, FragmentKind::MmaA32, FragmentKind::MmaB32);
  add("s32.s8.s8.s32", E::I8, E::I8, E::I32, 32, FragmentKind::MmaA8, FragmentKind::MmaB8);
  rows.push_back({"m8n8k4.row.col.f64.f64.f64.f64", E::F64, E::F64, E::F64, 8, 8, 4,
                  matrix(3, 2, {}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}),
                  matrix(2, 3, {}, {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}}),
                  matrix(3, 3, {{0, 1}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}})});
  if (number >= 89) {
    std::pair<const char *, E> formats[] = {{"e4m3", E::E4M3}, {"e5m2", E::E5M2}};
    for (auto [nameA, a] : formats)
      for (auto [nameB, b] : formats)
        add(std::string("f32.") + nameA + "." + nameB + ".f32", a, b, E::F32, 32,
            FragmentKind::MmaA8, FragmentKind::MmaB8);
  }
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
      result.info.hasAsyncCopy = row.number >= 80;
      result.info.hasLoadMatrix = true;
      result.info.matrixInstructions = matrixInstructions(row.number);
      return result;
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "unknown NVIDIA architecture '" +
                                                                     name.str() + "'; known are " +
                                                                     known);
}
