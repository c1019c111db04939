// Steps of random programs: arithmetic, changes of shape, pointers, branches and loops over a pool
// of values.
#include "tests/ir/analysis/ProgramGenerator.h"

#include "ir/tile/TileOps.h"

#include <numeric>

using namespace mlir;

namespace tilerun::test {

int64_t ProgramGenerator::interestingNumber() {
  switch (pick(4)) {
  case 0:
    return int64_t(1) << pick(8);
  case 1:
    return (int64_t(1) << pick(8)) - 1;
  case 2:
    return -(int64_t(1) << pick(8));
  default:
    return int64_t(pick(200)) - 60;
  }
}

Value ProgramGenerator::constantOf(Type type, int64_t value) {
  APInt bits(64, value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(builder, loc(),
                                     DenseElementsAttr::get(tensor, bits.trunc(widthOf(type))));
  return arith::ConstantOp::create(builder, loc(),
                                   builder.getIntegerAttr(type, bits.trunc(widthOf(type))));
}

Value ProgramGenerator::any(const Pool &pool, function_ref<bool(Type)> accept) {
  for (int attempt = 0; attempt < 40; ++attempt) {
    // The newest values are the most interesting.
    size_t index =
        pick(3) ? pool.size() - 1 - pick(std::min<size_t>(pool.size(), 6)) : pick(pool.size());
    if (accept(pool[index].getType()))
      return pool[index];
  }
  return {};
}

Value ProgramGenerator::sameType(const Pool &pool, Type type) {
  if (pick(3) != 0 || !isa<IntegerType>(getElementTypeOrSelf(type)))
    if (Value found = any(pool, [&](Type t) { return t == type; }))
      return found;
  if (!isa<IntegerType>(getElementTypeOrSelf(type)))
    return {};
  // A scalar spread out, or a number.
  if (isa<RankedTensorType>(type) && pick(2))
    if (Value scalar = any(pool, [&](Type t) { return t == getElementTypeOrSelf(type); }))
      return tile::SplatOp::create(builder, loc(), type, scalar);
  return constantOf(type, interestingNumber());
}

void ProgramGenerator::shapeStep(Pool &pool, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    SmallVector<SmallVector<int64_t>> shapes{{8}, {16}, {4, 8}, {8, 1}, {1, 16}, {2, 4, 4}};
    auto tensor = RankedTensorType::get(shapes[pick(shapes.size())], value.getType());
    pool.push_back(tile::SplatOp::create(builder, loc(), tensor, value));
    return;
  }
  ArrayRef<int64_t> shape = type.getShape();
  switch (pick(6)) {
  case 0:
    if (type.getRank() < 3)
      pool.push_back(tile::ExpandDimsOp::create(builder, loc(), value, pick(type.getRank() + 1)));
    return;
  case 1: {
    SmallVector<int64_t> wide(shape);
    for (int64_t &size : wide)
      if (size == 1)
        size = int64_t(1) << pick(5);
    auto result = RankedTensorType::get(wide, type.getElementType());
    if (result.getNumElements() <= 256)
      pool.push_back(tile::BroadcastOp::create(builder, loc(), result, value));
    return;
  }
  case 2: {
    SmallVector<int32_t> order(type.getRank());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    pool.push_back(tile::TransOp::create(builder, loc(), value, order));
    return;
  }
  case 3: {
    SmallVector<int64_t> factors;
    int64_t rest = type.getNumElements();
    while (rest > 1 && factors.size() < 2) {
      int64_t factor = std::min(rest, int64_t(1) << pick(4));
      factors.push_back(factor);
      rest /= factor;
    }
    factors.push_back(rest);
    if (pick(3) == 0)
      factors.insert(factors.begin() + pick(factors.size() + 1), 1);
    auto result = RankedTensorType::get(factors, type.getElementType());
    pool.push_back(tile::ReshapeOp::create(builder, loc(), result, value, false));
    return;
  }
  case 4:
    if (shape.back() == 2) {
      Type half = type.getElementType();
      if (type.getRank() > 1)
        half = RankedTensorType::get(shape.drop_back(), half);
      auto split = tile::SplitOp::create(builder, loc(), half, half, value);
      pool.append({split.getLhs(), split.getRhs()});
    } else if (Value other = sameType(pool, type); other && type.getNumElements() <= 64) {
      pool.push_back(tile::JoinOp::create(builder, loc(), value, other));
    }
    return;
  default:
    if (type.getRank() != 1 || shape[0] > 64)
      return;
    if (Value other = sameType(pool, type)) {
      auto result = RankedTensorType::get({2 * shape[0]}, type.getElementType());
      pool.push_back(tile::CatOp::create(builder, loc(), result, value, other));
    }
  }
}

void ProgramGenerator::control(Pool &pool, int depth) {
  Value carried = any(pool, [](Type) { return true; });
  Pool inner(pool);
  auto body = [&](Value preferred) {
    size_t before = inner.size();
    for (int i = 0; i < 4; ++i)
      step(inner, depth + 1);
    for (size_t i = inner.size(); i > before; --i)
      if (inner[i - 1].getType() == carried.getType())
        return inner[i - 1];
    return preferred;
  };
  if (Value condition = any(pool, [](Type t) { return t.isInteger(1); }); condition && pick(2)) {
    auto branch = scf::IfOp::create(builder, loc(), carried.getType(), condition, true);
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&region->front());
      inner = pool;
      Value result = body(carried);
      scf::YieldOp::create(builder, loc(), result);
    }
    pool.push_back(branch.getResult(0));
    return;
  }
  Value lower = constantOf(integer(32), interestingNumber());
  Value stride = constantOf(integer(32), int64_t(1) << pick(4));
  Value upper = arith::AddIOp::create(builder, loc(), lower, constantOf(integer(32), 20));
  auto loop = scf::ForOp::create(builder, loc(), lower, upper, stride, carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  inner.append({loop.getInductionVar(), loop.getRegionIterArg(0)});
  Value result = body(loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loc(), result);
  pool.push_back(loop.getResult(0));
}

