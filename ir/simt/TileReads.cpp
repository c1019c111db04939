// Registers from a tile in shared memory: by simt.load_matrix or simt.load_transposed where the
// layout is that of their results, or of bytes that are transposed after the former, else by plain
// accesses that are as wide as the layout allows.
#include "ir/layout/ByteMatrices.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/SharedMemory.h"
#include "ir/simt/LowerContext.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;

namespace {
/// One read of a tile's elements into the registers of a layout.
class TileRead {
public:
  TileRead(LowerContext &c, const SharedTile &source, const LinearLayout &wanted,
           ArrayRef<uint64_t> origin)
      : c(c), source(source), wanted(wanted), toOffset(*source.memory.invert()),
        bytes(getScalarBytes(source.element)), count(1u << wanted.inBits(kRegister)),
        wordBits(bytes <= 4 ? llvm::Log2_32(4 / bytes) : 0) {
    originOffset = origin.empty() ? 0 : offsetOf(origin[0], origin[1]);
  }

  /// Whether words of neighbours along dimension `along` are held as simt.load_matrix gives them.
  bool suitsLoadMatrix(unsigned along) const;
  Value loadMatrices(unsigned along);
  /// Whether lanes hold words of bytes along dimension `along`, which is not the contiguous one, in
  /// the order that layout::bytesAcross has.
  bool suitsBytesAcross(unsigned along) const;
  Value loadBytesAcross(unsigned along);
  /// Whether 16 lanes hold runs of neighbours in memory as simt.load_transposed gives them.
  bool suitsLoadTransposed() const;
  Value loadTransposed();
  FailureOr<Value> loadPlain();

private:
  /// Of the number of elements in 8 bytes.
  unsigned runBits() const { return llvm::Log2_32(8 / bytes); }
  uint64_t offsetOf(uint64_t x, uint64_t y) const {
    SmallVector<uint64_t, 2> coordinates;
    for (const Dim &in : toOffset.getIns())
      coordinates.push_back(in.name == names[0] ? x : y);
    return toOffset.apply(coordinates)[0] * bytes;
  }
  uint64_t basisOffset(StringRef in, unsigned bit) const {
    return offsetOf(wanted.getBasis(in, bit, names[0]), wanted.getBasis(in, bit, names[1]));
  }
  uint64_t registerOffset(uint64_t reg) const {
    uint64_t offset = originOffset;
    for (unsigned bit = 0; bit < wanted.inBits(kRegister); ++bit)
      if ((reg >> bit) & 1)
        offset ^= basisOffset(kRegister, bit);
    return offset;
  }
  Value place(ArrayRef<uint64_t> bases, uint64_t constantPart) {
    uint64_t bits = 0;
    for (uint64_t basis : bases)
      bits |= basis;
    Value offset = offsetBy(c.b, c.threads.apply(bases), bits, constantPart);
    return source.slot ? Value(arith::AddIOp::create(c.b, offset, source.slot)) : offset;
  }

  LowerContext &c;
  const SharedTile &source;
  const LinearLayout &wanted;
  LinearLayout toOffset;
  unsigned bytes, count;
  unsigned wordBits; ///< Elements in a 32-bit word.
  std::array<std::string, 2> names{dimName(0), dimName(1)};
  uint64_t originOffset = 0;
};
} // namespace

// A lane holds a 32-bit word of neighbours along dimension `along`, four lanes a row of 16 bytes,
// eight such rows. Elements of 16 bits may also lie the other way.
bool TileRead::suitsLoadMatrix(unsigned along) const {
  bool turned = source.inner != along;
  if (bytes > 4 || (turned && bytes != 2) || !c.target.hasLoadMatrix || c.laneBits() != 5 ||
      wanted.inBits(kRegister) < wordBits)
    return false;
  auto is = [&](StringRef in, unsigned bit, unsigned dim, uint64_t value) {
    return wanted.getBasis(in, bit, names[dim]) == value &&
           wanted.getBasis(in, bit, names[1 - dim]) == 0;
  };
  for (unsigned bit = 0; bit < wordBits; ++bit)
    if (!is(kRegister, bit, along, uint64_t(1) << bit))
      return false;
  for (unsigned bit = 0; bit < 2; ++bit)
    if (!is(kLane, bit, along, uint64_t(1) << (wordBits + bit)))
      return false;
  for (unsigned bit = 0; bit < 3; ++bit)
    if (!is(kLane, 2 + bit, 1 - along, uint64_t(1) << bit))
      return false;
  for (unsigned dim = 0; dim < 2; ++dim) {
    uint64_t size = dim == along ? 16 / bytes : 8; // of a matrix
    for (unsigned bit = wordBits; bit < wanted.inBits(kRegister); ++bit)
      if (wanted.getBasis(kRegister, bit, names[dim]) % size)
        return false;
    for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
      if (wanted.getBasis(kWarp, bit, names[dim]) % size)
        return false;
  }
  // A row must be 16 neighbouring bytes.
  unsigned rowBits = llvm::Log2_32(16 / bytes);
  if (source.memory.outBits(names[source.inner]) < rowBits)
    return false;
  for (unsigned bit = 0; bit < rowBits; ++bit)
    if (source.memory.getBasis(kOffset, bit, names[source.inner]) != uint64_t(1) << bit)
      return false;
  return true;
}

