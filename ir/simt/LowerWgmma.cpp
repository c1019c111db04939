// Products by instructions of warp groups: operands are read from shared memory where they are
// tiles of pipelined loops, else they are stored there first; the first operand may stay in
// registers if it is in the right ones. The instructions are asynchronous: a product waits for its
// own, unless the pipelined loop has arranged that its accumulator runs on into the next iteration.
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// The bits of a warp's number inside its group.
static constexpr unsigned kGroupWarpBits = 2;

/// The offset, in elements, of the element at `at` along `dim` and `other` along the other one.
static uint64_t offsetOf(const LinearLayout &toOffset, unsigned dim, uint64_t at, uint64_t other) {
  SmallVector<uint64_t, 2> coordinates;
  for (const Dim &in : toOffset.getIns())
    coordinates.push_back(in.name == dimName(dim) ? at : other);
  return toOffset.apply(coordinates)[0];
}

std::optional<Lowering::Buffered> Lowering::findBuffered(Value operand) {
  bool swapped = false;
  while (!buffered.count(operand)) {
    auto trans = operand.getDefiningOp<tile::TransOp>();
    if (!trans)
      return std::nullopt;
    swapped ^= trans.getOrder()[0] == 1;
    operand = trans.getSource();
  }
  Buffered result = buffered.find(operand)->second;
  if (swapped) {
    result.memory = transposeDims(result.memory, {1, 0});
    result.inner = 1 - result.inner;
  }
  return result;
}

bool Lowering::isInFragments(Value operand, const LinearLayout &wanted) {
  ConversionOptions conversion;
  conversion.elementBytes = getScalarBytes(elementType(operand.getType()));
  llvm::Expected<ConversionPlan> plan = planConversion(layoutOf(operand), wanted, conversion);
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return false;
  }
  return plan->kind == ConversionKind::None || plan->kind == ConversionKind::Registers;
}

size_t Lowering::hoist(Value operand) {
  size_t target = scopes.size() - 1, owner = target;
  Value value = values.lookup(operand);
  if (!value)
    return target;
  while (owner > 0 && scopes[owner].block != value.getParentBlock())
    --owner;
  bool crossesLoop = false;
  for (size_t i = owner + 1; i <= target; ++i)
    crossesLoop |= scopes[i].isLoop;
  if (!crossesLoop || scopes[owner].block != value.getParentBlock())
    return target;
  b.setInsertionPointAfterValue(value);
  loc = operand.getLoc();
  return owner;
}

Lowering::Buffered Lowering::stage(Value operand, unsigned summed, bool takesAnyOrder) {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.staged.find({operand, summed}); found != scope.staged.end())
      return found->second;
  auto type = cast<RankedTensorType>(operand.getType());
  Type element = elementType(type);
  unsigned bytes = getScalarBytes(element);
  LinearLayout home = canonicalize(layoutOf(operand), laneBits(), warpBits());
  // In the order in which a thread has neighbours, if the instruction takes it.
  unsigned inner = summed;
  if (takesAnyOrder && home.inBits(kRegister) &&
      home.getBasis(kRegister, 0, dimName(1 - summed)) == 1 &&
      describeTile(type.getShape(), 1 - summed, bytes, summed))
    inner = 1 - summed;

  // What does not change in a loop is stored once, before the loop.
  OpBuilder::InsertionGuard guard(b);
  Location oldLoc = loc;
  size_t target = hoist(operand);
  Value vector = get(operand, home);
  Buffered result{{}, {}, swizzledTile(type.getShape(), inner, bytes), inner, element};
  auto buffer = SharedAllocOp::create(b, loc, type.getNumElements() * bytes);
  buffer.setAlignment(kMatrixTileAlignment);
  result.buffer = buffer;
  result.slot = constant(0);
  std::optional<SharedAccess> access =
      accessShared(home, result.memory, bytes, options.target->sharedModel);
  if (!access) {
    hasFailed = true;
    emitError(loc, "internal error: a buffer does not hold what is stored to it");
    return result;
  }
  storeShared(vector, home, *access, buffer);
  ProxyFenceOp::create(b, loc);
  loc = oldLoc;
  scopes[target].staged[{operand, summed}] = result;
  return result;
}

Value Lowering::uniformInWarp(ArrayRef<uint64_t> bases) {
  if (llvm::all_of(bases, [](uint64_t basis) { return basis == 0; }))
    return {};
  std::vector<uint64_t> key(bases.begin(), bases.end());
  if (auto it = uniformMaps.find(key); it != uniformMaps.end())
    return it->second;
  Value value = applyToThread(bases);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(value);
  // All lanes have it already; a shuffle tells the target's compiler so.
  return uniformMaps[key] = shuffle(ShuffleMode::Index, value, constant(0));
}

