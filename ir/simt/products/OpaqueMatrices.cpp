// Products by instructions whose fragments are opaque (cooperative matrices): operands are read
// from shared memory, from the tiles of pipelined loops or stored there first, and accumulators are
// matrices from the first step to the last. MatrixRegisters.h handles both ends.
#include "ir/schedule/RingTile.h"
#include "ir/simt/FloatCasts.h"
#include "ir/simt/ProductStrategy.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using schedule::opaqueElement;

/// Stores a product's operand to a padded tile.
static FailureOr<SharedTile> store(LowerContext &c, Value operand, Type element) {
  constexpr unsigned kForMatrices = ~0u;
  if (const SharedTile *stored = c.getStored(operand, kForMatrices))
    return *stored;
  auto type = cast<RankedTensorType>(operand.getType());
  LinearLayout home = c.canonicalize(c.layoutOf(operand));
  if (!schedule::canStorePadded(home))
    home = c.layouts.getDefault(type);
  unsigned inner = home.inBits(kRegister) && home.getBasis(kRegister, 0, dimName(0)) == 1 ? 0 : 1;

  // A loop invariant is stored once, before the loop.
  PlaceGuard guard(c.b);
  size_t scope = c.hoist(operand);
  FailureOr<Value> registers = c.get(operand, home);
  if (failed(registers))
    return failure();
  Value vector = *registers;
  if (Type source = type.getElementType(); source != element)
    vector = castFloat(c, vector, source, element, element);
  SharedTile tile = *paddedTile(type, inner, element, home);
  tile.buffer = SharedAllocOp::create(c.b, bytesOf(tile));
  tile.slot = constant(c.b, 0);
  storePadded(c, vector, home, tile, /*ahead=*/false);
  c.setStored(scope, operand, kForMatrices, tile);
  return tile;
}

namespace {
class OpaqueMatrixProduct {
public:
  OpaqueMatrixProduct(LowerContext &c, tile::DotOp op, const DotPlan &plan)
      : c(c), op(op), plan(plan), row(*plan.instruction) {}
  FailureOr<Value> emit();

private:
  struct Operand {
    SharedTile tile;
    Value start; ///< Of what is this warp's.
    int64_t at(uint64_t row, uint64_t column) const {
      uint64_t line = tile.inner == 1 ? row : column, inLine = tile.inner == 1 ? column : row;
      return int64_t(line * tile.pitch + inLine * getScalarBytes(tile.element));
    }
  };
  FailureOr<Operand> place(Value value, MatrixElement element, unsigned outerDim);
  Value load(const Operand &operand, MatrixType type, uint64_t row, uint64_t column);
  MatrixType matrixType(unsigned rows, unsigned columns, MatrixElement element, MatrixUse use) {
    MLIRContext *context = c.b.getContext();
    return MatrixType::get(context, rows, columns, opaqueElement(element, context), use);
  }
  uint64_t coordinate(unsigned tile, unsigned dim) const {
    return registerImage(plan.d, uint64_t(tile) << row.dLayout.inBits(kRegister), dimName(dim));
  }

  LowerContext &c;
  tile::DotOp op;
  const DotPlan &plan;
  const MatrixInstruction &row;
};

class OpaqueMatrixStrategy final : public ProductStrategy {
public:
  FailureOr<Value> multiply(LowerContext &c, tile::DotOp op, const DotPlan &plan) const override {
    return OpaqueMatrixProduct(c, op, plan).emit();
  }
};
} // namespace

FailureOr<OpaqueMatrixProduct::Operand>
OpaqueMatrixProduct::place(Value value, MatrixElement element, unsigned outerDim) {
  std::optional<SharedTile> tile = findTile(c, value);
  if (!tile) {
    FailureOr<SharedTile> stored = store(c, value, opaqueElement(element, c.b.getContext()));
    if (failed(stored))
      return failure();
    tile = *stored;
  }
  Operand operand{*tile, tile->slot};
  SmallVector<uint64_t, 16> bases(c.laneBits());
  for (unsigned bit = 0; bit < c.warpBits(); ++bit) {
    uint64_t start = plan.d.getBasis(kWarp, bit, dimName(outerDim));
    bases.push_back(outerDim == 0 ? operand.at(start, 0) : operand.at(0, start));
  }
  if (llvm::any_of(bases, [](uint64_t basis) { return basis != 0; }))
    operand.start = arith::AddIOp::create(c.b, operand.start, c.threads.sumUniform(bases));
  return operand;
}

Value OpaqueMatrixProduct::load(const Operand &operand, MatrixType type, uint64_t row,
                                uint64_t column) {
  Value offset = operand.start;
  if (int64_t bytes = operand.at(row, column))
    offset = arith::AddIOp::create(c.b, offset, constant(c.b, int32_t(bytes)));
  return MatrixLoadOp::create(c.b, type, operand.tile.buffer, offset, operand.tile.pitch,
                              operand.tile.inner == 0);
}

FailureOr<Value> OpaqueMatrixProduct::emit() {
  FailureOr<Operand> a = place(op.getA(), row.a, 0);
  if (failed(a))
    return failure();
  FailureOr<Operand> b = place(op.getB(), row.b, 1);
  FailureOr<Value> start = c.get(op.getAcc(), plan.d);
  if (failed(b) || failed(start))
    return failure();
  Value acc = *start;
  auto resultType = cast<VectorType>(acc.getType());
  auto accType = resultType.clone(opaqueElement(row.acc, c.b.getContext()));
  if (accType != resultType)
    acc = arith::ExtFOp::create(c.b, accType, acc);
  MatrixType aType = matrixType(row.m, row.k, row.a, MatrixUse::A),
             bType = matrixType(row.k, row.n, row.b, MatrixUse::B),
             dType = matrixType(row.m, row.n, row.acc, MatrixUse::Accumulator);
  unsigned rows = 1u << plan.rowBits, columns = 1u << plan.columnBits;
  SmallVector<Type> types(size_t(rows) * columns, dType);
  auto from = MatrixFromRegistersOp::create(c.b, types, acc);
  SmallVector<Value> tiles(from.getResults());
  for (unsigned step = 0; step < 1u << plan.stepBits; ++step) {
    uint64_t k = uint64_t(step) * row.k;
    SmallVector<Value, 8> left, right;
    for (unsigned i = 0; i < rows; ++i)
      left.push_back(load(*a, aType, coordinate(i << plan.columnBits, 0), k));
    for (unsigned j = 0; j < columns; ++j)
      right.push_back(load(*b, bType, k, coordinate(j, 1)));
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < columns; ++j) {
        Value &sum = tiles[(i << plan.columnBits) | j];
        sum = MatrixMultiplyAddOp::create(c.b, dType, left[i], right[j], sum);
      }
  }
  Value result = MatrixToRegistersOp::create(c.b, accType, tiles);
  if (accType != resultType)
    result = arith::TruncFOp::create(c.b, resultType, result);
  return result;
}

const ProductStrategy &simt::opaqueMatrixStrategy() {
  static const OpaqueMatrixStrategy strategy;
  return strategy;
}
