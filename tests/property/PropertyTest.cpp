// Behaviour of the parts: kernels follow from their seeds, comparisons can fail, and a failing
// kernel becomes small.
#include "tests/property/Check.h"
#include "tests/property/Generator.h"
#include "tests/property/Reduce.h"
#include "tests/property/Report.h"
#include "tests/property/Threads.h"

#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"

#include <set>

using namespace tilerun;
using namespace tilerun::property;
using matrix::Result;
using matrix::Verdict;

namespace {

/// The interpreter, except that it changes a byte of each tensor that a kernel with a matrix
/// product wrote.
class Saboteur : public matrix::Target {
public:
  std::string getName() const override { return "saboteur:0"; }
  std::string getDescription() const override { return "does wrong"; }
  matrix::Outcome run(const matrix::Request &request, std::array<uint32_t, 3> grid,
                      const std::vector<matrix::RunArgument> &arguments,
                      std::vector<std::vector<uint8_t>> &buffers) override {
    const std::vector<std::vector<uint8_t>> before = buffers;
    if (matrix::Outcome failed = interpreter->run(request, grid, arguments, buffers))
      return failed;
    llvm::StringRef code(reinterpret_cast<const char *>(request.bytecode.data()),
                         request.bytecode.size());
    if (code.contains(llvm::StringRef("\0dot\0", 5))) // An operation's name in bytecode.
      for (size_t i = 0; i < buffers.size(); ++i)
        for (size_t byte = 0; byte < buffers[i].size(); ++byte)
          if (buffers[i][byte] != before[i][byte]) {
            buffers[i][byte] ^= 0x15;
            break;
          }
    return std::nullopt;
  }
  std::unique_ptr<matrix::Target> interpreter = matrix::makeInterpreter();
};

Checker makeSabotaged() {
  std::vector<std::unique_ptr<matrix::Target>> devices;
  devices.push_back(std::make_unique<Saboteur>());
  return Checker(std::move(devices), 1);
}

TEST(Property, KernelsFollowFromTheirSeeds) {
  std::set<std::string> texts;
  for (uint64_t i = 0; i < 50; ++i) {
    uint64_t seed = getKernelSeed(7, i);
    std::string text = print(generate(seed));
    EXPECT_EQ(text, print(generate(seed)));
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), 45u);
}

/// Every form in the tables is generated: one that is no longer generated is no longer tested.
TEST(Property, KernelsHaveAllForms) {
  std::vector<std::string> missing = {"tl.map_elementwise(",
                                      "tl.make_block_ptr(",
                                      "boundary_check=",
                                      "padding_option=\"nan\"",
                                      "tl.advance(",
                                      "]).load([",
                                      ").gather((",
                                      ").scatter(",
                                      "]).store([",
                                      "]).atomic_add([",
                                      "tl.atomic_cas(",
                                      "tl.atomic_xchg(",
                                      "tl.sort(",
                                      "tl.topk(",
                                      "tl.bitonic_merge(",
                                      "tl.histogram(",
                                      "tl.flip(",
                                      "tl.join(",
                                      "tl.split(",
                                      "tl.interleave(",
                                      "tl.cat(",
                                      "tl.permute(",
                                      "comb_matrix(",
                                      "comb_segments(",
                                      "return_indices=True",
                                      "tl.associative_scan(",
                                      "reverse=True",
                                      "tl.dot_scaled(",
                                      "input_precision=\"bf16x6\"",
                                      "acc=",
                                      "tl.randint4x(",
                                      "tl.rand(",
                                      "libdevice.mul_rn(",
                                      "tl.static_range(",
                                      "tl.condition(",
                                      "while True:",
                                      " := ",
                                      "elif ",
                                      "    break\n",
                                      "    continue\n",
                                      "    return\n",
                                      "if 3 > 2:",
                                      ", other=",
                                      "cache_modifier=",
                                      "eviction_policy=",
                                      "volatile=True",
                                      "tl.multiple_of(",
                                      "tl.assume(",
                                      "tl.device_assert(",
                                      "fp_downcast_rounding=\"rtz\"",
                                      "float8e4b15",
                                      "uint16",
                                      " += ",
                                      ", a=",
                                      "(*(",
                                      "tl.arange(0, 3)",
                                      "tl.arange(0, 56)",
                                      "tl.load(t_fp16",
                                      "tl.trans(tl.load(t_i8"};
  for (uint64_t i = 0; i < 4000 && !missing.empty(); ++i) {
    std::string text = print(generate(getKernelSeed(17, i)));
    std::erase_if(missing, [&](const std::string &form) { return text.find(form) != form.npos; });
  }
  for (const std::string &form : missing)
    ADD_FAILURE() << "no kernel has '" << form << "'";
}

