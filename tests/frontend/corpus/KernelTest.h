// Tests of what is guessed from the source of one kernel.
#pragma once

#include "frontend/Frontend.h"

#include "gtest/gtest.h"

#include <string>

namespace tilerun::corpus {

class KernelTest : public testing::Test {
protected:
  /// The function `kernel` of a module with this text.
  const JitFunction &load(const std::string &body) {
    module =
        frontend.loadText("kernels.py", "import triton\nimport triton.language as tl\n" + body);
    EXPECT_NE(module, nullptr);
    const JitFunction *function = module ? module->findFunction("kernel") : nullptr;
    EXPECT_NE(function, nullptr);
    return *function;
  }

  Frontend frontend;
  LoadedModule *module = nullptr;
};

} // namespace tilerun::corpus
