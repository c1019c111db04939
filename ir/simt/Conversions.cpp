// See Conversions.h.
#include "ir/simt/Conversions.h"
#include "ir/layout/BitMatrix.h"
#include "ir/layout/Conversion.h"
#include "ir/target/ConversionChoice.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// The value at index `fixed` ^ (what `map` gives for this thread in dimension `out`): the table's
/// candidates are halved by one select for each independent bit.
static Value chooseByThread(LowerContext &c, const LinearLayout &map, StringRef out, uint64_t fixed,
                            llvm::function_ref<Value(uint64_t)> table) {
  llvm::SmallVector<uint64_t, 16> bases = threadBases(map, out);
  BitVectors basis = Subspace(BitVectors(bases.begin(), bases.end())).basis();
  if (basis.empty())
    return table(fixed);
  // The coefficients of a thread's image in that basis are a linear map of the thread's number.
  BitMatrix matrix(kMaxBits, basis);
  llvm::SmallVector<uint64_t, 16> coefficients;
  for (uint64_t vector : bases)
    coefficients.push_back(*matrix.solve(vector));
  Values candidates;
  for (uint64_t index = 0; index < (uint64_t(1) << basis.size()); ++index)
    candidates.push_back(table(fixed ^ matrix.apply(index)));
  for (unsigned bit = basis.size(); bit-- > 0;) {
    Value isSet = c.threads.test(coefficients, bit);
    size_t half = size_t(1) << bit;
    for (size_t i = 0; i < half; ++i)
      if (candidates[i] != candidates[i + half])
        candidates[i] = arith::SelectOp::create(c.b, isSet, candidates[i + half], candidates[i]);
    candidates.resize(half);
  }
  return candidates[0];
}

