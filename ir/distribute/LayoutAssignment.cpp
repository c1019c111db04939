// Assignment of layouts, in three steps: accesses and products choose theirs; these flow forward
// through elementwise and shape operations and around loops, the stronger one winning; what loops
// carry and nothing has decided takes what its users need.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/TensorLayout.h"

#include "mlir/IR/Visitors.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

namespace tilerun::distribute {

/// How much it would cost to move a value to another layout, roughly.
enum Strength : unsigned { Weak = 1, Loaded = 2, Product = 3 };

class Assigner {
public:
  Assigner(LayoutAssignment &result, const FactsFunction &facts) : result(result), facts(facts) {
    laneBits = llvm::Log2_32(result.options.target->warpSize);
    warpBits = llvm::Log2_32(result.options.numWarps);
  }
  LogicalResult run(func::FuncOp kernel);

private:
  LogicalResult checkShapes(func::FuncOp kernel);
  void planAccess(Operation *op, Value ptr, Value mask);
  void chooseAccessLayouts();
  void forward(Operation *op);
  void backward(Block &block);
  void backward(Operation *op);
  void settleRest(func::FuncOp kernel);
  void cutChains(ArrayRef<Operation *> ops);

  const LinearLayout *home(Value value) const { return result.getHome(value); }
  unsigned strength(Value value) const {
    auto it = result.homes.find(value);
    return it == result.homes.end() ? 0 : it->second.second;
  }
  LinearLayout limitRepeating(LinearLayout layout, RankedTensorType type) const;
  void propose(Value value, const LinearLayout &layout, unsigned strength);
  void proposeFrom(Value value, Value source) {
    if (const LinearLayout *layout = home(source))
      propose(value, LinearLayout(*layout), strength(source));
  }
  void need(Value value, const LinearLayout &layout) {
    if (isa<RankedTensorType>(value.getType()) && !home(value))
      needs.try_emplace(value, layout);
  }
  LinearLayout canonical(const LinearLayout &layout) const {
    return canonicalize(layout, laneBits, warpBits);
  }
  /// The layout of a reduction's operand.
  LinearLayout operandHome(Value operand) const {
    const LinearLayout *layout = home(operand);
    return layout ? *layout : result.getDefault(cast<RankedTensorType>(operand.getType()));
  }

  LayoutAssignment &result;
  const FactsFunction &facts;
  unsigned laneBits, warpBits;
  bool changed = false;
  SmallVector<Operation *> accessOps; ///< In program order.
  llvm::DenseMap<Value, LinearLayout> needs;
};

} // namespace tilerun::distribute

const LinearLayout *LayoutAssignment::getHome(Value value) const {
  auto it = homes.find(value);
  return it == homes.end() ? nullptr : &it->second.first;
}

static LinearLayout coalesced(const LayoutAssignment &assignment, ArrayRef<int64_t> shape,
                              unsigned perThread, ArrayRef<unsigned> order) {
  unsigned lanes = assignment.target().warpSize, warps = assignment.numWarps();
  // Shapes were checked, so that this cannot fail.
  LinearLayout layout = llvm::cantFail(coalescedLayout(shape, perThread, lanes, warps, order));
  return canonicalize(layout, llvm::Log2_32(lanes), llvm::Log2_32(warps));
}

LinearLayout LayoutAssignment::getDefault(RankedTensorType type) const {
  SmallVector<unsigned, 4> order;
  for (int64_t i = type.getRank(); i-- > 0;)
    order.push_back(i);
  return coalesced(*this, type.getShape(), 1, order);
}

LinearLayout LayoutAssignment::getOrdered(RankedTensorType type, unsigned axis) const {
  SmallVector<unsigned, 4> order{axis};
  for (int64_t i = type.getRank(); i-- > 0;)
    if (i != axis)
      order.push_back(i);
  int64_t threads = int64_t(options.numWarps) * target().warpSize;
  int64_t perThread = std::max<int64_t>(1, type.getDimSize(axis) / threads);
  return coalesced(*this, type.getShape(), perThread, order);
}