Value TileRead::loadMatrices(unsigned along) {
  bool transposed = source.inner != along;
  unsigned matrixBits = std::min(2u, wanted.inBits(kRegister) - wordBits);
  SmallVector<uint64_t, 16> bases;
  for (unsigned bit = 0; bit < 3; ++bit) { // rows of a matrix
    uint64_t step = uint64_t(1) << bit;
    unsigned dim = transposed ? along : 1 - along;
    bases.push_back(dim == 0 ? offsetOf(step, 0) : offsetOf(0, step));
  }
  for (unsigned bit = 0; bit < 2; ++bit) // which matrix
    bases.push_back(bit < matrixBits ? basisOffset(kRegister, wordBits + bit) : 0);
  for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
    bases.push_back(basisOffset(kWarp, bit));
  unsigned width = 1u << (wordBits + matrixBits);
  auto type = VectorType::get({width}, source.element);
  Values result;
  for (unsigned reg = 0; reg < count; reg += width)
    result.append(unpack(c.b, LoadMatrixOp::create(c.b, type, source.buffer,
                                                   place(bases, registerOffset(reg)),
                                                   1 << matrixBits, transposed)));
  return pack(c.b, result);
}

// simt.load_matrix transposes units of 16 bits: two neighbours in a line. It gives a lane such
// units of two neighbouring lines in one word, so that the bytes of two words are those of four
// lines, at two neighbours; in lanes with the second bit of their number the words come in the
// other order (kLinesOfByteMatrices).
bool TileRead::suitsBytesAcross(unsigned along) const {
  constexpr unsigned kFragmentBits = 3, kRowBits = 4, kStepBits = 4;
  if (bytes != 1 || source.inner == along || !c.target.hasLoadMatrix || c.laneBits() != 5 ||
      wanted.inBits(kRegister) < kFragmentBits)
    return false;
  auto is = [&](StringRef in, unsigned bit, unsigned dim, uint64_t value) {
    return wanted.getBasis(in, bit, names[dim]) == value &&
           wanted.getBasis(in, bit, names[1 - dim]) == 0;
  };
  bool fits = is(kRegister, 0, along, 1) && is(kRegister, 1, along, 2) &&
              is(kRegister, 2, 1 - along, 1) && is(kLane, 0, along, 4) && is(kLane, 1, along, 8);
  for (unsigned bit = 0; bit < 3; ++bit)
    fits &= is(kLane, 2 + bit, 1 - along, uint64_t(2) << bit);
  auto isBeyond = [&](StringRef in, unsigned first) {
    for (unsigned bit = first; bit < wanted.inBits(in); ++bit)
      fits &= wanted.getBasis(in, bit, names[along]) % (1u << kStepBits) == 0 &&
              wanted.getBasis(in, bit, names[1 - along]) % (1u << kRowBits) == 0;
  };
  isBeyond(kRegister, kFragmentBits);
  isBeyond(kWarp, 0);
  // A row must be 16 neighbouring bytes.
  if (source.memory.outBits(names[source.inner]) < kRowBits)
    return false;
  for (unsigned bit = 0; bit < kRowBits; ++bit)
    fits &= source.memory.getBasis(kOffset, bit, names[source.inner]) == uint64_t(1) << bit;
  return fits;
}

