// The dialect's version in MLIR bytecode. Separate from the dialect because tests write versions of
// their own.
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace tilerun::tile {
class TileDialect;

/// The version a bytecode file was written with.
struct TileDialectVersion : public mlir::DialectVersion {
  TileDialectVersion(uint32_t major, uint32_t minor) : major(major), minor(minor) {}
  uint32_t major;
  uint32_t minor;
};

/// Makes `dialect` write its version into bytecode and check it on reading.
void addBytecodeInterface(TileDialect &dialect);
} // namespace tilerun::tile
