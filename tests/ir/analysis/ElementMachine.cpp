// Ops in plain C++: the effect of each on elements, as specified by the tile dialect and the
// dialects of integers and control flow.
#include "tests/ir/analysis/ElementMachine.h"

#include "ir/tile/TileOps.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace tilerun::test {

unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}
uint64_t mask(uint64_t value, unsigned width) {
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

namespace {

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

} // namespace

void ElementMachine::check(Value value, const Elements &elements) {
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

bool ElementMachine::elementwise(Operation &op,
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

bool ElementMachine::runOp(Operation &op) {
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

bool ElementMachine::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!runOp(op))
      return false;
  return true;
}

} // namespace tilerun::test
