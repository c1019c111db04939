// See SharedOffsets.h. Offsets are linear maps of a thread's number over F2, as ThreadMaps builds
// them (ir/simt/ThreadMaps.h): ANDs, shifts, multiples of single bits, and their XORs and sums.
#include "backends/amdgpu/SharedOffsets.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;

namespace {
class OffsetBits {
public:
  explicit OffsetBits(unsigned threads) : threads(threads) {}
  /// Bits outside of which an integer of 32 bits has zeros.
  uint32_t get(Value value);

private:
  uint32_t compute(Value value);

  unsigned threads;
  llvm::DenseMap<Value, uint32_t> known;
};
} // namespace

static std::optional<uint32_t> constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() == 32
             ? std::optional(uint32_t(number.getZExtValue()))
             : std::nullopt;
}

uint32_t OffsetBits::compute(Value value) {
  constexpr uint32_t kAny = ~0u;
  if (std::optional<uint32_t> number = constantOf(value))
    return *number;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1)
    return kAny;
  if (isa<simt::ThreadIdOp>(op))
    return uint32_t(llvm::NextPowerOf2(threads - 1) - 1);
  if (op->getNumOperands() != 2)
    return kAny;
  const uint32_t a = get(op->getOperand(0));
  const std::optional<uint32_t> number = constantOf(op->getOperand(1));
  return llvm::TypeSwitch<Operation *, uint32_t>(op)
      .Case([&](arith::AndIOp) { return a & get(op->getOperand(1)); })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return a | get(op->getOperand(1)); })
      .Case([&](arith::AddIOp) {
        // Without common bits a sum carries nothing.
        const uint32_t b = get(op->getOperand(1));
        return a & b ? kAny : a | b;
      })
      .Case([&](arith::ShLIOp) { return number && *number < 32 ? a << *number : kAny; })
      .Case([&](arith::ShRUIOp) { return number && *number < 32 ? a >> *number : kAny; })
      .Case([&](arith::MulIOp) {
        if (number && llvm::isPowerOf2_32(*number))
          return a << llvm::Log2_32(*number);
        return number && a == 1 ? *number : kAny;
      })
      .Default(kAny);
}

uint32_t OffsetBits::get(Value value) {
  if (!value.getType().isInteger(32))
    return ~0u;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  const uint32_t bits = compute(value);
  return known[value] = bits;
}

void amdgpu::addConstantOffsets(func::FuncOp kernel) {
  auto threads = kernel->getAttrOfType<IntegerAttr>(simt::SimtDialect::kThreadsAttr);
  if (!threads)
    return;
  OffsetBits bits(unsigned(threads.getInt()));
  // All are known before the first changes: values are known by their addresses.
  SmallVector<std::pair<arith::XOrIOp, uint32_t>> offsets;
  kernel.walk([&](arith::XOrIOp op) {
    const std::optional<uint32_t> constant = constantOf(op.getRhs());
    if (!constant)
      return;
    const uint32_t added = *constant & ~bits.get(op.getLhs());
    if (added && added != *constant)
      offsets.push_back({op, added});
  });
  for (auto [op, added] : offsets) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto number = [&](uint32_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, int32_t(value), /*width=*/32);
    };
    Value mixed =
        arith::XOrIOp::create(b, loc, op.getLhs(), number(*constantOf(op.getRhs()) & ~added));
    Value sum =
        arith::AddIOp::create(b, loc, mixed, number(added),
                              arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
    op.replaceAllUsesWith(sum);
    op.erase();
  }
}
