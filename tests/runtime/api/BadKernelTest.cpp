// Mistakes in kernels and in launches, as users of the library see them: whole messages. The
// kernels and their messages are those of the command's test, tests/lit/tilerun/Inputs/bad.py.
#include "tests/runtime/api/ApiTest.h"

#include <fstream>
#include <map>
#include <regex>

using namespace tilerun;
using namespace tilerun::test;

namespace {

constexpr char kFile[] = TILERUN_SOURCE_DIR "/tests/lit/tilerun/Inputs/bad.py";

/// By kernel: the line at fault and the message about it.
std::map<std::string, std::pair<unsigned, std::string>> readExpectations() {
  std::map<std::string, std::pair<unsigned, std::string>> expected;
  std::ifstream file(kFile);
  std::string line, kernel;
  std::smatch match;
  const std::regex def("def (\\w+)\\(out, n\\):"), error(" *# error: (.*)");
  for (unsigned number = 1; std::getline(file, line); ++number)
    if (std::regex_match(line, match, def))
      kernel = match[1];
    else if (std::regex_match(line, match, error))
      expected[kernel] = {number + 1, match[1]};
  return expected;
}

TEST(BadKernels, AreRefusedWithWholeMessages) {
  auto expected = readExpectations();
  EXPECT_GT(expected.size(), 35u);
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Buffer<int32_t> out(stream, 64);
  const std::regex form("^.*bad\\.py:(\\d+):\\d+: error: (.*)");
  for (const auto &[name, place] : expected) {
    Kernel kernel = runtime.load(kFile, name);
    Error error = getError([&] { kernel.launch(stream, {}, out, 5); });
    std::smatch match;
    std::string text = error.what();
    ASSERT_TRUE(std::regex_search(text, match, form)) << name << ": " << text;
    EXPECT_EQ(std::stoul(match[1]), place.first) << name;
    EXPECT_EQ(match[2], place.second) << name;
    EXPECT_EQ(error.status(), TILERUN_STATUS_COMPILE) << name;
  }
}

TEST(BadKernels, SourcesThatAreNotThere) {
  Runtime runtime = makeRuntime();
  EXPECT_STREQ(getError([&] { runtime.load("/nowhere/kernels.py", "k"); }).what(),
               "error: cannot read '/nowhere/kernels.py': the file was not found\n");
  EXPECT_EQ(getError([&] { runtime.load(kFile, "arms_difer"); }).what(),
            std::string("'") + kFile + "' has no kernel 'arms_difer'; did you mean 'arms_differ'?");
  // A function, but not one with @triton.jit.
  EXPECT_CONTAINS(getError([&] { runtime.load(kFile, "on_the_host"); }).what(),
                  "' has no kernel 'on_the_host'; it has 'add', 'dtype_changes_in_loop', ");
  EXPECT_STREQ(getError([&] { runtime.loadText("k.py", "x = 1\n", "k"); }).what(),
               "'k.py' has no kernel 'k'; it has no @triton.jit function");
}

TEST(BadKernels, WrongArguments) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("k.py",
                                   "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                                   "def k(out, n, BLOCK: tl.constexpr):\n    tl.store(out, n)\n",
                                   "k");
  Buffer<int32_t> out(stream, 64);
  auto refuse = [&](auto... arguments) {
    return std::string(getError([&] { kernel.launch(stream, {}, arguments...); }).what());
  };
  EXPECT_EQ(refuse(out.pointer(), 5),
            "kernel 'k': 2 arguments were passed; missing 'BLOCK' (tl.constexpr)");
  EXPECT_EQ(refuse(out.pointer(), 5, 6, 7), "kernel 'k' takes 3 arguments, 4 were passed");
  EXPECT_EQ(
      refuse(out.pointer(), "five", 8),
      "kernel 'k': parameter 'n' is not a tl.constexpr; it takes a pointer, a number or None at "
      "run time; a string was passed");
  EXPECT_EQ(refuse(out.pointer(), 5, out.pointer()),
            "kernel 'k': parameter 'BLOCK' is a tl.constexpr, which takes a number, string, dtype "
            "or None, such as x.shape[0], not a tensor; a pointer to i32 was passed");
  EXPECT_CONTAINS(refuse(0.5, 5, 8),
                  "k.py:7:14: error: tl.store: 'pointer' must be a pointer or a tensor of "
                  "pointers, but it is float64; add offsets to a pointer argument of the kernel\n");
}

TEST(BadKernels, NumbersOfWarps) {
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.load(kFile, "arms_differ");
  Buffer<int32_t> out(stream, 64);
  auto refuse = [&](uint32_t warps) {
    CompileOptions options;
    options.numWarps = warps;
    return std::string(
        getError([&] { kernel.launchWith(stream, {}, options, out.pointer(), 5); }).what());
  };
  EXPECT_CONTAINS(refuse(3), "num_warps is 3, which is not a power of two");
  EXPECT_CONTAINS(refuse(2048), "num_warps is 2048; the maximum is 1024");
  // The interpreter has none: its message about the kernel differs.
  EXPECT_CONTAINS(refuse(64), "'x' differs in type after this run-time 'if'");
}

} // namespace
