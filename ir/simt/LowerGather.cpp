// Gathers, histograms, and regions on single elements.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

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
static Value asPosition(OpBuilder &b, Location loc, Value index) {
  unsigned bits = index.getType().getIntOrFloatBitWidth();
  if (bits < 32)
    return arith::ExtSIOp::create(b, loc, b.getI32Type(), index);
  return bits > 32 ? arith::TruncIOp::create(b, loc, b.getI32Type(), index).getResult() : index;
}

Value Lowering::gatherByShuffles(tile::GatherOp op, const LinearLayout &layout) {
  std::string axis = dimName(op.getAxis());
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  unsigned bits = llvm::Log2_64(sourceType.getDimSize(op.getAxis()));
  LinearLayout source = canonicalize(resizeAxis(layout, axis, bits), laneBits(), warpBits());
  std::optional<AxisPlaces> places = findPlaces(source, axis);
  if (!places || !findPlaces(layout, axis))
    return {};
  // The registers of a result that are not along the axis are those of the source.
  SmallVector<unsigned> sourceRows, resultRows;
  for (unsigned bit = 0; bit < source.inBits(kRegister); ++bit)
    if (!((places->registerMask >> bit) & 1))
      sourceRows.push_back(bit);
  for (unsigned bit = 0; bit < layout.inBits(kRegister); ++bit)
    if (!layout.getBasis(kRegister, bit, axis))
      resultRows.push_back(bit);
  if (sourceRows.size() != resultRows.size())
    return {};
  for (auto [from, to] : llvm::zip(sourceRows, resultRows))
    for (const Dim &out : layout.getOuts())
      if (source.getBasis(kRegister, from, out.name) != layout.getBasis(kRegister, to, out.name))
        return {};

  // Worth it? Every register of the axis is asked for.
  unsigned axisRegisters = 1u << llvm::popcount(places->registerMask);
  uint64_t results = uint64_t(1) << layout.inBits(kRegister);
  uint64_t sources = uint64_t(1) << source.inBits(kRegister);
  unsigned words = llvm::divideCeil(getScalarBytes(elementType(op.getType())), 4);
  const ExchangeCosts &costs = options.target->exchange;
  uint64_t byShuffles =
      results * (axisRegisters * words * costs.shuffle + (axisRegisters - 1) * costs.select);
  // Readers of random places meet in a few banks.
  uint64_t throughShared = costs.barrier + (sources + 3 * results) * words * costs.sharedWavefront;
  if (places->laneMask && (!options.target->hasShuffle || byShuffles > throughShared))
    return {};
  if (!places->laneMask && axisRegisters > 32)
    return {};

  Values registers = unpack(get(op.getSource(), source));
  Values indices = unpack(get(op.getIndices(), layout));
  Value ownLane = arith::AndIOp::create(b, loc, threadId,
                                        constant(int32_t(lowMask(laneBits()) & ~places->laneMask)));
  Values result;
  for (auto [reg, position] : llvm::enumerate(indices)) {
    Value index = asPosition(b, loc, position);
    unsigned row = 0;
    for (auto [from, to] : llvm::zip(sourceRows, resultRows))
      row |= ((reg >> to) & 1) << from;
    // The position's bits at the places of a lane.
    auto bitAt = [&](unsigned i, unsigned to) -> Value {
      Value bit = arith::AndIOp::create(b, loc, index, constant(1 << i));
      if (to > i)
        return arith::ShLIOp::create(b, loc, bit, constant(to - i));
      return to < i ? arith::ShRUIOp::create(b, loc, bit, constant(i - to)).getResult() : bit;
    };
    Value lane = ownLane;
    for (auto [i, place] : llvm::enumerate(places->places))
      if (place.isLane)
        lane = arith::OrIOp::create(b, loc, lane, bitAt(i, place.bit));
    // All candidates of the axis' registers, halved by the position's bits.
    SmallVector<unsigned> registerBits; // of the position
    for (auto [i, place] : llvm::enumerate(places->places))
      if (!place.isLane)
        registerBits.push_back(i);
    Values candidates;
    for (unsigned k = 0; k < axisRegisters; ++k) {
      unsigned from = row;
      for (auto [i, bit] : llvm::enumerate(registerBits))
        from |= ((k >> i) & 1) << places->places[bit].bit;
      candidates.push_back(places->laneMask ? unpack(exchange({pack({registers[from]})},
                                                              ShuffleMode::Index, lane)[0])[0]
                                            : registers[from]);
    }
    for (unsigned i = registerBits.size(); i-- > 0;) {
      Value bit = arith::AndIOp::create(b, loc, index, constant(1 << registerBits[i]));
      Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, constant(0));
      size_t half = size_t(1) << i;
      for (size_t k = 0; k < half; ++k)
        candidates[k] = arith::SelectOp::create(b, loc, isSet, candidates[k + half], candidates[k]);
      candidates.resize(half);
    }
    result.push_back(candidates[0]);
  }
  return pack(result);
}

