// Loops whose loads feed products: the loads become asynchronous copies into a ring of buffers in
// shared memory, some iterations ahead, and the products read their fragments from there.
//
// What addresses and masks depend on is computed twice: once for the iteration at hand, and once
// for the iteration that is being fetched, with loop-carried values of its own that run ahead.
#include "ir/layout/SharedMemory.h"
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

namespace {
/// What the addresses and masks of a loop's loads depend on inside of it.
struct Slice {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<unsigned> carried; ///< Numbers of loop-carried values.
};
} // namespace

/// Adds what `value` depends on; false if that is more than cheap arithmetic.
static bool addToSlice(scf::ForOp loop, Value value, Slice &slice) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
        continue;
      unsigned index = argument.getArgNumber() - 1;
      if (slice.carried.insert(index))
        work.push_back(loop.getBody()->getTerminator()->getOperand(index));
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody() || slice.ops.contains(op))
      continue;
    if (op->getNumRegions() || !isMemoryEffectFree(op) || isa<tile::DotOp>(op))
      return false;
    slice.ops.insert(op);
    work.append(op->operand_begin(), op->operand_end());
  }
  return true;
}

/// Whether all users are products by instructions in the loop's body, at most a transposition away.
static bool feedsProducts(Value value, Block *body, const LayoutAssignment &layouts) {
  if (value.use_empty())
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getBlock() != body)
      return false;
    if (auto trans = dyn_cast<tile::TransOp>(user))
      return feedsProducts(trans.getResult(), body, layouts);
    return isa<tile::DotOp>(user) && use.getOperandNumber() < 2 &&
           layouts.getDot(user).instruction != nullptr;
  });
}

/// A tile in rows of `inner`, whose 16-byte chunks are swizzled so that a column of eight rows
/// meets every bank once.
static LinearLayout swizzledTile(ArrayRef<int64_t> shape, unsigned inner, unsigned bytes) {
  unsigned innerBits = llvm::Log2_64(shape[inner]), outerBits = llvm::Log2_64(shape[1 - inner]);
  unsigned chunk = std::min(innerBits, llvm::Log2_32(16 / bytes));
  unsigned line = llvm::Log2_32(128 / bytes);
  unsigned rowsInLine = line > innerBits ? line - innerBits : 0;
  unsigned swizzled = std::min(3u, innerBits - chunk);
  DimList outs{Dim(dimName(0), llvm::Log2_64(shape[0])), Dim(dimName(1), llvm::Log2_64(shape[1]))};
  BitVectors bases;
  auto add = [&](uint64_t row, uint64_t column) {
    SmallVector<uint64_t, 2> coordinates(2);
    coordinates[inner] = column;
    coordinates[1 - inner] = row;
    bases.push_back(LinearLayout::pack(outs, coordinates));
  };
  for (unsigned bit = 0; bit < innerBits; ++bit)
    add(0, uint64_t(1) << bit);
  for (unsigned bit = 0; bit < outerBits; ++bit) {
    bool moves = bit >= rowsInLine && bit < rowsInLine + swizzled;
    add(uint64_t(1) << bit, moves ? uint64_t(1) << (chunk + bit - rowsInLine) : 0);
  }
  return LinearLayout({Dim(kOffset, innerBits + outerBits)}, outs, bases);
}

//===----------------------------------------------------------------------===//
// Reading fragments
//===----------------------------------------------------------------------===//