void ProgramGenerator::step(Pool &pool, int depth) {
  if (depth < 2 && pick(12) == 0)
    return control(pool, depth);
  Value a = any(pool, [](Type) { return true; });
  Type type = a.getType();
  if (pick(3) == 0)
    return shapeStep(pool, a);
  if (isa<tile::PointerType>(getElementTypeOrSelf(type))) {
    switch (pick(6)) {
    case 0: {
      Type pointee = pick(2) ? integer(8) : Type(builder.getF32Type());
      Type other = tile::withElementType(type, tile::PointerType::get(pointee));
      pool.push_back(tile::BitcastOp::create(builder, loc(), other, a));
      return;
    }
    case 1:
      pool.push_back(
          tile::PtrToIntOp::create(builder, loc(), tile::withElementType(type, integer(64)), a));
      return;
    default:
      Type offset = tile::withElementType(type, integer(8 << pick(4)));
      if (Value b = sameType(pool, offset))
        pool.push_back(tile::AddPtrOp::create(builder, loc(), a, b));
      return;
    }
  }
  if (type.isInteger(64) && pick(4) == 0)
    pool.push_back(
        tile::IntToPtrOp::create(builder, loc(), tile::PointerType::get(integer(16)), a));
  Value b = sameType(pool, type);
  if (pick(8) == 0 && widthOf(type) > 1) {
    unsigned to = 8 << pick(4);
    Type other = tile::withElementType(type, integer(to));
    if (to > widthOf(type))
      pool.push_back(pick(2) ? Value(arith::ExtSIOp::create(builder, loc(), other, a))
                             : Value(arith::ExtUIOp::create(builder, loc(), other, a)));
    else if (to < widthOf(type))
      pool.push_back(arith::TruncIOp::create(builder, loc(), other, a));
    return;
  }
  switch (pick(20)) {
#define BINARY(NUMBER, OP)                                                                         \
  case NUMBER:                                                                                     \
    pool.push_back(arith::OP::create(builder, loc(), a, b));                                       \
    return;
    BINARY(0, AddIOp)
    BINARY(1, AddIOp)
    BINARY(2, SubIOp)
    BINARY(3, MulIOp)
    BINARY(4, AndIOp)
    BINARY(5, OrIOp)
    BINARY(6, XOrIOp)
    BINARY(7, MinSIOp)
    BINARY(8, MaxUIOp)
    BINARY(9, MaxSIOp)
    BINARY(10, MinUIOp)
  case 11:
  case 12:
  case 13:
  case 14: {
    // A divisor that may be zero would end most runs early.
    int64_t number = std::abs(interestingNumber());
    Value divisor = constantOf(type, mask(number, widthOf(type)) ? number : 1);
    if (pick(3) == 0)
      divisor = arith::OrIOp::create(builder, loc(), b, divisor);
    Value result;
    switch (pick(4)) {
    case 0:
      result = arith::DivSIOp::create(builder, loc(), a, divisor);
      break;
    case 1:
      result = arith::DivUIOp::create(builder, loc(), a, divisor);
      break;
    case 2:
      result = arith::RemSIOp::create(builder, loc(), a, divisor);
      break;
    default:
      result = arith::RemUIOp::create(builder, loc(), a, divisor);
    }
    pool.push_back(result);
    return;
  }
  case 15:
  case 16: {
    Value amount = constantOf(type, pick(std::min(widthOf(type), 6u)));
    Value result;
    switch (pick(3)) {
    case 0:
      result = arith::ShLIOp::create(builder, loc(), a, amount);
      break;
    case 1:
      result = arith::ShRSIOp::create(builder, loc(), a, amount);
      break;
    default:
      result = arith::ShRUIOp::create(builder, loc(), a, amount);
    }
    pool.push_back(result);
    return;
  }
  case 17:
  case 18:
    pool.push_back(arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate(pick(10)), a, b));
    return;
  default:
    Value condition =
        any(pool, [&](Type t) { return t == tile::getMaskType(type) || t.isInteger(1); });
    if (condition)
      pool.push_back(arith::SelectOp::create(builder, loc(), condition, a, b));
  }
}