Value Lowering::gatherThroughShared(tile::GatherOp op, const LinearLayout &layout) {
  unsigned axis = op.getAxis();
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  Type element = elementType(sourceType);
  bool isBool = element.isInteger(1);
  Type stored = isBool ? Type(b.getI8Type()) : element;
  unsigned bytes = getScalarBytes(element);
  // Row-major, the axis slowest: neighbours in the other dimensions stay neighbours.
  llvm::SmallVector<int64_t> strides(sourceType.getRank());
  int64_t stride = bytes;
  for (int64_t dim = sourceType.getRank(); dim-- > 0;)
    if (dim != int64_t(axis)) {
      strides[dim] = stride;
      stride *= sourceType.getDimSize(dim);
    }
  strides[axis] = stride;
  Value buffer = SharedAllocOp::create(b, loc, sourceType.getNumElements() * bytes);
  auto offsets = [&](const LinearLayout &positions, bool withAxis) {
    Values sum;
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim) {
      if ((dim == int64_t(axis) && !withAxis) || sourceType.getDimSize(dim) == 1)
        continue;
      Values coordinate = unpack(coordinates(positions, dimName(dim), 0));
      for (auto [reg, value] : llvm::enumerate(coordinate)) {
        Value scaled = arith::MulIOp::create(b, loc, value, constant(strides[dim]));
        if (sum.size() <= reg)
          sum.push_back(scaled);
        else
          sum[reg] = arith::AddIOp::create(b, loc, sum[reg], scaled);
      }
    }
    if (sum.empty())
      sum.assign(size_t(1) << positions.inBits(kRegister), constant(0));
    return sum;
  };

  LinearLayout home = canonicalize(layoutOf(op.getSource()), laneBits(), warpBits());
  Value first = isFirstHolder(home);
  Values places = offsets(home, true);
  for (auto [reg, value] : llvm::enumerate(unpack(get(op.getSource(), home)))) {
    if (isBool)
      value = arith::ExtUIOp::create(b, loc, stored, value);
    SharedStoreOp::create(b, loc, buffer, places[reg], pack({value}), first);
  }
  Values rows = offsets(layout, false), result;
  auto one = VectorType::get({1}, stored);
  for (auto [reg, position] : llvm::enumerate(unpack(get(op.getIndices(), layout)))) {
    Value index = arith::AndIOp::create(b, loc, asPosition(b, loc, position),
                                        constant(sourceType.getDimSize(axis) - 1));
    Value place = arith::AddIOp::create(
        b, loc, rows[reg], arith::MulIOp::create(b, loc, index, constant(strides[axis])));
    Value value = unpack(SharedLoadOp::create(b, loc, one, buffer, place))[0];
    result.push_back(isBool ? arith::TruncIOp::create(b, loc, element, value).getResult() : value);
  }
  return pack(result);
}

void Lowering::lowerGather(tile::GatherOp op) {
  LinearLayout layout = canonicalize(layoutOf(op.getIndices()), laneBits(), warpBits());
  Value result = gatherByShuffles(op, layout);
  if (!result)
    result = gatherThroughShared(op, layout);
  set(op.getResult(), convert(result, layout, *layouts.getHome(op.getResult())));
}

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

void Lowering::lowerHistogram(tile::HistogramOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  unsigned width = sourceType.getElementTypeBitWidth();
  Value buffer = SharedAllocOp::create(b, loc, type.getNumElements() * 4);
  auto placesOf = [&](const LinearLayout &layout) {
    Values places;
    for (Value index : unpack(coordinates(layout, dimName(0), 0)))
      places.push_back(arith::ShLIOp::create(b, loc, index, constant(2)));
    return places;
  };
  LinearLayout bins = canonicalize(*layouts.getHome(op.getResult()), laneBits(), warpBits());
  Values places = placesOf(bins);
  Value zero = constant(0), one = constant(1), first = isFirstHolder(bins);
  for (Value place : places)
    SharedStoreOp::create(b, loc, buffer, place, pack({zero}), first);

  LinearLayout layout = canonicalize(layoutOf(op.getSource()), laneBits(), warpBits());
  Value firstElement = isFirstHolder(layout);
  Values masks = op.getMask() ? unpack(get(op.getMask(), layout)) : Values();
  for (auto [reg, value] : llvm::enumerate(unpack(get(op.getSource(), layout)))) {
    Value mask = conjunction(firstElement, masks.empty() ? Value() : masks[reg]);
    if (width >= 64 || (int64_t(1) << width) > type.getNumElements()) {
      Value limit = arith::ConstantIntOp::create(b, loc, type.getNumElements(), width);
      mask =
          conjunction(mask, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, limit));
    }
    Value place = arith::ShLIOp::create(b, loc, resizeInteger(value, 32), constant(2));
    SharedAddOp::create(b, loc, buffer, place, one, mask);
  }
  Values result;
  auto word = VectorType::get({1}, b.getI32Type());
  for (Value place : places)
    result.push_back(unpack(SharedLoadOp::create(b, loc, word, buffer, place))[0]);
  set(op.getResult(), convert(pack(result), bins, *layouts.getHome(op.getResult())));
}

//===----------------------------------------------------------------------===//
// Regions on single elements
//===----------------------------------------------------------------------===//

void Lowering::lowerMap(tile::MapOp op) {
  LinearLayout layout = *layouts.getHome(op.getResult(0));
  Values operands;
  for (Value operand : op.getOperands())
    operands.push_back(get(operand, layout));
  for (auto [value, vector] : llvm::zip(op.getOutputs(), applyRegion(op, operands)))
    set(value, convert(vector, layout, *layouts.getHome(value)));
}