static Value convertByShuffles(LowerContext &c, Value vector, const ShufflePlan &plan) {
  Values registers = unpack(c.b, vector);
  auto element = cast<VectorType>(vector.getType()).getElementType();
  uint64_t positions = uint64_t(1) << plan.packedRegisters.size();
  unsigned bits = element.getIntOrFloatBitWidth();
  auto packed = VectorType::get({int64_t(positions)}, element);
  auto word = VectorType::get({1}, c.b.getIntegerType(unsigned(positions * bits)));
  auto constantPart = [](const LinearLayout &map, StringRef in, uint64_t index, StringRef out) {
    uint64_t image = 0;
    for (unsigned bit = 0; bit < map.inBits(in); ++bit)
      if ((index >> bit) & 1)
        image ^= map.getBasis(in, bit, out);
    return image;
  };

  // Where a lane looks in round 0; a constant distance needs no arithmetic at all.
  llvm::SmallVector<uint64_t, 16> laneBases = threadBases(plan.sourceLane, kLane);
  bool isDistance = true;
  for (auto [bit, basis] : llvm::enumerate(laneBases))
    isDistance &= basis == (bit < c.laneBits() ? uint64_t(1) << bit : 0);
  uint64_t laneMask = 0;
  for (uint64_t basis : laneBases)
    laneMask |= basis;

  Values received;
  for (auto [round, moves] : llvm::enumerate(plan.needsShuffle)) {
    uint64_t fixed = constantPart(plan.publish, kRound, round, kRegister);
    Values parts;
    for (uint64_t position = 0; position < positions; ++position)
      parts.push_back(chooseByThread(c, plan.publish, kRegister,
                                     fixed ^ layout::combine(plan.packedRegisters, position),
                                     [&](uint64_t reg) { return registers[reg]; }));
    Value published = parts[0];
    if (positions > 1)
      published = unpack(c.b, vector::BitCastOp::create(c.b, word, pack(c.b, parts)))[0];
    if (moves) {
      uint64_t distance = constantPart(plan.sourceLane, kRound, round, kLane);
      published = isDistance
                      ? shuffle(c.b, ShuffleMode::Xor, published, constant(c.b, distance))
                      : shuffle(c.b, ShuffleMode::Index, published,
                                offsetBy(c.b, c.threads.apply(laneBases), laneMask, distance));
    }
    received.push_back(published);
  }

  Values result;
  // Unpacked once for each word.
  llvm::DenseMap<Value, Values> contents;
  auto elementsOf = [&](Value published) -> Values & {
    Values &list = contents[published];
    if (list.empty())
      list = positions > 1
                 ? unpack(c.b, vector::BitCastOp::create(c.b, packed, pack(c.b, {published})))
                 : Values{published};
    return list;
  };
  for (uint64_t reg = 0; reg < (uint64_t(1) << plan.round.inBits(kRegister)); ++reg) {
    Value published =
        chooseByThread(c, plan.round, kRound, constantPart(plan.round, kRegister, reg, kRound),
                       [&](uint64_t round) { return received[round]; });
    Values elements = elementsOf(published);
    result.push_back(chooseByThread(c, plan.position, kPosition,
                                    constantPart(plan.position, kRegister, reg, kPosition),
                                    [&](uint64_t position) { return elements[position]; }));
  }
  return pack(c.b, result);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Fills in registers that repeat another one of their thread.
static void repeatRegisters(const LinearLayout &offsets, Values &registers) {
  auto imageOf = [&](uint64_t reg) {
    uint64_t image = 0;
    for (unsigned bit = 0; bit < offsets.inBits(kRegister); ++bit)
      if ((reg >> bit) & 1)
        image ^= offsets.getBasis(kRegister, bit, kOffset);
    return image;
  };
  std::map<uint64_t, Value> byOffset;
  for (auto [reg, value] : llvm::enumerate(registers))
    if (value)
      byOffset[imageOf(reg)] = value;
  for (auto [reg, value] : llvm::enumerate(registers))
    if (!value)
      value = byOffset[imageOf(reg)];
}

static Value convertInPieces(LowerContext &c, Value vector, const SharedPlan &plan,
                             const LinearLayout &from, unsigned pieceBits) {
  auto type = cast<VectorType>(vector.getType());
  unsigned bytes = getScalarBytes(type);
  uint64_t pieceBytes = plan.bytes >> pieceBits, within = pieceBytes - 1;
  Value first = c.threads.isFirstHolder(from);
  // One side's offsets: a thread's part and a register's, XORed; the bits above a piece's tell in
  // which piece an access is.
  struct Side {
    uint64_t bits = 0; ///< That depend on the thread.
    Value thread, inPiece;
  };
  auto sideOf = [&](const LinearLayout &offsets) {
    Side side;
    llvm::SmallVector<uint64_t, 16> bases = threadBases(offsets, kOffset);
    for (uint64_t &basis : bases)
      side.bits |= basis *= bytes;
    side.thread = c.threads.apply(bases);
    side.inPiece = arith::AndIOp::create(c.b, side.thread, constant(c.b, int32_t(within)));
    return side;
  };
  const SharedAccess &write = plan.choice.write, &read = plan.choice.read;
  Side writer = sideOf(write.offsets), reader = sideOf(read.offsets);
  /// Whether an access is in the piece: nullopt if it never is, else a condition, null for all
  /// threads.
  auto isIn = [&](const Side &side, uint64_t image, uint64_t start) -> std::optional<Value> {
    uint64_t differ = (image ^ start) & ~within;
    if (differ & ~side.bits)
      return std::nullopt;
    if (!(side.bits & ~within))
      return Value();
    Value own =
        arith::AndIOp::create(c.b, side.thread, constant(c.b, int32_t(side.bits & ~within)));
    return arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, own, constant(c.b, int32_t(differ)))
        .getResult();
  };
  Value buffer = SharedAllocOp::create(c.b, int64_t(pieceBytes));
  Values result(size_t(1) << read.offsets.inBits(kRegister));
  for (uint64_t start = 0; start < plan.bytes; start += pieceBytes) {
    forEachAccess(write, [&](ArrayRef<unsigned> registers) {
      uint64_t image = registerImage(write.offsets, registers[0], kOffset) * bytes;
      if (std::optional<Value> condition = isIn(writer, image, start))
        SharedStoreOp::create(c.b, buffer,
                              offsetBy(c.b, writer.inPiece, writer.bits & within, image & within),
                              pick(c.b, vector, SmallVector<int64_t>(registers)),
                              conjunction(c.b, first, *condition));
    });
    forEachAccess(read, [&](ArrayRef<unsigned> registers) {
      uint64_t image = registerImage(read.offsets, registers[0], kOffset) * bytes;
      std::optional<Value> condition = isIn(reader, image, start);
      if (!condition)
        return;
      auto part = VectorType::get({int64_t(registers.size())}, type.getElementType());
      Value place = offsetBy(c.b, reader.inPiece, reader.bits & within, image & within);
      Values elements = unpack(c.b, SharedLoadOp::create(c.b, part, buffer, place));
      for (auto [reg, element] : llvm::zip(registers, elements))
        result[reg] = result[reg] && *condition
                          ? arith::SelectOp::create(c.b, *condition, element, result[reg])
                          : element;
    });
  }
  repeatRegisters(read.offsets, result);
  return pack(c.b, result);
}

