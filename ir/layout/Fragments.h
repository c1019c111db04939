// The layouts that matrix instructions demand, as bases: register and lane to dim0 and dim1.
// Sources: the PTX ISA's "Matrix Fragments" sections and AMD's CDNA3 and RDNA3 ISA guides. A
// tensor's layout is such a fragment times identities over registers and warps.
#ifndef TILERUN_IR_LAYOUT_FRAGMENTS_H
#define TILERUN_IR_LAYOUT_FRAGMENTS_H

#include "ir/layout/LinearLayout.h"

namespace tilerun::layout {

enum class FragmentKind {
#define FRAGMENT(kind, name, lanes, description) kind,
#include "ir/layout/Fragments.def"
};

struct FragmentInfo {
  FragmentKind kind;
  llvm::StringRef name;
  unsigned lanes;
  llvm::StringRef description;
};
llvm::ArrayRef<FragmentInfo> allFragments();

LinearLayout fragmentLayout(FragmentKind kind);

/// A row-major matrix that lanes hold in pieces of `run` neighbours: lane 0 the first, lane 1 the
/// next, and so on until all lanes have one; then lane 0 continues. Sizes are powers of two.
/// Precondition: each lane holds `run` elements or more.
LinearLayout rowMajorFragment(unsigned rows, unsigned columns, unsigned run, unsigned lanes);

/// A tensor of 2^rowBits x 2^columnBits tiled with a fragment: warps side by side first
/// (2^warpRowBits by 2^warpColumnBits, columns changing fastest), then registers, columns changing
/// fastest. Dimensions for which the tensor is too small replicate. Precondition: the fragment has
/// dim0 and dim1 only.
LinearLayout tileFragment(const LinearLayout &fragment, unsigned rowBits, unsigned columnBits,
                          unsigned warpRowBits, unsigned warpColumnBits);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_FRAGMENTS_H
