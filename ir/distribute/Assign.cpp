// Assignment of layouts: the order of its steps, what accesses choose, and the attributes that say
// what was decided.
#include "ir/distribute/AccessGroups.h"
#include "ir/distribute/Assigner.h"
#include "ir/distribute/Strides.h"
#include "ir/layout/TensorLayout.h"

#include "mlir/IR/Visitors.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Most elements of one tensor in a thread. They are values of their own to the code generator,
/// whose time and memory grow faster than their number.
static constexpr int64_t kMaxRegisters = 1024;

LogicalResult Assigner::checkShapes() {
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type)) {
        if (llvm::Error error = tensorDims(tensor.getShape()).takeError())
          return op->emitOpError()
                 << "cannot be distributed over threads on " << options.target->name << ": "
                 << llvm::toString(std::move(error));
        int64_t each = tensor.getNumElements() / threads.count();
        if (each > kMaxRegisters)
          return op->emitOpError()
                 << "gives " << tensor.getNumElements() << " elements, " << each
                 << " in each of the program's " << threads.count() << " threads, but at most "
                 << kMaxRegisters << " can be compiled; use smaller blocks or a larger num_warps";
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
  // Where no neighbours follow each other, lanes go over those that are nearest; over a dimension
  // of equal addresses last, so that a thread has them, which takes one access.
  SmallVector<int64_t> nearness;
  if (rank > 1 && llvm::all_of(plan.facts.contiguity, [](int64_t run) { return run == 1; }))
    for (unsigned dim = 0; dim < rank; ++dim)
      if (std::optional<int64_t> stride = getStride(ptr, dim))
        nearness.push_back(*stride ? -std::abs(*stride) : std::numeric_limits<int64_t>::min());
  if (nearness.size() < rank)
    nearness.assign(rank, 0);
  auto rankOf = [&](unsigned dim) {
    return std::tuple(plan.facts.contiguity[dim], type.getDimSize(dim) > 1, nearness[dim], dim);
  };
  llvm::sort(plan.order, [&](unsigned x, unsigned y) { return rankOf(x) > rankOf(y); });
  accesses[op] = std::move(plan);
  accessOps.push_back(op);
}

std::pair<Value, Value> distribute::pointerAndMask(Operation *op) {
  return TypeSwitch<Operation *, std::pair<Value, Value>>(op)
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp>(
          [](auto access) { return std::pair<Value, Value>(access.getPtr(), access.getMask()); })
      .Case<tile::AtomicCASOp>(
          [](auto access) { return std::pair<Value, Value>(access.getPtr(), Value()); })
      .Default(std::pair<Value, Value>());
}

/// Bytes of one access by `op`, at most; 0: one element.
static unsigned getMostBytes(Operation *op, const target::TargetInfo &target) {
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    return getVectorSumBytes(atomic, target);
  return isa<tile::LoadOp, tile::StoreOp>(op) ? target.maxVectorBytes : 0;
}

