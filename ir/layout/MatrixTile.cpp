// See MatrixTile.h. Source for descriptions: PTX ISA, "asynchronous warpgroup level matrix
// shared memory layout".
#include "ir/layout/MatrixTile.h"

using namespace tilerun::layout;

static constexpr unsigned kLineBytes = 128, kChunkBytes = 16, kGroupLines = 8;

LinearLayout tilerun::layout::swizzledTile(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                           unsigned elementBytes) {
  unsigned innerBits = llvm::Log2_64(shape[inner]), outerBits = llvm::Log2_64(shape[1 - inner]);
  unsigned lineBits = std::min(innerBits, llvm::Log2_32(kLineBytes / elementBytes));
  unsigned chunk = std::min(lineBits, llvm::Log2_32(kChunkBytes / elementBytes));
  // Lines in 128 bytes do not meet each other's banks.
  unsigned sharing = llvm::Log2_32(kLineBytes / elementBytes) - lineBits;
  unsigned swizzled = lineBits - chunk;
  DimList outs{Dim(dimName(0), llvm::Log2_64(shape[0])), Dim(dimName(1), llvm::Log2_64(shape[1]))};
  BitVectors bases;
  auto add = [&](uint64_t line, uint64_t column) {
    llvm::SmallVector<uint64_t, 2> coordinates(2);
    coordinates[inner] = column;
    coordinates[1 - inner] = line;
    bases.push_back(LinearLayout::pack(outs, coordinates));
  };
  for (unsigned bit = 0; bit < lineBits; ++bit)
    add(0, uint64_t(1) << bit);
  for (unsigned bit = 0; bit < outerBits; ++bit) {
    bool moves = bit >= sharing && bit < sharing + swizzled;
    add(uint64_t(1) << bit, moves ? uint64_t(1) << (chunk + bit - sharing) : 0);
  }
  for (unsigned bit = lineBits; bit < innerBits; ++bit)
    add(0, uint64_t(1) << bit);
  return LinearLayout({Dim(kOffset, innerBits + outerBits)}, outs, bases);
}

uint64_t MatrixDescription::encode() const {
  uint64_t mode = swizzleBytes == 128 ? 1 : swizzleBytes == 64 ? 2 : swizzleBytes == 32 ? 3 : 0;
  return ((leadingBytes >> 4) << 16) | ((strideBytes >> 4) << 32) | (mode << 62);
}

std::optional<MatrixDescription> tilerun::layout::describeTile(llvm::ArrayRef<int64_t> shape,
                                                               unsigned inner,
                                                               unsigned elementBytes,
                                                               unsigned summed) {
  uint64_t line = std::min<uint64_t>(shape[inner] * elementBytes, kLineBytes);
  uint64_t lines = shape[1 - inner];
  if (line < kChunkBytes || lines < kGroupLines)
    return std::nullopt;
  MatrixDescription result;
  result.isKMajor = inner == summed;
  result.swizzleBytes = line > kChunkBytes ? line : 0;
  if (result.isKMajor) {
    if (line == kChunkBytes)
      return std::nullopt; // an instruction's step is two chunks
    // Groups of eight lines follow each other; a step never leaves its line.
    result.leadingBytes = kChunkBytes;
    result.strideBytes = line * kGroupLines;
  } else if (result.swizzleBytes) {
    // Along the sum: groups of eight lines. Along the other dimension: the next piece of a line.
    result.leadingBytes = line * lines;
    result.strideBytes = line * kGroupLines;
  } else {
    result.leadingBytes = line * kGroupLines;
    result.strideBytes = line * lines;
  }
  constexpr uint64_t kFieldLimit = uint64_t(1) << 18; // 14 bits in units of 16 bytes
  if (result.leadingBytes >= kFieldLimit || result.strideBytes >= kFieldLimit)
    return std::nullopt;
  return result;
}
