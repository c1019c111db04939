// Uses of kernels' parameters, guesses of signatures, and the general form of messages.
#include "frontend/corpus/Corpus.h"
#include "frontend/corpus/Guess.h"
#include "frontend/corpus/Usage.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::corpus;

namespace {
class CorpusTest : public testing::Test {
protected:
  const JitFunction &load(const std::string &body, llvm::StringRef name = "kernel") {
    module =
        frontend.loadText("kernels.py", "import triton\nimport triton.language as tl\n" + body);
    EXPECT_NE(module, nullptr);
    const JitFunction *function = module ? module->findFunction(name) : nullptr;
    EXPECT_NE(function, nullptr);
    return *function;
  }
  std::string guess(const JitFunction &function) {
    return formatSignature(guessSignatures(frontend, function).front());
  }
  Frontend frontend;
  LoadedModule *module = nullptr;
};

TEST_F(CorpusTest, findsPointersThroughLocalsAndCalls) {
  const JitFunction &kernel = load(R"(
@triton.jit
def helper(p, n):
    return tl.load(p + n)

@triton.jit
def kernel(a, b, c, d, stride, n):
    row = a + tl.program_id(0) * stride
    row += n
    x = tl.load(row)
    y = helper(b, tl.load(c))
    block = tl.make_block_ptr(base=d, shape=(n,), strides=(1,), offsets=(0,), block_shape=(16,), order=(0,))
    for i in range(tl.load(c), n):
        x += y
)");
  auto uses = analyzeUses(kernel);
  for (llvm::StringRef name : {"a", "b", "c", "d"})
    EXPECT_TRUE(uses[name].isPointer) << name.str();
  EXPECT_FALSE(uses["stride"].isPointer);
  EXPECT_FALSE(uses["n"].isPointer);
  EXPECT_TRUE(uses["n"].isCount);
}

TEST_F(CorpusTest, followsRecursionToAnEnd) {
  auto uses = analyzeUses(load(R"(
@triton.jit
def other(p):
    kernel(p)

@triton.jit
def kernel(p):
    other(p)
    tl.store(p, 1)
)"));
  EXPECT_TRUE(uses["p"].isPointer);
}

TEST_F(CorpusTest, loadedIndicesAreIntegers) {
  const JitFunction &kernel = load(R"(
@triton.jit
def kernel(values, rows, out, BLOCK: tl.constexpr):
    r = tl.load(rows + tl.program_id(0)).to(tl.int64)
    tl.store(out + tl.arange(0, BLOCK), tl.load(values + r * BLOCK + tl.arange(0, BLOCK)))
)");
  EXPECT_EQ(guess(kernel), "BLOCK=64, out=*fp32:16, rows=*i32:16, values=*fp32:16");
}

TEST_F(CorpusTest, constantsByUseAndName) {
  const JitFunction &kernel = load(R"(
@triton.jit
def kernel(x, scale, n: tl.int64, MODE: tl.constexpr, IS_CAUSAL: tl.constexpr, OUT: tl.constexpr, D: tl.constexpr = 3):
    v = tl.load(x) * scale
    if MODE == "sum":
        v += n
    if IS_CAUSAL:
        v += D
    tl.store(x, v.to(OUT))
)");
  EXPECT_EQ(guess(kernel),
            "IS_CAUSAL=false, MODE=\"sum\", OUT=fp32!, n=i64, scale=fp32, x=*fp32:16");
  // Every guess can be read back.
  for (const KernelSignature &signature : guessSignatures(frontend, kernel)) {
    auto parsed = parseSignature(formatSignature(signature));
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    EXPECT_EQ(getCanonicalText(*parsed), getCanonicalText(signature));
  }
}

TEST_F(CorpusTest, unrolledLoopsAreShort) {
  EXPECT_EQ(guess(load(R"(
@triton.jit
def kernel(x, STEPS: tl.constexpr, SIZE: tl.constexpr):
    for i in tl.static_range(STEPS):
        tl.store(x + i * SIZE + tl.arange(0, SIZE), i)
    for i in tl.static_range(SIZE):
        tl.store(x + i, i)
)")),
            "SIZE=64, STEPS=4, x=*fp32:16");
}

TEST_F(CorpusTest, stridesAreIntegersWhateverTheyAreOf) {
  EXPECT_EQ(guess(load(R"(
@triton.jit
def kernel(x, beta_stride, STRIDE_SCALE: tl.constexpr, SCALE: tl.constexpr):
    tl.store(x + tl.program_id(0) * STRIDE_SCALE * beta_stride, SCALE)
)")),
            "SCALE=5.00000000000000000e-01, STRIDE_SCALE=1, beta_stride=i32, x=*fp32:16");
}

TEST_F(CorpusTest, whatAddressesAreMadeOfIsAnInteger) {
  EXPECT_EQ(guess(load(R"(
@triton.jit
def split(X, Y=None):
    pid = tl.program_id(0)
    if Y is None:
        return pid % X
    else:
        return pid % X * Y

@triton.jit
def kernel(x, m_max, S, eps):
    row = split(S, m_max)
    at = row * m_max + S
    tl.store(x + at, eps)
)")),
            "S=i32, eps=fp32, m_max=i32, x=*fp32:16");
}

TEST_F(CorpusTest, metaParametersAreConstants) {
  EXPECT_EQ(guess(load(R"(
@triton.jit
def kernel(x, **meta):
    BLOCK = meta["BLOCK"]
    if meta.get("EVEN", True):
        tl.store(x + tl.arange(0, BLOCK), 0)
)")),
            "BLOCK=64, x=*fp32:16");
}

TEST_F(CorpusTest, cachesAreNamedByTexts) {
  EXPECT_EQ(guess(load(R"(
@triton.jit
def kernel(x, cache_modifier: tl.constexpr, EVICTION: tl.constexpr):
    tl.store(x, tl.load(x, cache_modifier=cache_modifier, eviction_policy=EVICTION))
)")),
            "EVICTION=\"\", cache_modifier=\"\", x=*fp32:16");
}

TEST_F(CorpusTest, descriptorsHaveTheDimensionsOfTheirCoordinates) {
  EXPECT_EQ(guess(load(R"(
@triton.jit
def kernel(a, b, n):
    a.store([n, 0, 0], b.load((n,)))
)")),
            "a=tensordesc<fp32[1,64,64]>, b=tensordesc<fp32[64]>, n=i32");
}

TEST_F(CorpusTest, takesTheFirstConfiguration) {
  const JitFunction &kernel = load(R"(
@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=8), triton.Config({"BLOCK": 128})], key=[])
@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0)
)");
  KernelSignature signature = guessSignatures(frontend, kernel).front();
  EXPECT_EQ(signature.numWarps, 8);
  EXPECT_EQ(formatSignature(signature), "BLOCK=256, x=*fp32:16");
}

TEST_F(CorpusTest, whatReturnsIsAHelper) {
  EXPECT_TRUE(returnsValue(load("@triton.jit\ndef kernel(x):\n    if x:\n        return x + 1\n")));
  EXPECT_FALSE(returnsValue(load("@triton.jit\ndef kernel(x):\n    if x:\n        return\n")));
}

/// Keeps every entry.
class Keeper : public Listener {
public:
  bool begin(const Entry &) override { return true; }
  void typed(const Entry &entry) override { unrolled.push_back(entry.unrolled); }
  void compiling(const Entry &entry) override {
    signatures.push_back(entry.signature);
    unrolled.push_back(entry.unrolled);
  }
  void finish(const Entry &entry) override { entries.push_back(entry); }
  std::vector<Entry> entries;
  std::vector<std::string> signatures; ///< Of the kernels that were compiled further.
  std::vector<std::string> unrolled;   ///< The loops that a limit would name, at each step.
};

/// A survey of one file for a target.
Keeper survey(const std::string &body, const Backend &backend) {
  llvm::SmallString<128> path;
  int fd = -1;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("corpus", "py", fd, path));
  {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << "import triton\nimport triton.language as tl\n" << body;
  }
  Keeper keeper;
  FileSummary summary = surveyFile(path.str().str(), &backend, keeper);
  (void)llvm::sys::fs::remove(path);
  EXPECT_EQ(summary.unreadable, "");
  EXPECT_FALSE(keeper.signatures.empty());
  return keeper;
}

/// One of a kernel with a target that refuses blocks with a size above `largest`.
Entry surveyWithLimit(const std::string &body, int64_t largest) {
  Backend backend;
  backend.target = "cuda:sm_90a";
  backend.compile = [&](CompiledKernel &, const KernelSignature &signature) {
    Backend::Verdict verdict;
    for (const auto &[name, spec] : signature.arguments) {
      auto *constant = std::get_if<ConstantArgument>(&spec);
      auto *size = constant ? std::get_if<int64_t>(&constant->value) : nullptr;
      if (size && *size > largest)
        verdict.message = "kernels.py:3:1: error: the block is too large";
    }
    return verdict;
  };
  Keeper keeper = survey(body, backend);
  return keeper.entries.size() == 1 ? keeper.entries[0] : Entry();
}

TEST(Survey, theLoopThatAKernelMostlyIsIsNamed) {
  Backend backend{"cuda:sm_90a",
                  [](CompiledKernel &, const KernelSignature &) { return Backend::Verdict(); }};
  auto loopOf = [&](int iterations, const std::string &rest) {
    Keeper keeper = survey("@triton.jit\ndef kernel(x):\n    v = tl.load(x)\n    for i in "
                           "tl.static_range(" +
                               std::to_string(iterations) + "):\n        v = v + i\n" + rest +
                               "    tl.store(x, v)\n",
                           backend);
    // Typed, and compiled.
    EXPECT_EQ(keeper.unrolled.size(), 2u);
    EXPECT_EQ(keeper.unrolled.front(), keeper.unrolled.back());
    EXPECT_EQ(keeper.entries.front().unrolled, "");
    llvm::StringRef text = keeper.unrolled.back();
    return text.substr(text.find("are ")).str();
  };
  const std::string named = " iterations of the unrolled loop in line 6; use range or tl.range";
  EXPECT_EQ(loopOf(2000, ""), "are 2000" + named);
  EXPECT_EQ(loopOf(20, ""), "") << "too little to be slow";
  // Of two loops the larger one, if it is at least half.
  std::string other = "    for i in tl.static_range(1500):\n        v = v - i\n";
  EXPECT_EQ(loopOf(2000, other), "are 2000" + named);
  EXPECT_EQ(loopOf(2000, other + other), "");
}

TEST(Survey, blocksThatATargetRefusesGetSmaller) {
  const std::string cube =
      "@triton.jit\ndef kernel(x, A: tl.constexpr, B: tl.constexpr):\n"
      "    tl.store(x + tl.arange(0, A)[:, None] * B + tl.arange(0, B)[None, :], 0)\n";
  Entry large = surveyWithLimit(cube, 64);
  EXPECT_EQ(large.outcome, Outcome::Compiles);
  EXPECT_EQ(large.signature, "A=64, B=64, x=*fp32:16");
  Entry small = surveyWithLimit(cube, 16);
  EXPECT_EQ(small.outcome, Outcome::Compiles);
  EXPECT_EQ(small.signature, "A=16, B=16, x=*fp32:16");
  EXPECT_EQ(small.reason, "");
  // A kernel that fails for every size keeps its first reason, and its signature.
  Entry none = surveyWithLimit(cube, 1);
  EXPECT_EQ(none.outcome, Outcome::Refused);
  EXPECT_EQ(none.signature, "A=64, B=64, x=*fp32:16");
  EXPECT_EQ(none.reason, "the block is too large");
}

TEST(Generalize, keepsWhatKernelsShare) {
  EXPECT_EQ(generalize("unknown name 'foo'; did you mean 'for'?"), "unknown name '…'");
  EXPECT_EQ(generalize("'triton.language' has no name 'foo'"),
            "'triton.language' has no name 'foo'");
  EXPECT_EQ(generalize("tl.dot: the inner dimension is 8, but float32[8, 16] needs at least 16"),
            "tl.dot: the inner dimension is N, but float32[…] needs at least N");
  EXPECT_EQ(generalize("it's an odd quote"), "it's an odd quote");
}
// The command passes a launch's signature to the library as text.
TEST(FormatSignature, EverySpecCanBeReadBack) {
  for (const char *text :
       {"t=(*fp32:16, (i32, 2.5), (fp32,), 7)", "t=((i1,),), t_x=i32, u=((), (1, (*i8, none)))",
        "d=tensordesc<fp16[64,32]>, e=tensordesc<fp32[4],nan>", "a=0.1, b=-1e300, c=-5, n=u64:16",
        "s=\"a, \\\"b\\\" \\\\ (=)\", f=function, g=fp32!, h=true, i=18446744073709551615"}) {
    auto first = parseSignature(text);
    ASSERT_TRUE(bool(first)) << text << ": " << llvm::toString(first.takeError());
    auto second = parseSignature(formatSignature(*first));
    ASSERT_TRUE(bool(second)) << formatSignature(*first) << ": "
                              << llvm::toString(second.takeError());
    EXPECT_EQ(getCanonicalText(*second), getCanonicalText(*first)) << formatSignature(*first);
  }
  KernelSignature signature;
  for (auto [name, value] : {std::pair("a", std::numeric_limits<double>::infinity()),
                             {"b", -std::numeric_limits<double>::infinity()},
                             {"c", std::numeric_limits<double>::quiet_NaN()}})
    signature.arguments[name] = ConstantArgument{value};
  for (unsigned i = 0; i < 12; ++i) // "t.10" sorts before "t.2".
    signature.arguments["t." + std::to_string(i)] = TypedArgument{dtype(Scalar::Int32), i + 1};
  auto parsed = parseSignature(formatSignature(signature));
  ASSERT_TRUE(bool(parsed)) << formatSignature(signature) << ": "
                            << llvm::toString(parsed.takeError());
  EXPECT_EQ(getCanonicalText(*parsed), getCanonicalText(signature));
}

} // namespace
