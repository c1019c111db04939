// Matrices of 16-bit units whose transposed bytes are fragments of 8-bit elements that lie across
// k.
#ifndef TILERUN_IR_LAYOUT_BYTEMATRICES_H
#define TILERUN_IR_LAYOUT_BYTEMATRICES_H

#include <array>
#include <cstdint>

namespace tilerun::layout {

/// Two such 8×8 matrices, transposed: which lines of the tile their rows are, for each bit of a
/// row's number and then for that of the matrix. Lane 4·c + q gets the lines 4q … 4q + 3 at the
/// neighbours 2c and 2c + 1: of the first matrix lines 4q and 4q + 1 if q < 2, else the other two.
/// So a matrix has eight lines that differ in their lowest three bits, by which the chunks of a
/// MatrixTile are permuted: they lie in different banks.
inline constexpr std::array<uint64_t, 4> kLinesOfByteMatrices{1, 4, 8 ^ 2, 2};

} // namespace tilerun::layout

#endif // TILERUN_IR_LAYOUT_BYTEMATRICES_H
