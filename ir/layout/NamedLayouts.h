// Short forms of layouts, for people: "blocked:64x64,warps=4" in place of a basis vector for each
// bit. Only tools take them; IR has the layouts' own text.
//
//   {register = [(0, 1)], …} -> (dim0: 16, dim1: 8)     the text that LinearLayout prints
//   #distribute.layout<"{…} -> (…)">                    the same as IR prints it
//   blocked:SHAPE[,vector=N][,lanes=N][,warps=N][,order=1x0]
//                 coalesced: each thread has `vector` neighbours along the first dimension of
//                 `order`, lanes and then warps follow
//   FRAGMENT[:SHAPE][,warps=RxC]   a matrix instruction's (Fragments.def), tiled over a tensor
//   strided:SHAPE[,order=1x0]      in memory: dense, the first dimension of `order` contiguous
//   swizzled:RxC[,inner=D]         in memory: swizzledTile
//   crossed:RxC[,inner=D]          in memory: crossedTile
//
// SHAPE is 1024, 64x32, …; sizes are powers of two.
#ifndef TILERUN_IR_LAYOUT_NAMEDLAYOUTS_H
#define TILERUN_IR_LAYOUT_NAMEDLAYOUTS_H

#include "ir/layout/LinearLayout.h"

namespace tilerun::layout {

/// What a short form does not say.
struct LayoutDefaults {
  unsigned lanes = 32;
  unsigned warps = 4;
  unsigned elementBytes = 4; ///< A power of two, at most 16.
};

/// Reads any of these forms. Any input is safe. An error names the word, and what it may be.
llvm::Expected<LinearLayout> parseNamedLayout(llvm::StringRef text,
                                              const LayoutDefaults &defaults = {});

/// Whether a layout is one of memory: its only input is `offset`.
bool isMemoryLayout(const LinearLayout &layout);

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_NAMEDLAYOUTS_H
