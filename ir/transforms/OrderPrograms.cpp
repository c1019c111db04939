// tile-order-programs: gives neighbouring programs to the same part of a device. A device of
// several dies, each with a cache of its own, hands programs to the dies in turn; so neighbours,
// which often read the same memory, read it into different caches. Renumbered, each die gets a
// contiguous range.
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEORDERPROGRAMS
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun::tile;

namespace {
/// The renumbering of one kernel's programs, for `parts` parts of the device.
class Renumbering {
public:
  Renumbering(func::FuncOp kernel, int64_t parts)
      : b(kernel.getLoc(), OpBuilder::atBlockBegin(&kernel.front())), parts(parts) {}

  /// New numbers along the axes below `axes`. Programs with other numbers along the other axes are
  /// renumbered alike, each such group within itself.
  SmallVector<Value, 3> run(unsigned axes);

private:
  Value constant(int64_t value, unsigned bits = 32) {
    return arith::ConstantIntOp::create(b, value, bits);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value divide(Value x, Value y) { return arith::DivUIOp::create(b, x, y); }
  Value remainder(Value x, Value y) { return arith::RemUIOp::create(b, x, y); }

  ImplicitLocOpBuilder b;
  int64_t parts;
};

struct OrderProgramsPass : public tilerun::impl::TileOrderProgramsBase<OrderProgramsPass> {
  using TileOrderProgramsBase::TileOrderProgramsBase;
  void runOnOperation() final;
};
} // namespace

SmallVector<Value, 3> Renumbering::run(unsigned axes) {
  SmallVector<Value, 3> ids, sizes;
  for (unsigned axis = 0; axis < axes; ++axis) {
    ids.push_back(ProgramIdOp::create(b, axis));
    sizes.push_back(NumProgramsOp::create(b, axis));
  }
  // In the order in which programs start, the first axis changes fastest.
  Value number = ids.back(), count = sizes.back();
  Value wide = arith::ExtUIOp::create(b, b.getI64Type(), count);
  for (unsigned axis = axes - 1; axis-- > 0;) {
    number = add(multiply(number, sizes[axis]), ids[axis]);
    count = multiply(count, sizes[axis]);
    wide = multiply(wide, arith::ExtUIOp::create(b, b.getI64Type(), sizes[axis]));
  }
  // Part p gets the programs p, p + parts, …: one more of them in the first count % parts parts.
  Value of = constant(parts), part = remainder(number, of), extra = remainder(count, of);
  Value start = add(multiply(part, divide(count, of)), arith::MinUIOp::create(b, part, extra));
  Value renumbered = add(start, divide(number, of));

  SmallVector<Value, 3> result;
  for (unsigned axis = 0; axis + 1 < axes; ++axis) {
    result.push_back(remainder(renumbered, sizes[axis]));
    renumbered = divide(renumbered, sizes[axis]);
  }
  result.push_back(renumbered);
  if (axes == 1)
    return result;
  // More programs than 32 bits count keep their numbers.
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, wide, constant(int64_t(1) << 32, 64));
  for (unsigned axis = 0; axis < axes; ++axis)
    result[axis] = arith::SelectOp::create(b, fits, result[axis], ids[axis]);
  return result;
}

void OrderProgramsPass::runOnOperation() {
  if (parts < 2)
    return;
  getOperation()->walk([&](func::FuncOp kernel) {
    if (!kernel->hasAttr(TileDialect::kKernelAttr))
      return;
    SmallVector<ProgramIdOp> ops;
    unsigned axes = 0;
    kernel.walk([&](ProgramIdOp op) {
      ops.push_back(op);
      axes = std::max(axes, unsigned(op.getAxis()) + 1);
    });
    if (ops.empty())
      return;
    SmallVector<Value, 3> numbers = Renumbering(kernel, parts).run(axes);
    for (ProgramIdOp op : ops) {
      op.getResult().replaceAllUsesWith(numbers[op.getAxis()]);
      op.erase();
    }
  });
}
