// The part of a tuning that is kept on disk.
#pragma once

#include "runtime/tune/Tuner.h"

namespace tilerun::tune {

/// The key of a choice: kernels, their signatures and options, the device and its driver, and the
/// caller's own words. False if a kernel's sources are not known, so that nothing can be kept.
bool makeKey(const core::Device &device, const std::vector<Config> &configs,
             const std::string &words, cache::Key &key);

/// The payload of an entry; readers refuse anything else.
std::vector<uint8_t> write(size_t best, size_t numConfigs, double milliseconds);
bool read(const std::vector<uint8_t> &bytes, size_t numConfigs, size_t &best, double &milliseconds);

} // namespace tilerun::tune
