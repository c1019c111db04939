// See SharedTiles.h: stores, and where tiles lie. Reads are in TileReads.cpp.
#include "ir/simt/SharedTiles.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/SharedMemory.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/RingTile.h"
#include "ir/simt/LowerContext.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// How many registers of `layout` are in one element of `vector`.
static unsigned registersPerWord(const LinearLayout &layout, Value vector) {
  return (size_t(1) << layout.inBits(kRegister)) /
         cast<VectorType>(vector.getType()).getNumElements();
}

void simt::storeShared(LowerContext &c, Value vector, const LinearLayout &layout,
                       const SharedAccess &access, Value buffer, Value slot, bool ahead) {
  unsigned perWord = registersPerWord(layout, vector);
  unsigned bytes = getScalarBytes(vector.getType()) / perWord;
  bool asWords = true;
  forEachAccess(access, [&](ArrayRef<unsigned> registers) {
    asWords &= distribute::areWords(registers, perWord);
  });
  if (!asWords) { // Neighbours in memory go to different lines.
    auto parts =
        VectorType::get({int64_t(1) << layout.inBits(kRegister)}, c.b.getIntegerType(8 * bytes));
    vector = vector::BitCastOp::create(c.b, parts, vector);
    perWord = 1;
  }
  SmallVector<uint64_t, 16> bases = threadBases(access.offsets, kOffset);
  uint64_t bits = 0;
  for (uint64_t &basis : bases)
    bits |= basis *= bytes;
  Value thread = c.threads.apply(bases), first = c.threads.isFirstHolder(layout);
  forEachAccess(access, [&](ArrayRef<unsigned> registers) {
    uint64_t image = registerImage(access.offsets, registers[0], kOffset) * bytes;
    Value offset = offsetBy(c.b, thread, bits, image);
    if (slot)
      offset = arith::AddIOp::create(c.b, offset, slot);
    SharedStoreOp::create(c.b, buffer, offset, pick(c.b, vector, wordsOf(registers, perWord)),
                          first, ahead);
  });
}

FailureOr<SharedTile> simt::storeForReader(LowerContext &c, Value operand,
                                           const LinearLayout &reader) {
  auto type = cast<RankedTensorType>(operand.getType());
  SharedTile tile{{}, {}, {}, 0, elementType(type)};
  unsigned bytes = getScalarBytes(tile.element);
  LinearLayout home = c.canonicalize(c.layoutOf(operand));
  FailureOr<Value> vector = c.get(operand, home);
  if (failed(vector))
    return failure();
  // Along which dimension a thread, or else its lane, has neighbours.
  auto neighbours = [](const LinearLayout &layout) {
    StringRef in = layout.inBits(kRegister) ? kRegister : kLane;
    return layout.getBasis(in, 0, dimName(0)) == 1 ? 0u : 1u;
  };
  std::optional<SharedAccess> access;
  if (type.getRank() == 2 && bytes <= 4 && c.target.hasLoadMatrix) {
    tile.inner = neighbours(home);
    bool suits = bytes == 2 || reader.getBasis(kLane, 0, dimName(tile.inner)) != 0;
    if (suits && type.getDimSize(tile.inner) * bytes >= 16) {
      tile.memory = swizzledTile(type.getShape(), tile.inner, bytes);
      access = accessShared(home, tile.memory, bytes, c.target.sharedModel);
    }
  }
  if (type.getRank() == 2 && c.target.hasTransposedRead &&
      isReadTransposed(reader, neighbours(home), bytes)) {
    tile.inner = neighbours(home);
    tile.memory = turnedTile(type.getShape(), tile.inner, bytes);
    access = accessShared(home, tile.memory, bytes, c.target.sharedModel);
  }
  if (!access) {
    SharedChoice choice = chooseSharedLayout(home, reader, bytes, c.target.sharedModel);
    tile.memory = std::move(choice.memory);
    access = std::move(choice.write);
  }
  tile.buffer = SharedAllocOp::create(c.b, int64_t(type.getNumElements() * bytes));
  storeShared(c, *vector, home, *access, tile.buffer);
  return tile;
}

std::optional<SharedTile> simt::findTile(const LowerContext &c, Value operand) {
  bool swapped = false;
  const SharedTile *tile = c.getTile(operand);
  while (!tile) {
    auto trans = operand.getDefiningOp<tile::TransOp>();
    if (!trans)
      return std::nullopt;
    swapped ^= trans.getOrder()[0] == 1;
    operand = trans.getSource();
    tile = c.getTile(operand);
  }
  SharedTile result = *tile;
  if (swapped) {
    result.memory = transposeDims(result.memory, {1, 0});
    result.inner = 1 - result.inner;
  }
  return result;
}

/// Bytes of one line of a padded tile, without its padding.
static int64_t lineBytesOf(const SharedTile &tile) {
  return int64_t(getScalarBytes(tile.element)) << tile.memory.outBits(dimName(tile.inner));
}

int64_t simt::bytesOf(const SharedTile &tile) {
  unsigned bytes = getScalarBytes(tile.element);
  int64_t elements = int64_t(1) << tile.memory.totalInBits();
  if (!tile.pitch)
    return elements * bytes;
  return elements * bytes / lineBytesOf(tile) * tile.pitch;
}

//===----------------------------------------------------------------------===//
// Padded tiles
//===----------------------------------------------------------------------===//

std::optional<SharedTile> simt::paddedTile(RankedTensorType type, unsigned inner, Type element,
                                           const LinearLayout &writer) {
  if (!schedule::canStorePadded(writer))
    return std::nullopt;
  auto bits = shapeBits(type.getShape());
  SharedTile tile{{}, {}, {}, inner, element};
  tile.memory = LinearLayout::identity1D(bits[inner], kOffset, dimName(inner)) *
                LinearLayout::identity1D(bits[1 - inner], kOffset, dimName(1 - inner));
  tile.pitch = type.getDimSize(inner) * getScalarBytes(element) + schedule::kPaddingBytes;
  return tile;
}

void simt::storePadded(LowerContext &c, Value vector, const LinearLayout &layout,
                       const SharedTile &tile, bool ahead) {
  int64_t bytes = getScalarBytes(tile.element), line = lineBytesOf(tile);
  unsigned perWord = registersPerWord(layout, vector);
  SharedAccess access = *accessShared(layout, tile.memory, bytes, c.target.sharedModel);
  auto padded = [&](uint64_t offset) {
    int64_t flat = int64_t(offset) * bytes;
    return flat / line * tile.pitch + flat % line;
  };
  SmallVector<uint64_t, 16> bases = threadBases(access.offsets, kOffset);
  for (uint64_t &basis : bases)
    basis = padded(basis);
  Value start = c.threads.sum(bases), first = c.threads.isFirstHolder(layout);
  if (tile.slot)
    start = arith::AddIOp::create(c.b, start, tile.slot);
  forEachAccess(access, [&](ArrayRef<unsigned> registers) {
    Value offset = start;
    if (uint64_t image = registerImage(access.offsets, registers[0], kOffset))
      offset = arith::AddIOp::create(c.b, start, constant(c.b, int32_t(padded(image))));
    SharedStoreOp::create(c.b, tile.buffer, offset, pick(c.b, vector, wordsOf(registers, perWord)),
                          first, ahead);
  });
}