SmallVector<int64_t> LayoutAssignment::getSameRegisters(Value value,
                                                        const LinearLayout &layout) const {
  auto it = runs.find(value);
  unsigned bits = layout.inBits(kRegister);
  if (it == runs.end() || !bits)
    return {};
  // Registers that differ in positions within a run alone, in whichever lane and warp.
  uint64_t within = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    within |= uint64_t(llvm::all_of(llvm::enumerate(it->second),
                                    [&, bit](auto run) {
                                      return layout.getBasis(kRegister, bit, dimName(run.index())) <
                                             uint64_t(run.value());
                                    }))
              << bit;
  SmallVector<int64_t> same;
  if (within)
    for (uint64_t index = 0; index < uint64_t(1) << bits; ++index)
      same.push_back(index & ~within);
  return same;
}

FailureOr<LayoutAssignment> LayoutAssignment::compute(func::FuncOp kernel, const Options &options,
                                                      const FactsFunction &facts) {
  LayoutAssignment result;
  result.options = options;
  if (failed(Assigner(result, facts).run(kernel)))
    return failure();
  if (options.runs)
    kernel.walk([&](arith::CmpIOp op) {
      if (!isa<RankedTensorType>(op.getType()))
        return;
      auto runs = options.runs(op);
      if (llvm::any_of(runs, [](int64_t run) { return run > 1; }))
        result.runs.try_emplace(op, std::move(runs));
    });
  return result;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Most elements of one tensor in a thread. They are values of their own to the code generator,
/// whose time and memory grow faster than their number.
static constexpr int64_t kMaxRegisters = 1024;

LogicalResult Assigner::checkShapes(func::FuncOp kernel) {
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type)) {
        if (llvm::Error error = tensorDims(tensor.getShape()).takeError())
          return op->emitOpError()
                 << "cannot be distributed over threads on " << result.target().name << ": "
                 << llvm::toString(std::move(error));
        int64_t each = tensor.getNumElements() >> (laneBits + warpBits);
        if (each > kMaxRegisters)
          return op->emitOpError() << "gives " << tensor.getNumElements() << " elements, " << each
                                   << " in each of the program's " << (1 << (laneBits + warpBits))
                                   << " threads, but at most " << kMaxRegisters
                                   << " can be compiled; use smaller blocks or a larger num_warps";
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

void Assigner::planAccess(Operation *op, Value ptr, Value mask) {
  auto type = dyn_cast<RankedTensorType>(ptr.getType());
  if (!type)
    return;
  AccessPlan plan;
  plan.facts = facts(ptr, mask);
  unsigned rank = type.getRank();
  for (unsigned i = rank; i-- > 0;)
    plan.order.push_back(i);
  llvm::sort(plan.order, [&](unsigned x, unsigned y) {
    return std::tuple(plan.facts.contiguity[x], type.getDimSize(x) > 1, x) >
           std::tuple(plan.facts.contiguity[y], type.getDimSize(y) > 1, y);
  });
  result.accesses[op] = std::move(plan);
  accessOps.push_back(op);
}

static std::pair<Value, Value> pointerAndMask(Operation *op) {
  return TypeSwitch<Operation *, std::pair<Value, Value>>(op)
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp>(
          [](auto access) { return std::pair<Value, Value>(access.getPtr(), access.getMask()); })
      .Case<tile::AtomicCASOp>(
          [](auto access) { return std::pair<Value, Value>(access.getPtr(), Value()); })
      .Default(std::pair<Value, Value>());
}

/// Accesses of one shape and order share a layout, as wide as the widest of them can use.
void Assigner::chooseAccessLayouts() {
  std::map<std::pair<std::vector<int64_t>, std::vector<unsigned>>, unsigned> widths;
  auto keyOf = [&](Operation *op) {
    auto type = cast<RankedTensorType>(pointerAndMask(op).first.getType());
    const AccessPlan &plan = result.accesses[op];
    return std::pair(std::vector<int64_t>(type.getShape().begin(), type.getShape().end()),
                     std::vector<unsigned>(plan.order.begin(), plan.order.end()));
  };
  int64_t threads = int64_t(result.numWarps()) * result.target().warpSize;
  for (Operation *op : accessOps) {
    auto type = cast<RankedTensorType>(pointerAndMask(op).first.getType());
    auto pointee = cast<tile::PointerType>(type.getElementType()).getPointeeType();
    int64_t bytes = tile::getElementBytes(pointee);
    const AccessPlan &plan = result.accesses[op];
    unsigned inner = plan.order.front();
    int64_t width = 1;
    if (isa<tile::LoadOp, tile::StoreOp>(op))
      width =
          std::min({int64_t(result.target().maxVectorBytes) / bytes, plan.facts.contiguity[inner],
                    plan.facts.alignment[inner] / bytes, plan.facts.constancy[inner],
                    std::max<int64_t>(1, type.getNumElements() / threads)});
    width = std::max<int64_t>(1, llvm::bit_floor(uint64_t(std::max<int64_t>(width, 1))));
    unsigned &widest = widths[keyOf(op)];
    widest = std::max(widest, unsigned(width));
  }
  for (Operation *op : accessOps) {
    auto type = cast<RankedTensorType>(pointerAndMask(op).first.getType());
    AccessPlan &plan = result.accesses[op];
    plan.layout = coalesced(result, type.getShape(), widths[keyOf(op)], plan.order);
  }
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

/// Most elements of one tensor in a thread where other threads hold the same ones.
static constexpr unsigned kMaxRepeatedBits = 8;

/// Copies along a new dimension stay in the threads that hold the original. Where all threads hold
/// all of a row, and its copies are a tile, each would compute the whole tile: not beyond a few
/// elements.
LinearLayout Assigner::limitRepeating(LinearLayout layout, RankedTensorType type) const {
  unsigned bits = llvm::Log2_64(type.getNumElements()), threadBits = laneBits + warpBits;
  unsigned needed = bits > threadBits ? bits - threadBits : 0;
  if (layout.inBits(kRegister) <= std::max(needed, kMaxRepeatedBits))
    return layout;
  return result.getDefault(type);
}

void Assigner::propose(Value value, const LinearLayout &layout, unsigned strength) {
  if (!isa<RankedTensorType>(value.getType()) || strength <= this->strength(value))
    return;
  result.homes[value] = {layout, strength};
  changed = true;
}

static unsigned bytesOf(Value value) {
  return tile::getElementBytes(getElementTypeOrSelf(value.getType()));
}

void Assigner::forward(Operation *op) {
  if (auto access = result.accesses.find(op); access != result.accesses.end()) {
    // Where neighbours are not contiguous, nothing is gained by moving indices that were loaded.
    auto [ptr, mask] = pointerAndMask(op);
    AccessPlan &plan = access->second;
    if (const LinearLayout *indices = home(ptr))
      if (plan.facts.contiguity[plan.order.front()] == 1 && strength(ptr) > Weak)
        plan.layout = *indices;
    // A small result is stored where it is; so is one that would not fit into shared memory on the
    // way to a better layout.
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      auto type = cast<RankedTensorType>(ptr.getType());
      int64_t threads = int64_t(result.numWarps()) * result.target().warpSize;
      if (const LinearLayout *value = home(store.getValue()))
        if (type.getNumElements() <= threads ||
            type.getNumElements() * int64_t(bytesOf(store.getValue())) >
                int64_t(result.target().sharedMemoryBytes) * 3 / 4)
          plan.layout = canonical(*value);
    }
    for (Value value : op->getResults())
      propose(value, plan.layout, Loaded);
    return;
  }
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return propose(dot.getResult(), canonical(result.dots[op].d), Product);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    if (const LinearLayout *source = home(expand.getSource()))
      propose(expand.getResult(), canonical(expandDim(*source, expand.getAxis())),
              strength(expand.getSource()));
    return;
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    const LinearLayout *source = home(broadcast.getSource());
    if (!source)
      return;
    LinearLayout layout = *source;
    auto from = cast<RankedTensorType>(broadcast.getSource().getType()).getShape();
    auto to = cast<RankedTensorType>(broadcast.getType()).getShape();
    for (auto [i, sizes] : llvm::enumerate(llvm::zip(from, to)))
      if (std::get<0>(sizes) != std::get<1>(sizes))
        layout = broadcastDim(layout, i, llvm::Log2_64(std::get<1>(sizes)));
    return propose(broadcast.getResult(), limitRepeating(canonical(layout), broadcast.getType()),
                   Weak);
  }
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    SmallVector<unsigned, 4> order(trans.getOrder().begin(), trans.getOrder().end());
    if (const LinearLayout *source = home(trans.getSource()))
      propose(trans.getResult(), canonical(transposeDims(*source, order)),
              strength(trans.getSource()));
    return;
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    auto shape = cast<RankedTensorType>(reshape.getType()).getShape();
    if (const LinearLayout *source = home(reshape.getSource()))
      propose(reshape.getResult(), canonical(reshapeDims(*source, shapeBits(shape))),
              strength(reshape.getSource()));
    return;
  }
  if (auto join = dyn_cast<tile::JoinOp>(op)) {
    const LinearLayout *source = home(join.getLhs()) ? home(join.getLhs()) : home(join.getRhs());
    if (source)
      propose(join.getResult(), canonical(joinLayout(*source)), Weak);
    return;
  }
  if (auto cat = dyn_cast<tile::CatOp>(op)) {
    const LinearLayout *source = home(cat.getLhs()) ? home(cat.getLhs()) : home(cat.getRhs());
    if (source)
      propose(cat.getResult(),
              canonical(*source * LinearLayout::identity1D(1, kRegister, dimName(0))), Weak);
    return;
  }
  if (auto split = dyn_cast<tile::SplitOp>(op)) {
    LinearLayout layout = canonical(splitLayout(operandHome(split.getSource())));
    for (Value value : split.getResults())
      propose(value, layout, Weak);
    return;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    LinearLayout layout = canonical(sliceDim(operandHome(reduce.getOperand(0)), reduce.getAxis()));
    for (Value value : reduce.getResults())
      propose(value, layout, Weak);
    return;
  }
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return propose(gather.getResult(), operandHome(gather.getIndices()), Weak);
  if (auto histogram = dyn_cast<tile::HistogramOp>(op))
    return propose(histogram.getResult(),
                   result.getDefault(cast<RankedTensorType>(histogram.getType())), Weak);
  // Assembly may be of scalars.
  if (isa<tile::MapOp, tile::InlineAsmOp>(op) && op->getNumResults() &&
      isa<RankedTensorType>(op->getResult(0).getType())) {
    for (Value value : op->getResults())
      for (Value operand : op->getOperands())
        propose(value, operandHome(operand), std::max(strength(operand), unsigned(Weak)));
    return;
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    auto type = cast<RankedTensorType>(scan.getOperand(0).getType());
    for (Value value : scan.getResults())
      propose(value, result.getOrdered(type, scan.getAxis()), Loaded);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto yielded = loop.getBody()->getTerminator()->getOperands();
    for (auto [init, argument, next, value] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), yielded, loop.getResults())) {
      proposeFrom(argument, init);
      proposeFrom(argument, next);
      proposeFrom(value, argument);
    }
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        for (auto [value, yielded] :
             llvm::zip(branch.getResults(), region->front().getTerminator()->getOperands()))
          proposeFrom(value, yielded);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument, next] :
         llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands())) {
      proposeFrom(argument, init);
      proposeFrom(argument, next);
    }
    for (auto [value, passed, argument] :
         llvm::zip(loop.getResults(), loop.getConditionOp().getArgs(), loop.getAfterArguments())) {
      proposeFrom(argument, passed);
      proposeFrom(value, argument);
    }
    return;
  }
  if (op->getNumRegions())
    return;
  // Elementwise: the strongest operand decides.
  Value strongest;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && home(operand))
      if (!strongest || strength(operand) > strength(strongest))
        strongest = operand;
  if (strongest)
    for (Value value : op->getResults())
      proposeFrom(value, strongest);
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

