// See Scalarize.h. One walk in program order; the time is linear in the number of scalars.
#include "ir/simt/Scalarize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {

class Scalarizer {
public:
  Scalarizer(func::FuncOp kernel, PoisonIs poison)
      : kernel(kernel), poison(poison), b(kernel.getContext()) {}
  void run();

private:
  using Values = SmallVector<Value>;
  static VectorType registersOf(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.getRank() == 1 ? vector : VectorType();
  }
  /// The scalars of a vector, or the value itself.
  Values partsOf(Value value);
  Values flatten(ValueRange values);
  SmallVector<Type> flattenTypes(TypeRange types);
  /// New results of a replaced op, in the order of its own.
  void setResults(Operation *op, ValueRange flat);
  Value whole(Value vector);
  Value constant(TypedAttr attribute);

  void visitBlock(Block &block);
  void visit(Operation *op);
  bool visitVectorOp(Operation *op);
  bool visitBitCast(vector::BitCastOp op);
  void visitElementwise(Operation *op, unsigned count);
  void visitRegions(Operation *op);
  /// Moves the ops of `from` to the end of `to`, whose arguments are `from`'s taken apart, after
  /// `skipped` equal ones.
  void moveBody(Block &from, Block &to);

  func::FuncOp kernel;
  PoisonIs poison;
  OpBuilder b;
  DenseMap<Value, Values> parts;
  DenseMap<Value, Value> packed; ///< In the block that is being visited.
  DenseMap<Attribute, Value> constants;
  SmallVector<Operation *> dead;
};

Scalarizer::Values Scalarizer::partsOf(Value value) {
  if (!registersOf(value.getType()))
    return {value};
  return parts.at(value);
}

Scalarizer::Values Scalarizer::flatten(ValueRange values) {
  Values flat;
  for (Value value : values)
    llvm::append_range(flat, partsOf(value));
  return flat;
}

SmallVector<Type> Scalarizer::flattenTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types) {
    if (VectorType vector = registersOf(type))
      flat.append(vector.getNumElements(), vector.getElementType());
    else
      flat.push_back(type);
  }
  return flat;
}

void Scalarizer::setResults(Operation *op, ValueRange flat) {
  for (Value result : op->getResults()) {
    VectorType vector = registersOf(result.getType());
    size_t count = vector ? vector.getNumElements() : 1;
    if (vector)
      parts[result] = Values(flat.take_front(count));
    else
      result.replaceAllUsesWith(flat.front());
    flat = flat.drop_front(count);
  }
  dead.push_back(op);
}

Value Scalarizer::whole(Value vector) {
  Value &known = packed[vector];
  if (!known)
    known = vector::FromElementsOp::create(b, vector.getLoc(), registersOf(vector.getType()),
                                           parts.at(vector));
  return known;
}

Value Scalarizer::constant(TypedAttr attribute) {
  Value &known = constants[attribute];
  if (!known) {
    OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front());
    known = arith::ConstantOp::create(entry, kernel.getLoc(), attribute);
  }
  return known;
}

void Scalarizer::moveBody(Block &from, Block &to) {
  to.getOperations().splice(to.end(), from.getOperations());
  unsigned next = 0;
  for (BlockArgument argument : from.getArguments()) {
    VectorType vector = registersOf(argument.getType());
    if (!vector) {
      argument.replaceAllUsesWith(to.getArgument(next++));
      continue;
    }
    Values &list = parts[argument];
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      list.push_back(to.getArgument(next++));
  }
}

void Scalarizer::visitRegions(Operation *op) {
  bool hasVectors = false;
  auto look = [&](TypeRange types) {
    hasVectors |= llvm::any_of(types, [](Type type) { return bool(registersOf(type)); });
  };
  look(op->getOperandTypes());
  look(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      look(block.getArgumentTypes());
  if (hasVectors) {
    // The same op with more operands, results and arguments.
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(flatten(op->getOperands()));
    state.addTypes(flattenTypes(op->getResultTypes()));
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions()) {
      Region *replacement = state.addRegion();
      for (Block &block : region) {
        Block *copy = new Block;
        replacement->push_back(copy);
        SmallVector<Type> types = flattenTypes(block.getArgumentTypes());
        copy->addArguments(types, SmallVector<Location>(types.size(), op->getLoc()));
      }
    }
    Operation *replacement = b.create(state);
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), replacement->getRegions()))
      for (auto [source, copy] : llvm::zip_equal(from, to))
        moveBody(source, copy);
    setResults(op, replacement->getResults());
    op = replacement;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visitBlock(block);
}

