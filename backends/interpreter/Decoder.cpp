// Values, places and structured control flow of a kernel.
//
// A value lives from its definition to its last use in the block that defines it (a use inside a
// nested region counts as a use by the operation that holds the region); its place is then taken by
// others. Reshapes and the like share their source's place. Loop-carried values have one place for
// the whole loop, which is also the loop result's.
#include "backends/interpreter/Decoder.h"

#include "backends/interpreter/Steps.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

namespace {
constexpr unsigned kMaxDepth = 200;   ///< Of nested regions and calls.
constexpr size_t kMaxSteps = 1 << 17; ///< Of one program, after calls are expanded.

/// Operations whose result is their operand under another type.
bool isAlias(Operation &op) {
  if (isa<tile::HintOp, tile::ReshapeOp, tile::ExpandDimsOp, tile::BitcastOp, tile::IntToPtrOp,
          tile::PtrToIntOp, arith::BitcastOp>(op))
    return true;
  if (auto cast = dyn_cast<tile::FpCastOp>(op))
    return tile::getElementTypeOrSelf(cast.getSource().getType()) ==
           tile::getElementTypeOrSelf(cast.getType());
  return false;
}

/// The last operation of `home` that uses the value or an alias of it; null where there is none.
Operation *findLastUse(Value value, Block *home) {
  Operation *last = nullptr;
  llvm::SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value current = pending.pop_back_val();
    for (Operation *user : current.getUsers()) {
      Operation *inHome = home->findAncestorOpInBlock(*user);
      if (!inHome)
        continue;
      if (!last || last->isBeforeInBlock(inHome))
        last = inHome;
      if (isAlias(*user))
        pending.push_back(user->getResult(0));
    }
  }
  return last;
}
} // namespace

//===----------------------------------------------------------------------===//
// Values and places
//===----------------------------------------------------------------------===//

FailureOr<Decoder::Shape> Decoder::shapeOf(Value value, Operation &reportAt) {
  Type type = value.getType();
  Shape shape{Dtype::I1, 1, {}, true};
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    shape.isScalar = false;
    if (!tensor.hasStaticShape() || tensor.getRank() == 0)
      return reportAt.emitError() << "the cpu device does not support values of type " << type;
    for (int64_t size : tensor.getShape()) {
      if (size == 0 || size_t(size) > kMaxArenaBytes / shape.count)
        return reportAt.emitError() << "the cpu device does not support a tile of type " << type
                                    << (size ? "; it is too large" : "; it is empty");
      shape.count *= size;
      shape.sizes.push_back(size);
    }
    type = tensor.getElementType();
  }
  auto dtype = getDtype(type);
  if (!dtype)
    return reportAt.emitError() << "the cpu device does not support values of type "
                                << value.getType();
  shape.type = *dtype;
  return shape;
}

FailureOr<Slot> Decoder::allocate(size_t bytes, Operation &op, bool lasting) {
  if (auto slot = lasting ? plan.takeLasting(bytes) : plan.take(bytes))
    return *slot;
  return op.emitError() << "the kernel keeps more than " << kMaxArenaBytes
                        << " bytes of tiles alive in one program; use smaller tiles";
}

FailureOr<Slot> Decoder::define(Value value, Operation &op) {
  auto shape = shapeOf(value, op);
  if (failed(shape))
    return failure();
  auto slot = allocate(shape->bytes() * (lanes ? lanes : 1), op);
  if (failed(slot))
    return failure();
  slots[value] = *slot;
  Operation *last = findLastUse(value, op.getBlock());
  dying[last ? last : &op].push_back(*slot);
  return *slot;
}

