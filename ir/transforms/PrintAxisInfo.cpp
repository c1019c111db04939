// tile-print-axis-info: makes the axis analysis visible as remarks.
#include "ir/transforms/Passes.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEPRINTAXISINFO
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;

namespace {
struct PrintAxisInfoPass : public tilerun::impl::TilePrintAxisInfoBase<PrintAxisInfoPass> {
  void runOnOperation() final {}
};
} // namespace
