// The format of printed lines, the same on the interpreter and on every device.
#pragma once

#include "ir/tile/TileOps.h"

#include <string>

namespace tilerun::tile {

/// The format of the line that shows an element of operand `operand` of a print, for C's printf:
/// conversions of the program's three coordinates, of one index for each dimension, and of the
/// element, in this order, then a newline. An integer of more than 32 bits, and a pointer, is
/// passed in 64 bits, a shorter one in 32, a float as a double. A print without operands has one
/// line, with no conversion after the coordinates. Without a prefix, the element follows a colon.
std::string getPrintFormat(PrintOp op, unsigned operand);

} // namespace tilerun::tile