bool Scalarizer::visitVectorOp(Operation *op) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constantOp.getValue());
    if (!dense)
      return false;
    Values list;
    for (Attribute element : dense.getValues<Attribute>())
      list.push_back(constant(cast<TypedAttr>(element)));
    setResults(op, list);
    return true;
  }
  if (isa<ub::PoisonOp>(op)) {
    VectorType type = registersOf(op->getResult(0).getType());
    Value one = poison == PoisonIs::Zero
                    ? constant(b.getZeroAttr(type.getElementType()))
                    : ub::PoisonOp::create(b, op->getLoc(), type.getElementType()).getResult();
    setResults(op, Values(type.getNumElements(), one));
    return true;
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    Values source = partsOf(broadcast.getSource());
    auto count = size_t(broadcast.getResultVectorType().getNumElements());
    setResults(op, source.size() == count ? source : Values(count, source.front()));
    return true;
  }
  if (auto from = dyn_cast<vector::FromElementsOp>(op)) {
    setResults(op, from.getElements());
    return true;
  }
  if (auto to = dyn_cast<vector::ToElementsOp>(op)) {
    setResults(op, partsOf(to.getSource()));
    return true;
  }
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    Values source = flatten({shuffle.getV1(), shuffle.getV2()}), list;
    for (int64_t position : shuffle.getMask())
      list.push_back(source[std::max<int64_t>(position, 0)]);
    setResults(op, list);
    return true;
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    if (extract.hasDynamicPosition() || extract.getStaticPosition().size() != 1)
      return false;
    setResults(op, partsOf(extract.getSource())[extract.getStaticPosition().front()]);
    return true;
  }
  if (auto insert = dyn_cast<vector::InsertOp>(op)) {
    if (insert.hasDynamicPosition() || insert.getStaticPosition().size() != 1)
      return false;
    Values list = partsOf(insert.getDest());
    list[insert.getStaticPosition().front()] = insert.getValueToStore();
    setResults(op, list);
    return true;
  }
  if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    if (slice.hasNonUnitStrides())
      return false;
    Values source = partsOf(slice.getSource());
    auto offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
    auto size = cast<IntegerAttr>(slice.getSizes()[0]).getInt();
    setResults(op, ValueRange(source).slice(offset, size));
    return true;
  }
  if (auto cast = dyn_cast<vector::BitCastOp>(op))
    return visitBitCast(cast);
  if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
    if (reduction.getKind() != vector::CombiningKind::OR || reduction.getAcc())
      return false;
    // In pairs, so that the chain is short.
    Values list = partsOf(reduction.getVector());
    while (list.size() > 1) {
      size_t half = list.size() / 2;
      for (size_t i = 0; i < half; ++i)
        list[i] = arith::OrIOp::create(b, op->getLoc(), list[2 * i], list[2 * i + 1]);
      if (list.size() % 2)
        list[half++] = list.back();
      list.resize(half);
    }
    setResults(op, list);
    return true;
  }
  return false;
}

/// One small cast for as many elements as have the same bits on both sides.
bool Scalarizer::visitBitCast(vector::BitCastOp op) {
  VectorType from = op.getSourceVectorType(), to = op.getResultVectorType();
  size_t sources = from.getNumElements(), results = to.getNumElements();
  size_t pieces = std::min(sources, results);
  if (sources % pieces || results % pieces)
    return false;
  Values source = partsOf(op.getSource()), list;
  if (from.getElementType() == to.getElementType()) {
    setResults(op, source);
    return true;
  }
  Location loc = op.getLoc();
  for (size_t piece = 0; piece < pieces; ++piece) {
    ArrayRef<Value> own = ArrayRef(source).slice(piece * (sources / pieces), sources / pieces);
    if (sources == results) {
      list.push_back(arith::BitcastOp::create(b, loc, to.getElementType(), own.front()));
      continue;
    }
    Value packed = vector::FromElementsOp::create(
        b, loc, VectorType::get({int64_t(own.size())}, from.getElementType()), own);
    auto type = VectorType::get({int64_t(results / pieces)}, to.getElementType());
    auto unpacked =
        vector::ToElementsOp::create(b, loc, vector::BitCastOp::create(b, loc, type, packed));
    llvm::append_range(list, unpacked.getResults());
  }
  setResults(op, list);
  return true;
}