Value Lowering::readBuffered(const Buffered &source, const LinearLayout &wanted) {
  unsigned bytes = getScalarBytes(source.element);
  unsigned count = 1u << wanted.inBits(kRegister);
  LinearLayout toOffset = *source.memory.invert();
  SmallVector<std::string, 2> names{dimName(0), dimName(1)};
  auto offsetOf = [&](uint64_t x, uint64_t y) {
    SmallVector<uint64_t, 2> coordinates;
    for (const Dim &in : toOffset.getIns())
      coordinates.push_back(in.name == names[0] ? x : y);
    return toOffset.apply(coordinates)[0] * bytes;
  };
  auto basisOffset = [&](StringRef in, unsigned bit) {
    return offsetOf(wanted.getBasis(in, bit, names[0]), wanted.getBasis(in, bit, names[1]));
  };
  auto registerOffset = [&](uint64_t reg) {
    uint64_t offset = 0;
    for (unsigned bit = 0; bit < wanted.inBits(kRegister); ++bit)
      if ((reg >> bit) & 1)
        offset ^= basisOffset(kRegister, bit);
    return offset;
  };
  auto place = [&](ArrayRef<uint64_t> bases, uint64_t constantPart) {
    uint64_t bits = 0;
    for (uint64_t basis : bases)
      bits |= basis;
    Value offset = offsetBy(applyToThread(bases), bits, constantPart);
    return Value(arith::AddIOp::create(b, loc, offset, source.slot));
  };

  // The pattern of ldmatrix: a lane holds pairs along dimension `pair`, eight lanes apart in fours.
  auto matches = [&](unsigned pair) {
    if (bytes != 2 || !options.target->hasLoadMatrix || laneBits() != 5 ||
        wanted.inBits(kRegister) < 2)
      return false;
    auto is = [&](StringRef in, unsigned bit, unsigned dim, uint64_t value) {
      return wanted.getBasis(in, bit, names[dim]) == value &&
             wanted.getBasis(in, bit, names[1 - dim]) == 0;
    };
    if (!is(kRegister, 0, pair, 1) || !is(kLane, 0, pair, 2) || !is(kLane, 1, pair, 4))
      return false;
    for (unsigned bit = 0; bit < 3; ++bit)
      if (!is(kLane, 2 + bit, 1 - pair, uint64_t(1) << bit))
        return false;
    for (unsigned dim = 0; dim < 2; ++dim) {
      for (unsigned bit = 1; bit < wanted.inBits(kRegister); ++bit)
        if (wanted.getBasis(kRegister, bit, names[dim]) % 8)
          return false;
      for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
        if (wanted.getBasis(kWarp, bit, names[dim]) % 8)
          return false;
    }
    return source.memory.outBits(names[source.inner]) >= 3;
  };
  Values result(count);
  for (unsigned pair = 0; pair < 2; ++pair) {
    if (!matches(pair))
      continue;
    bool transposed = source.inner != pair;
    unsigned matrixBits = std::min(2u, wanted.inBits(kRegister) - 1);
    llvm::SmallVector<uint64_t, 16> bases;
    for (unsigned bit = 0; bit < 3; ++bit) { // rows of a matrix
      uint64_t step = uint64_t(1) << bit;
      unsigned dim = transposed ? pair : 1 - pair;
      bases.push_back(dim == 0 ? offsetOf(step, 0) : offsetOf(0, step));
    }
    for (unsigned bit = 0; bit < 2; ++bit) // which matrix
      bases.push_back(bit < matrixBits ? basisOffset(kRegister, 1 + bit) : 0);
    for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
      bases.push_back(basisOffset(kWarp, bit));
    unsigned width = 2u << matrixBits;
    auto type = VectorType::get({width}, source.element);
    for (unsigned reg = 0; reg < count; reg += width) {
      Values elements = unpack(LoadMatrixOp::create(b, loc, type, source.buffer,
                                                    place(bases, registerOffset(reg)),
                                                    1 << matrixBits, transposed));
      for (auto [i, element] : llvm::enumerate(elements))
        result[reg + i] = element;
    }
    return pack(result);
  }

  // Any other layout: plain loads, as wide as the two layouts allow.
  std::optional<SharedAccess> access =
      accessShared(wanted, source.memory, bytes, options.target->sharedModel);
  if (!access) {
    hasFailed = true;
    emitError(loc, "internal error: a buffer does not hold what is read from it");
    return poison(VectorType::get({count}, source.element));
  }
  llvm::SmallVector<uint64_t, 16> bases;
  for (StringRef in : {StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < wanted.inBits(in); ++bit)
      bases.push_back(basisOffset(in, bit));
  std::map<uint64_t, Value> byOffset;
  auto combine = [](const BitVectors &masks, uint64_t index) {
    uint64_t reg = 0;
    for (auto [bit, mask] : llvm::enumerate(masks))
      if ((index >> bit) & 1)
        reg ^= mask;
    return reg;
  };
  unsigned width = access->vectorElements;
  for (uint64_t run = 0; run < (uint64_t(1) << access->vectors.runs.size()); ++run) {
    uint64_t first = combine(access->vectors.runs, run);
    unsigned length = 1u << access->vectors.withinRun.size();
    for (unsigned start = 0; start < length; start += width) {
      unsigned size = std::min(width, length - start);
      uint64_t head = first ^ combine(access->vectors.withinRun, start);
      Values elements =
          unpack(SharedLoadOp::create(b, loc, VectorType::get({int64_t(size)}, source.element),
                                      source.buffer, place(bases, registerOffset(head))));
      for (unsigned i = 0; i < size; ++i) {
        uint64_t reg = first ^ combine(access->vectors.withinRun, start + i);
        result[reg] = elements[i];
        byOffset[registerOffset(reg)] = elements[i];
      }
    }
  }
  for (unsigned reg = 0; reg < count; ++reg)
    if (!result[reg])
      result[reg] = byOffset[registerOffset(reg)];
  return pack(result);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

bool Lowering::lowerPipelinedFor(scf::ForOp op) {
  if (!options.target->hasAsyncCopy || options.numStages < 2 || op.getUnsignedCmp())
    return false;
  struct Copy {
    tile::LoadOp load;
    RegisterGroups groups;
    unsigned bytes; ///< Of one element.
    int64_t tileBytes;
    LinearLayout memory;
    unsigned inner;
    Value buffer;
  };
  std::vector<Copy> copies;
  Slice slice;
  int64_t total = 0;
  for (auto load : op.getBody()->getOps<tile::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() != 2 || load.getIsVolatile() ||
        !feedsProducts(load.getResult(), op.getBody(), layouts) ||
        (load.getOther() && !tile::isPositiveZero(load.getOther())))
      continue;
    Copy copy{load, {}, getScalarBytes(elementType(type)), 0, {}, 0, {}};
    const AccessPlan &plan = layouts.getAccess(load);
    copy.inner = plan.order.front();
    copy.groups = groupRegisters(plan, copy.bytes, 16);
    if (copy.groups.front().size() * copy.bytes < 4)
      continue;
    Slice wider = slice;
    if (!addToSlice(op, load.getPtr(), wider) ||
        (load.getMask() && !addToSlice(op, load.getMask(), wider)))
      continue;
    slice = std::move(wider);
    copy.tileBytes = type.getNumElements() * copy.bytes;
    copy.memory = swizzledTile(type.getShape(), copy.inner, copy.bytes);
    total += copy.tileBytes;
    copies.push_back(std::move(copy));
  }
  int64_t stages = options.numStages;
  // Leave some room for what conversions need.
  while (stages > 1 && stages * total > int64_t(options.target->sharedMemoryBytes) * 7 / 8)
    --stages;
  if (copies.empty() || stages < 2)
    return false;

  Value lower = getScalar(op.getLowerBound()), upper = getScalar(op.getUpperBound()),
        step = getScalar(op.getStep());
  Values inits = getAll(op.getInitArgs(), op.getRegionIterArgs());
  Operation *yield = op.getBody()->getTerminator();
  for (Copy &copy : copies)
    copy.buffer = SharedAllocOp::create(b, loc, copy.tileBytes * stages);
  auto ops = llvm::to_vector(slice.ops);
  llvm::sort(ops, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });

  // Starts the copies of one iteration and steps to the next one's values.
  auto fetch = [&](Value induction, ArrayRef<Value> ahead, Value slot) {
    llvm::DenseMap<Value, Value> saved = values;
    pushScope(b.getInsertionBlock(), false);
    set(op.getInductionVar(), induction);
    for (auto [index, value] : llvm::zip(slice.carried, ahead))
      set(op.getRegionIterArg(index), value);
    for (Operation *inner : ops) {
      loc = inner->getLoc();
      lowerOp(inner);
    }
    Value inRange = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, induction, upper);
    for (Copy &copy : copies) {
      loc = copy.load.getLoc();
      const AccessPlan &plan = layouts.getAccess(copy.load);
      Values pointers = unpack(get(copy.load.getPtr(), plan.layout));
      Values masks = copy.load.getMask() ? unpack(get(copy.load.getMask(), plan.layout)) : Values();
      LinearLayout offsets = plan.layout.compose(*copy.memory.invert());
      llvm::SmallVector<uint64_t, 16> bases = threadBases(offsets, kOffset);
      uint64_t bits = 0;
      for (uint64_t &basis : bases)
        bits |= basis *= copy.bytes;
      Value thread = applyToThread(bases);
      Value base = arith::MulIOp::create(b, loc, slot, constant(copy.tileBytes));
      for (const auto &group : copy.groups) {
        Value offset =
            offsetBy(thread, bits, registerImage(offsets, group[0], kOffset) * copy.bytes);
        offset = arith::AddIOp::create(b, loc, offset, base);
        Value mask = conjunction(inRange, masks.empty() ? Value() : masks[group[0]]);
        AsyncCopyOp::create(b, loc, copy.buffer, offset, pointers[group[0]], mask,
                            unsigned(group.size() * copy.bytes));
      }
    }
    AsyncCommitOp::create(b, loc);
    Values next;
    for (unsigned index : slice.carried) {
      Value target = op.getRegionIterArg(index);
      next.push_back(getAll(yield->getOperand(index), target)[0]);
    }
    scopes.pop_back();
    values = std::move(saved);
    return next;
  };

  Location loopLoc = loc;
  Values ahead;
  for (unsigned index : slice.carried)
    ahead.push_back(inits[index]);
  Value induction = lower;
  for (int64_t stage = 0; stage + 1 < stages; ++stage) {
    ahead = fetch(induction, ahead, constant(stage));
    loc = loopLoc;
    induction = arith::AddIOp::create(b, loc, induction, step);
  }

  size_t carried = inits.size();
  Values all(inits);
  all.append(ahead);
  all.append({constant(0), constant(stages - 1), induction});
  auto loop = scf::ForOp::create(b, loc, lower, upper, step, all);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = loop.getBody();
    b.setInsertionPointToEnd(body);
    pushScope(body, true);
    auto arguments = loop.getRegionIterArgs();
    Value readSlot = arguments[all.size() - 3], writeSlot = arguments[all.size() - 2],
          aheadInduction = arguments[all.size() - 1];
    AsyncWaitOp::create(b, loc, stages - 2);
    Values next =
        fetch(aheadInduction, Values(arguments.begin() + carried, arguments.end() - 3), writeSlot);
    loc = loopLoc;
    set(op.getInductionVar(), loop.getInductionVar());
    for (auto [from, to] : llvm::zip(op.getRegionIterArgs(), arguments))
      set(from, to);
    for (Copy &copy : copies) {
      Value slot = arith::MulIOp::create(b, loc, readSlot, constant(copy.tileBytes));
      buffered[copy.load.getResult()] = {copy.buffer, slot, copy.memory, copy.inner,
                                         elementType(copy.load.getType())};
    }
    lowerBlock(*op.getBody());
    loc = loopLoc;
    Values results = getAll(yield->getOperands(), op.getRegionIterArgs());
    results.append(next);
    auto advance = [&](Value slot) -> Value {
      Value following = arith::AddIOp::create(b, loc, slot, constant(1));
      Value wraps =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, following, constant(stages));
      return arith::SelectOp::create(b, loc, wraps, constant(0), following);
    };
    results.push_back(advance(readSlot));
    results.push_back(advance(writeSlot));
    results.push_back(arith::AddIOp::create(b, loc, aheadInduction, step));
    scf::YieldOp::create(b, loc, results);
    scopes.pop_back();
    for (Copy &copy : copies)
      buffered.erase(copy.load.getResult());
  }
  // Copies that are still under way write to memory that may be used for something else from here.
  AsyncWaitOp::create(b, loc, 0);
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    set(from, to);
  return true;
}