void Assigner::backward(Block &block) {
  for (Operation &op : llvm::reverse(block))
    backward(&op);
}

void Assigner::backward(Operation *op) {
  auto wanted = [&](Value value) -> const LinearLayout * {
    if (const LinearLayout *layout = home(value))
      return layout;
    auto it = needs.find(value);
    return it == needs.end() ? nullptr : &it->second;
  };
  if (auto access = result.accesses.find(op); access != result.accesses.end()) {
    for (Value operand : op->getOperands())
      need(operand, access->second.layout);
    return;
  }
  if (op->getNumRegions() && !isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(op)) {
    // What a loop carries: a user after it, or one inside of it.
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [value, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
        if (const LinearLayout *layout = wanted(value))
          need(argument, LinearLayout(*layout));
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [value, argument, passed] :
           llvm::zip(loop.getResults(), loop.getAfterArguments(), loop.getConditionOp().getArgs()))
        if (const LinearLayout *layout = wanted(value)) {
          need(argument, LinearLayout(*layout));
          need(passed, LinearLayout(*layout));
        }
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        backward(block);
    return;
  }
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return;
  const LinearLayout *found = wanted(op->getResult(0));
  if (!found)
    return;
  LinearLayout layout = *found;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return need(expand.getSource(), canonical(expandDimsSource(layout, expand.getAxis())));
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return need(trans.getSource(), canonical(transSource(layout, trans.getOrder())));
  if (isa<tile::ReshapeOp, tile::BroadcastOp>(op)) {
    auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
    LinearLayout source =
        isa<tile::ReshapeOp>(op) ? reshapeSource(layout, shape) : broadcastSource(layout, shape);
    return need(op->getOperand(0), canonical(source));
  }
  if (isa<tile::JoinOp, tile::SplitOp, tile::CatOp, tile::ReduceOp, tile::ScanOp, tile::DotOp,
          tile::GatherOp, tile::HistogramOp>(op))
    return;
  for (Value operand : op->getOperands())
    need(operand, layout);
}

