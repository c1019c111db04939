// The walk over a kernel: values, elementwise and shape ops, control flow.
#include "ir/simt/Lowering.h"
#include "ir/layout/TensorLayout.h"
#include "ir/simt/MatrixRegisters.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Values built on demand call each other. Assignment cuts long chains; this is what is left for
/// chains through regions, refused instead of overflowing the stack.
static constexpr unsigned kMaxDepth = 1000;

//===----------------------------------------------------------------------===//
// Types and values
//===----------------------------------------------------------------------===//

Type Lowering::elementType(Type type) const {
  type = getElementTypeOrSelf(type);
  if (isa<tile::PointerType>(type))
    return IntegerType::get(type.getContext(), 64);
  if (isa<tile::F8E4M3B15Type>(type) || (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

VectorType Lowering::registerType(Type element, const LinearLayout &layout) const {
  return VectorType::get({int64_t(1) << layout.inBits(kRegister)}, elementType(element));
}

LinearLayout Lowering::layoutOf(Value value) {
  if (const LinearLayout *home = layouts.getHome(value))
    return *home;
  return layouts.getDefault(cast<RankedTensorType>(value.getType()));
}

Type Lowering::loweredType(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return registerType(value.getType(), layoutOf(value));
  return elementType(value.getType());
}

unsigned Lowering::internLayout(const LinearLayout &layout) {
  for (auto [i, known] : llvm::enumerate(internedLayouts))
    if (known == layout)
      return i;
  internedLayouts.push_back(layout);
  return internedLayouts.size() - 1;
}

Value Lowering::poison(Type type) { return ub::PoisonOp::create(b, loc, type); }

void Lowering::fail(Operation *op, const Twine &why) {
  hasFailed = true;
  op->emitError() << "'" << op->getName() << "' cannot be compiled for " << options.target->name
                  << ": " << why;
}

void Lowering::set(Value value, Value lowered) { values[value] = lowered; }

Value Lowering::getScalar(Value value) {
  Value found = values.lookup(value);
  if (!found) {
    hasFailed = true;
    emitError(value.getLoc(), "internal error: a scalar was used before it was lowered");
    return poison(elementType(value.getType()));
  }
  return found;
}

Value Lowering::getLike(Value value, const LinearLayout &layout) {
  return isa<RankedTensorType>(value.getType()) ? get(value, layout) : getScalar(value);
}

Value Lowering::get(Value value, const LinearLayout &layout) {
  unsigned id = internLayout(layout);
  for (const Scope &scope : llvm::reverse(scopes))
    if (Value found = scope.built.lookup({value, id}))
      return found;
  if (auto ring = buffered.find(value); ring != buffered.end()) {
    Value result = readBuffered(ring->second, layout);
    scopes.back().built[{value, id}] = result;
    return result;
  }
  Value home = values.lookup(value);
  if (home && *layouts.getHome(value) == layout)
    return home;
  if (!home) {
    if (++depth > kMaxDepth) {
      if (!hasFailed)
        fail(value.getDefiningOp(), "the chain of address computations is too long");
      --depth;
      return poison(registerType(value.getType(), layout));
    }
    Value result = build(value, layout);
    --depth;
    scopes.back().built[{value, id}] = result;
    return result;
  }
  // A conversion of what does not change in a loop is made once, before the loop.
  size_t target = scopes.size() - 1;
  size_t owner = target;
  while (owner > 0 && scopes[owner].block != home.getParentBlock())
    --owner;
  bool crossesLoop = false;
  for (size_t i = owner + 1; i <= target; ++i)
    crossesLoop |= scopes[i].isLoop;
  OpBuilder::InsertionGuard guard(b);
  Location oldLoc = loc;
  if (crossesLoop && scopes[owner].block == home.getParentBlock()) {
    b.setInsertionPointAfterValue(home);
    loc = value.getLoc();
    target = owner;
  }
  Value result = convert(home, *layouts.getHome(value), layout);
  loc = oldLoc;
  scopes[target].built[{value, id}] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Values on demand
//===----------------------------------------------------------------------===//

/// If element i is start + i·step, the two numbers.
static std::optional<std::pair<int64_t, int64_t>> asRange(DenseElementsAttr elements) {
  if (!isa<IntegerType>(elements.getElementType()) || elements.getType().getRank() != 1)
    return std::nullopt;
  SmallVector<int64_t> list;
  for (const APInt &value : elements.getValues<APInt>())
    list.push_back(value.getSExtValue());
  int64_t step = list.size() > 1 ? list[1] - list[0] : 0;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] != list[0] + int64_t(i) * step)
      return std::nullopt;
  return std::pair(list[0], step);
}

Value Lowering::build(Value value, const LinearLayout &layout) {
  Operation *op = value.getDefiningOp();
  Location oldLoc = std::exchange(loc, value.getLoc());
  llvm::scope_exit restore([&] { loc = oldLoc; });
  VectorType type = registerType(value.getType(), layout);
  unsigned count = type.getNumElements();
  if (!op) {
    hasFailed = true;
    emitError(value.getLoc(), "internal error: a block argument has no layout");
    return poison(type);
  }
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constantOp.getValue());
    if (elements.isSplat()) {
      Attribute scalar = elements.getSplatValue<Attribute>();
      if (isa<FloatType>(elements.getElementType()) && !isa<FloatType>(type.getElementType()))
        scalar = IntegerAttr::get(type.getElementType(),
                                  cast<FloatAttr>(scalar).getValue().bitcastToAPInt());
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, scalar));
    }
    auto range = asRange(elements);
    if (!range) {
      fail(op, "a constant tensor must be a splat or evenly spaced integers");
      return poison(type);
    }
    Value index = coordinates(layout, dimName(0), 0);
    auto element = cast<IntegerType>(type.getElementType());
    if (element.getWidth() > 32)
      index = arith::ExtUIOp::create(b, loc, type, index);
    else if (element.getWidth() < 32)
      index = arith::TruncIOp::create(b, loc, type, index);
    auto splatOf = [&](int64_t number) {
      return arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, APInt(element.getWidth(), number, true, true)));
    };
    Value scaled = arith::MulIOp::create(b, loc, index, splatOf(range->second));
    return arith::AddIOp::create(b, loc, scaled, splatOf(range->first));
  }
  if (auto range = dyn_cast<tile::MakeRangeOp>(op))
    return coordinates(layout, dimName(0), int32_t(range.getStart()));
  if (auto splatOp = dyn_cast<tile::SplatOp>(op))
    return splat(getScalar(splatOp.getSource()), count);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return get(expand.getSource(),
               normalize(expandDimsSource(layout, expand.getAxis()), laneBits(), warpBits()));
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return get(trans.getSource(),
               normalize(transSource(layout, trans.getOrder()), laneBits(), warpBits()));
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    auto shape = cast<RankedTensorType>(reshape.getSource().getType()).getShape();
    return get(reshape.getSource(),
               normalize(reshapeSource(layout, shape), laneBits(), warpBits()));
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    auto shape = cast<RankedTensorType>(broadcast.getSource().getType()).getShape();
    LinearLayout all = normalize(broadcastSource(layout, shape), laneBits(), warpBits());
    LinearLayout distinct = canonicalize(all, laneBits(), warpBits());
    return convert(get(broadcast.getSource(), distinct), distinct, all);
  }
  if (auto join = dyn_cast<tile::JoinOp>(op)) {
    auto resultType = cast<RankedTensorType>(join.getType());
    LinearLayout half =
        canonicalize(sliceDim(layout, resultType.getRank() - 1), laneBits(), warpBits());
    LinearLayout joined = normalize(joinLayout(half), laneBits(), warpBits());
    Values elements;
    if (isa<RankedTensorType>(join.getLhs().getType())) {
      Values left = unpack(get(join.getLhs(), half)), right = unpack(get(join.getRhs(), half));
      for (auto [x, y] : llvm::zip(left, right))
        elements.append({x, y});
    } else {
      elements = {getScalar(join.getLhs()), getScalar(join.getRhs())};
    }
    return convert(pack(elements), joined, layout);
  }
  if (auto cat = dyn_cast<tile::CatOp>(op)) {
    if (cat.getLhs().getType() != cat.getRhs().getType()) {
      fail(op, "both operands must have the same size");
      return poison(type);
    }
    auto sourceType = cast<RankedTensorType>(cat.getLhs().getType());
    LinearLayout half = layouts.getHome(cat.getLhs()) ? *layouts.getHome(cat.getLhs())
                                                      : layouts.getDefault(sourceType);
    LinearLayout whole = normalize(half * LinearLayout::identity1D(1, kRegister, dimName(0)),
                                   laneBits(), warpBits());
    Values elements = unpack(get(cat.getLhs(), half));
    elements.append(unpack(get(cat.getRhs(), half)));
    return convert(pack(elements), whole, layout);
  }
  if (isa<ub::PoisonOp>(op))
    return poison(type);
  if (op->getNumRegions() || !isMemoryEffectFree(op) ||
      isa<tile::DotOp, tile::SplitOp, tile::GatherOp, tile::HistogramOp>(op)) {
    fail(op, "internal error: the value was used before it was lowered");
    return poison(type);
  }
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(getLike(operand, layout));
  Value result = cloneElementwise(op, operands, count, cast<OpResult>(value).getResultNumber());
  SmallVector<int64_t> same = layouts.getSameRegisters(value, layout);
  return same.empty() ? result : pick(result, same);
}