LogicalResult Decoder::copyAll(ValueRange from, llvm::ArrayRef<Slot> to, Operation &op,
                               StepList &steps) {
  auto copy = [&](Slot source, Slot target, size_t bytes) {
    Step step;
    step.run = runCopy;
    step.operands = {source};
    step.results = {target};
    step.numbers = {int64_t(bytes)};
    return append(op, std::move(step), steps);
  };
  // A source that an earlier copy would overwrite is saved first.
  llvm::SmallVector<Slot> sources, saved;
  llvm::SmallVector<size_t> sizes;
  for (auto [value, target] : llvm::zip_equal(from, to)) {
    auto shape = shapeOf(value, op);
    if (failed(shape))
      return failure();
    Slot source = slotOf(value);
    sizes.push_back(shape->bytes() * (lanes ? lanes : 1));
    if (source != target && llvm::is_contained(to, source)) {
      auto temporary = allocate(sizes.back(), op);
      if (failed(temporary) || failed(copy(source, *temporary, sizes.back())))
        return failure();
      saved.push_back(*temporary);
      source = *temporary;
    }
    sources.push_back(source);
  }
  for (auto [source, target, bytes] : llvm::zip_equal(sources, to, sizes))
    if (source != target && failed(copy(source, target, bytes)))
      return failure();
  for (Slot temporary : saved)
    plan.giveBack(temporary);
  return success();
}

FailureOr<Step> Decoder::makeStep(Operation &op, StepFn run) {
  Step step;
  step.run = run;
  step.text = op.getName().getStringRef().str();
  step.batched = lanes != 0;
  for (Value operand : op.getOperands()) {
    auto shape = shapeOf(operand, op);
    if (failed(shape))
      return failure();
    step.operands.push_back(slotOf(operand));
    step.operandTypes.push_back(shape->type);
    step.count = shape->count;
    step.shape = shape->sizes;
  }
  for (Value result : op.getResults()) {
    auto shape = shapeOf(result, op);
    auto slot = define(result, op);
    if (failed(shape) || failed(slot))
      return failure();
    step.results.push_back(*slot);
    step.resultTypes.push_back(shape->type);
    step.count = shape->count;
    step.shape = shape->sizes;
  }
  return step;
}

LogicalResult Decoder::append(Operation &op, Step step, StepList &steps) {
  if (++numSteps > kMaxSteps)
    return op.emitError() << "the kernel has more than " << kMaxSteps
                          << " steps for the cpu device";
  step.source = sourceOf(op.getLoc());
  steps.push_back(std::move(step));
  return success();
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult Decoder::decode(func::FuncOp function) {
  kernel = function;
  program.name = kernel.getName().str();
  program.sources.assign(1, {});
  if (kernel.isExternal())
    return kernel.emitError() << "kernel '" << kernel.getName() << "' has no body";
  if (kernel.getNumResults() != 0)
    return kernel.emitError() << "kernel '" << kernel.getName() << "' must not return values";
  for (BlockArgument argument : kernel.getArguments()) {
    auto shape = shapeOf(argument, *kernel);
    if (failed(shape))
      return failure();
    if (!shape->isScalar)
      return kernel.emitError() << "kernel argument " << argument.getArgNumber()
                                << " must be a scalar, but is " << argument.getType();
    auto slot = allocate(8, *kernel);
    if (failed(slot))
      return failure();
    slots[argument] = *slot;
    auto name =
        kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::TileDialect::kNameAttr);
    auto pointer = dyn_cast<tile::PointerType>(argument.getType());
    program.arguments.push_back({name ? name.str() : "arg" + llvm::utostr(argument.getArgNumber()),
                                 shape->type, *slot,
                                 pointer ? tile::getElementBytes(pointer.getPointeeType()) : 0});
  }
  if (failed(decodeRegion(kernel.getBody(), program.body, [](Operation &) { return success(); })))
    return failure();
  program.arenaBytes = plan.getBytes();
  return success();
}

