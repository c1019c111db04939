// Files appear complete or not at all.
#include "tools/tilerun/host/AtomicFile.h"

#include "gtest/gtest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace tilerun::host;
namespace fs = llvm::sys::fs;

namespace {

class AtomicFileTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(fs::createUniqueDirectory("atomic", folder)); }
  void TearDown() override { (void)fs::remove_directories(folder); }
  std::string at(llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  std::string read(llvm::StringRef name) {
    auto buffer = llvm::MemoryBuffer::getFile(at(name));
    return buffer ? (*buffer)->getBuffer().str() : "(none)";
  }
  void write(llvm::StringRef name, llvm::StringRef text) {
    llvm::Expected<AtomicFile> file = AtomicFile::open(at(name));
    ASSERT_TRUE(static_cast<bool>(file));
    ASSERT_FALSE(static_cast<bool>(file->commit(text)));
  }
  unsigned countFiles() {
    unsigned count = 0;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
      ++count;
    return count;
  }
  llvm::SmallString<128> folder;
};

TEST_F(AtomicFileTest, CommitPutsTheWholeFileInPlace) {
  write("a", "hello");
  EXPECT_EQ(read("a"), "hello");
  write("a", "x");
  EXPECT_EQ(read("a"), "x");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(AtomicFileTest, UncommittedLeavesTheOldOne) {
  write("a", "old");
  {
    llvm::Expected<AtomicFile> file = AtomicFile::open(at("a"));
    ASSERT_TRUE(static_cast<bool>(file));
    EXPECT_EQ(countFiles(), 2u);
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(AtomicFileTest, RefusesFoldersAndMissingFolders) {
  for (std::string path : {at(""), at("missing/a"), std::string()}) {
    llvm::Expected<AtomicFile> file = AtomicFile::open(path);
    EXPECT_FALSE(static_cast<bool>(file)) << path;
    llvm::consumeError(file.takeError());
  }
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(AtomicFileTest, FollowsLinks) {
  write("target", "old");
  ASSERT_EQ(::symlink(at("target").c_str(), at("link").c_str()), 0);
  write("link", "new");
  EXPECT_EQ(read("target"), "new");
  EXPECT_TRUE(fs::is_symlink_file(at("link")));
}

TEST_F(AtomicFileTest, DevicesAreWrittenNotReplaced) {
  llvm::Expected<AtomicFile> file = AtomicFile::open("/dev/null");
  ASSERT_TRUE(static_cast<bool>(file));
  EXPECT_FALSE(static_cast<bool>(file->commit(llvm::StringRef("gone"))));
  fs::file_status status;
  ASSERT_FALSE(fs::status("/dev/null", status));
  EXPECT_FALSE(fs::is_regular_file(status));
}

} // namespace
