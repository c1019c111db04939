// Soundness of axis information: random programs over small integers and pointers are run on random
// inputs, and every fact that the analysis claims about any value is checked against all of that
// value's elements. Narrow types make every kind of overflow common.
#include "ir/analysis/AxisInfo.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/tile/TileOps.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace tilerun;

namespace {

using Elements = std::vector<uint64_t>;

unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}
uint64_t mask(uint64_t value, unsigned width) {
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}
int64_t asSigned(uint64_t value, unsigned width) { return llvm::SignExtend64(value, width); }
SmallVector<int64_t> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return SmallVector<int64_t>(tensor.getShape());
  return {1};
}
int64_t sizeOf(Type type) {
  int64_t size = 1;
  for (int64_t dim : shapeOf(type))
    size *= dim;
  return size;
}

//===----------------------------------------------------------------------===//
// Running a program
//===----------------------------------------------------------------------===//

/// Executes ops on concrete elements, and checks the claims about each value as it appears.
class Machine {
public:
  Machine(const AxisInfoMap &claims) : claims(claims) {}

  /// False where the program did something undefined; then nothing is claimed from there on.
  bool runBlock(Block &block);
  void set(Value value, Elements elements) {
    for (uint64_t &element : elements)
      element = mask(element, widthOf(value.getType()));
    check(value, elements);
    values[value] = std::move(elements);
  }
  std::string failure;
  uint64_t factsChecked = 0, strongFacts = 0;

private:
  const Elements &get(Value value) { return values.find(value)->second; }
  bool runOp(Operation &op);
  bool elementwise(Operation &op, function_ref<std::optional<uint64_t>(ArrayRef<uint64_t>)> f);
  void check(Value value, const Elements &elements);

  const AxisInfoMap &claims;
  std::map<Value, Elements, bool (*)(Value, Value)> values{
      [](Value a, Value b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); }};
};

void Machine::check(Value value, const Elements &elements) {
  AxisInfo info = claims.lookup(value);
  SmallVector<int64_t> shape = shapeOf(value.getType());
  unsigned width = widthOf(value.getType());
  auto fail = [&](const char *what, unsigned dim, size_t at) {
    if (!failure.empty())
      return;
    llvm::raw_string_ostream os(failure);
    os << what << " along dimension " << dim << " does not hold at element " << at << " (value "
       << elements[at] << ") of\n  " << value << "\nwhere the claim is " << info << "\n";
  };
  ASSERT_EQ(info.getRank(), shape.size());
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    int64_t stride = 1;
    for (unsigned inner = dim + 1; inner < shape.size(); ++inner)
      stride *= shape[inner];
    const AxisInfo::Axis &axis = info[dim];
    if (shape[dim] % axis.contiguity || shape[dim] % axis.constancy)
      fail("a run that does not fit", dim, 0);
    strongFacts +=
        (axis.contiguity > 1) + (axis.divisibility > 1) + (axis.constancy > 1 && shape[dim] > 1);
    for (int64_t at = 0; at < int64_t(elements.size()); ++at) {
      int64_t index = at / stride % shape[dim];
      ++factsChecked;
      int64_t first = at - index % axis.contiguity * stride;
      if (elements[at] != mask(elements[first] + index % axis.contiguity * info.getUnit(), width))
        fail("contiguity", dim, at);
      // A multiple of m has log2(m) zeros at the end, or is zero.
      if (elements[first] & (axis.divisibility - 1))
        fail("divisibility", dim, first);
      if (elements[at] != elements[at - index % axis.constancy * stride])
        fail("constancy", dim, at);
      if (info.getConstant() && elements[at] != mask(*info.getConstant(), width))
        fail("the constant", dim, at);
    }
  }
}

bool Machine::elementwise(Operation &op,
                          function_ref<std::optional<uint64_t>(ArrayRef<uint64_t>)> f) {
  Value result = op.getResult(0);
  Elements out(sizeOf(result.getType()));
  for (size_t i = 0; i < out.size(); ++i) {
    SmallVector<uint64_t> arguments;
    for (Value operand : op.getOperands()) {
      const Elements &in = get(operand);
      arguments.push_back(in.size() == 1 ? in[0] : in[i]);
    }
    std::optional<uint64_t> value = f(arguments);
    if (!value)
      return false;
    out[i] = *value;
  }
  set(result, out);
  return true;
}

