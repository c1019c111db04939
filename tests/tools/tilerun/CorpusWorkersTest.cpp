// The survey in child processes: the cost of a kernel that hangs, exhausts memory or crashes the
// compiler, the contents of a file of results, and resuming an interrupted survey.
#include "tools/tilerun/command/CorpusWorkers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <csignal>
#include <cstring>
#include <thread>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::command;

namespace {

using Lines = std::vector<std::string>;

/// A compiler that does what a kernel's name says.
corpus::Backend::Verdict compile(CompiledKernel &kernel, const KernelSignature &) {
  llvm::StringRef name = kernel.name;
  static std::vector<std::unique_ptr<char[]>> kept;
  auto take = [&](size_t bytes) {
    kept.push_back(std::make_unique<char[]>(bytes));
    std::memset(kept.back().get(), 1, bytes);
  };
  if (name.starts_with("hangs"))
    for (;;)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  if (name.starts_with("eats"))
    for (;;)
      take(size_t(16) << 20);
  if (name.starts_with("leaves"))
    take(size_t(120) << 20);
  if (name.starts_with("asserts")) {
    std::fputs("some text\nassertion `x == 1` failed\n", stderr);
    std::abort();
  }
  if (name.starts_with("exits"))
    ::_exit(3);
  return {name.starts_with("refused") ? "kernels.py:1:1: error: no" : "", false};
}

class CorpusWorkersTest : public testing::Test {
protected:
  CorpusWorkersTest() {
    backend.target = "test:1";
    backend.compile = compile;
    run.backend = &backend;
    run.limits = {60, 64};
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tilerun-corpus", path));
    folder = path.str().str();
    output = folder + "/results.jsonl";
  }
  ~CorpusWorkersTest() override { (void)llvm::sys::fs::remove_directories(folder); }

  void write(llvm::StringRef file, llvm::ArrayRef<llvm::StringRef> names) {
    std::error_code error;
    llvm::raw_fd_ostream os(folder + "/" + file.str(), error);
    ASSERT_FALSE(error);
    os << "import triton\nimport triton.language as tl\n";
    for (llvm::StringRef name : names)
      os << "@triton.jit\ndef " << name << "(x):\n    tl.store(x, 1)\n";
  }
  CorpusRecords makeRecords() {
    auto files = corpus::findFiles(folder);
    EXPECT_TRUE(bool(files));
    return CorpusRecords(std::move(*files));
  }
  llvm::Error open(CorpusRecords &records) {
    return records.open(output, {"build", "folder", "test:1"}, run.limits);
  }
  void survey(CorpusRecords &records, int signal = 0) {
    llvm::Expected<int> ended = surveyInWorkers(records, run);
    ASSERT_TRUE(bool(ended)) << llvm::toString(ended.takeError());
    EXPECT_EQ(*ended, signal);
  }
  /// "NAME: OUTCOME: REASON" of every function.
  static Lines list(const CorpusRecords &records) {
    Lines out;
    for (size_t i = 0; i < records.getFiles().size(); ++i)
      for (const auto &[index, entry] : records.get(i).entries)
        out.push_back(entry.name + ": " + getWord(entry.outcome).str() +
                      (entry.reason.empty() ? "" : ": " + entry.reason));
    return out;
  }