/// A vector of `count` of `element`, or the element if `count` is 0.
static Type shaped(Type element, unsigned count) {
  return count ? Type(VectorType::get({count}, element)) : element;
}

bool simt::isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

Value Lowering::guardDivisor(Operation *division, Value dividend, Value divisor) {
  Type type = divisor.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto is = [&](Value value, const APInt &number) -> Value {
    Value constant = arith::ConstantOp::create(b, loc, tile::getConstantAttr(type, number));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value, constant);
  };
  Value undefined = is(divisor, APInt::getZero(width));
  if (!isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(division)) {
    Value overflows = arith::AndIOp::create(b, loc, is(divisor, APInt::getAllOnes(width)),
                                            is(dividend, APInt::getSignedMinValue(width)));
    undefined = arith::OrIOp::create(b, loc, undefined, overflows);
  }
  Value one = arith::ConstantOp::create(b, loc, tile::getConstantAttr(type, APInt(width, 1)));
  return arith::SelectOp::create(b, loc, undefined, one, divisor);
}

Value Lowering::cloneUniform(Operation *op, unsigned index) {
  Operation *copy = b.clone(*op);
  Type type = elementType(op->getResult(index).getType());
  copy->getResult(index).setType(type);
  // 8-bit floats are their codes.
  if (auto constantOp = dyn_cast<arith::ConstantOp>(copy))
    if (auto number = dyn_cast<FloatAttr>(constantOp.getValue()); number && type.isInteger())
      constantOp.setValueAttr(IntegerAttr::get(type, number.getValue().bitcastToAPInt()));
  return copy->getResult(index);
}