/// Copies elements: result element i is element source(index of i) of the operand.
Elements gather(Type from, Type to, const Elements &in,
                function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> source) {
  SmallVector<int64_t> inShape = shapeOf(from), outShape = shapeOf(to);
  Elements out(sizeOf(to));
  for (int64_t i = 0; i < int64_t(out.size()); ++i) {
    SmallVector<int64_t> index(outShape.size());
    int64_t rest = i;
    for (int dim = outShape.size() - 1; dim >= 0; --dim) {
      index[dim] = rest % outShape[dim];
      rest /= outShape[dim];
    }
    SmallVector<int64_t> from = source(index);
    int64_t flat = 0;
    for (unsigned dim = 0; dim < inShape.size(); ++dim)
      flat = flat * inShape[dim] + from[dim];
    out[i] = in[flat];
  }
  return out;
}

bool Machine::runOp(Operation &op) {
  unsigned width = op.getNumOperands() ? widthOf(op.getOperand(0).getType()) : 0;
  using Args = ArrayRef<uint64_t>;
  using Result = std::optional<uint64_t>;
  auto moved = [&](function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> source) {
    set(op.getResult(0), gather(op.getOperand(0).getType(), op.getResult(0).getType(),
                                get(op.getOperand(0)), source));
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](arith::ConstantOp c) {
        Elements out;
        if (auto dense = dyn_cast<DenseIntElementsAttr>(c.getValue()))
          for (const APInt &value : dense.getValues<APInt>())
            out.push_back(value.getZExtValue());
        else
          out.push_back(cast<IntegerAttr>(c.getValue()).getValue().getZExtValue());
        set(c, out);
        return true;
      })
      .Case([&](tile::MakeRangeOp r) {
        Elements out;
        for (int64_t i = int32_t(r.getStart()); i < int32_t(r.getEnd()); ++i)
          out.push_back(i);
        set(r, out);
        return true;
      })
      .Case([&](tile::SplatOp s) {
        set(s, Elements(sizeOf(s.getType()), get(s.getSource())[0]));
        return true;
      })
      .Case([&](tile::BroadcastOp b) {
        SmallVector<int64_t> shape = shapeOf(b.getSource().getType());
        return moved([&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> from(index);
          for (unsigned dim = 0; dim < shape.size(); ++dim)
            if (shape[dim] == 1)
              from[dim] = 0;
          return from;
        });
      })
      .Case([&](tile::ExpandDimsOp e) {
        return moved([&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> from(index);
          from.erase(from.begin() + e.getAxis());
          return from;
        });
      })
      .Case([&](tile::TransOp t) {
        return moved([&](ArrayRef<int64_t> index) {
          SmallVector<int64_t> from(index.size());
          for (auto [dim, source] : llvm::enumerate(t.getOrder()))
            from[source] = index[dim];
          return from;
        });
      })
      .Case([&](tile::ReshapeOp r) {
        set(r, Elements(get(r.getSource())));
        return true;
      })
      .Case([&](tile::JoinOp j) {
        Elements out;
        for (auto [a, b] : llvm::zip(get(j.getLhs()), get(j.getRhs())))
          out.insert(out.end(), {a, b});
        set(j, out);
        return true;
      })
      .Case([&](tile::SplitOp s) {
        Elements halves[2];
        for (auto [i, value] : llvm::enumerate(get(s.getSource())))
          halves[i % 2].push_back(value);
        set(s.getLhs(), halves[0]);
        set(s.getRhs(), halves[1]);
        return true;
      })
      .Case([&](tile::CatOp c) {
        Elements out(get(c.getLhs()));
        out.insert(out.end(), get(c.getRhs()).begin(), get(c.getRhs()).end());
        set(c, out);
        return true;
      })
      .Case([&](tile::AddPtrOp p) {
        uint64_t unit = tile::getElementBytes(
            cast<tile::PointerType>(getElementTypeOrSelf(p.getType())).getPointeeType());
        unsigned offset = widthOf(p.getOffset().getType());
        return elementwise(
            op, [&](Args v) -> Result { return v[0] + uint64_t(asSigned(v[1], offset)) * unit; });
      })
      .Case<tile::IntToPtrOp, tile::PtrToIntOp, tile::BitcastOp>(
          [&](auto) { return elementwise(op, [](Args v) -> Result { return v[0]; }); })
      .Case([&](arith::AddIOp) {
        return elementwise(op, [](Args v) -> Result { return v[0] + v[1]; });
      })
      .Case([&](arith::SubIOp) {
        return elementwise(op, [](Args v) -> Result { return v[0] - v[1]; });
      })
      .Case([&](arith::MulIOp) {
        return elementwise(op, [](Args v) -> Result { return v[0] * v[1]; });
      })
      .Case<arith::DivUIOp, arith::RemUIOp>([&](auto) {
        bool isDivision = isa<arith::DivUIOp>(op);
        return elementwise(op, [&](Args v) -> Result {
          if (v[1] == 0)
            return std::nullopt;
          return isDivision ? v[0] / v[1] : v[0] % v[1];
        });
      })
      .Case<arith::DivSIOp, arith::RemSIOp>([&](auto) {
        bool isDivision = isa<arith::DivSIOp>(op);
        return elementwise(op, [&](Args v) -> Result {
          int64_t a = asSigned(v[0], width), b = asSigned(v[1], width);
          if (b == 0 || (b == -1 && a == llvm::minIntN(width)))
            return std::nullopt;
          return isDivision ? a / b : a % b;
        });
      })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>([&](auto) {
        return elementwise(op, [&](Args v) -> Result {
          if (v[1] >= width)
            return std::nullopt;
          return isa<arith::ShLIOp>(op)    ? v[0] << v[1]
                 : isa<arith::ShRUIOp>(op) ? v[0] >> v[1]
                                           : uint64_t(asSigned(v[0], width) >> v[1]);
        });
      })
      .Case([&](arith::AndIOp) {
        return elementwise(op, [](Args v) -> Result { return v[0] & v[1]; });
      })
      .Case([&](arith::OrIOp) {
        return elementwise(op, [](Args v) -> Result { return v[0] | v[1]; });
      })
      .Case([&](arith::XOrIOp) {
        return elementwise(op, [](Args v) -> Result { return v[0] ^ v[1]; });
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto) {
        return elementwise(op, [&](Args v) -> Result {
          bool less = asSigned(v[0], width) < asSigned(v[1], width);
          return less == isa<arith::MinSIOp>(op) ? v[0] : v[1];
        });
      })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](auto) {
        return elementwise(op, [&](Args v) -> Result {
          return (v[0] < v[1]) == isa<arith::MinUIOp>(op) ? v[0] : v[1];
        });
      })
      .Case([&](arith::CmpIOp cmp) {
        return elementwise(op, [&](Args v) -> Result {
          return arith::applyCmpPredicate(cmp.getPredicate(), APInt(width, v[0]),
                                          APInt(width, v[1]));
        });
      })
      .Case([&](arith::SelectOp) {
        return elementwise(op, [](Args v) -> Result { return v[0] ? v[1] : v[2]; });
      })
      .Case([&](arith::ExtSIOp) {
        return elementwise(op, [&](Args v) -> Result { return asSigned(v[0], width); });
      })
      .Case<arith::ExtUIOp, arith::TruncIOp>(
          [&](auto) { return elementwise(op, [](Args v) -> Result { return v[0]; }); })
      .Case([&](scf::IfOp branch) {
        Region &region =
            get(branch.getCondition())[0] ? branch.getThenRegion() : branch.getElseRegion();
        if (!runBlock(region.front()))
          return false;
        for (auto [result, value] :
             llvm::zip(op.getResults(), region.front().getTerminator()->getOperands()))
          set(result, Elements(get(value)));
        return true;
      })
      .Case([&](scf::ForOp loop) {
        unsigned bits = widthOf(loop.getInductionVar().getType());
        int64_t lower = asSigned(get(loop.getLowerBound())[0], bits);
        int64_t upper = asSigned(get(loop.getUpperBound())[0], bits);
        int64_t step = asSigned(get(loop.getStep())[0], bits);
        SmallVector<Elements> carried;
        for (Value init : loop.getInitArgs())
          carried.push_back(get(init));
        for (int64_t i = lower; i < upper; i += step) {
          set(loop.getInductionVar(), {uint64_t(i)});
          for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
            set(argument, value);
          if (!runBlock(*loop.getBody()))
            return false;
          for (auto [next, value] :
               llvm::zip(carried, loop.getBody()->getTerminator()->getOperands()))
            next = get(value);
        }
        for (auto [result, value] : llvm::zip(op.getResults(), carried))
          set(result, value);
        return true;
      })
      .Default([&](Operation *) {
        ADD_FAILURE() << "the test cannot run " << op.getName().getStringRef().str();
        return false;
      });
}

