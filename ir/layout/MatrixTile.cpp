// See MatrixTile.h.
#include "ir/layout/MatrixTile.h"

#include "llvm/Support/MathExtras.h"

using namespace tilerun::layout;

static constexpr unsigned kLineBytes = MatrixTile::kMostLineBytes,
                          kChunkBytes = MatrixTile::kChunkBytes;

/// Lines that follow each other along the outer dimension, in rows of 128 bytes. The chunks of a
/// line are permuted by the row's number in its group of eight; where threads cross lines, those of
/// the whole row, by each bit of the row's number.
static LinearLayout permutedLines(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                  unsigned elementBytes, bool crossed) {
  unsigned innerBits = llvm::Log2_64(shape[inner]), outerBits = llvm::Log2_64(shape[1 - inner]);
  unsigned lineBits = std::min(innerBits, llvm::Log2_32(kLineBytes / elementBytes));
  unsigned chunk = std::min(lineBits, llvm::Log2_32(kChunkBytes / elementBytes));
  // Lines in 128 bytes do not meet each other's banks.
  unsigned sharing = llvm::Log2_32(kLineBytes / elementBytes) - lineBits;
  DimList outs{Dim(dimName(0), llvm::Log2_64(shape[0])), Dim(dimName(1), llvm::Log2_64(shape[1]))};
  BitVectors bases;
  auto at = [&](uint64_t line, uint64_t column) {
    llvm::SmallVector<uint64_t, 2> coordinates(2);
    coordinates[inner] = column;
    coordinates[1 - inner] = line;
    return LinearLayout::pack(outs, coordinates);
  };
  for (unsigned bit = 0; bit < lineBits; ++bit)
    bases.push_back(at(0, uint64_t(1) << bit));
  for (unsigned bit = 0; bit < std::min(sharing, outerBits); ++bit)
    bases.push_back(at(uint64_t(1) << bit, 0));
  unsigned permuted = (crossed ? unsigned(bases.size()) : lineBits) - chunk;
  for (unsigned bit = sharing; bit < outerBits; ++bit) {
    uint64_t line = at(uint64_t(1) << bit, 0);
    if (crossed ? permuted > 0 : bit - sharing < permuted)
      line ^= bases[chunk + (bit - sharing) % permuted];
    bases.push_back(line);
  }
  for (unsigned bit = lineBits; bit < innerBits; ++bit)
    bases.push_back(at(0, uint64_t(1) << bit));
  return LinearLayout({Dim(kOffset, innerBits + outerBits)}, outs, bases);
}

LinearLayout tilerun::layout::swizzledTile(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                           unsigned elementBytes) {
  return permutedLines(shape, inner, elementBytes, /*crossed=*/false);
}

LinearLayout tilerun::layout::crossedTile(llvm::ArrayRef<int64_t> shape, unsigned inner,
                                          unsigned elementBytes) {
  return permutedLines(shape, inner, elementBytes, /*crossed=*/true);
}

uint64_t MatrixTile::lineBytes() const {
  return std::min<uint64_t>(uint64_t(shape[inner]) * elementBytes, kMostLineBytes);
}

unsigned MatrixTile::swizzleBytes() const {
  return lineBytes() > kChunkBytes ? unsigned(lineBytes()) : 0;
}

uint64_t MatrixTile::plainByte(uint64_t row, uint64_t column) const {
  uint64_t line = inner == 1 ? row : column;
  uint64_t along = (inner == 1 ? column : row) * elementBytes;
  return (along / lineBytes() * lines() + line) * lineBytes() + along % lineBytes();
}

uint64_t MatrixTile::permute(uint64_t byte) const {
  uint64_t chunks = std::max(swizzleBytes(), kChunkBytes) / kChunkBytes;
  uint64_t row = byte / kMostLineBytes % chunks;
  return byte ^ (row * kChunkBytes);
}

bool MatrixTile::isOperand(unsigned summed, unsigned k) const {
  return lineBytes() >= kChunkBytes && lines() >= kGroupLines &&
         (inner != summed || uint64_t(k) * elementBytes <= lineBytes());
}

bool MatrixTile::canStartAt(uint64_t row, uint64_t column) const {
  uint64_t line = inner == 1 ? row : column;
  uint64_t along = (inner == 1 ? column : row) * elementBytes;
  return line % kGroupLines == 0 && along % kChunkBytes == 0;
}