  corpus::Backend backend;
  CorpusRun run;
  std::string folder, output;
};

TEST_F(CorpusWorkersTest, aKernelOverALimitCostsItselfAlone) {
  write("a.py", {"first", "hangs", "second", "eats", "third"});
  write("b.py", {"refused", "asserts", "exits", "fourth"});
  run.limits = {2, 0.5};
  run.numWorkers = 2;
  CorpusRecords records = makeRecords();
  survey(records);
  EXPECT_EQ(
      list(records),
      (Lines{"first: compiles", "hangs: time-limit: compiling for test:1 took longer than 2 s",
             "second: compiles",
             "eats: memory-limit: compiling for test:1 took more than 0.5 GiB of memory",
             "third: compiles", "refused: refused: no",
             ("asserts: internal-error: the compiler crashed: Aborted: assertion `x == 1` "
              "failed"),
             "exits: internal-error: the compiler crashed: it ended with exit code 3",
             "fourth: compiles"}));
  EXPECT_EQ(records.get(0).entries.at(1).signature, "x=*fp32:16");
  EXPECT_EQ(records.get(0).entries.at(1).reasonLine, 7u);
  EXPECT_TRUE(records.isWhole(0) && records.isWhole(1));
}

TEST_F(CorpusWorkersTest, memoryThatOthersLeftIsNoKernelsFault) {
  write("a.py", {"leaves1", "leaves2", "leaves3", "leaves4", "leaves5", "leaves6"});
  run.limits.gibibytes = 0.5;
  CorpusRecords records = makeRecords();
  survey(records);
  for (const std::string &line : list(records))
    EXPECT_NE(line.find(": compiles"), std::string::npos) << line;
  EXPECT_EQ(list(records).size(), 6u);
}

TEST_F(CorpusWorkersTest, anInterruptedSurveyGoesOn) {
  write("a.py", {"first", "second", "hangs"});
  write("b.py", {"third"});
  {
    CorpusRecords records = makeRecords();
    ASSERT_FALSE(bool(open(records)));
    run.progress = [&] {
      if (list(records).size() == 2)
        std::raise(SIGINT);
    };
    survey(records, SIGINT);
    EXPECT_EQ(list(records), (Lines{"first: compiles", "second: compiles"}));
    EXPECT_FALSE(records.isWhole(0));
  }
  // As if the interrupt had come while a line was written.
  {
    std::error_code error;
    llvm::raw_fd_ostream os(output, error, llvm::sys::fs::OF_Append);
    os << "{\"file\":";
  }
  run.progress = nullptr;
  run.limits.seconds = 1;
  {
    CorpusRecords records = makeRecords();
    ASSERT_FALSE(bool(open(records)));
    EXPECT_EQ(records.getNumKept(), 2u);
    survey(records);
    EXPECT_EQ(list(records).size(), 4u);
    EXPECT_EQ(list(records)[2], "hangs: time-limit: compiling for test:1 took longer than 1 s");
  }
  {
    // Nothing is left to do, so that the compiler does not matter.
    CorpusRecords records = makeRecords();
    ASSERT_FALSE(bool(open(records)));
    EXPECT_EQ(records.getNumKept(), 4u);
    EXPECT_TRUE(records.isWhole(0) && records.isWhole(1));
    EXPECT_EQ(list(records).size(), 4u);
  }
  {
    // A larger limit is another chance; files that changed are surveyed again.
    write("b.py", {"third", "fourth"});
    run.limits.seconds = 1.5;
    CorpusRecords records = makeRecords();
    ASSERT_FALSE(bool(open(records)));
    EXPECT_EQ(records.getNumKept(), 2u);
    EXPECT_FALSE(records.isWhole(0) || records.isWhole(1));
    survey(records);
    EXPECT_EQ(list(records),
              (Lines{"first: compiles", "second: compiles",
                     "hangs: time-limit: compiling for test:1 took longer than 1.5 s",
                     "third: compiles", "fourth: compiles"}));
  }
  {
    CorpusRecords records = makeRecords();
    ASSERT_FALSE(bool(open(records)));
    EXPECT_EQ(records.getNumKept(), 5u);
    EXPECT_TRUE(records.isWhole(0) && records.isWhole(1));
  }
}

TEST_F(CorpusWorkersTest, filesThatAreNotOfThisSurveyAreRefused) {
  write("a.py", {"first"});
  auto openAs = [&](const CorpusRecords::Header &header) {
    CorpusRecords records = makeRecords();
    llvm::Error error = records.open(output, header, run.limits);
    return llvm::toString(std::move(error));
  };
  EXPECT_EQ(openAs({"build", "folder", "test:1"}), "");
  EXPECT_EQ(openAs({"build", "folder", "test:2"}),
            "'" + output +
                "' has results of another survey: target 'test:1', not 'test:2'; name another "
                "file, or remove it");
  EXPECT_NE(openAs({"other", "folder", "test:1"}).find("build 'build', not 'other'"),
            std::string::npos);
  {
    std::error_code error;
    llvm::raw_fd_ostream os(output, error);
    os << "a text\n";
  }
  EXPECT_EQ(openAs({"build", "folder", "test:1"}),
            "'" + output + "' exists and is not a file of results");
  output = folder + "/missing/results.jsonl";
  EXPECT_EQ(openAs({"build", "folder", "test:1"}),
            "cannot write '" + output + "': No such file or directory");
}

TEST(CorpusRecords, entriesSurviveJson) {
  for (const auto &[outcome, word] : getOutcomes()) {
    corpus::Entry entry;
    entry.file = "a.py";
    entry.name = "kernel";
    entry.line = 3;
    entry.index = 2;
    entry.outcome = outcome;
    entry.signature = "x=*fp32:16";
    entry.numTried = 4;
    entry.reason = "'x' is \"odd\"";
    entry.reasonFile = "b.py";
    entry.reasonLine = 5;
    entry.construct = "'…' is odd";
    entry.seconds = 0.5;
    auto read = entryFromJson(toJson(entry));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, outcome);
    EXPECT_EQ(llvm::json::Value(toJson(*read)), llvm::json::Value(toJson(entry)));
  }
  EXPECT_FALSE(entryFromJson(llvm::json::Object{{"outcome", "odd"}, {"index", 0}, {"name", "x"}}));
  EXPECT_FALSE(entryFromJson(llvm::json::Object{{"outcome", "fails"}, {"name", "x"}}));
}

TEST(CorpusProgress, tellsTheTimeThatIsLeft) {
  EXPECT_EQ(formatProgress(0, 0, 80, 3, 0, 60), "0 of 80 files, 3 functions");
  EXPECT_EQ(formatProgress(40, 0, 80, 90, 2, 30),
            "40 of 80 files, 90 functions, 2 over a limit; about 30 s left");
  // Results of an earlier run say nothing about the speed.
  EXPECT_EQ(formatProgress(40, 30, 80, 90, 0, 30),
            "40 of 80 files, 90 functions; about 2 min left");
  EXPECT_EQ(formatProgress(10, 0, 80, 90, 0, 3600),
            "10 of 80 files, 90 functions; about 7.0 h left");
}

} // namespace
