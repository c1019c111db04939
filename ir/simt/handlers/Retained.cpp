// Tiles that threads keep in shared memory for themselves (ir/schedule/ScheduleOps.td). A slot has
// the accesses of all threads one after the other, each as wide as it can be, so that neighbouring
// threads meet in no bank.
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/simt/HandlerList.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;
using schedule::RetainedType;

namespace {
/// The accesses of a thread to one slot.
struct Accesses {
  unsigned elements;            ///< Of one access, consecutive registers.
  SmallVector<unsigned> firsts; ///< The first register of each.
  Values offsets;
};
} // namespace

static FailureOr<Accesses> getAccesses(LowerContext &c, RetainedType type, Value slot) {
  FailureOr<Value> number = c.getScalar(slot);
  if (failed(number))
    return failure();
  const LinearLayout &layout = type.getLayout().getMap();
  const unsigned bytes = tile::getElementBytes(type.getTile().getElementType()),
                 registers = 1u << layout.inBits(kRegister),
                 elements = std::min(registers, std::max(c.target.maxVectorBytes / bytes, 1u)),
                 threads = 1u << (layout.inBits(kLane) + layout.inBits(kWarp));
  Accesses accesses{elements, {}, {}};
  auto multiply = [&](Value value, int64_t by) {
    return arith::MulIOp::create(c.b, value, constant(c.b, int32_t(by)));
  };
  Value start = arith::AddIOp::create(c.b, multiply(*number, type.getSlotBytes()),
                                      multiply(c.threads.threadId(), elements * bytes));
  for (unsigned first = 0; first < registers; first += elements) {
    accesses.firsts.push_back(first);
    accesses.offsets.push_back(
        arith::AddIOp::create(c.b, start, constant(c.b, int32_t(first * bytes * threads))));
  }
  return accesses;
}

LogicalResult simt::lower(LowerContext &c, schedule::RetainedOp op) {
  RetainedType type = op.getKept().getType();
  c.set(op.getKept(), SharedAllocOp::create(c.b, type.getBytes()));
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::RetainOp op) {
  RetainedType type = op.getKept().getType();
  FailureOr<Accesses> accesses = getAccesses(c, type, op.getSlot());
  FailureOr<Value> vector = c.get(op.getTile(), type.getLayout().getMap());
  if (failed(accesses) || failed(vector))
    return failure();
  for (auto [first, offset] : llvm::zip(accesses->firsts, accesses->offsets)) {
    auto indices = llvm::to_vector(llvm::seq<int64_t>(first, first + accesses->elements));
    SharedStoreOp::create(c.b, c.find(op.getKept()), offset, pick(c.b, *vector, indices), Value());
  }
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::RecallOp op) {
  RetainedType type = op.getKept().getType();
  FailureOr<Accesses> accesses = getAccesses(c, type, op.getSlot());
  if (failed(accesses))
    return failure();
  Values registers;
  auto part = VectorType::get({accesses->elements}, type.getTile().getElementType());
  for (Value offset : accesses->offsets)
    llvm::append_range(registers,
                       unpack(c.b, SharedLoadOp::create(c.b, part, c.find(op.getKept()), offset)));
  return c.set(op.getTile(), pack(c.b, registers), type.getLayout().getMap());
}