/// On a driver with defects no operand is one of those that show them.
TEST(Property, GuardedKernelsAreWrittenAroundDefects) {
  size_t products = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Kernel kernel = generate(getKernelSeed(19, i));
    std::string plain = print(kernel);
    EXPECT_EQ(plain.find("finite("), plain.npos) << plain;
    kernel.isGuarded = true;
    std::string guarded = print(kernel);
    for (size_t at = 0; (at = guarded.find("tl.fma(", at)) != guarded.npos; ++at, ++products)
      EXPECT_EQ(guarded.compare(at, 14, "tl.fma(finite("), 0) << guarded;
    for (size_t at = 0; (at = guarded.find("div_rn(", at)) != guarded.npos; ++at)
      EXPECT_NE(guarded.find("nonzero(", at), guarded.npos) << guarded;
  }
  EXPECT_GT(products, 10u);
}

TEST(Property, EqualOnThreads) {
  std::vector<std::unique_ptr<matrix::Target>> devices;
  devices.push_back(makeThreads());
  Checker checker(std::move(devices), 1);
  for (uint64_t i = 0; i < 40; ++i) {
    Kernel kernel = generate(getKernelSeed(23, i));
    Result result = checker.check(kernel);
    EXPECT_EQ(result.verdict, Verdict::Pass) << result.text << "\n" << print(kernel);
  }
}

/// Loops of products whose tiles warps of their own copy, in random kernels around them: they fit
/// into exactly the shared memory that is stated, and run right.
TEST(Property, EqualWithRoles) {
  ThreadCounts counts;
  std::vector<std::unique_ptr<matrix::Target>> devices;
  devices.push_back(makeThreads("with roles", &counts));
  Checker checker(std::move(devices), 1);
  for (uint64_t i = 0; i < 200; ++i) {
    Kernel kernel = generate(getKernelSeed(29, i));
    if (print(kernel).find("tl.load(t_") == std::string::npos)
      continue;
    Result result = checker.check(kernel);
    EXPECT_EQ(result.verdict, Verdict::Pass) << result.text << "\n" << print(kernel);
  }
  EXPECT_GT(counts.kernels, 30u);
  EXPECT_GT(counts.rings, counts.kernels / 2);
  EXPECT_GT(counts.roles, counts.kernels / 4);
}

TEST(Property, EqualOnTheInterpreter) {
  Checker checker({}, 1);
  for (uint64_t i = 0; i < 25; ++i) {
    Kernel kernel = generate(getKernelSeed(11, i));
    Result result = checker.check(kernel);
    EXPECT_EQ(result.verdict, Verdict::Pass) << result.text << "\n" << print(kernel);
  }
}

TEST(Property, SmallerKernelsAreValid) {
  Checker checker({}, 1);
  size_t checked = 0;
  for (uint64_t i = 0; i < 4; ++i)
    for (const Kernel &kernel : getSmaller(generate(getKernelSeed(13, i)))) {
      if (checked++ % 5)
        continue;
      Result result = checker.check(kernel);
      EXPECT_EQ(result.verdict, Verdict::Pass) << result.text << "\n" << print(kernel);
    }
  EXPECT_GT(checked, 40u);
}

TEST(Property, WrongResultsAreFoundAndReduced) {
  Checker checker = makeSabotaged();
  for (uint64_t i = 0; i < 400; ++i) {
    Kernel kernel = generate(getKernelSeed(3, i));
    if (print(kernel).find("tl.dot") == std::string::npos)
      continue;
    Result result = checker.check(kernel);
    if (result.verdict != Verdict::Fail)
      continue; // The product is not used.
    std::string kind = getFailureKind(result);
    ASSERT_TRUE(llvm::StringRef(kind).starts_with("saboteur:0")) << kind << "\n" << result.text;
    Kernel small = reduce(kernel, [&](llvm::ArrayRef<Kernel> kernels) -> std::optional<size_t> {
      for (size_t k = 0; k < kernels.size(); ++k)
        if (Result r = checker.check(kernels[k]); getFailureKind(r) == kind) {
          result = r;
          return k;
        }
      return std::nullopt;
    });
    std::string text = print(small);
    EXPECT_NE(text.find("tl.dot"), std::string::npos) << text;
    EXPECT_LE(countStatements(small), 2u) << text;
    EXPECT_LT(text.size(), 600u) << text;

    llvm::SmallString<128> folder;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilerun-property", folder));
    std::string reason;
    std::string file = writeReproducer(small, result, folder.str().str(), 1, reason);
    EXPECT_TRUE(llvm::sys::fs::exists(file)) << reason;
    (void)llvm::sys::fs::remove_directories(folder);
    return;
  }
  FAIL() << "no kernel has a product";
}

} // namespace
