// See FloatCasts.h.
#include "backends/llvm/FloatCasts.h"
#include "backends/llvm/Builders.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::llvmbackend;

Value llvmbackend::castFloat(OpBuilder &b, Location loc, Value value, Type to) {
  Type from = value.getType();
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (toBits > fromBits)
    return LLVM::FPExtOp::create(b, loc, to, value);
  if (toBits < fromBits)
    return LLVM::FPTruncOp::create(b, loc, to, value);
  if (from == to)
    return value;
  value = LLVM::FPExtOp::create(b, loc, b.getF32Type(), value); // f16 and bf16
  return LLVM::FPTruncOp::create(b, loc, to, value);
}

Value llvmbackend::truncateToBF16(OpBuilder &b, Location loc, Value value) {
  Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
  // Cutting off the low half would make an infinity of a NaN whose payload is low.
  Value isNan = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::uno, value, value);
  Value quiet = LLVM::OrOp::create(b, loc, bits, integerConstant(b, loc, 32, 0x400000));
  bits = LLVM::SelectOp::create(b, loc, isNan, quiet, bits);
  bits = LLVM::LShrOp::create(b, loc, bits, integerConstant(b, loc, 32, 16));
  Value half = LLVM::TruncOp::create(b, loc, b.getI16Type(), bits);
  return LLVM::BitcastOp::create(b, loc, b.getBF16Type(), half);
}

Value llvmbackend::truncateToF32(OpBuilder &b, Location loc, Value value) {
  Type f32 = b.getF32Type(), f64 = b.getF64Type(), i32 = b.getI32Type();
  Value nearest = LLVM::FPTruncOp::create(b, loc, f32, value);
  Value back = LLVM::FPExtOp::create(b, loc, f64, nearest);
  Value isBeyond =
      LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::ogt, LLVM::FAbsOp::create(b, loc, back),
                           LLVM::FAbsOp::create(b, loc, value));
  // Of finite numbers the one before, also where the nearest is an infinity.
  Value step = LLVM::ZExtOp::create(b, loc, i32, isBeyond);
  Value bits = LLVM::BitcastOp::create(b, loc, i32, nearest);
  bits = LLVM::SubOp::create(b, loc, bits, step);
  return LLVM::BitcastOp::create(b, loc, f32, bits);
}

Value llvmbackend::roundToOdd(OpBuilder &b, Location loc, Value value, Value cut) {
  Type i32 = b.getI32Type();
  Value back = LLVM::FPExtOp::create(b, loc, value.getType(), cut);
  Value lost = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::une, back, value);
  Value bits = LLVM::BitcastOp::create(b, loc, i32, cut);
  bits = LLVM::OrOp::create(b, loc, bits, LLVM::ZExtOp::create(b, loc, i32, lost));
  return LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits);
}