LogicalResult Decoder::decodeRegion(Region &region, StepList &steps, TerminatorFn atEnd) {
  Operation *parent = region.getParentOp();
  if (!region.hasOneBlock())
    return parent->emitError() << "the cpu device runs structured control flow only; this has "
                               << llvm::range_size(region) << " basic blocks";
  if (++depth > kMaxDepth)
    return parent->emitError() << "regions and calls are nested more than " << kMaxDepth << " deep";
  llvm::scope_exit leave([&] { --depth; });
  Block &block = region.front();
  for (Operation &op : block) {
    if (&op == block.getTerminator() ? failed(atEnd(op)) : failed(decodeOp(op, steps)))
      return failure();
    if (auto dead = dying.find(&op); dead != dying.end()) {
      llvm::SmallVector<Slot, 2> released = std::move(dead->second);
      dying.erase(dead);
      for (Slot slot : released)
        plan.giveBack(slot);
    }
  }
  return success();
}

LogicalResult Decoder::decodeOp(Operation &op, StepList &steps) {
  if (isAlias(op)) {
    if (failed(shapeOf(op.getOperand(0), op)) || failed(shapeOf(op.getResult(0), op)))
      return failure();
    alias(op.getResult(0), op.getOperand(0));
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::ConstantOp constant) {
        return decodeConstant(op, constant.getValue(), steps);
      })
      .Case([&](ub::PoisonOp) { return decodeConstant(op, {}, steps); })
      .Case([&](scf::ForOp loop) { return decodeFor(loop, steps); })
      .Case([&](scf::IfOp branch) { return decodeIf(branch, steps); })
      .Case([&](scf::WhileOp loop) { return decodeWhile(loop, steps); })
      .Case([&](scf::IndexSwitchOp branch) { return decodeSwitch(branch, steps); })
      .Case([&](scf::ExecuteRegionOp region) { return decodeExecuteRegion(region, steps); })
      .Case([&](func::CallOp call) { return decodeCall(call, steps); })
      .Default([&](Operation *) {
        return isa<tile::TileDialect>(op.getDialect()) ? decodeTileOp(op, steps)
                                                       : decodeElementwise(op, steps);
      });
}

LogicalResult Decoder::decodeFor(scf::ForOp op, StepList &steps) {
  auto induction = allocate(8, *op);
  auto type = shapeOf(op.getInductionVar(), *op);
  if (failed(induction) || failed(type))
    return failure();
  slots[op.getInductionVar()] = *induction;
  llvm::SmallVector<Slot> carried;
  for (auto [result, argument] : llvm::zip(op.getResults(), op.getRegionIterArgs())) {
    auto slot = define(result, *op);
    if (failed(slot))
      return failure();
    slots[argument] = *slot;
    carried.push_back(*slot);
  }
  if (failed(copyAll(op.getInitArgs(), carried, *op, steps)))
    return failure();
  Step step;
  step.run = runFor;
  step.operands = {slotOf(op.getLowerBound()), slotOf(op.getUpperBound()), slotOf(op.getStep())};
  step.results = {*induction};
  step.resultTypes = {type->type};
  step.numbers = {op.getUnsignedCmp()};
  step.blocks.resize(1);
  if (failed(decodeRegion(op.getRegion(), step.blocks[0], [&](Operation &yield) {
        return copyAll(yield.getOperands(), carried, yield, step.blocks[0]);
      })))
    return failure();
  plan.giveBack(*induction);
  return append(*op, std::move(step), steps);
}

LogicalResult Decoder::defineAll(Operation &op, llvm::SmallVectorImpl<Slot> &results) {
  for (Value result : op.getResults()) {
    auto slot = define(result, op);
    if (failed(slot))
      return failure();
    results.push_back(*slot);
  }
  return success();
}

LogicalResult Decoder::decodeIf(scf::IfOp op, StepList &steps) {
  llvm::SmallVector<Slot> results;
  if (failed(defineAll(*op, results)))
    return failure();
  Step step;
  step.run = runIf;
  step.operands = {slotOf(op.getCondition())};
  step.blocks.resize(2);
  for (auto [region, block] : llvm::zip(op->getRegions(), step.blocks))
    if (!region.empty() && failed(decodeRegion(region, block, [&](Operation &yield) {
          return copyAll(yield.getOperands(), results, yield, block);
        })))
      return failure();
  return append(*op, std::move(step), steps);
}

