// Compiles kernels from Python text and runs them on the reference interpreter.
#pragma once

#include "tests/frontend/sema/SemaTest.h"

#include <functional>
#include <variant>

namespace tilerun::test {

/// A buffer that a kernel reads and writes.
struct BufferArgument {
  void *data;
  size_t bytes;
};
using RunArgument = std::variant<BufferArgument, int64_t, double>;

template <typename T> RunArgument buffer(std::vector<T> &values) {
  return BufferArgument{values.data(), values.size() * sizeof(T)};
}

/// Runs `kernel` of a file with Triton's usual imports as emitted, with debug events while it is
/// recorded, and canonicalized, and expects the same bytes from all. Empty on success, else the
/// failure.
std::string run(const std::string &text, llvm::StringRef signature,
                const std::vector<RunArgument> &arguments, uint64_t grid = 1, bool debug = false);

/// The same for the body of `def kernel(<parameters>):`.
std::string runBody(const std::string &parameters, const std::string &body,
                    llvm::StringRef signature, const std::vector<RunArgument> &arguments,
                    uint64_t grid = 1);

/// Runs a body `def kernel(p, q, n):` (two int32 buffers and a number) for each n, and compares q
/// with a function of p and n.
void expectInts(
    const std::string &body, std::vector<int64_t> numbers,
    const std::function<void(const std::vector<int> &p, std::vector<int> &q, int n)> &model);

} // namespace tilerun::test