/// Gives a layout to everything that crosses a region's boundary.
void Assigner::settleRest(func::FuncOp kernel) {
  auto settle = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || home(value))
      return;
    auto it = needs.find(value);
    result.homes[value] = {it != needs.end() ? it->second : result.getDefault(type), Weak};
  };
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [value, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs())) {
        settle(argument);
        if (const LinearLayout *layout = home(argument); layout && !home(value))
          result.homes[value] = {LinearLayout(*layout), Weak};
      }
      return;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (Value argument : loop.getBeforeArguments())
        settle(argument);
      // What the condition passes is the result, too: one layout for both.
      for (auto [value, argument] : llvm::zip(loop.getResults(), loop.getAfterArguments())) {
        settle(argument);
        if (const LinearLayout *layout = home(argument))
          result.homes[value] = {LinearLayout(*layout), Weak};
      }
    }
    if (isa<scf::IfOp>(op))
      for (Value value : op->getResults())
        settle(value);
  });
}

/// Values without a layout are computed by recursion from their users: a long chain of them gets a
/// layout here and there, which bounds its depth.
void Assigner::cutChains(ArrayRef<Operation *> ops) {
  constexpr unsigned kMaxChain = 100;
  llvm::DenseMap<Value, unsigned> depths;
  for (Operation *op : ops) {
    if (op->getNumRegions())
      continue;
    unsigned depth = 0;
    for (Value operand : op->getOperands())
      depth = std::max(depth, depths.lookup(operand));
    for (Value value : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || home(value))
        continue;
      if (depth < kMaxChain) {
        depths[value] = depth + 1;
        continue;
      }
      auto it = needs.find(value);
      result.homes[value] = {it != needs.end() ? it->second : result.getDefault(type), Weak};
    }
  }
}