Value Lowering::cloneElementwise(Operation *op, ValueRange operands, unsigned count,
                                 unsigned resultIndex) {
  auto shapedResult = [&](unsigned index) {
    return shaped(elementType(op->getResult(index).getType()), count);
  };
  if (auto addPtr = dyn_cast<tile::AddPtrOp>(op)) {
    auto pointee = cast<tile::PointerType>(getElementTypeOrSelf(addPtr.getType())).getPointeeType();
    Type type = shapedResult(0);
    Value offset = operands[1];
    unsigned width = getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth();
    if (width < 64)
      offset = arith::ExtSIOp::create(b, loc, type, offset);
    if (unsigned bytes = tile::getElementBytes(pointee); bytes > 1) {
      Value size = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes));
      offset = arith::MulIOp::create(b, loc, offset, count ? splat(size, count) : size,
                                     width < 64 ? arith::IntegerOverflowFlags::nsw
                                                : arith::IntegerOverflowFlags::none);
    }
    return arith::AddIOp::create(b, loc, operands[0], offset);
  }
  if (isa<tile::IntToPtrOp, tile::PtrToIntOp, tile::BitcastOp, tile::HintOp>(op))
    return operands[0];
  if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
    Type type = shapedResult(0);
    return operands[0].getType() == type
               ? operands[0]
               : Value(arith::BitcastOp::create(b, loc, type, operands[0]));
  }
  if (auto cast = dyn_cast<tile::FpCastOp>(op)) {
    Type from = getElementTypeOrSelf(cast.getSource().getType());
    Type to = getElementTypeOrSelf(cast.getType());
    if (Value expanded = castFloat8(operands[0], from, to, cast.getRounding()))
      return expanded;
    return FpCastOp::create(b, loc, shapedResult(0), operands[0], from, to, cast.getRounding());
  }
  // In the region of a reduction, scan or map.
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op)) {
    if (!canAssemble(assembly))
      return poison(shapedResult(resultIndex));
    SmallVector<Values> elements;
    for (Value operand : operands)
      elements.push_back(count ? unpack(operand) : Values{operand});
    Values out = assemble(assembly, elements, std::max(count, 1u))[resultIndex];
    return count ? pack(out) : out[0];
  }
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != "arith" && dialect != "math" && dialect != "ub") {
    fail(op, "it is not supported yet");
    return poison(shapedResult(resultIndex));
  }
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
        element && element.getWidth() == 8 && !isa<arith::SelectOp>(op)) {
      fail(op, "arithmetic on 8-bit floats is not defined; convert to another type first");
      return poison(shapedResult(resultIndex));
    }
  Values guarded;
  if (op->getBlock() == guardedBlock && tile::mayDivideByZero(op)) {
    guarded = {operands[0], guardDivisor(op, operands[0], operands[1])};
    operands = guarded;
  }
  SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    types.push_back(shapedResult(i));
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return b.create(state)->getResult(resultIndex);
}