/// Accesses of one shape and order share a layout, as wide as the widest of them can use.
void Assigner::chooseAccessLayouts() {
  std::map<std::pair<std::vector<int64_t>, std::vector<unsigned>>, unsigned> widths;
  auto keyOf = [&](Operation *op) {
    auto type = cast<RankedTensorType>(pointerAndMask(op).first.getType());
    const AccessPlan &plan = accesses[op];
    return std::pair(std::vector<int64_t>(type.getShape().begin(), type.getShape().end()),
                     std::vector<unsigned>(plan.order.begin(), plan.order.end()));
  };
  for (Operation *op : accessOps) {
    auto type = cast<RankedTensorType>(pointerAndMask(op).first.getType());
    auto pointee = cast<tile::PointerType>(type.getElementType()).getPointeeType();
    int64_t bytes = tile::getElementBytes(pointee);
    const AccessPlan &plan = accesses[op];
    unsigned inner = plan.order.front();
    int64_t width = 1;
    if (int64_t most = getMostBytes(op, *options.target))
      width = std::min({most / bytes, plan.facts.contiguity[inner],
                        plan.facts.alignment[inner] / bytes, plan.facts.constancy[inner],
                        std::max<int64_t>(1, type.getNumElements() / threads.count())});
    width = std::max<int64_t>(1, llvm::bit_floor(uint64_t(std::max<int64_t>(width, 1))));
    unsigned &widest = widths[keyOf(op)];
    widest = std::max(widest, unsigned(width));
  }
  for (Operation *op : accessOps) {
    auto type = cast<RankedTensorType>(pointerAndMask(op).first.getType());
    AccessPlan &plan = accesses[op];
    plan.layout = coalescedOver(threads, type.getShape(), widths[keyOf(op)], plan.order);
  }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static AccessAttr toAttribute(const AccessPlan &plan, LayoutAttr layout) {
  MLIRContext *context = layout.getContext();
  auto list = [&](ArrayRef<int64_t> numbers) { return DenseI64ArrayAttr::get(context, numbers); };
  SmallVector<int64_t, 4> order(plan.order.begin(), plan.order.end());
  return AccessAttr::get(context, layout, list(plan.facts.contiguity), list(plan.facts.alignment),
                         list(plan.facts.constancy), list(order),
                         plan.tileInner ? int64_t(*plan.tileInner) : -1);
}

static DotAttr toAttribute(const DotPlan &plan, MLIRContext *context) {
  // The default layout stands for none.
  auto layout = [&](const LinearLayout &map) {
    return map.getOuts().empty() ? LayoutAttr() : LayoutAttr::get(context, map);
  };
  auto name = [&](StringRef text) { return StringAttr::get(context, text); };
  return DotAttr::get(context, plan.instruction ? name(plan.instruction->name) : StringAttr(),
                      layout(plan.a), layout(plan.b), layout(plan.d),
                      plan.warpGroup ? name(plan.warpGroup->instruction->name) : StringAttr(),
                      plan.warpGroup ? plan.warpGroup->columns : 0, plan.parts, plan.stepBits,
                      plan.rowBits, plan.columnBits, plan.batchBits, plan.swapped,
                      plan.warpGroup ? plan.warpGroup->turns : 0);
}

void Assigner::write(Operation *op) {
  MLIRContext *context = op->getContext();
  NamedAttrList attributes(op->getDiscardableAttrDictionary());
  for (StringRef name :
       {DistributeDialect::kHomesAttr, DistributeDialect::kArgumentsAttr,
        DistributeDialect::kAccessAttr, DistributeDialect::kDotAttr, DistributeDialect::kRunsAttr})
    attributes.erase(name);
  auto setHomes = [&](StringRef name, ValueRange values) {
    SmallVector<Attribute> list;
    bool any = false;
    for (Value value : values) {
      LayoutAttr layout = home(value);
      list.push_back(layout ? Attribute(layout) : Attribute(UnitAttr::get(context)));
      any |= bool(layout);
    }
    if (any)
      attributes.set(name, ArrayAttr::get(context, list));
  };
  setHomes(DistributeDialect::kHomesAttr, op->getResults());
  if (isa<LoopLikeOpInterface>(op)) {
    SmallVector<Value> arguments;
    for (Region &region : op->getRegions())
      llvm::append_range(arguments, region.getArguments());
    setHomes(DistributeDialect::kArgumentsAttr, arguments);
  }
  if (auto access = accesses.find(op); access != accesses.end())
    attributes.set(DistributeDialect::kAccessAttr,
                   toAttribute(access->second, intern(access->second.layout)));
  if (auto dot = dots.find(op); dot != dots.end())
    attributes.set(DistributeDialect::kDotAttr, toAttribute(dot->second, context));
  if (options.runs && LayoutAssignment::mayHaveRuns(op) &&
      isa<RankedTensorType>(op->getResult(0).getType())) {
    auto runs = options.runs(op->getResult(0));
    if (llvm::any_of(runs, [](int64_t run) { return run > 1; }))
      attributes.set(DistributeDialect::kRunsAttr, DenseI64ArrayAttr::get(context, runs));
  }
  op->setDiscardableAttrs(attributes.getDictionary(context));
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

/// Whether `op` works in the layout that its operand has.
static bool followsOperand(Operation *op) {
  return isa<tile::ReduceOp, tile::ScanOp, tile::MapOp, tile::SplitOp, tile::JoinOp, tile::CatOp,
             tile::GatherOp, tile::HistogramOp, tile::InlineAsmOp>(op);
}

LogicalResult Assigner::run() {
  if (failed(checkShapes()))
    return failure();
  auto access = [&](Operation *op) -> AccessPlan & { return accesses[op]; };
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (op == kernel.getOperation() ||
        isa_and_present<tile::ReduceOp, tile::ScanOp, tile::MapOp>(op->getParentOp()))
      return;
    ops.push_back(op);
    if (auto [ptr, mask] = pointerAndMask(op); ptr)
      planAccess(op, ptr, mask);
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      DotPlan plan = planDot(dot, options, access);
      useWarpGroups(dot, options, access, plan);
      dots[op] = std::move(plan);
    }
  });
  chooseAccessLayouts();
  for (Operation *op : ops)
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      transposeOnTheWay(dot, dots[op], options, access);
      transposeInRegisters(dot, dots[op], options, access);
      followLanes(dot, dots[op], options, access);
    }
  do {
    changed = false;
    for (Operation *op : ops)
      forward(op);
  } while (changed);
  // Each user of a broadcast repeats the source's elements in the layout that it needs: converting
  // the source moves less than converting all the copies. Not where the operand's layout decides
  // how the work is done.
  for (Operation *op : ops)
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      if (llvm::none_of(op->getUsers(), followsOperand))
        homes.erase(broadcast.getResult());
  // Twice, because what a loop's body needs is needed at its end, too.
  for (int pass = 0; pass < 2; ++pass)
    for (Block &block : kernel.getBody())
      backward(block);
  settleRest();
  cutChains(ops);
  for (auto &[op, plan] : dots)
    if (plan.instruction && plan.instruction->isScaled)
      leaveOut(cast<tile::DotOp>(op));
  for (Operation *op : ops)
    write(op);
  return success();
}

LogicalResult distribute::assignLayouts(func::FuncOp kernel, const Options &options,
                                        const FactsFunction &facts) {
  return Assigner(kernel, options, facts).run();
}