/// Whether `op` works in the layout that its operand has.
static bool followsOperand(Operation *op) {
  return isa<tile::ReduceOp, tile::ScanOp, tile::MapOp, tile::SplitOp, tile::JoinOp, tile::CatOp,
             tile::GatherOp, tile::HistogramOp, tile::InlineAsmOp>(op);
}

LogicalResult Assigner::run(func::FuncOp kernel) {
  if (failed(checkShapes(kernel)))
    return failure();
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (op == kernel.getOperation() ||
        isa_and_present<tile::ReduceOp, tile::ScanOp, tile::MapOp>(op->getParentOp()))
      return;
    ops.push_back(op);
    if (auto [ptr, mask] = pointerAndMask(op); ptr)
      planAccess(op, ptr, mask);
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      DotPlan plan = planDot(dot, result.options);
      useWarpGroups(dot, result, plan);
      result.dots[op] = std::move(plan);
    }
  });
  chooseAccessLayouts();
  for (Operation *op : ops)
    if (auto dot = dyn_cast<tile::DotOp>(op))
      transposeOnTheWay(dot, result.dots[op], result.numWarps(), result.target().warpSize,
                        [&](Operation *load) -> AccessPlan & { return result.accesses[load]; });
  do {
    changed = false;
    for (Operation *op : ops)
      forward(op);
  } while (changed);
  // Whoever uses a broadcast repeats the source's elements in the layout that it needs: converting
  // the source moves less than converting all the copies. Not where the operand's layout decides
  // how the work is done.
  for (Operation *op : ops)
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      if (llvm::none_of(op->getUsers(), followsOperand))
        result.homes.erase(broadcast.getResult());
  for (Block &block : kernel.getBody())
    backward(block);
  settleRest(kernel);
  cutChains(ops);
  return success();
}
