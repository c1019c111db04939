// Child processes: a crash, a hang and a target that cannot be opened cost one cell each; guard
// bytes, inputs and expected failures are watched.
#include "tests/matrix/Workers.h"
#include "tests/matrix/Tolerance.h"

#include "gtest/gtest.h"

#include <csignal>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

/// A target that treats a cell as the cell's name says, after the interpreter has run it.
class Saboteur : public Target {
public:
  std::string getName() const override { return "saboteur"; }
  std::string getDescription() const override { return "does wrong"; }
  Outcome run(const Request &request, std::array<uint32_t, 3> grid,
              const std::vector<RunArgument> &arguments,
              std::vector<std::vector<uint8_t>> &buffers) override {
    if (Outcome failed = interpreter->run(request, grid, arguments, buffers))
      return failed;
    switch (request.numStages) { // Which the interpreter does not look at.
    case 11:
      raise(SIGSEGV);
      break;
    case 12:
      while (true)
        sleep(1);
    case 13:
      buffers[0].back() ^= 1;
      break;
    case 14:
      buffers[1][260] ^= 1;
      break;
    case 15:
      buffers[0][300] ^= 1;
      break;
    case 16:
      return Failure{Failure::Kind::Compile,
                     "loc(\"matrix.py\":1:2): 'tile.add' cannot be compiled for this: why"};
    case 17:
      return Failure{Failure::Kind::Compile, "loc(\"matrix.py\":1:2): internal error: 'tile.add'"};
    case 18:
      return Failure{Failure::Kind::Run, "lost", /*lost=*/true};
    default:
      break;
    }
    return std::nullopt;
  }
  std::unique_ptr<Target> interpreter = makeInterpreter();
};

class MatrixWorkers : public testing::Test {
protected:
  Cell makeAdd(unsigned numStages) {
    Cell cell = makeElementwise("elementwise", "add", "i32", 0, kBits, "x + y", "i32",
                                {{"i32", {}}, {"i32", {}}});
    cell.unaligned = false;
    cell.numStages = numStages;
    return cell;
  }
  std::vector<Result> run(const Cells &cells, unsigned workers, unsigned seconds = 60) {
    std::vector<Job> jobs;
    for (const Cell &cell : cells)
      jobs.push_back({&cell, 0});
    WorkerOptions options;
    options.numWorkers = workers;
    options.secondsPerCell = seconds;
    options.open = [](unsigned, std::string &) { return std::make_unique<Saboteur>(); };
    return runJobs(jobs, options);
  }
};

TEST_F(MatrixWorkers, ACrashCostsOneCell) {
  Cells cells{makeAdd(1), makeAdd(11), makeAdd(1), makeAdd(18), makeAdd(1)};
  for (unsigned workers : {1u, 3u}) {
    std::vector<Result> results = run(cells, workers);
    EXPECT_EQ(results[0].verdict, Verdict::Pass) << results[0].text;
    EXPECT_EQ(results[1].verdict, Verdict::Fail);
    EXPECT_NE(results[1].text.find("crash"), std::string::npos) << results[1].text;
    EXPECT_EQ(results[2].verdict, Verdict::Pass) << results[2].text;
    EXPECT_EQ(results[3].text, "lost");
    EXPECT_EQ(results[4].verdict, Verdict::Pass) << results[4].text;
  }
}
TEST_F(MatrixWorkers, AHangIsEnded) {
  std::vector<Result> results = run({makeAdd(12), makeAdd(1)}, 1, 2);
  EXPECT_EQ(results[0].verdict, Verdict::Fail);
  EXPECT_NE(results[0].text.find("took longer than 2 s"), std::string::npos) << results[0].text;
  EXPECT_EQ(results[1].verdict, Verdict::Pass) << results[1].text;
}
TEST_F(MatrixWorkers, WritesOutsideAndWrongValuesFail) {
  std::vector<Result> results = run({makeAdd(13), makeAdd(14), makeAdd(15)}, 1);
  EXPECT_NE(results[0].text.find("a write outside of 'o'"), std::string::npos) << results[0].text;
  EXPECT_NE(results[1].text.find("'xp' is an input"), std::string::npos) << results[1].text;
  EXPECT_NE(results[2].text.find("'o': element 11 is"), std::string::npos) << results[2].text;
  for (const Result &result : results)
    EXPECT_EQ(result.verdict, Verdict::Fail);
}
TEST_F(MatrixWorkers, ALackIsToldFromADefect) {
  std::vector<Result> results = run({makeAdd(16), makeAdd(17)}, 1);
  EXPECT_EQ(results[0].verdict, Verdict::Unsupported);
  EXPECT_EQ(results[1].verdict, Verdict::Fail);
}
TEST_F(MatrixWorkers, ATargetThatCannotBeOpened) {
  Cell cell = makeAdd(1);
  WorkerOptions options;
  options.open = [](unsigned, std::string &reason) -> std::unique_ptr<Target> {
    reason = "no luck";
    return nullptr;
  };
  std::vector<Result> results = runJobs(Job{&cell, 0}, options);
  EXPECT_EQ(results[0].verdict, Verdict::Fail);
  EXPECT_NE(results[0].text.find("no luck"), std::string::npos);
}
} // namespace