static Value convertThroughShared(LowerContext &c, Value vector, const ConversionPlan &plan,
                                  const LinearLayout &from, const LinearLayout &to) {
  const SharedPlan &shared = *plan.shared;
  auto type = cast<VectorType>(vector.getType());
  unsigned bytes = getScalarBytes(type);
  if (unsigned bits = target::MemoryBudget::pieceBits(shared.bytes, c.conversionBytes))
    return convertInPieces(c, vector, shared, from, bits);
  Value buffer = SharedAllocOp::create(c.b, int64_t(shared.bytes));

  storeShared(c, vector, from, shared.choice.write, buffer);
  unsigned count = 1u << to.inBits(kRegister);
  Values result(count);
  const LinearLayout &readOffsets = shared.choice.read.offsets;
  // Byte offsets are a thread's part and a register's, XORed.
  llvm::SmallVector<uint64_t, 16> bases = threadBases(readOffsets, kOffset);
  uint64_t bits = 0;
  for (uint64_t &basis : bases)
    bits |= basis *= bytes;
  Value thread = c.threads.apply(bases);
  forEachAccess(shared.choice.read, [&](ArrayRef<unsigned> registers) {
    uint64_t image = registerImage(readOffsets, registers[0], kOffset) * bytes;
    auto part = VectorType::get({int64_t(registers.size())}, type.getElementType());
    Values elements =
        unpack(c.b, SharedLoadOp::create(c.b, part, buffer, offsetBy(c.b, thread, bits, image)));
    for (auto [reg, element] : llvm::zip(registers, elements))
      result[reg] = element;
  });
  repeatRegisters(readOffsets, result);
  return pack(c.b, result);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

FailureOr<Value> simt::convert(LowerContext &c, Value vector, const LinearLayout &from,
                               const LinearLayout &to) {
  if (from == to)
    return vector;
  auto type = cast<VectorType>(vector.getType());
  llvm::Expected<ConversionPlan> plan =
      target::chooseConversion(c.target, from, to, getScalarBytes(type));
  if (!plan)
    return c.reportInternal(c.b.getLoc(),
                            "no conversion between layouts: " + llvm::toString(plan.takeError()));
  if (plan->kind == ConversionKind::None)
    return vector;
  if (plan->kind == ConversionKind::Registers) {
    SmallVector<int64_t> indices;
    for (uint64_t reg = 0; reg < (uint64_t(1) << to.inBits(kRegister)); ++reg)
      indices.push_back(registerImage(plan->source, reg, kRegister));
    return pick(c.b, vector, indices);
  }
  auto move = [&](Value values) {
    return plan->kind == ConversionKind::Shuffles
               ? convertByShuffles(c, values, *plan->shuffle)
               : convertThroughShared(c, values, *plan, from, to);
  };
  if (plan->kind != ConversionKind::SharedMemory && plan->kind != ConversionKind::Shuffles)
    return c.reportInternal(c.b.getLoc(), Twine("a conversion by ") + toString(plan->kind));
  // Memory and words hold whole bytes.
  if (!type.getElementType().isInteger(1))
    return move(vector);
  Value moved = move(arith::ExtUIOp::create(c.b, type.clone(c.b.getI8Type()), vector));
  auto bools = cast<VectorType>(moved.getType()).clone(c.b.getI1Type());
  return arith::TruncIOp::create(c.b, bools, moved).getResult();
}
