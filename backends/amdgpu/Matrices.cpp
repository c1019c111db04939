// See Matrices.h. Shapes and fragments are from AMD's matrix instruction calculator and the ISA
// guides; integers of 4 bits are not here.
#include "backends/amdgpu/Matrices.h"
#include "ir/layout/Fragments.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::amdgpu;

namespace {
struct Row {
  Generation first, last;
  const char *name;
  unsigned m, n, k;
  target::MatrixElement a, b, acc;
  layout::FragmentKind fragmentA, fragmentB, fragmentD;
  Form form;
  bool isIn(Generation generation) const { return generation >= first && generation <= last; }
};

constexpr Row kRows[] = {
#define MATRIX(first, last, name, m, n, k, a, b, acc, fragmentA, fragmentB, fragmentD, form)       \
  {Generation::first,                                                                              \
   Generation::last,                                                                               \
   name,                                                                                           \
   m,                                                                                              \
   n,                                                                                              \
   k,                                                                                              \
   target::MatrixElement::a,                                                                       \
   target::MatrixElement::b,                                                                       \
   target::MatrixElement::acc,                                                                     \
   layout::FragmentKind::fragmentA,                                                                \
   layout::FragmentKind::fragmentB,                                                                \
   layout::FragmentKind::fragmentD,                                                                \
   Form::form},
#include "backends/amdgpu/Matrices.def"
};
} // namespace

/// Cycles of a SIMD's unit: by LLVM's count of passes, of four cycles each, but for scaled 8-bit
/// operands, and on RDNA, where it has none that is real: by AMD's peak rates.
static unsigned cyclesOf(const Row &row, Generation generation) {
  using E = target::MatrixElement;
  auto isNarrow = [](E element) { return bytesOf(element) == 1 && element != E::E2M1; };
  if (generation == Generation::Rdna3)
    return 32;
  if (generation == Generation::Rdna4)
    return isNarrow(row.a) ? 8 : 16;
  unsigned cycles = row.m; // 8 passes, or 4
  if (generation == Generation::Cdna2 || row.a == E::F32 || row.a == E::F64)
    cycles *= 2;
  if (generation == Generation::Cdna4 && row.a == E::F64)
    cycles *= 2;
  const bool hasFormats = row.form == Form::MfmaFormats || row.form == Form::MfmaScaled;
  if (hasFormats && (isNarrow(row.a) || isNarrow(row.b)))
    cycles *= 2;
  return cycles;
}

std::vector<target::MatrixInstruction> amdgpu::getMatrixInstructions(Generation generation) {
  std::vector<target::MatrixInstruction> instructions;
  for (const Row &row : kRows)
    if (row.isIn(generation))
      instructions.push_back({.name = row.name,
                              .a = row.a,
                              .b = row.b,
                              .acc = row.acc,
                              .m = row.m,
                              .n = row.n,
                              .k = row.k,
                              .aLayout = fragmentLayout(row.fragmentA),
                              .bLayout = fragmentLayout(row.fragmentB),
                              .dLayout = fragmentLayout(row.fragmentD),
                              .isScaled = row.form == Form::MfmaScaled,
                              .cycles = cyclesOf(row, generation)});
  return instructions;
}

std::optional<Form> amdgpu::findForm(Generation generation, llvm::StringRef name) {
  const auto *row = llvm::find_if(
      kRows, [&](const Row &row) { return row.isIn(generation) && name == row.name; });
  if (row == std::end(kRows))
    return std::nullopt;
  return row->form;
}
