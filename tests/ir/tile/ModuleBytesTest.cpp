// Modules as bytes: they round-trip, damaged ones are refused, and no input ends the process.
#include "ir/tile/ModuleBytes.h"
#include "tests/ir/tile/TileTest.h"

#include "mlir/Bytecode/BytecodeWriter.h"

#include <random>

using namespace mlir;
using namespace tilerun;
using test::TileTest;

namespace {

class ModuleBytes : public TileTest {
protected:
  ModuleBytes()
      : module(parse(R"(
func.func @f(%p: !tile.ptr<f32> {tile.name = "p"}, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<16xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %q = tile.addptr %ps, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %q mask %m : tensor<16x!tile.ptr<f32>> loc("k.py":3:7)
  tile.store %q, %v mask %m : tensor<16x!tile.ptr<f32>>
  return
})")) {}

  std::string write() {
    std::vector<uint8_t> bytes = tile::writeModule(*module);
    return {bytes.begin(), bytes.end()};
  }
  /// The error's text; empty if the bytes were read.
  std::string refuse(llvm::StringRef bytes) {
    diagnostics.clear();
    if (tile::readModule(bytes, &context))
      return "";
    return diagnostics.empty() ? "no diagnostic" : diagnostics;
  }
  /// A module whose attribute has `depth` nested brackets.
  static std::string nest(unsigned depth) {
    return "module attributes {func.a = " + std::string(depth - 1, '[') +
           std::string(depth - 1, ']') + "} {}";
  }

  OwningOpRef<ModuleOp> module;
};

TEST_F(ModuleBytes, AreReadAsTheyWereWritten) {
  ASSERT_TRUE(module);
  std::string bytes = write();
  EXPECT_EQ(bytes, write());
  OwningOpRef<ModuleOp> again = tile::readModule(bytes, &context);
  ASSERT_TRUE(again) << diagnostics;
  EXPECT_EQ(test::print(*module), test::print(*again));
  // Wherever they lie.
  for (size_t shift = 1; shift < 4; ++shift) {
    std::string moved = std::string(shift, 'x') + bytes;
    EXPECT_EQ(refuse(llvm::StringRef(moved).drop_front(shift)), "");
  }
  OwningOpRef<ModuleOp> text = tile::readModule(test::print(*module), &context);
  ASSERT_TRUE(text) << diagnostics;
  EXPECT_EQ(test::print(*module), test::print(*text));
}

TEST_F(ModuleBytes, EveryDamagedByteIsFound) {
  ASSERT_TRUE(module);
  const std::string bytes = write();
  std::mt19937 random(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int flip : {1 << (i % 8), 1 + static_cast<int>(random() % 255)}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      EXPECT_NE(refuse(damaged), "") << "byte " << i << " with " << flip;
    }
    // No bytes at all are text: an empty module, without a kernel.
    EXPECT_EQ(refuse(bytes.substr(0, i)).empty(), i == 0) << "cut to " << i;
    EXPECT_NE(refuse(bytes.substr(0, i) + bytes.substr(i + 1)), "") << "without byte " << i;
    EXPECT_NE(refuse(bytes.substr(0, i) + "x" + bytes.substr(i)), "") << "one more at " << i;
  }
  std::string damaged = bytes;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_EQ(refuse(damaged), "the bytecode is damaged: its checksum is wrong\n");
}

TEST_F(ModuleBytes, BytecodeOfOthersIsRefused) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  ASSERT_TRUE(succeeded(writeBytecodeToFile(*module, os)));
  EXPECT_EQ(refuse(bytes),
            "the bytecode has no checksum, so it cannot be trusted; give the module as text, or as "
            "bytecode that 'tilerun compile --bytecode' or 'tile-opt --emit-bytecode' writes\n");
}

// As plugins do that were built before the checksum existed: they do not notice damage, but read
// it.
TEST_F(ModuleBytes, MlirsReaderTakesThem) {
  OwningOpRef<ModuleOp> again = parse(write());
  ASSERT_TRUE(again) << diagnostics;
  EXPECT_EQ(test::print(*module), test::print(*again));
}