OwningOpRef<ModuleOp> ProgramGenerator::program() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc());
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> arguments{integer(8),
                              integer(16),
                              integer(32),
                              integer(32),
                              integer(64),
                              tile::PointerType::get(builder.getF32Type()),
                              tile::PointerType::get(integer(8)),
                              integer(1)};
  auto function = func::FuncOp::create(builder, loc(), "f", builder.getFunctionType(arguments, {}));
  for (unsigned i = 0; i + 1 < arguments.size(); ++i)
    if (pick(2))
      function.setArgAttr(i, tile::TileDialect::kDivisibilityAttr,
                          builder.getI64IntegerAttr(pick(3) ? int64_t(1) << pick(6) : 48));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Pool pool(function.getArguments().begin(), function.getArguments().end());
  for (int i = 0; i < 3; ++i) {
    int64_t start = pick(2) ? 0 : interestingNumber(), size = int64_t(2) << pick(5);
    pool.push_back(tile::MakeRangeOp::create(
        builder, loc(), RankedTensorType::get({size}, integer(32)), start, start + size));
  }
  for (int i = 0; i < 24; ++i)
    step(pool, 0);
  func::ReturnOp::create(builder, loc());
  return module;
}

Elements ProgramGenerator::input(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto promise = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                        tile::TileDialect::kDivisibilityAttr);
  uint64_t value = pick(3) ? random() : pick(300);
  if (promise) {
    // A multiple as a mathematical number within the type, as the launch checks it.
    value = mask(value, std::min(widthOf(argument.getType()), 62u));
    value -= value % promise.getInt();
  }
  return {value};
}

} // namespace tilerun::test
