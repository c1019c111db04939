// See DotScales.h.
#include "ir/simt/products/DotScales.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Where the scales lie of an operand in `layout`: rows × blocks of k. A lane has one of each
/// fragment; lanes with the same row have those of consecutive blocks.
static LinearLayout layoutOfScales(const LinearLayout &layout, const LinearLayout &fragment,
                                   unsigned inner) {
  constexpr unsigned kBlock = MatrixInstruction::kScaleBlock;
  const unsigned fragmentBits = fragment.inBits(kRegister);
  const unsigned blockBits = layout.outBits(dimName(inner)) - llvm::Log2_32(kBlock);
  const DimList outs{Dim(dimName(0), layout.outBits(dimName(1 - inner))),
                     Dim(dimName(1), blockBits)};
  DimList ins;
  BitVectors bases;
  for (const Dim &in : layout.getIns()) {
    const bool isRegister = in.name == kRegister;
    ins.emplace_back(in.name, in.bits - (isRegister ? fragmentBits : 0));
    unsigned block = 1;
    for (unsigned bit = isRegister ? fragmentBits : 0; bit < in.bits; ++bit) {
      uint64_t k = layout.getBasis(in.name, bit, dimName(inner)) / kBlock;
      if (in.name == kLane && fragment.getBasis(kLane, bit, dimName(inner))) {
        k = block < 1u << blockBits ? block : 0;
        block *= 2;
      }
      bases.push_back(
          LinearLayout::pack(outs, {layout.getBasis(in.name, bit, dimName(1 - inner)), k}));
    }
  }
  return LinearLayout(ins, outs, bases);
}

LogicalResult DotScales::place(LowerContext &c, tile::DotOp op, const DotPlan &plan, bool isLeft) {
  const MatrixInstruction &row = *plan.instruction;
  const unsigned inner = isLeft ? 1 : 0;
  steps = 1u << plan.stepBits;
  FailureOr<Values> bytes =
      c.getRegisters(findScaled(isLeft ? op.getA() : op.getB(), inner)->scales,
                     isLeft ? layoutOfScales(plan.a, row.aLayout, inner)
                            : layoutOfScales(plan.b, row.bLayout, inner));
  if (failed(bytes))
    return failure();
  for (size_t start = 0; start < bytes->size(); start += steps)
    for (unsigned first = 0; first < steps; first += kBytes) {
      Values four;
      for (unsigned i = 0; i < kBytes; ++i)
        four.push_back((*bytes)[start + std::min(first + i, steps - 1)]);
      auto type = VectorType::get({1}, c.b.getI32Type());
      words.push_back(unpack(c.b, vector::BitCastOp::create(c.b, type, pack(c.b, four))).front());
    }
  return success();
}
