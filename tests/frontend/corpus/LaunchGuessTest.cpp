// Launches that are guessed from kernels' sources.
#include "frontend/corpus/LaunchGuess.h"
#include "tests/frontend/corpus/KernelTest.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::corpus;

namespace {
class LaunchGuessTest : public KernelTest {
protected:
  std::string grid(const std::string &body) { return guessGrid(load(body)).format("?"); }
  std::string arguments(const JitFunction &function) {
    return llvm::join(guessArguments(frontend, function, guessGrid(function)), " ");
  }
};

constexpr const char *kAdd = R"(
@triton.jit
def kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)
)";

TEST_F(LaunchGuessTest, blocksOfAVector) {
  const JitFunction &kernel = load(kAdd);
  EXPECT_EQ(guessGrid(kernel).format("?"), "cdiv(n, BLOCK)");
  EXPECT_EQ(arguments(kernel),
            "n=1000 x=f32[n]:randn(1) y=f32[n]:randn(2) out=f32[n]:empty BLOCK=64");
}

TEST_F(LaunchGuessTest, oneProgramWithoutItsNumber) {
  GridGuess guess = guessGrid(load(R"(
@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i, mask=i < n)
)"));
  EXPECT_EQ(guess.numAxes, 0u);
  EXPECT_EQ(guess.format("?"), "1");
}

TEST_F(LaunchGuessTest, blocksOfAMatrixInOneAxisOrTwo) {
  EXPECT_EQ(grid(R"(
@triton.jit
def kernel(x, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(axis=0)
    columns = tl.cdiv(N, BN)
    row = pid // columns
    column = pid % columns
    i = (row * BM + tl.arange(0, BM)) % M
    j = column * BN + tl.arange(0, BN)
    tl.store(x + i[:, None] * N + j[None, :], 1.0, mask=(i[:, None] < M) & (j[None, :] < N))
)"),
            "cdiv(M, BM) * cdiv(N, BN)");
  EXPECT_EQ(grid(R"(
@triton.jit
def kernel(x, M, N, BM: tl.constexpr, BN: tl.constexpr):
    i = BM * tl.program_id(0) + tl.arange(0, BM)
    j = tl.program_id(2) * BN + tl.arange(0, BN)
    tl.store(x + i[:, None] * N + j[None, :], 1.0, mask=(i[:, None] < M) & (j[None, :] < N))
)"),
            "cdiv(M, BM), 1, cdiv(N, BN)");
}

TEST_F(LaunchGuessTest, groupsOfBlocksAreNoBlocks) {
  EXPECT_EQ(grid(R"(
@triton.jit
def kernel(x, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(axis=0)
    rows = tl.cdiv(M, BM)
    in_group = GROUP * tl.cdiv(N, BN)
    first = (pid // in_group) * GROUP
    size = min(rows - first, GROUP)
    row = first + (pid % in_group) % size
    column = (pid % in_group) // size
    i = row * BM + tl.arange(0, BM)
    j = column * BN + tl.arange(0, BN)
    tl.store(x + i[:, None] * N + j[None, :], 1.0, mask=(i[:, None] < M) & (j[None, :] < N))
)"),
            "cdiv(M, BM) * cdiv(N, BN)");
}

TEST_F(LaunchGuessTest, rowsAreBoundedOrUnknown) {
  EXPECT_EQ(grid(R"(
@triton.jit
def kernel(x, rows):
    row = tl.program_id(0)
    if row >= rows:
        return
    tl.store(x + row, 0.0)
)"),
            "rows");
  EXPECT_EQ(grid(R"(
@triton.jit
def kernel(x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(x + row * stride + i, 0.0, mask=i < n)
)"),
            "?");
}

TEST_F(LaunchGuessTest, followsHelpersAndRecursion) {
  EXPECT_EQ(guessGrid(load(R"(
@triton.jit
def helper():
    kernel(None)
    return tl.program_id(1)

@triton.jit
def kernel(x):
    tl.store(x + helper(), 0.0)
)"))
                .format("?"),
            "1, ?");
}

TEST_F(LaunchGuessTest, whatTheConfigurationGivesIsLeftOut) {
  EXPECT_EQ(arguments(load(R"(
@triton.autotune(configs=[triton.Config({"BLOCK": 32})], key=["n"])
@triton.jit
def kernel(x, scale, table_ptr, n, BLOCK: tl.constexpr, D: tl.constexpr, MODE: tl.constexpr = 1):
    scale = scale.to(D)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(table_ptr + i, mask=i < n)
    tl.atomic_add(x + at, scale, mask=i < n)
)")),
            "n=1000 x=f32[n]:randn(1) scale=1.0 table_ptr=i32[n]:zeros D=tl.float32");
}
} // namespace
