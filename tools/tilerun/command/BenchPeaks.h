// What a device reaches at best, measured beside a benchmark: the rates that its percentages are
// of.
#pragma once

#include "runtime/core/Device.h"
#include "tools/tilerun/command/CommandLine.h"

#include <memory>
#include <optional>

namespace tilerun::command {

/// GB/s of copying within a device's memory, reads and writes; none if the device cannot.
std::optional<double> measureCopies(const std::shared_ptr<core::Device> &device, double warmup,
                                    double rep);

/// TFLOP/s of products of float16 tiles, accumulated in float32, that stay in registers and shared
/// memory; none if the device cannot, or takes too long.
std::optional<double> measureProducts(const std::shared_ptr<core::Device> &device,
                                      const Options &options);

} // namespace tilerun::command