//===----------------------------------------------------------------------===//
// Ops in program order
//===----------------------------------------------------------------------===//

void Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    lowerOp(&op);
  }
  loc = block.getTerminator()->getLoc();
}

void Lowering::lowerOp(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return lowerStore(store);
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    return lowerAtomicRMW(atomic);
  if (auto atomic = dyn_cast<tile::AtomicCASOp>(op))
    return lowerAtomicCAS(atomic);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return lowerReduce(reduce);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return lowerScan(scan);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return lowerGather(gather);
  if (auto histogram = dyn_cast<tile::HistogramOp>(op))
    return lowerHistogram(histogram);
  if (auto map = dyn_cast<tile::MapOp>(op))
    return lowerMap(map);
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op))
    return lowerInlineAsm(assembly);
  if (isa<tile::GridDependencyOp>(op)) {
    if (options.target->hasGridDependency)
      b.clone(*op);
    return;
  }
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return lowerDot(dot);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lowerIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return lowerWhile(loop);
  if (auto assertOp = dyn_cast<tile::AssertOp>(op))
    return lowerAssert(assertOp);
  if (auto print = dyn_cast<tile::PrintOp>(op))
    return lowerPrint(print);
  if (isa<tile::BarrierOp>(op)) {
    BarrierOp::create(b, loc, BarrierScope::Program);
    return;
  }
  if (isa<tile::AssumeOp>(op))
    return;
  if (auto split = dyn_cast<tile::SplitOp>(op)) {
    auto type = cast<RankedTensorType>(split.getSource().getType());
    LinearLayout half = type.getRank() > 1 ? *layouts.getHome(split.getLhs())
                                           : normalize(LinearLayout(), laneBits(), warpBits());
    LinearLayout whole = normalize(joinLayout(half), laneBits(), warpBits());
    Values elements = unpack(get(split.getSource(), whole));
    Values left, right;
    for (size_t i = 0; i < elements.size(); i += 2) {
      left.push_back(elements[i]);
      right.push_back(elements[i + 1]);
    }
    set(split.getLhs(), type.getRank() > 1 ? pack(left) : left[0]);
    set(split.getRhs(), type.getRank() > 1 ? pack(right) : right[0]);
    return;
  }
  if (op->getNumRegions() || op->getNumSuccessors() || isa<CallOpInterface>(op))
    return fail(op, "it is not supported yet");
  for (auto [index, value] : llvm::enumerate(op->getResults())) {
    if (isa<RankedTensorType>(value.getType())) {
      // With a layout of its own it is computed here, once; else where it is used.
      // So is a transposition of what lies in shared memory.
      const LinearLayout *home = layouts.getHome(value);
      bool inPlace = isa<tile::TransOp>(op) && buffered.count(op->getOperand(0));
      if (home && !inPlace)
        set(value, build(value, LinearLayout(*home)));
      continue;
    }
    if (isa<tile::ProgramIdOp, tile::NumProgramsOp, ub::PoisonOp>(op) ||
        op->hasTrait<OpTrait::ConstantLike>()) {
      set(value, cloneUniform(op, index));
      continue;
    }
    Values operands;
    for (Value operand : op->getOperands())
      operands.push_back(getScalar(operand));
    set(value, cloneElementwise(op, operands, 0, index));
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Values Lowering::getAll(ValueRange sources, ValueRange like) {
  Values result;
  for (auto [value, target] : llvm::zip(sources, like))
    result.push_back(isa<RankedTensorType>(target.getType()) ? get(value, layoutOf(target))
                                                             : getScalar(value));
  return result;
}

void Lowering::lowerFor(scf::ForOp op) {
  if (lowerPipelinedFor(op))
    return;
  Values inits = getAll(op.getInitArgs(), op.getRegionIterArgs());
  auto loop =
      scf::ForOp::create(b, loc, getScalar(op.getLowerBound()), getScalar(op.getUpperBound()),
                         getScalar(op.getStep()), inits, nullptr, op.getUnsignedCmp());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block *body = loop.getBody();
  // Without carried values the builder has made a terminator already.
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  set(op.getInductionVar(), loop.getInductionVar());
  for (auto [from, to] : llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    set(from, to);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(body);
  pushScope(body, true);
  lowerBlock(*op.getBody());
  scf::YieldOp::create(
      b, loc, getAll(op.getBody()->getTerminator()->getOperands(), op.getRegionIterArgs()));
  scopes.pop_back();
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    set(from, to);
}

void Lowering::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value value : op.getResults())
    types.push_back(loweredType(value));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, loc, types, getScalar(op.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  auto lowerRegion = [&](Region &from, Region &to) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = &to.front();
    block->clear();
    b.setInsertionPointToEnd(block);
    pushScope(block, false);
    lowerBlock(from.front());
    scf::YieldOp::create(b, loc,
                         getAll(from.front().getTerminator()->getOperands(), op.getResults()));
    scopes.pop_back();
  };
  lowerRegion(op.getThenRegion(), branch.getThenRegion());
  if (hasElse)
    lowerRegion(op.getElseRegion(), branch.getElseRegion());
  for (auto [from, to] : llvm::zip(op.getResults(), branch.getResults()))
    set(from, to);
}