void Scalarizer::visitElementwise(Operation *op, unsigned count) {
  SmallVector<Values> operands;
  for (Value operand : op->getOperands())
    operands.push_back(partsOf(operand));
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(registersOf(type).getElementType());
  SmallVector<Values> results(types.size());
  Values own(operands.size());
  for (unsigned i = 0; i < count; ++i) {
    for (auto [place, list] : llvm::enumerate(operands))
      own[place] = registersOf(op->getOperand(place).getType()) ? list[i] : list.front();
    // By the storage of the properties: as an attribute they would be parsed for each element.
    Operation *copy = b.insert(Operation::create(
        op->getLoc(), op->getName(), types, own, op->getDiscardableAttrDictionary(),
        op->getPropertiesStorage(), BlockRange(), /*numRegions=*/0));
    for (auto [list, result] : llvm::zip_equal(results, copy->getResults()))
      list.push_back(result);
  }
  Values flat;
  for (const Values &list : results)
    llvm::append_range(flat, list);
  setResults(op, flat);
}

void Scalarizer::visit(Operation *op) {
  b.setInsertionPoint(op);
  if (op->getNumRegions() && isa<scf::SCFDialect>(op->getDialect()))
    return visitRegions(op);
  bool reads = llvm::any_of(op->getOperandTypes(), [](Type t) { return bool(registersOf(t)); });
  bool writes = llvm::any_of(op->getResultTypes(), [](Type t) { return bool(registersOf(t)); });
  if (reads || writes) {
    if (visitVectorOp(op))
      return;
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      OperationState state(op->getLoc(), op->getName());
      state.addOperands(flatten(op->getOperands()));
      state.addAttributes(op->getDiscardableAttrDictionary().getValue());
      b.create(state);
      dead.push_back(op);
      return;
    }
    bool isElementwise =
        writes && llvm::all_of(op->getResultTypes(), [](Type t) { return bool(registersOf(t)); }) &&
        (OpTrait::hasElementwiseMappableTraits(op) || isa<simt::FpCastOp>(op));
    if (isElementwise)
      return visitElementwise(op, registersOf(op->getResult(0).getType()).getNumElements());
    for (OpOperand &operand : op->getOpOperands())
      if (registersOf(operand.get().getType()))
        operand.set(whole(operand.get()));
    b.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (registersOf(result.getType())) {
        auto list = vector::ToElementsOp::create(b, op->getLoc(), result);
        parts[result] = Values(list.getResults());
        packed[result] = result;
      }
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      visitBlock(block);
}

void Scalarizer::visitBlock(Block &block) {
  packed.clear();
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops) {
    visit(op);
    if (op->getNumRegions())
      packed.clear();
  }
  packed.clear();
}

void Scalarizer::run() {
  visitBlock(kernel.getBody().front());
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  // Users before what they use. An access needs one of several addresses.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace

void simt::scalarize(func::FuncOp kernel, PoisonIs poison) { Scalarizer(kernel, poison).run(); }

Value simt::mapElements(OpBuilder &b, Location loc, Type type, ValueRange operands,
                        llvm::function_ref<Value(ValueRange)> body) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return body(operands);
  SmallVector<SmallVector<Value>> columns;
  for (Value operand : operands)
    columns.emplace_back(vector::ToElementsOp::create(b, loc, operand).getResults());
  SmallVector<Value> results;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    SmallVector<Value> row;
    for (ArrayRef<Value> column : columns)
      row.push_back(column[i]);
    results.push_back(body(row));
  }
  return vector::FromElementsOp::create(b, loc, vector, results);
}
