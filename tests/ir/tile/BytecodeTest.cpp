// Bytecode: everything round-trips, and versions are written, accepted and refused as documented.
#include "ir/tile/TileBytecode.h"
#include "tests/ir/tile/TileTest.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tilerun;
using test::TileTest;

namespace {

class BytecodeTest : public TileTest {
protected:
  std::string write(Operation *op, std::optional<tile::TileDialectVersion> version = {}) {
    BytecodeWriterConfig config;
    if (version)
      config.setDialectVersion<tile::TileDialect>(
          std::make_unique<tile::TileDialectVersion>(*version));
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(op, os, config)));
    return bytes;
  }
  OwningOpRef<ModuleOp> simple() {
    return parse(R"(func.func @f(%p: !tile.ptr<f32>) attributes {tile.kernel} {
      %0 = tile.load %p {cache = #tile<cache cg>} : !tile.ptr<f32> loc("k.py":3:7)
      return
    })");
  }
  /// Reads a module that was written with `version`; null if it is refused.
  OwningOpRef<ModuleOp> readVersion(uint32_t major, uint32_t minor) {
    OwningOpRef<ModuleOp> module = simple();
    return parse(write(*module, tile::TileDialectVersion(major, minor)));
  }
};

/// The example of every op, which the lit tests read too.
std::unique_ptr<llvm::MemoryBuffer> readExamples() {
  auto buffer = llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/tests/lit/ir/ops.mlir");
  return buffer ? std::move(*buffer) : nullptr;
}

TEST_F(BytecodeTest, EveryOpHasAnExample) {
  auto buffer = readExamples();
  ASSERT_TRUE(buffer);
  OwningOpRef<ModuleOp> module = parse(buffer->getBuffer());
  ASSERT_TRUE(module) << diagnostics;
  llvm::StringSet<> seen;
  module->walk([&](Operation *op) { seen.insert(op->getName().getStringRef()); });
  unsigned count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tile")
      continue;
    EXPECT_TRUE(seen.contains(name.getStringRef()))
        << name.getStringRef().str() << " has no example in tests/lit/ir/ops.mlir";
    ++count;
  }
  EXPECT_GE(count, 29u);
}

TEST_F(BytecodeTest, EveryOpSurvivesTextAndBytecode) {
  auto buffer = readExamples();
  ASSERT_TRUE(buffer);
  OwningOpRef<ModuleOp> module = parse(buffer->getBuffer());
  ASSERT_TRUE(module) << diagnostics;
  std::string expected = test::print(*module);

  OwningOpRef<ModuleOp> fromBytecode = parse(write(*module));
  ASSERT_TRUE(fromBytecode) << diagnostics;
  EXPECT_EQ(test::print(*fromBytecode), expected);

  std::string text;
  llvm::raw_string_ostream(text) << *module;
  OwningOpRef<ModuleOp> fromText = parse(text);
  ASSERT_TRUE(fromText) << diagnostics;
  std::string again;
  llvm::raw_string_ostream(again) << *fromText;
  EXPECT_EQ(again, text);

  OwningOpRef<ModuleOp> fromGeneric = parse(expected);
  ASSERT_TRUE(fromGeneric) << diagnostics;
  EXPECT_EQ(test::print(*fromGeneric), expected);
}

TEST_F(BytecodeTest, WritingIsDeterministic) {
  OwningOpRef<ModuleOp> module = simple();
  EXPECT_EQ(write(*module), write(*module));
}

TEST_F(BytecodeTest, KeepsLocations) {
  OwningOpRef<ModuleOp> module = simple();
  OwningOpRef<ModuleOp> read = parse(write(*module));
  ASSERT_TRUE(read);
  read->walk([&](tile::LoadOp load) {
    EXPECT_EQ(load.getLoc(), Location(FileLineColLoc::get(&context, "k.py", 3, 7)));
  });
}

TEST_F(BytecodeTest, CurrentVersionIsRead) {
  EXPECT_TRUE(readVersion(tile::TileDialect::kVersionMajor, tile::TileDialect::kVersionMinor));
  EXPECT_EQ(diagnostics, "");
}

TEST_F(BytecodeTest, NewerMinorVersionIsRead) {
  EXPECT_TRUE(readVersion(tile::TileDialect::kVersionMajor, 99));
  EXPECT_EQ(diagnostics, "");
}

TEST_F(BytecodeTest, NewerMajorVersionIsRefused) {
  EXPECT_FALSE(readVersion(tile::TileDialect::kVersionMajor + 1, 3));
  EXPECT_NE(diagnostics.find("the IR was written with version 2.3 of the tile dialect, but this "
                             "build reads up to 1.x; use a newer build to read it"),
            std::string::npos)
      << diagnostics;
}

TEST_F(BytecodeTest, HugeMajorVersionIsRefused) {
  EXPECT_FALSE(readVersion(UINT32_MAX, 0));
  EXPECT_NE(diagnostics.find("version 4294967295.0"), std::string::npos) << diagnostics;
}

TEST_F(BytecodeTest, VersionZeroIsRefused) {
  EXPECT_FALSE(readVersion(0, 5));
  EXPECT_NE(diagnostics.find("version 0 of the tile dialect, which was never released"),
            std::string::npos)
      << diagnostics;
}

TEST_F(BytecodeTest, TruncatedBytecodeIsRefused) {
  OwningOpRef<ModuleOp> module = simple();
  std::string bytes = write(*module);
  for (size_t length : {size_t(5), size_t(20), bytes.size() / 2, bytes.size() - 1})
    EXPECT_FALSE(parse(StringRef(bytes).take_front(length))) << length;
}

} // namespace
