// See MatrixDescriptor.h.
#include "backends/nvptx/MatrixDescriptor.h"

using namespace tilerun;
using namespace tilerun::nvptx;

uint64_t MatrixDescriptor::encode(uint64_t start) const {
  uint64_t mode = swizzleBytes == 128 ? 1 : swizzleBytes == 64 ? 2 : swizzleBytes == 32 ? 3 : 0;
  return (start >> 4) + (((leadingBytes >> 4) << 16) | ((strideBytes >> 4) << 32) | (mode << 62));
}

std::optional<MatrixDescriptor> nvptx::describe(const layout::MatrixTile &tile, unsigned summed) {
  uint64_t line = tile.lineBytes();
  MatrixDescriptor result;
  result.swizzleBytes = tile.swizzleBytes();
  // Groups of eight lines, and pieces of lines that are longer than a swizzle.
  uint64_t group = line * tile.kGroupLines, piece = line * tile.lines();
  if (tile.inner == summed) {
    // A step never leaves its line, so that the leading stride is that between two chunks.
    result.leadingBytes = tile.kChunkBytes;
    result.strideBytes = group;
  } else if (result.swizzleBytes) {
    // Along the sum: groups. Along the other dimension: the next piece of a line.
    result.leadingBytes = piece;
    result.strideBytes = group;
  } else {
    result.leadingBytes = group;
    result.strideBytes = piece;
  }
  constexpr uint64_t kFieldLimit = uint64_t(1) << 18; // 14 bits in units of 16 bytes
  if (result.leadingBytes >= kFieldLimit || result.strideBytes >= kFieldLimit)
    return std::nullopt;
  return result;
}