TEST_F(ModuleBytes, DeepTextIsRefused) {
  EXPECT_EQ(refuse(nest(tile::kMaxTextDepth)), "");
  const std::string error =
      "the text has more than 256 nested brackets, which is more than the reader accepts\n";
  EXPECT_EQ(refuse(nest(tile::kMaxTextDepth + 1)), error);
  EXPECT_EQ(refuse(nest(1 << 20)), error);
  EXPECT_EQ(refuse(std::string(1 << 20, '(')), error);
  // Brackets side by side, in strings and in comments do not nest.
  std::string flat = "module attributes {func.a = [";
  for (int i = 0; i < 1000; ++i)
    flat += "[], ";
  EXPECT_EQ(
      refuse(flat + "\"" + std::string(1000, '[') + "\\\"[\"]} {} // " + std::string(1000, '[')),
      "");
}

// Nested regions need the most stack: they are read up to the limit for text.
TEST_F(ModuleBytes, ComparisonsHideNoDepth) {
  auto nestSets = [](llvm::StringRef set, unsigned depth) {
    std::string text = "module attributes {func.a = ";
    for (unsigned i = 0; i < depth; ++i)
      text += ("[affine_set<" + set + ">, ").str();
    return text + "1" + std::string(depth, ']') + "} {}";
  };
  EXPECT_EQ(refuse(nestSets("(d0) : (d0 >= 0, d0 >= 0)", 200)), "");
  EXPECT_EQ(refuse(nestSets("(d0) : (d0 <= 0, d0 <= 0)", 200)), "");
  for (llvm::StringRef set : {"(d0) : (d0 >= 0, d0 >= 0)", "(d0) : (d0 > = 0, d0 == 0)"})
    EXPECT_NE(refuse(nestSets(set, 30000)).find("more than 256 nested brackets"),
              std::string::npos);
}

TEST_F(ModuleBytes, TheDeepestTextIsRead) {
  const unsigned depth = tile::kMaxTextDepth - 1;
  std::string text = "func.func @f(%c: i1) {\n";
  for (unsigned i = 0; i < depth; ++i)
    text += "scf.if %c {\n";
  text += std::string(depth, '}') + "\nreturn\n}\n";
  EXPECT_EQ(refuse(text), "");
}

TEST_F(ModuleBytes, WhatIsNoModuleIsRefused) {
  EXPECT_NE(refuse("junk"), "");
  EXPECT_NE(refuse("ML\xEFR"), "");
  EXPECT_NE(refuse(std::string("ML\xEFR\r\0", 6)), "");
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string noise(1 + random() % 100, '\0');
    for (char &c : noise)
      c = static_cast<char>(random());
    if (i % 2)
      noise = "ML\xEFR\r" + noise;
    EXPECT_NE(refuse(noise), "");
  }
}

// Text with words that are missing, doubled or somewhere else is read or refused, and an accepted
// module round-trips through bytes.
TEST_F(ModuleBytes, MutatedTextIsReadOrRefused) {
  ASSERT_TRUE(module);
  const std::string text = test::print(*module);
  std::mt19937 random(3);
  auto wordAt = [&](const std::string &in) {
    size_t begin = in.find_first_of(" ,:(){}<>\n", random() % in.size());
    begin = begin == std::string::npos ? 0 : begin + 1;
    return std::pair(begin, std::min(in.find_first_of(" ,:(){}<>\n", begin), in.size()) - begin);
  };
  unsigned numRead = 0, numRefused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    for (unsigned k = 0; k <= random() % 3; ++k) {
      auto [at, size] = wordAt(changed);
      auto [from, length] = wordAt(text);
      switch (random() % 3) {
      case 0:
        changed.erase(at, size);
        break;
      case 1:
        changed.insert(at, text.substr(from, length));
        break;
      case 2:
        changed.replace(at, size, text.substr(from, length));
        break;
      }
    }
    OwningOpRef<ModuleOp> read = tile::readModule(changed, &context);
    ++(read ? numRead : numRefused);
    if (!read)
      continue;
    std::vector<uint8_t> bytes = tile::writeModule(*read);
    EXPECT_EQ(refuse({reinterpret_cast<const char *>(bytes.data()), bytes.size()}), "") << changed;
  }
  EXPECT_GT(numRead, 20u);
  EXPECT_GT(numRefused, 1000u);
}

} // namespace
