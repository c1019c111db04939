// Gathers: by shuffles where the axis is in one warp and that is cheap, else through shared memory.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Exchange.h"
#include "ir/simt/HandlerList.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

namespace {
/// Where positions along an axis are in the registers and lanes of a warp: bit i of a position is
/// one bit of one of the two, and these bits move along no other axis.
struct AxisPlaces {
  struct Place {
    bool isLane;
    unsigned bit;
  };
  SmallVector<Place> places; ///< By bit of the position.
  uint64_t registerMask = 0, laneMask = 0;
};
} // namespace

/// Nothing if the axis is spread over warps, or mixed with others.
static std::optional<AxisPlaces> findPlaces(const LinearLayout &layout, StringRef axis) {
  AxisPlaces result;
  result.places.resize(layout.outBits(axis), {false, ~0u});
  for (const Dim &in : layout.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t along = layout.getBasis(in.name, bit, axis);
      if (!along)
        continue;
      for (const Dim &out : layout.getOuts())
        if (out.name != axis && layout.getBasis(in.name, bit, out.name))
          return std::nullopt;
      if (!llvm::isPowerOf2_64(along) || (in.name != kRegister && in.name != kLane))
        return std::nullopt;
      AxisPlaces::Place &place = result.places[llvm::Log2_64(along)];
      if (place.bit != ~0u)
        return std::nullopt;
      place = {in.name == kLane, bit};
      (place.isLane ? result.laneMask : result.registerMask) |= uint64_t(1) << bit;
    }
  for (const AxisPlaces::Place &place : result.places)
    if (place.bit == ~0u)
      return std::nullopt;
  return result;
}

/// `indices` with another size of the axis: positions beyond it repeat, new ones are registers.
static LinearLayout resizeAxis(const LinearLayout &indices, StringRef axis, unsigned bits) {
  unsigned own = indices.outBits(axis);
  if (bits <= own)
    return indices.resizeOut(axis, bits);
  return indices * LinearLayout::identity1D(bits - own, kRegister, axis);
}

/// A signed index as 32 bits: those above number no axis.
static Value asPosition(LowerContext &c, Value index) {
  unsigned bits = index.getType().getIntOrFloatBitWidth();
  if (bits < 32)
    return arith::ExtSIOp::create(c.b, c.b.getI32Type(), index);
  return bits > 32 ? arith::TruncIOp::create(c.b, c.b.getI32Type(), index).getResult() : index;
}

namespace {
/// A gather along an axis whose positions are in the registers and lanes of one warp.
class ShuffleGather {
public:
  ShuffleGather(LowerContext &c, tile::GatherOp op, const LinearLayout &layout)
      : c(c), op(op), layout(layout), axis(dimName(op.getAxis())) {
    auto type = cast<RankedTensorType>(op.getSource().getType());
    unsigned bits = llvm::Log2_64(type.getDimSize(op.getAxis()));
    source = c.canonicalize(resizeAxis(layout, axis, bits));
    places = findPlaces(source, axis);
  }
  /// Whether it can be done, and costs no more than a trip through shared memory.
  bool pays();
  FailureOr<Value> emit();

private:
  bool matchRows();
  /// Bit `i` of a position, at bit `to`.
  Value bitAt(Value position, unsigned i, unsigned to);
  Value choose(Value position, unsigned row);

  LowerContext &c;
  tile::GatherOp op;
  const LinearLayout &layout; ///< Of indices and result.
  std::string axis;
  LinearLayout source;
  std::optional<AxisPlaces> places;
  SmallVector<unsigned> sourceRows, resultRows; ///< Register bits that are not along the axis.
  Values registers;
  Value rowLane; ///< This lane's bits that are not along the axis.
};
} // namespace

