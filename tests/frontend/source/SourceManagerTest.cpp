// Files and positions: which files are read or refused, and lines and columns for every kind of
// line end.
#include "frontend/source/Source.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace llvm;
using namespace tilerun;

namespace {

class Folder : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("tilerun-source", root)); }
  void TearDown() override { (void)sys::fs::remove_directories(root); }
  std::string path(StringRef name) {
    SmallString<128> out(root);
    sys::path::append(out, name);
    return out.str().str();
  }
  std::string write(StringRef name, StringRef content) {
    std::ofstream(path(name), std::ios::binary) << content.str();
    return path(name);
  }
  std::string failure(const std::string &file) {
    Expected<uint32_t> result = sources.addFile(file);
    if (result)
      return "";
    return toString(result.takeError());
  }
  SmallString<128> root;
  SourceManager sources;
};

std::string place(const SourceManager &sources, uint32_t file, uint32_t offset) {
  auto at = sources.getLineColumn({file, offset});
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

// An editor's text of a file comes before the disk's.
TEST_F(Folder, TextUnderTheFilesPathStandsForTheFile) {
  const std::string file = write("a.py", "x = 1\n"), other = write("b.py", "y = 1\n");
  const uint32_t text = sources.addText(file, "x = 2\n");
  sources.addText("b.py", "y = 2\n");
  EXPECT_EQ(cantFail(sources.addFile(file)), text);
  EXPECT_EQ(cantFail(sources.addFile(path("./a.py"))), text);
  // A name that is not a path says nothing of a file.
  EXPECT_EQ(sources.getText(cantFail(sources.addFile(other))), "y = 1\n");
}

TEST_F(Folder, ReadsFileOnce) {
  std::string file = write("a.py", "x = 1\n");
  Expected<uint32_t> first = sources.addFile(file);
  ASSERT_TRUE(static_cast<bool>(first));
  EXPECT_EQ(sources.getText(*first), "x = 1\n");
  EXPECT_EQ(sources.getName(*first), file);
  Expected<uint32_t> second = sources.addFile(path("./a.py"));
  ASSERT_TRUE(static_cast<bool>(second));
  EXPECT_EQ(*first, *second);
}

TEST_F(Folder, EmptyFileIsFine) {
  Expected<uint32_t> file = sources.addFile(write("empty.py", ""));
  ASSERT_TRUE(static_cast<bool>(file));
  EXPECT_EQ(sources.getText(*file), "");
  EXPECT_EQ(place(sources, *file, 0), "1:1");
}

TEST_F(Folder, MissingFile) {
  EXPECT_EQ(failure(path("none.py")),
            "cannot read '" + path("none.py") + "': the file was not found");
}

TEST_F(Folder, FolderInsteadOfFile) {
  EXPECT_EQ(failure(root.str().str()),
            "cannot read '" + root.str().str() + "': it is a folder; name a .py file in it");
}

TEST_F(Folder, DeviceInsteadOfFile) {
  EXPECT_EQ(failure("/dev/zero"), "cannot read '/dev/zero': it is not a regular file");
}

TEST_F(Folder, PathWithNul) {
  EXPECT_EQ(failure(std::string("a\0b", 3)), "cannot read 'a': the path has a NUL byte in it");
}

TEST_F(Folder, HundredMegabytesAreRefusedUnread) {
  std::string file = path("big.py");
  std::ofstream(file).close();
  // Sparse: nothing is written, and nothing may be read.
  sys::fs::file_t handle = cantFail(
      sys::fs::openNativeFileForReadWrite(file, sys::fs::CD_OpenExisting, sys::fs::OF_None));
  ASSERT_FALSE(sys::fs::resize_file(handle, 100'000'000));
  (void)sys::fs::closeFile(handle);
  EXPECT_EQ(failure(file), "cannot read '" + file +
                               "': it has 100000000 bytes; the limit is 67108864 bytes (64 MiB)");
}

TEST_F(Folder, UnreadableFile) {
  std::string file = write("secret.py", "x");
  ASSERT_FALSE(sys::fs::setPermissions(file, sys::fs::perms::no_perms));
  std::ifstream probe(file);
  if (probe.good()) {
    // The superuser can read everything; all that can be checked is that this works.
    EXPECT_EQ(failure(file), "");
    return;
  }
  EXPECT_TRUE(StringRef(failure(file)).contains("ermission denied"));
}

TEST(SourceManager, LinesAndColumns) {
  SourceManager sources;
  uint32_t file = sources.addText("t.py", "ab\ncd\r\nef\rgh");
  EXPECT_EQ(place(sources, file, 0), "1:1");
  EXPECT_EQ(place(sources, file, 2), "1:3");
  EXPECT_EQ(place(sources, file, 3), "2:1");
  EXPECT_EQ(place(sources, file, 7), "3:1");
  EXPECT_EQ(place(sources, file, 10), "4:1");
  EXPECT_EQ(place(sources, file, 999), "4:3");
  EXPECT_EQ(sources.getLine(file, 1), "ab");
  EXPECT_EQ(sources.getLine(file, 2), "cd");
  EXPECT_EQ(sources.getLine(file, 4), "gh");
  EXPECT_EQ(sources.getLine(file, 5), "");
  EXPECT_EQ(sources.getLine(file, 0), "");
}

TEST(SourceManager, ByteOrderMarkIsNoColumn) {
  SourceManager sources;
  uint32_t file = sources.addText("t.py", "\xEF\xBB\xBFx = 1");
  EXPECT_EQ(place(sources, file, 3), "1:1");
  EXPECT_EQ(place(sources, file, 0), "1:1");
  EXPECT_EQ(sources.getLine(file, 1), "x = 1");
}

TEST(SourceManager, Nowhere) {
  SourceManager sources;
  EXPECT_EQ(sources.getText(0), "");
  EXPECT_EQ(sources.getName(7), "");
  EXPECT_EQ(sources.getLineColumn({0, 5}).line, 0u);
  EXPECT_EQ(sources.getLineColumn({3, 5}).line, 0u);
}

TEST(NearName, FindsTypingMistakes) {
  StringRef names[] = {"load", "store", "program_id", "num_programs", "maximum"};
  EXPECT_EQ(findNearName("laod", names), StringRef("load"));
  EXPECT_EQ(findNearName("stor", names), StringRef("store"));
  EXPECT_EQ(findNearName("programid", names), StringRef("program_id"));
  EXPECT_EQ(findNearName("Load", names), StringRef("load"));
  EXPECT_EQ(findNearName("maximun", names), StringRef("maximum"));
}

TEST(NearName, ExchangedLettersAreOneMistake) {
  EXPECT_EQ(findNearName("sotre", {"core", "store"}), StringRef("store"));
  EXPECT_EQ(findNearName("BLOKC", {"LOCK", "BLOCK"}), StringRef("BLOCK"));
}

TEST(NearName, FarNamesAreNotOffered) {
  StringRef names[] = {"load", "store", "program_id"};
  EXPECT_EQ(findNearName("matmul", names), std::nullopt);
  EXPECT_EQ(findNearName("", names), std::nullopt);
  EXPECT_EQ(findNearName("x", names), std::nullopt);
  EXPECT_EQ(findNearName("load", {"load"}), std::nullopt);
  EXPECT_EQ(findNearName("a", {"b"}), std::nullopt);
  EXPECT_EQ(findNearName(std::string(10000, 'a'), {"aaaa"}), std::nullopt);
}

TEST(NearName, NearestWins) {
  StringRef names[] = {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "block_size_k"};
  EXPECT_EQ(findNearName("BLOCK_SIZ_N", names), StringRef("BLOCK_SIZE_N"));
  EXPECT_EQ(findNearName("BLOCK_SIZE_K", names), StringRef("block_size_k"));
}

} // namespace
