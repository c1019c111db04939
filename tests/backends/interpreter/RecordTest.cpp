// Recordings of one program: variables by statement, writes with the bytes before and after them,
// NaNs with their operands, and that an observed launch gives what a plain one does.
#include "backends/interpreter/debug/Execution.h"
#include "backends/interpreter/debug/LaneAccess.h"
#include "tests/backends/interpreter/Harness.h"
#include "tests/backends/interpreter/RecordedKernel.h"

using namespace tilerun;
using namespace tilerun::harness;
using interp::Assignment;
using interp::Birth;
using interp::Execution;
using interp::Recording;
using interp::RecordOptions;

namespace {

struct Recorded : ::testing::Test {
  Machine machine;
  const std::vector<float> input{1, 0, 4};
  const uint64_t x = machine.put(input), y = machine.put(std::vector<float>{7, 8, 9});
  std::unique_ptr<interp::Program> program = machine.load(kRecordedKernel);
  Execution execution{*program, machine.heap, {ptr(x), ptr(y)}, grid(3), {{{x, 12}, {y, 12}}}};

  Recording record(uint64_t linear, const RecordOptions &options = {}) {
    auto recording = execution.record(linear, options);
    EXPECT_TRUE(bool(recording)) << llvm::toString(recording.takeError());
    return std::move(*recording);
  }
  unsigned lineOf(const Recording &recording, size_t moment) {
    return program->sources[recording.moments[moment].source].position.line;
  }
  static float number(const Assignment *assignment) {
    float value = -1;
    if (assignment && assignment->bytes)
      std::memcpy(&value, assignment->bytes->data(), sizeof(value));
    return value;
  }
  std::vector<float> memoryAt(const Recording &recording, size_t moment) {
    std::vector<float> values(3);
    execution.read(recording, moment, y, {reinterpret_cast<uint8_t *>(values.data()), 12});
    return values;
  }
};

TEST_F(Recorded, StatementsAndVariablesOfEachMoment) {
  const Recording r = record(2);
  std::vector<unsigned> lines;
  for (size_t i = 0; i < r.getEnd(); ++i)
    lines.push_back(lineOf(r, i));
  EXPECT_EQ(lines, (std::vector<unsigned>{2, 3, 4, 5, 11, 5, 6, 4, 5, 11, 5, 6}));
  // Before its first assignment a variable has no value; a compile-time one has its text.
  EXPECT_EQ(r.find(0, 0, "pid"), nullptr);
  ASSERT_NE(r.find(0, 0, "N"), nullptr);
  EXPECT_EQ(r.find(0, 0, "N")->getText(), "2");
  EXPECT_EQ(r.find(3, 0, "v")->getText(), "float32");
  EXPECT_EQ(number(r.find(3, 0, "v")), 4);
  EXPECT_EQ(*reinterpret_cast<const int32_t *>(r.find(6, 0, "i")->bytes->data()), 0);
  EXPECT_EQ(*reinterpret_cast<const int32_t *>(r.find(8, 0, "i")->bytes->data()), 1);
  std::vector<std::string> names;
  for (const Assignment *variable : r.getVariables(r.getEnd(), 0))
    names.push_back(variable->getName().str());
  EXPECT_EQ(names, (std::vector<std::string>{"N", "pid", "i", "v"}));
}

TEST_F(Recorded, EachCallHasVariablesOfItsOwn) {
  const Recording r = record(0);
  ASSERT_EQ(r.activations.size(), 3u);
  EXPECT_EQ(r.moments[4].activation, 1u);
  EXPECT_EQ(r.moments[9].activation, 2u);
  EXPECT_EQ(r.activations[2].function, "helper");
  EXPECT_EQ(r.activations[2].caller, 0u);
  EXPECT_EQ(r.activations[2].depth, 1u);
  EXPECT_EQ(r.moments[5].activation, 0u);
  EXPECT_TRUE(r.moments[5].isReturn);
  EXPECT_NE(r.find(4, 1, "v"), nullptr);
  EXPECT_EQ(r.find(4, 2, "v"), nullptr);
  EXPECT_TRUE(r.moments[6].isBreak);
  EXPECT_FALSE(r.moments[5].isBreak);
}

TEST_F(Recorded, MemoryBeforeEachMoment) {
  const Recording r = record(0);
  ASSERT_EQ(r.writes.size(), 2u);
  EXPECT_EQ(memoryAt(r, 6), (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(memoryAt(r, 7), (std::vector<float>{1, 8, 9}));
  EXPECT_EQ(memoryAt(r, 11), (std::vector<float>{1, 8, 9}));
  EXPECT_EQ(memoryAt(r, r.getEnd()), (std::vector<float>{2, 8, 9}));
}

TEST_F(Recorded, EarlierProgramsRunOnceAndMemoryIsRestored) {
  // Forward, backward and twice the same: each sees what the programs before it leave.
  for (uint64_t linear : {2, 0, 2, 2, 1}) {
    const Recording r = record(linear);
    const std::vector<float> before = memoryAt(r, 0);
    EXPECT_EQ(r.program, linear);
    EXPECT_EQ(before[0], linear > 0 ? 2 : 7) << linear;
    EXPECT_EQ(std::isnan(before[1]), linear > 1) << linear;
    EXPECT_EQ(before[2], 9) << linear;
  }
}

TEST_F(Recorded, NanWithItsOperands) {
  EXPECT_TRUE(record(0).births.empty());
  const Recording r = record(1);
  // The second iteration makes another one; what follows from them does not count.
  ASSERT_EQ(r.births.size(), 2u);
  const Birth &birth = r.births[0];
  EXPECT_TRUE(birth.isNan);
  EXPECT_EQ(birth.step->text, "arith.divf");
  EXPECT_EQ(program->sources[birth.step->source].position.line, 11u);
  EXPECT_EQ(birth.moment, 4u);
  ASSERT_EQ(birth.inputs.size(), 2u);
  EXPECT_EQ(birth.inputs[0].name, "v");
  EXPECT_EQ(birth.inputs[0].least, 0);
}

TEST_F(Recorded, TooLargeIsAnErrorAndTheNextRecordingIsRight) {
  RecordOptions small;
  small.maxBytes = 64;
  auto [kind, text] = takeError(execution.record(1, small).takeError());
  EXPECT_EQ(kind, ErrorKind::OutOfMemory);
  EXPECT_EQ(text, "the recording of program (1, 0, 0) takes more than 0 MiB; allow more by "
                  "--memory-limit, or run the kernel on smaller tiles or fewer iterations");
  EXPECT_EQ(memoryAt(record(0), 0), (std::vector<float>{7, 8, 9}));
}

TEST_F(Recorded, AFaultEndsTheRecording) {
  auto faulty = machine.load(kRecordedKernel);
  std::vector<LaunchArgument> arguments{ptr(x), ptr(y)};
  Execution far(*faulty, machine.heap, arguments, grid(4), {{{x, 12}, {y, 12}}});
  auto recording = far.record(3, {});
  ASSERT_TRUE(bool(recording));
  EXPECT_NE(recording->fault.find("k.py:4:13: read of 4 bytes"), std::string::npos)
      << recording->fault;
  EXPECT_EQ(recording->getEnd(), 3u);
  // An earlier one is an error of the launch.
  Execution beyond(*faulty, machine.heap, arguments, grid(5), {{{x, 12}, {y, 12}}});
  EXPECT_EQ(takeError(beyond.record(4, {}).takeError()).first, ErrorKind::Fault);
}

TEST_F(Recorded, ObservingChangesNothing) {
  (void)record(2);
  const auto observed = machine.get<uint32_t>(y, 3); // Bits: one is NaN.
  Machine plain;
  const uint64_t px = plain.put(input), py = plain.put(std::vector<float>{7, 8, 9});
  plain.run(kRecordedKernel, {ptr(px), ptr(py)}, grid(3));
  EXPECT_EQ(observed, plain.get<uint32_t>(py, 3));
}

/// The places of accesses in the order in which they happen, "4 read" and "6 write", by program.
struct Places final : interp::StepObserver {
  explicit Places(const interp::Program &program) : program(program) {}
  bool beginProgram(uint64_t linear) override {
    seen.push_back(std::to_string(linear) + ":");
    return true;
  }
  void beforeStep(interp::Frame &frame, const interp::Step &step) override {
    if (auto access = interp::getAccess(frame, step)) {
      EXPECT_EQ(access->count, 1u);
      EXPECT_EQ(access->bytes, 4u);
      EXPECT_TRUE(access->isOn(0));
      last = access->pointers[0];
      const bool isLoad = access->kind == interp::LaneAccess::Kind::Load;
      seen.back() += " " + std::to_string(program.sources[step.source].position.line) +
                     (isLoad ? " read" : " write");
    }
  }
  void afterStep(interp::Frame &, const interp::Step &) override {}
  bool endProgram(const interp::Frame &) override { return true; }
  const interp::Program &program;
  std::vector<std::string> seen;
  uint64_t last = 0;
};

TEST_F(Recorded, AnObserverSeesTheAccessesOfAllProgramsAndChecksFindRaces) {
  (void)record(1);
  Places places(*program);
  interp::CheckOptions checks;
  checks.races = true;
  auto result = execution.observe(places, checks);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->reports.empty());
  const std::string all = " 4 read 6 write 4 read 6 write";
  EXPECT_EQ(places.seen, (std::vector<std::string>{"0:" + all, "1:" + all, "2:" + all}));
  EXPECT_EQ(places.last, y + 8);
  // Recordings after it begin with the memory as it was at first.
  EXPECT_EQ(memoryAt(record(0), 0), (std::vector<float>{7, 8, 9}));
  // Programs (0, 0, 0) and (0, 1, 0) write one element: the second finds the first.
  Execution twice(*program, machine.heap, {ptr(x), ptr(y)}, grid(1, 2), {{{x, 12}, {y, 12}}});
  auto races = twice.observe(places, checks);
  ASSERT_TRUE(bool(races)) << llvm::toString(races.takeError());
  ASSERT_EQ(races->reports.size(), 1u);
  EXPECT_EQ(races->reports[0].program, (std::array<uint32_t, 3>{0, 1, 0}));
  EXPECT_EQ(races->reports[0].otherProgram, (std::array<uint32_t, 3>{0, 0, 0}));
}

TEST_F(Recorded, TheFirstProgramMustExist) {
  LaunchOptions options = grid(3);
  options.firstProgram = 3;
  EXPECT_EQ(machine.launchError(kRecordedKernel, {ptr(x), ptr(y)}, options).second,
            "cpu: launch: program 3 of 3 cannot be the first; they are numbered from 0");
}

} // namespace