/// The registers of a result that are not along the axis are those of the source.
bool ShuffleGather::matchRows() {
  for (unsigned bit = 0; bit < source.inBits(kRegister); ++bit)
    if (!((places->registerMask >> bit) & 1))
      sourceRows.push_back(bit);
  for (unsigned bit = 0; bit < layout.inBits(kRegister); ++bit)
    if (!layout.getBasis(kRegister, bit, axis))
      resultRows.push_back(bit);
  if (sourceRows.size() != resultRows.size())
    return false;
  for (auto [from, to] : llvm::zip(sourceRows, resultRows))
    for (const Dim &out : layout.getOuts())
      if (source.getBasis(kRegister, from, out.name) != layout.getBasis(kRegister, to, out.name))
        return false;
  return true;
}

bool ShuffleGather::pays() {
  if (!places || !findPlaces(layout, axis) || !matchRows())
    return false;
  // Every register of the axis is asked for.
  unsigned axisRegisters = 1u << llvm::popcount(places->registerMask);
  uint64_t results = uint64_t(1) << layout.inBits(kRegister);
  uint64_t sources = uint64_t(1) << source.inBits(kRegister);
  unsigned words = llvm::divideCeil(getScalarBytes(elementType(op.getType())), 4);
  const ExchangeCosts &costs = c.target.exchange;
  uint64_t byShuffles =
      results * (axisRegisters * words * costs.shuffle + (axisRegisters - 1) * costs.select);
  // Readers of random places meet in a few banks.
  uint64_t throughShared = costs.barrier + (sources + 3 * results) * words * costs.sharedWavefront;
  if (places->laneMask)
    return c.target.hasShuffle && byShuffles <= throughShared;
  return axisRegisters <= 32;
}

Value ShuffleGather::bitAt(Value position, unsigned i, unsigned to) {
  Value bit = arith::AndIOp::create(c.b, position, constant(c.b, 1 << i));
  if (to > i)
    return arith::ShLIOp::create(c.b, bit, constant(c.b, to - i));
  return to < i ? arith::ShRUIOp::create(c.b, bit, constant(c.b, i - to)).getResult() : bit;
}

/// The element at `position` in a row, whose registers are those with the bits of `row`.
Value ShuffleGather::choose(Value position, unsigned row) {
  // The position's bits at the places of a lane.
  Value lane = rowLane;
  SmallVector<unsigned> registerBits; // of the position
  for (auto [i, place] : llvm::enumerate(places->places))
    if (place.isLane)
      lane = arith::OrIOp::create(c.b, lane, bitAt(position, i, place.bit));
    else
      registerBits.push_back(i);
  // All candidates of the axis' registers, halved by the position's bits.
  Values candidates;
  for (unsigned k = 0; k < 1u << registerBits.size(); ++k) {
    unsigned from = row;
    for (auto [i, bit] : llvm::enumerate(registerBits))
      from |= ((k >> i) & 1) << places->places[bit].bit;
    Value element = registers[from];
    if (places->laneMask)
      element = unpack(c.b, exchange(c, {pack(c.b, {element})}, ShuffleMode::Index, lane)[0])[0];
    candidates.push_back(element);
  }
  for (unsigned i = registerBits.size(); i-- > 0;) {
    Value bit = arith::AndIOp::create(c.b, position, constant(c.b, 1 << registerBits[i]));
    Value isSet = arith::CmpIOp::create(c.b, arith::CmpIPredicate::ne, bit, constant(c.b, 0));
    size_t half = size_t(1) << i;
    for (size_t k = 0; k < half; ++k)
      candidates[k] = arith::SelectOp::create(c.b, isSet, candidates[k + half], candidates[k]);
    candidates.resize(half);
  }
  return candidates[0];
}

FailureOr<Value> ShuffleGather::emit() {
  FailureOr<Values> elements = c.getRegisters(op.getSource(), source),
                    indices = c.getRegisters(op.getIndices(), layout);
  if (failed(elements) || failed(indices))
    return failure();
  registers = *elements;
  rowLane = arith::AndIOp::create(
      c.b, c.threads.threadId(), constant(c.b, int32_t(lowMask(c.laneBits()) & ~places->laneMask)));
  Values result;
  for (auto [reg, position] : llvm::enumerate(*indices)) {
    Value index = asPosition(c, position);
    unsigned row = 0;
    for (auto [from, to] : llvm::zip(sourceRows, resultRows))
      row |= ((reg >> to) & 1) << from;
    result.push_back(choose(index, row));
  }
  return pack(c.b, result);
}

