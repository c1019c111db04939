// Opaque instructions: the target does not define which lane holds what of their fragments. Only
// the layout of its result after a trip through shared memory is known.
#include "ir/layout/Fragments.h"
#include "ir/target/TargetInfo.h"

#include "llvm/ADT/bit.h"

using namespace tilerun;
using namespace tilerun::target;

std::optional<MatrixInstruction> target::opaqueInstruction(MatrixElement a, MatrixElement b,
                                                           MatrixElement acc, unsigned m,
                                                           unsigned n, unsigned k, unsigned lanes) {
  for (MatrixElement element : {a, b, acc})
    switch (element) {
    case MatrixElement::TF32:
    case MatrixElement::E4M3:
    case MatrixElement::E5M2:
    case MatrixElement::E4B8:
    case MatrixElement::E5B16:
      return std::nullopt;
    default:
      break;
    }
  for (unsigned size : {m, n, k, lanes})
    if (!llvm::has_single_bit(size))
      return std::nullopt;
  // Lines of all three are read and written in steps of 16 bytes.
  bool hasLines = k * bytesOf(a) % 16 == 0 && m * bytesOf(a) % 16 == 0 &&
                  k * bytesOf(b) % 16 == 0 && n * bytesOf(b) % 16 == 0 &&
                  n * bytesOf(acc) % 16 == 0;
  if (!hasLines || m * n < lanes)
    return std::nullopt;
  MatrixInstruction row;
  row.a = a;
  row.b = b;
  row.acc = acc;
  row.m = m;
  row.n = n;
  row.k = k;
  row.isOpaque = true;
  row.name = ("opaque m" + llvm::Twine(m) + "n" + llvm::Twine(n) + "k" + llvm::Twine(k) + "." +
              nameOf(acc) + "." + nameOf(a) + "." + nameOf(b))
                 .str();
  unsigned run = std::min(m * n / lanes, 16 / bytesOf(acc));
  row.dLayout = layout::rowMajorFragment(m, n, run, lanes);
  return row;
}
