// Vectors of registers taken apart: afterwards arithmetic and control flow work on scalars. An op
// that needs its vectors whole keeps them, between vector.from_elements and vector.to_elements.
// SPIR-V has no vectors of more than four elements, and drivers take shorter ones apart themselves.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

class Scalarizer {
public:
  explicit Scalarizer(func::FuncOp kernel) : kernel(kernel), b(kernel.getContext()) {}
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
  void visitElementwise(Operation *op, unsigned count);
  void visitRegions(Operation *op);
  /// Moves the ops of `from` to the end of `to`, whose arguments are `from`'s taken apart, after
  /// `skipped` equal ones.
  void moveBody(Block &from, Block &to);

  func::FuncOp kernel;
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
    Value zero = constant(b.getZeroAttr(type.getElementType()));
    setResults(op, Values(type.getNumElements(), zero));
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
  return false;
}

void Scalarizer::visitElementwise(Operation *op, unsigned count) {
  SmallVector<Values> operands;
  for (Value operand : op->getOperands())
    operands.push_back(partsOf(operand));
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(registersOf(type).getElementType());
  SmallVector<Values> results(types.size());
  for (unsigned i = 0; i < count; ++i) {
    OperationState state(op->getLoc(), op->getName());
    for (auto [operand, list] : llvm::zip_equal(op->getOperands(), operands))
      state.operands.push_back(registersOf(operand.getType()) ? list[i] : list.front());
    state.addTypes(types);
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (auto [list, result] : llvm::zip_equal(results, b.create(state)->getResults()))
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
}

} // namespace

LogicalResult spirvbackend::scalarize(func::FuncOp kernel) {
  Scalarizer(kernel).run();
  return success();
}
