// Bytecode carries the dialect's version. A newer minor version only adds, so it is read (an op
// that is unknown fails by itself); a newer major version may mean something else by the same op,
// so it is refused before anything is read.
#include "ir/tile/TileBytecode.h"

#include "ir/tile/TileOps.h"

using namespace mlir;
using namespace tilerun::tile;

namespace {
struct TileBytecodeInterface : public BytecodeDialectInterface {
  explicit TileBytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const final {
    // A caller may ask for an older version to be emitted; tests ask for others.
    uint32_t major = TileDialect::kVersionMajor, minor = TileDialect::kVersionMinor;
    auto wanted = writer.getDialectVersion<TileDialect>();
    if (succeeded(wanted)) {
      const auto &version = static_cast<const TileDialectVersion &>(**wanted);
      major = version.major;
      minor = version.minor;
    }
    writer.writeVarInt(major);
    writer.writeVarInt(minor);
  }

  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const final {
    uint64_t major = 0, minor = 0;
    if (failed(reader.readVarInt(major)) || failed(reader.readVarInt(minor)))
      return nullptr;
    if (major > TileDialect::kVersionMajor) {
      reader.emitError() << "the IR was written with version " << major << "." << minor
                         << " of the tile dialect, but this build reads up to "
                         << TileDialect::kVersionMajor << ".x; use a newer build to read it";
      return nullptr;
    }
    return std::make_unique<TileDialectVersion>(major, minor);
  }

  LogicalResult upgradeFromVersion(Operation *topLevelOp,
                                   const DialectVersion &dialectVersion) const final {
    const auto &version = static_cast<const TileDialectVersion &>(dialectVersion);
    // Version 1 is the first one; an older major version has never been written.
    if (version.major == 0)
      return topLevelOp->emitError("the IR was written with version 0 of the tile dialect, which "
                                   "was never released; compile the kernel again");
    return success();
  }
};
} // namespace

void tilerun::tile::addBytecodeInterface(TileDialect &dialect) {
  dialect.addInterfaces<TileBytecodeInterface>();
}