static FailureOr<Value> gatherThroughShared(LowerContext &c, tile::GatherOp op,
                                            const LinearLayout &layout) {
  unsigned axis = op.getAxis();
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  Type element = elementType(sourceType);
  bool isBool = element.isInteger(1);
  Type stored = isBool ? Type(c.b.getI8Type()) : element;
  unsigned bytes = getScalarBytes(element);
  // Row-major, the axis slowest: neighbours in the other dimensions stay neighbours.
  SmallVector<int64_t> strides(sourceType.getRank());
  int64_t stride = bytes;
  for (int64_t dim = sourceType.getRank(); dim-- > 0;)
    if (dim != int64_t(axis)) {
      strides[dim] = stride;
      stride *= sourceType.getDimSize(dim);
    }
  strides[axis] = stride;
  Value buffer = SharedAllocOp::create(c.b, sourceType.getNumElements() * bytes);
  auto offsets = [&](const LinearLayout &positions, bool withAxis) {
    Values sum;
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim) {
      if ((dim == int64_t(axis) && !withAxis) || sourceType.getDimSize(dim) == 1)
        continue;
      Values coordinate = unpack(c.b, c.threads.coordinates(positions, dimName(dim), 0));
      for (auto [reg, value] : llvm::enumerate(coordinate)) {
        Value scaled = arith::MulIOp::create(c.b, value, constant(c.b, strides[dim]));
        if (sum.size() <= reg)
          sum.push_back(scaled);
        else
          sum[reg] = arith::AddIOp::create(c.b, sum[reg], scaled);
      }
    }
    if (sum.empty())
      sum.assign(size_t(1) << positions.inBits(kRegister), constant(c.b, 0));
    return sum;
  };

  LinearLayout home = c.canonicalize(c.layoutOf(op.getSource()));
  Value first = c.threads.isFirstHolder(home);
  Values places = offsets(home, true);
  FailureOr<Values> elements = c.getRegisters(op.getSource(), home);
  if (failed(elements))
    return failure();
  for (auto [place, value] : llvm::zip(places, *elements)) {
    Value byte = isBool ? Value(arith::ExtUIOp::create(c.b, stored, value)) : value;
    SharedStoreOp::create(c.b, buffer, place, pack(c.b, {byte}), first);
  }
  Values rows = offsets(layout, false), result;
  FailureOr<Values> indices = c.getRegisters(op.getIndices(), layout);
  if (failed(indices))
    return failure();
  auto one = VectorType::get({1}, stored);
  for (auto [row, position] : llvm::zip(rows, *indices)) {
    Value index = arith::AndIOp::create(c.b, asPosition(c, position),
                                        constant(c.b, sourceType.getDimSize(axis) - 1));
    Value place = arith::AddIOp::create(
        c.b, row, arith::MulIOp::create(c.b, index, constant(c.b, strides[axis])));
    Value value = unpack(c.b, SharedLoadOp::create(c.b, one, buffer, place))[0];
    result.push_back(isBool ? arith::TruncIOp::create(c.b, element, value).getResult() : value);
  }
  return pack(c.b, result);
}

LogicalResult simt::lower(LowerContext &c, tile::GatherOp op) {
  LinearLayout layout = c.canonicalize(c.layoutOf(op.getIndices()));
  ShuffleGather byShuffles(c, op, layout);
  FailureOr<Value> result =
      byShuffles.pays() ? byShuffles.emit() : gatherThroughShared(c, op, layout);
  if (failed(result))
    return failure();
  return c.set(op.getResult(), *result, layout);
}
