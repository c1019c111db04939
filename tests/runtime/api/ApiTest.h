// Shared by the tests of the public API: the real library, with the cpu plugin and the CUDA plugin
// over the fake driver.
#pragma once

#include "tests/plugins/cuda/FakeCuda.h"

#include <tilerun/tilerun.hpp>

#include <gtest/gtest.h>

namespace tilerun::test {

/// The fake driver's controls, from the library that the plugin has loaded.
struct FakeDriver {
  decltype(&fakeCudaFail) fail;
  decltype(&fakeCudaReset) reset;
  decltype(&fakeCudaCountAlive) countAlive;
  decltype(&fakeCudaCountCalls) countCalls;
  int (*pushContext)(void *context);
  int (*popContext)(void **context);
};
const FakeDriver &getFakeDriver();

/// A runtime without a disk cache. The driver is chosen at the first call.
Runtime makeRuntime();

/// The kernel that the fake driver knows: out = a + b, for int32.
extern const char *const kAddSource;

/// Runs something that must fail, and gives its error.
template <typename Work> Error getError(const Work &work) {
  try {
    work();
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "it succeeded";
  return Error(TILERUN_STATUS_OK, "");
}

#define EXPECT_CONTAINS(text, part)                                                                \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "text: " << (text)

} // namespace tilerun::test