bool Machine::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!runOp(op))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Making a program
//===----------------------------------------------------------------------===//

class Generator {
public:
  Generator(MLIRContext &context, uint64_t seed) : builder(&context), random(seed) {}

  OwningOpRef<ModuleOp> program();
  Elements input(BlockArgument argument);
  uint64_t pick(uint64_t count) { return random() % count; }

private:
  using Pool = SmallVector<Value>;
  Location loc() { return builder.getUnknownLoc(); }
  Type integer(unsigned width) { return builder.getIntegerType(width); }
  int64_t interestingNumber();
  Value constantOf(Type type, int64_t value);
  Value any(const Pool &pool, function_ref<bool(Type)> accept);
  Value sameType(const Pool &pool, Type type);
  void step(Pool &pool, int depth);
  void shapeStep(Pool &pool, Value value);
  void control(Pool &pool, int depth);

  OpBuilder builder;
  std::mt19937_64 random;
};

int64_t Generator::interestingNumber() {
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

Value Generator::constantOf(Type type, int64_t value) {
  APInt bits(64, value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(builder, loc(),
                                     DenseElementsAttr::get(tensor, bits.trunc(widthOf(type))));
  return arith::ConstantOp::create(builder, loc(),
                                   builder.getIntegerAttr(type, bits.trunc(widthOf(type))));
}

Value Generator::any(const Pool &pool, function_ref<bool(Type)> accept) {
  for (int attempt = 0; attempt < 40; ++attempt) {
    // The newest values are the most interesting.
    size_t index =
        pick(3) ? pool.size() - 1 - pick(std::min<size_t>(pool.size(), 6)) : pick(pool.size());
    if (accept(pool[index].getType()))
      return pool[index];
  }
  return {};
}

Value Generator::sameType(const Pool &pool, Type type) {
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

void Generator::shapeStep(Pool &pool, Value value) {
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

void Generator::control(Pool &pool, int depth) {
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

void Generator::step(Pool &pool, int depth) {
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

OwningOpRef<ModuleOp> Generator::program() {
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

Elements Generator::input(BlockArgument argument) {
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

void runRandomPrograms(uint64_t firstSeed, int programs) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  uint64_t finished = 0, runs = 0, facts = 0, strong = 0;
  for (int i = 0; i < programs; ++i) {
    Generator generator(context, firstSeed + i);
    OwningOpRef<ModuleOp> module = generator.program();
    ASSERT_TRUE(succeeded(verify(*module)));
    AxisInfoMap claims(*module);
    auto function = *module->getOps<func::FuncOp>().begin();
    for (int run = 0; run < 3; ++run) {
      Machine machine(claims);
      for (BlockArgument argument : function.getArguments())
        machine.set(argument, generator.input(argument));
      finished += machine.runBlock(function.getBody().front());
      ++runs;
      facts += machine.factsChecked;
      strong += machine.strongFacts;
      if (!machine.failure.empty()) {
        std::string text;
        llvm::raw_string_ostream(text) << *module;
        FAIL() << "seed " << firstSeed + i << ": " << machine.failure << text;
      }
    }
  }
  // The test would say little if most runs were undefined or nothing was ever claimed.
  EXPECT_GT(finished * 2, runs);
  EXPECT_GT(strong, uint64_t(programs) * 20);
  EXPECT_GT(facts, uint64_t(programs) * 500);
}

} // namespace

TEST(AxisInfoRandom, FactsHoldOnRandomPrograms1) { runRandomPrograms(1, 700); }
TEST(AxisInfoRandom, FactsHoldOnRandomPrograms2) { runRandomPrograms(1000000, 700); }
TEST(AxisInfoRandom, FactsHoldOnRandomPrograms3) { runRandomPrograms(2000000, 700); }
// Other programs each time, so that many runs see many. TILERUN_SEED repeats a failure.
TEST(AxisInfoRandom, FactsHoldOnFreshPrograms) {
  const char *given = std::getenv("TILERUN_SEED");
  uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  SCOPED_TRACE("TILERUN_SEED=" + std::to_string(seed));
  runRandomPrograms(seed, 500);
}