Value Lowering::dotByWarpGroups(tile::DotOp op, const DotPlan &plan) {
  const WarpGroupInstruction &row = *plan.warpGroup->instruction;
  unsigned columns = plan.warpGroup->columns;
  auto aType = cast<RankedTensorType>(op.getA().getType());

  struct Operand {
    Buffered tile;
    MatrixDescription description;
    LinearLayout toOffset;
    Value offset;
  };
  auto makeOperand = [&](Value value, const Buffered &tile, unsigned summed) {
    auto type = cast<RankedTensorType>(value.getType());
    unsigned bytes = getScalarBytes(tile.element);
    Operand operand{tile, *describeTile(type.getShape(), tile.inner, bytes, summed),
                    *tile.memory.invert(), tile.slot};
    // Which part of the tile is this warp group's.
    std::string outer = dimName(1 - summed);
    llvm::SmallVector<uint64_t, 16> bases(laneBits() + kGroupWarpBits);
    for (unsigned bit = kGroupWarpBits; bit < warpBits(); ++bit) {
      uint64_t start = plan.d.getBasis(kWarp, bit, outer);
      bases.push_back(offsetOf(operand.toOffset, 1 - summed, start, 0) * bytes);
    }
    if (Value part = uniformInWarp(bases))
      operand.offset = arith::AddIOp::create(b, loc, operand.offset, part);
    return operand;
  };

  std::optional<Operand> a;
  Values aRegisters;
  if (std::optional<Buffered> tile = findBuffered(op.getA()))
    a = makeOperand(op.getA(), *tile, 1);
  else if (isInFragments(op.getA(), plan.a))
    aRegisters = unpack(get(op.getA(), plan.a));
  else
    a = makeOperand(op.getA(), stage(op.getA(), 1, row.takesAnyOrder), 1);
  std::optional<Buffered> bTile = findBuffered(op.getB());
  Operand bb = makeOperand(op.getB(), bTile ? *bTile : stage(op.getB(), 0, row.takesAnyOrder), 0);

  // Registers of the result: an instruction's, then its column tiles, then its row tiles; of the
  // first operand: a fragment's, then steps along k, then row tiles.
  unsigned steps = aType.getDimSize(1) / row.k;
  unsigned perInstruction = columns / 2;
  // Accumulators may be wider than the result.
  Type accElement = elementType(op.getType());
  bool widens = accElement.isF16() && row.acc == MatrixElement::F32;
  Value accVector = get(op.getAcc(), plan.d);
  if (widens)
    accVector = arith::ExtFOp::create(
        b, loc, cast<VectorType>(accVector.getType()).clone(b.getF32Type()), accVector);
  Values acc = unpack(accVector);
  SmallVector<Value, 8> tiles;
  for (size_t start = 0; start < acc.size(); start += perInstruction)
    tiles.push_back(pack(ArrayRef(acc).slice(start, perInstruction)));
  unsigned accBits = llvm::Log2_32(perInstruction);
  auto coordinate = [&](unsigned tile, unsigned dim) {
    return registerImage(plan.d, uint64_t(tile) << accBits, dimName(dim));
  };
  SmallVector<Value, 16> aTiles;
  if (!a) {
    unsigned rowTiles = 1;
    for (unsigned tile = 0; tile < tiles.size(); ++tile)
      if (!coordinate(tile, 1) && coordinate(tile, 0))
        ++rowTiles;
    size_t fragment = aRegisters.size() / (rowTiles * steps);
    for (size_t start = 0; start < aRegisters.size(); start += fragment)
      aTiles.push_back(pack(ArrayRef(aRegisters).slice(start, fragment)));
  }

  SmallVector<Value, 2> buffers{bb.tile.buffer};
  if (a)
    buffers.push_back(a->tile.buffer);
  WgmmaFenceOp::create(b, loc, buffers);
  std::string name =
      "m64n" + std::to_string(columns) + "k" + std::to_string(row.k) + "." + row.types;
  auto strides = [](const MatrixDescription &description) {
    return SmallVector<int64_t, 3>{description.swizzleBytes, int64_t(description.leadingBytes),
                                   int64_t(description.strideBytes)};
  };
  auto startOf = [&](const Operand &operand, unsigned outerDim, uint64_t outer, uint64_t inner) {
    return int64_t(offsetOf(operand.toOffset, outerDim, outer, inner) *
                   getScalarBytes(operand.tile.element));
  };
  for (unsigned step = 0; step < steps; ++step) {
    unsigned rowTile = 0;
    for (unsigned tile = 0; tile < tiles.size(); ++tile) {
      if (tile && !coordinate(tile, 1))
        ++rowTile;
      Value &sum = tiles[tile];
      uint64_t k = uint64_t(step) * row.k;
      auto product = WgmmaOp::create(
          b, loc, sum.getType(), name, a ? Value() : aTiles[step + size_t(rowTile) * steps],
          a ? a->tile.buffer : Value(), a ? a->offset : Value(), bb.tile.buffer, bb.offset, sum,
          a ? startOf(*a, 0, coordinate(tile, 0), k) : 0,
          a ? strides(a->description) : SmallVector<int64_t, 3>(), a && !a->description.isKMajor,
          startOf(bb, 1, coordinate(tile, 1), k), strides(bb.description),
          !bb.description.isKMajor);
      sum = product.getResult();
    }
  }
  WgmmaCommitOp::create(b, loc);
  if (!deferredProducts.contains(op)) {
    auto wait = WgmmaWaitOp::create(b, loc, ValueRange(tiles).getTypes(), 0, tiles, aTiles);
    tiles.assign(wait.getResults().begin(), wait.getResults().end());
  }
  Values result;
  for (Value tile : tiles)
    result.append(unpack(tile));
  Value vector = pack(result);
  if (widens)
    vector = arith::TruncFOp::create(b, loc, cast<VectorType>(vector.getType()).clone(accElement),
                                     vector);
  return vector;
}
