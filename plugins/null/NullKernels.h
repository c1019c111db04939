// The self-test kernels of the null device, as host functions. Separate from the plugin, because a
// real driver brings its own kernels and drops this file.
#pragma once

#include "tilerun/plugin.h"

#include <string_view>

namespace null {

struct TestKernel {
  TilerunPluginKernelInfo info;
  const TilerunPluginKernelDetails *details; ///< Null for an ordinary kernel.
  /// Runs the whole grid; false for a fault.
  bool (*run)(const TilerunPluginLaunch &launch);
};

/// Null if there is none of that name.
const TestKernel *findTestKernel(std::string_view name);

/// The size of a launch's packed arguments.
uint64_t getPackedBytes(const TilerunPluginKernelInfo &info);

} // namespace null