Value TileRead::loadBytesAcross(unsigned along) {
  auto lineOffset = [&](uint64_t line) {
    return along == 0 ? offsetOf(line, 0) : offsetOf(0, line);
  };
  unsigned pairBits = std::min(1u, wanted.inBits(kRegister) - 3);
  SmallVector<uint64_t, 16> bases;
  for (uint64_t line : kLinesOfByteMatrices)
    bases.push_back(lineOffset(line));
  bases.push_back(pairBits ? basisOffset(kRegister, 3) : 0);
  for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
    bases.push_back(basisOffset(kWarp, bit));
  unsigned matrices = 2u << pairBits, width = 4 * matrices;
  Type i8 = c.b.getI8Type(), i16 = c.b.getI16Type(), i32 = c.b.getI32Type();
  Value bit = arith::AndIOp::create(c.b, c.threads.threadId(), constant(c.b, 2));
  Value isSwapped = arith::CmpIOp::create(c.b, arith::CmpIPredicate::ne, bit, constant(c.b, 0));
  Values result;
  for (unsigned reg = 0; reg < count; reg += width) {
    Value units =
        LoadMatrixOp::create(c.b, VectorType::get({2 * matrices}, i16), source.buffer,
                             place(bases, registerOffset(reg)), matrices, /*transposed=*/true);
    Values words =
        unpack(c.b, vector::BitCastOp::create(c.b, VectorType::get({matrices}, i32), units));
    for (unsigned pair = 0; pair < matrices; pair += 2) {
      Value low = arith::SelectOp::create(c.b, isSwapped, words[pair + 1], words[pair]),
            high = arith::SelectOp::create(c.b, isSwapped, words[pair], words[pair + 1]);
      Value lines =
          vector::BitCastOp::create(c.b, VectorType::get({8}, i8), pack(c.b, {low, high}));
      // Of the first neighbour, then of the second.
      result.append(unpack(c.b, pick(c.b, lines, {0, 2, 4, 6, 1, 3, 5, 7})));
    }
  }
  Value vector = pack(c.b, result);
  auto type = VectorType::get({count}, source.element);
  return type == vector.getType() ? vector : vector::BitCastOp::create(c.b, type, vector);
}

bool TileRead::suitsLoadTransposed() const {
  if (!c.target.hasTransposedRead || !isReadTransposed(wanted, source.inner, bytes))
    return false;
  // A run must be 8 neighbouring bytes.
  const std::string &inner = names[source.inner];
  for (unsigned bit = 0; bit < runBits(); ++bit)
    if (source.memory.outBits(inner) <= bit ||
        source.memory.getBasis(kOffset, bit, inner) != uint64_t(1) << bit)
      return false;
  return true;
}

Value TileRead::loadTransposed() {
  // Of 16 lanes, 2^free read the runs of one register; the other bits of a lane's number say which
  // register that is.
  const unsigned free = 4 - runBits(), run = 1u << runBits();
  SmallVector<uint64_t, 16> bases;
  for (unsigned bit = 0; bit < wanted.inBits(kLane); ++bit)
    bases.push_back(bit < free ? basisOffset(kLane, runBits() + bit)
                    : bit < 4  ? basisOffset(kRegister, bit - free)
                               : basisOffset(kLane, bit));
  for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
    bases.push_back(basisOffset(kWarp, bit));
  auto type = VectorType::get({run}, source.element);
  Values result;
  for (unsigned reg = 0; reg < count; reg += run)
    result.append(unpack(c.b, LoadTransposedOp::create(c.b, type, source.buffer,
                                                       place(bases, registerOffset(reg)))));
  return pack(c.b, result);
}

FailureOr<Value> TileRead::loadPlain() {
  std::optional<SharedAccess> access =
      accessShared(wanted, source.memory, bytes, c.target.sharedModel);
  if (!access)
    return c.reportInternal(c.b.getLoc(), "a buffer does not hold what is read from it");
  SmallVector<uint64_t, 16> bases;
  for (StringRef in : {StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < wanted.inBits(in); ++bit)
      bases.push_back(basisOffset(in, bit));
  Values result(count);
  std::map<uint64_t, Value> byOffset;
  forEachAccess(*access, [&](ArrayRef<unsigned> registers) {
    auto type = VectorType::get({int64_t(registers.size())}, source.element);
    Values elements = unpack(c.b, SharedLoadOp::create(c.b, type, source.buffer,
                                                       place(bases, registerOffset(registers[0]))));
    for (auto [reg, element] : llvm::zip(registers, elements))
      byOffset[registerOffset(reg)] = result[reg] = element;
  });
  for (unsigned reg = 0; reg < count; ++reg)
    if (!result[reg])
      result[reg] = byOffset[registerOffset(reg)];
  return pack(c.b, result);
}

FailureOr<Value> simt::readTile(LowerContext &c, const SharedTile &source,
                                const LinearLayout &wanted, ArrayRef<uint64_t> origin) {
  TileRead read(c, source, wanted, origin);
  for (unsigned along = 0; along < 2; ++along)
    if (read.suitsLoadMatrix(along))
      return read.loadMatrices(along);
  for (unsigned along = 0; along < 2; ++along)
    if (read.suitsBytesAcross(along))
      return read.loadBytesAcross(along);
  if (read.suitsLoadTransposed())
    return read.loadTransposed();
  return read.loadPlain();
}
