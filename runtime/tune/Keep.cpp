// Keys and payloads of kept tunings.
#include "runtime/tune/Keep.h"

#include "runtime/cache/PluginArtifacts.h"

#include <cmath>
#include <cstring>

using namespace tilerun;
using namespace tilerun::tune;

// The version of the payloads' layout and of the way configurations are measured.
static constexpr uint64_t kVersion = 2;

static std::string getText(const core::Device &device, uint32_t property) {
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  bool known = device.getProperty(property, value).isOk() && value.type == TILERUN_VALUE_STRING;
  return known && value.string ? value.string : "";
}

bool tune::makeKey(const core::Device &device, const std::vector<Config> &configs,
                   const std::string &words, cache::Key &key) {
  // The code that is measured is this build's of frontend, optimizer and plugin.
  static const std::string build = cache::getBuildId(reinterpret_cast<const void *>(&tune::write));
  cache::KeyBuilder builder("tuning");
  builder.add("version", kVersion)
      .add("build", llvm::StringRef(build))
      .add("device", llvm::StringRef(device.getInfo().name))
      .add("driver", llvm::StringRef(getText(device, TILERUN_DEVICE_PROPERTY_DRIVER_VERSION)))
      .add("words", llvm::StringRef(words));
  cache::addCompilerFields(builder, device.getTable(), device.getHandle(), device.getInfo().target,
                           /*options=*/{});
  for (const Config &config : configs) {
    std::string digest = config.kernel->getProgram().getDigest(), signature;
    if (digest.empty())
      return false;
    // A configuration that cannot be described fails by itself, in the same way each time.
    (void)config.kernel->describe(config.arguments, config.numArguments, signature);
    const TilerunCompileOptions &o = config.options;
    builder.add("kernel", llvm::StringRef(digest))
        .add("bound", llvm::StringRef(config.kernel->getBound()))
        .add("signature", llvm::StringRef(signature));
    for (uint64_t number : {o.num_warps, o.num_stages, o.num_ctas, o.maxnreg, o.debug, o.checks,
                            config.grid[0], config.grid[1], config.grid[2], config.flags,
                            // With ranges a configuration may fail that works without.
                            uint32_t(config.ranges != nullptr)})
      builder.add("number", number);
    builder.add("options", uint64_t(o.num_options));
    for (uint32_t i = 0; i < o.num_options; ++i)
      builder.add("option", llvm::StringRef(o.options[i].name))
          .add("value", llvm::StringRef(o.options[i].value));
  }
  key = builder.finish();
  return true;
}

std::vector<uint8_t> tune::write(size_t best, size_t numConfigs, double milliseconds) {
  const uint64_t words[] = {kVersion, best, numConfigs, std::bit_cast<uint64_t>(milliseconds)};
  std::vector<uint8_t> bytes(sizeof(words));
  std::memcpy(bytes.data(), words, sizeof(words));
  return bytes;
}

bool tune::read(const std::vector<uint8_t> &bytes, size_t numConfigs, size_t &best,
                double &milliseconds) {
  uint64_t words[4];
  if (bytes.size() != sizeof(words))
    return false;
  std::memcpy(words, bytes.data(), sizeof(words));
  milliseconds = std::bit_cast<double>(words[3]);
  if (words[0] != kVersion || words[1] >= numConfigs || words[2] != numConfigs ||
      !std::isfinite(milliseconds) || milliseconds < 0)
    return false;
  best = words[1];
  return true;
}
