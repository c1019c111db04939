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
                              .isScaled = row.form == Form::MfmaScaled});
  return instructions;
}

std::optional<Form> amdgpu::findForm(Generation generation, llvm::StringRef name) {
  const auto *row = llvm::find_if(
      kRows, [&](const Row &row) { return row.isIn(generation) && name == row.name; });
  if (row == std::end(kRows))
    return std::nullopt;
  return row->form;
}
