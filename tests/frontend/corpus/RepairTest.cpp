// Signatures repaired according to the errors, and the parameters that errors depend on.
#include "frontend/corpus/Repair.h"
#include "frontend/corpus/Guess.h"
#include "frontend/corpus/Slice.h"
#include "tests/frontend/corpus/KernelTest.h"

using namespace tilerun;
using namespace tilerun::corpus;

namespace {
class RepairTest : public KernelTest {
protected:
  Attempt compile(const JitFunction &function, const KernelSignature &signature) {
    ++numTried;
    frontend.getDiagnostics().clear();
    Attempt out;
    out.signature = signature;
    out.compiles = mlir::succeeded(
        frontend.compile(*function.module, function.qualifiedName, signature, context));
    const std::set<std::string> &missed = frontend.getMissedGlobals();
    out.missedGlobals.assign(missed.begin(), missed.end());
    if (!out.compiles)
      out.errors = frontend.getDiagnostics().getDiagnostics();
    return out;
  }
  Attempt compile(const JitFunction &function, llvm::StringRef signature) {
    auto parsed = parseSignature(signature);
    EXPECT_TRUE(bool(parsed));
    return compile(function, *parsed);
  }
  Attempt mend(const JitFunction &function, llvm::StringRef signature, unsigned mostTries = 400) {
    std::vector<Attempt> attempts;
    attempts.push_back(compile(function, signature));
    EXPECT_FALSE(attempts.front().compiles);
    return repair(function, std::move(attempts), mostTries,
                  [&](const KernelSignature &next) { return compile(function, next); });
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  unsigned numTried = 0;
};

TEST_F(RepairTest, triesTheFunctionsOfWhichHostCodeTakesOne) {
  const JitFunction &kernel = load(R"(
def is_hip():
    return triton.runtime.driver.active.get_current_target().backend == "hip"
if is_hip():
    @triton.jit
    def helper(x):
        return x.nothing
else:
    @triton.jit
    def helper(x):
        return x + 1

@triton.jit
def kernel(p):
    tl.store(p, helper(1))
)");
  std::vector<Attempt> attempts;
  attempts.push_back(compile(kernel, "p=*i32"));
  ASSERT_EQ(attempts.front().missedGlobals, std::vector<std::string>{"helper"});
  attempts.front().functionLines["helper"] = {8, 12};
  Attempt mended = repair(kernel, std::move(attempts), 400,
                          [&](const KernelSignature &next) { return compile(kernel, next); });
  ASSERT_TRUE(mended.compiles);
  EXPECT_EQ(
      std::get<int64_t>(std::get<ConstantArgument>(mended.signature.arguments.at("helper")).value),
      12);
}

TEST_F(RepairTest, followsNamesToParameters) {
  const JitFunction &kernel = load(R"(
@triton.jit
def shifted(values, amount, unused):
    moved = values << amount
    return moved

@triton.jit
def kernel(x, y, z, n):
    a = tl.load(x)
    b = a + 1
    c = tl.load(y)
    for i in range(n):
        c += shifted(b, i, c)
    tl.store(z, c)
)");
  Attempt attempt = compile(kernel, "x=*fp32, y=*i32, z=*i32, n=i32");
  ASSERT_FALSE(attempt.errors.empty());
  ErrorPath path = getErrorPath(attempt.errors.front());
  ASSERT_EQ(path.size(), 2u);
  auto names = findInfluences(kernel, path);
  ASSERT_GE(names.size(), 3u);
  // Through the call: the value and the amount of the shift, then the rest of the line.
  EXPECT_EQ(names[0], "x");
  EXPECT_EQ(names[1], "n");
  EXPECT_TRUE(llvm::is_contained(names, "y"));
  EXPECT_FALSE(llvm::is_contained(names, "z"));
}

TEST_F(RepairTest, changesOneElementType) {
  Attempt mended = mend(load(R"(
@triton.jit
def kernel(x, y, out):
    tl.store(out, (tl.load(x) >> 3) + tl.load(y))
)"),
                        "x=*fp32, y=*fp32, out=*fp32");
  ASSERT_TRUE(mended.compiles);
  EXPECT_EQ(formatSignature(mended.signature), "out=*fp32, x=*i32:16, y=*fp32");
}

TEST_F(RepairTest, changesOneThingAfterTheOther) {
  Attempt mended = mend(load(R"(
@triton.jit
def kernel(x, out, n, SIZE: tl.constexpr, KIND: tl.constexpr):
    bits = tl.load(x + tl.arange(0, SIZE)) & n
    if KIND == "twice":
        bits = bits * 2
    else:
        tl.static_assert(KIND == "once")
    tl.store(out + tl.arange(0, 32), bits)
)"),
                        "x=*fp32, out=*i32, n=i32, SIZE=3, KIND=0");
  ASSERT_TRUE(mended.compiles) << mended.errors.front().message;
  EXPECT_EQ(formatSignature(mended.signature),
            "KIND=\"twice\", SIZE=32, n=i32, out=*i32, x=*i32:16");
}

TEST_F(RepairTest, changesElementTypesTogether) {
  Attempt mended = mend(load(R"(
@triton.jit
def kernel(x, y, out):
    tl.store(out, tl.load(x) & tl.load(y))
)"),
                        "x=*fp32, y=*fp32, out=*fp32");
  EXPECT_TRUE(mended.compiles);
}

TEST_F(RepairTest, makesTuples) {
  Attempt mended = mend(load(R"(
@triton.jit
def pick(sources, i: tl.constexpr):
    return sources[i]

@triton.jit
def kernel(sources, out, N: tl.constexpr, STRIDES: tl.constexpr):
    tl.static_assert(N == 3)
    for i in tl.static_range(N):
        tl.store(out + STRIDES[i], tl.load(pick(sources, i)))
)"),
                        "sources=*fp32:16, out=*fp32:16, N=3, STRIDES=64");
  ASSERT_TRUE(mended.compiles) << mended.errors.front().message;
  EXPECT_EQ(formatSignature(mended.signature), "N=3, STRIDES=(1,1,1,1,1,1,1,1,), out=*fp32:16, "
                                               "sources=(*fp32:16, *fp32:16, *fp32:16, *fp32:16)");
}

TEST_F(RepairTest, describesBlocksOfTheKernelsSizes) {
  Attempt mended = mend(load(R"(
@triton.jit
def kernel(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.dot(tl.reshape(a.load([0, 0, 0]), [M, K]), tl.trans(b.load([0, 0])))
    c.store([0, 0], tl.zeros((M, N), tl.float32) + x)
)"),
                        "a=tensordesc<fp16[1,64,64]>, b=tensordesc<fp32[64,64]>, "
                        "c=tensordesc<fp32[64,64]>, M=32, N=128, K=64");
  ASSERT_TRUE(mended.compiles) << mended.errors.front().message;
  EXPECT_EQ(formatSignature(mended.signature),
            "K=64, M=32, N=128, a=tensordesc<fp16[1,64,32]>, b=tensordesc<fp16[128,64]>, "
            "c=tensordesc<fp32[32,128]>");
}

TEST_F(RepairTest, changesTwoSizes) {
  Attempt mended = mend(load(R"(
@triton.jit
def kernel(x, ROWS: tl.constexpr, COLS: tl.constexpr):
    tl.static_assert(ROWS * COLS == 2048 and ROWS < COLS and ROWS > 16)
    tl.store(x + tl.arange(0, ROWS), 0)
)"),
                        "x=*fp32, ROWS=1, COLS=1");
  ASSERT_TRUE(mended.compiles);
  EXPECT_EQ(formatSignature(mended.signature), "COLS=64, ROWS=32, x=*fp32");
}

TEST_F(RepairTest, changesWhatDecidesOnANamesArm) {
  Attempt mended = mend(load(R"(
@triton.jit
def kernel(x, KIND: tl.constexpr, FLAG: tl.constexpr):
    if KIND == 8:
        value = 1
    tl.store(x, value)
)"),
                        "x=*fp32, KIND=64, FLAG=true");
  ASSERT_TRUE(mended.compiles);
  EXPECT_EQ(formatSignature(mended.signature), "FLAG=true, KIND=8, x=*fp32");
}

TEST_F(RepairTest, passesFunctions) {
  Attempt mended = mend(load(R"(
@triton.jit
def twice(v):
    return v * 2

@triton.jit
def kernel(x, FUNCTION: tl.constexpr):
    tl.store(x, FUNCTION(tl.load(x)))
)"),
                        "x=*fp32, FUNCTION=64");
  ASSERT_TRUE(mended.compiles);
  EXPECT_EQ(formatSignature(mended.signature), "FUNCTION=twice, x=*fp32");
}

TEST_F(RepairTest, leavesWhatNoSignatureMends) {
  const JitFunction &kernel = load(R"(
@triton.jit
def kernel(x, FLAG: tl.constexpr):
    if FLAG:
        tl.store(x, tl.missing)
)");
  Attempt mended = mend(kernel, "x=*fp32, FLAG=true");
  EXPECT_FALSE(mended.compiles);
  EXPECT_EQ(numTried, 1u);
}

TEST_F(RepairTest, endsAfterSoManyTries) {
  const JitFunction &kernel = load(R"(
@triton.jit
def kernel(x, SIZE: tl.constexpr):
    tl.static_assert(SIZE == 77)
)");
  EXPECT_FALSE(mend(kernel, "x=*fp32, SIZE=3", 5).compiles);
  EXPECT_EQ(numTried, 6u);
}

TEST_F(RepairTest, givesGlobalsThatOnlyHostCodeKnows) {
  const JitFunction &kernel = load(R"(
import os
FLAG = tl.constexpr(os.path.exists("flag"))
SIZE = os.getpid()

@triton.jit
def kernel(x):
    if FLAG:
        tl.store(x, y)
    tl.store(x + tl.arange(0, SIZE)[16:17], 1)
)");
  Attempt mended = mend(kernel, "x=*i32");
  ASSERT_TRUE(mended.compiles);
  auto constant = [&](const char *name) {
    return std::get<ConstantArgument>(mended.signature.arguments.at(name)).value;
  };
  EXPECT_FALSE(std::get<bool>(constant("FLAG")));
  EXPECT_EQ(std::get<int64_t>(constant("SIZE")), 64);
}

} // namespace
