// See LowerContext.h: values in layouts, and the scopes in which they are known.
#include "ir/simt/LowerContext.h"
#include "ir/simt/Conversions.h"
#include "ir/simt/Handlers.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

/// Values built on demand call each other. Assignment cuts long chains; the remaining ones, through
/// regions, are refused instead of overflowing the stack.
static constexpr unsigned kMaxDepth = 1000;

//===----------------------------------------------------------------------===//
// Layouts, diagnostics
//===----------------------------------------------------------------------===//

LinearLayout LowerContext::layoutOf(Value value) const {
  if (const LinearLayout *home = layouts.getHome(value))
    return *home;
  return layouts.getDefault(cast<RankedTensorType>(value.getType()));
}

Type LowerContext::loweredType(Value value) const {
  if (isa<RankedTensorType>(value.getType()))
    return registerType(value.getType(), layoutOf(value));
  return elementType(value.getType());
}

unsigned LowerContext::numberOf(const LinearLayout &layout) {
  for (auto [i, known] : llvm::enumerate(knownLayouts))
    if (known == layout)
      return i;
  knownLayouts.push_back(layout);
  return knownLayouts.size() - 1;
}

LogicalResult LowerContext::refuse(Operation *op, const Twine &why) {
  return op->emitError() << "'" << op->getName() << "' cannot be compiled for " << target.name
                         << ": " << why;
}

LogicalResult LowerContext::reportInternal(Location loc, const Twine &what) {
  return emitError(loc, "internal error: ") << what;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value LowerContext::find(Value value) const {
  for (const State &scope : llvm::reverse(scopes))
    if (Value found = scope.values.lookup(value))
      return found;
  return {};
}

LogicalResult LowerContext::set(Value value, Value vector, const LinearLayout &layout) {
  FailureOr<Value> kept = convert(*this, vector, layout, *layouts.getHome(value));
  if (failed(kept))
    return failure();
  set(value, *kept);
  return success();
}

FailureOr<Value> LowerContext::getScalar(Value value) {
  if (Value found = find(value))
    return found;
  return reportInternal(value.getLoc(), "a scalar was used before it was lowered");
}

FailureOr<Value> LowerContext::getLike(Value value, const LinearLayout &layout) {
  return isa<RankedTensorType>(value.getType()) ? get(value, layout) : getScalar(value);
}

FailureOr<Values> LowerContext::getRegisters(Value value, const LinearLayout &layout) {
  if (!value)
    return Values();
  FailureOr<Value> vector = get(value, layout);
  if (failed(vector))
    return failure();
  return unpack(b, *vector);
}

FailureOr<Values> LowerContext::getElements(Value value, const LinearLayout &layout) {
  if (!value || isa<RankedTensorType>(value.getType()))
    return getRegisters(value, layout);
  FailureOr<Value> scalar = getScalar(value);
  if (failed(scalar))
    return failure();
  return Values{*scalar};
}

FailureOr<Values> LowerContext::getAll(ValueRange sources, ValueRange like) {
  Values result;
  for (auto [value, target] : llvm::zip(sources, like)) {
    FailureOr<Value> lowered =
        isa<RankedTensorType>(target.getType()) ? get(value, layoutOf(target)) : getScalar(value);
    if (failed(lowered))
      return failure();
    result.push_back(*lowered);
  }
  return result;
}

FailureOr<Value> LowerContext::get(Value value, const LinearLayout &layout) {
  unsigned id = numberOf(layout);
  Value home;
  for (const State &scope : llvm::reverse(scopes)) {
    if (Value found = scope.built.lookup({value, id}))
      return found;
    if (!home)
      home = scope.values.lookup(value);
  }
  if (const SharedTile *tile = getTile(value)) {
    FailureOr<Value> result = readTile(*this, *tile, layout);
    if (succeeded(result))
      scopes.back().built[{value, id}] = *result;
    return result;
  }
  if (home && *layouts.getHome(value) == layout)
    return home;
  if (!home) {
    if (depth == kMaxDepth)
      return refuse(value.getDefiningOp(), "the chain of address computations is too long");
    ++depth;
    FailureOr<Value> result = buildOnDemand(*this, value, layout);
    --depth;
    if (succeeded(result))
      scopes.back().built[{value, id}] = *result;
    return result;
  }
  // A loop invariant is converted once, before the loop.
  PlaceGuard guard(b);
  size_t target = hoist(value);
  FailureOr<Value> result = convert(*this, home, *layouts.getHome(value), layout);
  if (succeeded(result))
    scopes[target].built[{value, id}] = *result;
  return result;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

const SharedTile *LowerContext::getTile(Value value) const {
  for (const State &scope : llvm::reverse(scopes))
    if (auto found = scope.tiles.find(value); found != scope.tiles.end())
      return &found->second;
  return nullptr;
}

const SharedTile *LowerContext::getStored(Value value, unsigned reader) const {
  for (const State &scope : llvm::reverse(scopes))
    if (auto found = scope.stored.find({value, reader}); found != scope.stored.end())
      return &found->second;
  return nullptr;
}

size_t LowerContext::hoist(Value value) {
  size_t innermost = scopes.size() - 1, owner = innermost;
  Value kept = find(value);
  if (!kept)
    return innermost;
  while (owner > 0 && scopes[owner].block != kept.getParentBlock())
    --owner;
  bool crossesLoop = false;
  for (size_t i = owner + 1; i <= innermost; ++i)
    crossesLoop |= scopes[i].isLoop;
  if (!crossesLoop || scopes[owner].block != kept.getParentBlock())
    return innermost;
  b.setInsertionPointAfterValue(kept);
  b.setLoc(value.getLoc());
  return owner;
}