void Lowering::lowerWhile(scf::WhileOp op) {
  Values inits = getAll(op.getInits(), op.getBeforeArguments());
  SmallVector<Type> types;
  for (Value value : op.getResults())
    types.push_back(loweredType(value));
  auto loop = scf::WhileOp::create(b, loc, types, inits);
  auto lowerRegion = [&](Block *from, Region &to, auto finish) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> argumentTypes;
    SmallVector<Location> locations;
    for (BlockArgument argument : from->getArguments()) {
      argumentTypes.push_back(loweredType(argument));
      locations.push_back(argument.getLoc());
    }
    Block *block = b.createBlock(&to, {}, argumentTypes, locations);
    for (auto [oldArgument, newArgument] : llvm::zip(from->getArguments(), block->getArguments()))
      set(oldArgument, newArgument);
    pushScope(block, true);
    lowerBlock(*from);
    finish();
    scopes.pop_back();
  };
  lowerRegion(op.getBeforeBody(), loop.getBefore(), [&] {
    scf::ConditionOp condition = op.getConditionOp();
    Values passed = getAll(condition.getArgs(), op.getAfterArguments());
    scf::ConditionOp::create(b, loc, getScalar(condition.getCondition()), passed);
  });
  lowerRegion(op.getAfterBody(), loop.getAfter(), [&] {
    scf::YieldOp::create(b, loc, getAll(op.getYieldOp().getOperands(), op.getBeforeArguments()));
  });
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    set(from, to);
}

FailureOr<func::FuncOp> Lowering::run() {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    if (isa<RankedTensorType>(type)) {
      kernel.emitError("a kernel's parameters are scalars and pointers, not ") << type;
      return failure();
    }
    types.push_back(elementType(type));
  }
  b.setInsertionPoint(kernel);
  loc = kernel.getLoc();
  lowered =
      func::FuncOp::create(b, loc, kernel.getName(), FunctionType::get(b.getContext(), types, {}));
  lowered->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  lowered->setAttr(SimtDialect::kThreadsAttr,
                   b.getI32IntegerAttr(options.numWarps * options.target->warpSize));
  if (ArrayAttr attributes = kernel.getAllArgAttrs())
    lowered.setAllArgAttrs(attributes);
  Block *entry = lowered.addEntryBlock();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (isa<tile::PointerType>(type))
      lowered.setArgAttr(i, SimtDialect::kPointerAttr, b.getUnitAttr());
    set(kernel.getArgument(i), entry->getArgument(i));
    entry->getArgument(i).setLoc(kernel.getArgument(i).getLoc());
  }
  b.setInsertionPointToStart(entry);
  threadId = ThreadIdOp::create(b, loc);
  pushScope(entry, false);
  if (!kernel.getBody().hasOneBlock()) {
    kernel.emitError("control flow must be structured before a kernel is lowered to threads");
    return failure();
  }
  lowerBlock(kernel.getBody().front());
  func::ReturnOp::create(b, loc);
  if (hasFailed)
    return failure();
  carryMatrices(lowered);
  moveMatricesThroughShared(lowered, options.numWarps, *options.target);
  return lowered;
}
