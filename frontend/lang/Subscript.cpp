// `x[:, None]`: new dimensions on run-time tensors. Elements are not indexed.
#include "frontend/lang/Emit.h"

using namespace mlir;

namespace tilerun::lang {

Result subscript(Emitter &e, const Value &base, llvm::ArrayRef<Value> indices) {
  TensorOr tensor = toTensor(e, base);
  if (failed(tensor))
    return failure();
  TensorValue v = *tensor;
  size_t rank = v.type.shape.size();
  size_t kept = llvm::count_if(indices, [](const Value &i) { return i.is<SliceValue>(); });
  bool seenEllipsis = false;
  if (kept > rank)
    return e.error("too many ':' for " + base.describe() + ": " + Twine(kept) + " for " +
                   Twine(rank) + (rank == 1 ? " dimension" : " dimensions"));
  unsigned axis = 0;
  for (const Value &index : indices) {
    if (index.isNone()) {
      v = expandDims(e, v, axis++);
      continue;
    }
    if (index.is<EllipsisValue>()) {
      if (seenEllipsis)
        return e.error("'...' may be used only once in a subscript");
      seenEllipsis = true;
      axis += rank - kept;
      continue;
    }
    auto *slice = index.getIf<SliceValue>();
    if (!slice)
      return e.error("a tensor cannot be indexed with " + index.describe() +
                     "; only ':' and None are allowed (to pick elements, use tl.gather, or tl.sum "
                     "of a tl.where)");
    for (const auto &part : {slice->lower, slice->upper, slice->step})
      if (part && part->isValid() && !part->isNone())
        return e.error("a tensor cannot be sliced; only ':' and None are allowed (use masks, or "
                       "tl.reshape and tl.split)");
    ++axis;
  }
  return Value(v);
}

} // namespace tilerun::lang
