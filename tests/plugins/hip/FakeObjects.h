// What handles of the fake runtime point to.
#pragma once

#include "plugins/hip/Driver.h"
#include "tests/plugins/hip/FakeCodeObject.h"

#include <chrono>
#include <memory>
#include <vector>

namespace hip {
struct ihipStream_t {
  int device;
  bool isCapturing = false, isInvalid = false;
  int captured = 0; // Launches.
};
struct ihipEvent_t {
  bool timing, recorded = false;
  ihipStream_t *captured = nullptr; // The capture that it was recorded in.
  std::chrono::steady_clock::time_point time;
};
struct ihipModuleSymbol_t {
  fake_hip::CodeKernel kernel;
};
struct ihipModule_t {
  std::vector<std::unique_ptr<ihipModuleSymbol_t>> functions;
};
} // namespace hip