LogicalResult Decoder::decodeWhile(scf::WhileOp op, StepList &steps) {
  llvm::SmallVector<Slot> before, after;
  for (Value argument : op.getBeforeArguments()) {
    auto shape = shapeOf(argument, *op);
    if (failed(shape))
      return failure();
    auto slot = allocate(shape->bytes(), *op);
    if (failed(slot))
      return failure();
    slots[argument] = *slot;
    before.push_back(*slot);
  }
  for (auto [result, argument] : llvm::zip(op.getResults(), op.getAfterArguments())) {
    auto slot = define(result, *op);
    if (failed(slot))
      return failure();
    slots[argument] = *slot;
    after.push_back(*slot);
  }
  if (failed(copyAll(op.getInits(), before, *op, steps)))
    return failure();
  Step step;
  step.run = runWhile;
  step.blocks.resize(2);
  if (failed(decodeRegion(op.getBefore(), step.blocks[0],
                          [&](Operation &terminator) {
                            auto condition = cast<scf::ConditionOp>(terminator);
                            step.operands = {slotOf(condition.getCondition())};
                            return copyAll(condition.getArgs(), after, terminator, step.blocks[0]);
                          })) ||
      failed(decodeRegion(op.getAfter(), step.blocks[1], [&](Operation &yield) {
        return copyAll(yield.getOperands(), before, yield, step.blocks[1]);
      })))
    return failure();
  for (Slot slot : before)
    plan.giveBack(slot);
  return append(*op, std::move(step), steps);
}

LogicalResult Decoder::decodeSwitch(scf::IndexSwitchOp op, StepList &steps) {
  llvm::SmallVector<Slot> results;
  if (failed(defineAll(*op, results)))
    return failure();
  Step step;
  step.run = runSwitch;
  step.operands = {slotOf(op.getArg())};
  step.numbers.assign(op.getCases().begin(), op.getCases().end());
  step.blocks.resize(op.getCases().size() + 1);
  // The operation's first region is the default, which comes last here.
  for (unsigned i = 0; i < step.blocks.size(); ++i) {
    Region &region = i < op.getCases().size() ? op.getCaseRegions()[i] : op.getDefaultRegion();
    if (failed(decodeRegion(region, step.blocks[i], [&](Operation &yield) {
          return copyAll(yield.getOperands(), results, yield, step.blocks[i]);
        })))
      return failure();
  }
  return append(*op, std::move(step), steps);
}

LogicalResult Decoder::decodeExecuteRegion(scf::ExecuteRegionOp op, StepList &steps) {
  llvm::SmallVector<Slot> results;
  if (failed(defineAll(*op, results)))
    return failure();
  return decodeRegion(op.getRegion(), steps, [&](Operation &yield) {
    return copyAll(yield.getOperands(), results, yield, steps);
  });
}

LogicalResult Decoder::decodeCall(func::CallOp op, StepList &steps) {
  auto callee = module.lookupSymbol<func::FuncOp>(op.getCallee());
  if (!callee || callee.isExternal())
    return op.emitError() << "the cpu device has no body for function '" << op.getCallee() << "'";
  for (func::CallOp outer : calls)
    if (outer.getCallee() == op.getCallee())
      return op.emitError() << "function '" << op.getCallee()
                            << "' calls itself; recursion is not supported";
  llvm::SmallVector<Slot> results;
  if (failed(defineAll(*op, results)))
    return failure();
  for (auto [argument, value] : llvm::zip(callee.getArguments(), op.getOperands()))
    slots[argument] = slotOf(value);
  calls.push_back(op);
  const std::optional<Location> outerSite = callSite;
  callSite = outerSite ? Location(CallSiteLoc::get(op.getLoc(), *outerSite)) : op.getLoc();
  llvm::scope_exit leave([&] {
    calls.pop_back();
    callSite = outerSite;
  });
  return decodeRegion(callee.getBody(), steps, [&](Operation &end) {
    return copyAll(end.getOperands(), results, end, steps);
  });
}
