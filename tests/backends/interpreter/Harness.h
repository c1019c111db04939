// Runs textual tile IR on the device `cpu`: text to bytecode, load, launch, and typed buffers in
// device memory.
#pragma once

#include "plugins/cpu/CpuDevice.h"

#include "llvm/Support/Error.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

namespace tilerun::harness {

/// Bytecode of a module, keeping locations (of this text: file "test.mlir"). Fails the test on a
/// parse error.
std::vector<uint8_t> assemble(llvm::StringRef text);

/// The kind and text of an error, which is consumed.
std::pair<DeviceErrorKind, std::string> takeError(llvm::Error error);

/// `$NAME` replaced by values, so that one text serves many types.
std::string substitute(std::string text,
                       std::initializer_list<std::pair<llvm::StringRef, std::string>> values);

/// A device with helpers that fail the running test instead of returning errors.
class Machine {
public:
  Machine();

  template <class T>
  DeviceAddress put(const std::vector<T> &values, llvm::StringRef label = "buffer") {
    const size_t bytes = values.size() * sizeof(T);
    DeviceAddress address = allocate(bytes, label);
    auto error = device->copyIn(address, {reinterpret_cast<const uint8_t *>(values.data()), bytes});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return address;
  }
  template <class T> std::vector<T> get(DeviceAddress address, size_t count) {
    std::vector<T> values(count);
    auto error =
        device->copyOut({reinterpret_cast<uint8_t *>(values.data()), count * sizeof(T)}, address);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return values;
  }
  DeviceAddress allocate(uint64_t bytes, llvm::StringRef label = "buffer");

  std::unique_ptr<DeviceKernel> load(llvm::StringRef text, llvm::StringRef name = "k");
  LaunchResult launch(DeviceKernel &kernel, std::vector<LaunchArgument> arguments,
                      LaunchOptions options = {});
  /// Loads and launches.
  LaunchResult run(llvm::StringRef text, std::vector<LaunchArgument> arguments,
                   LaunchOptions options = {});
  /// The error of a load or launch that must fail.
  std::pair<DeviceErrorKind, std::string> loadError(llvm::StringRef text,
                                                    llvm::StringRef name = "k");
  std::pair<DeviceErrorKind, std::string> launchError(llvm::StringRef text,
                                                      std::vector<LaunchArgument> arguments,
                                                      LaunchOptions options = {});

  std::unique_ptr<Device> device;
};

inline LaunchArgument ptr(DeviceAddress address) { return LaunchArgument::pointer(address); }
inline LaunchArgument num(int64_t value) { return LaunchArgument::integer(uint64_t(value)); }
LaunchOptions grid(uint64_t x, uint64_t y = 1, uint64_t z = 1);
LaunchOptions checked(uint64_t x = 1, CheckOptions checks = CheckOptions::all());

/// A generator seeded afresh (or from TILERUN_SEED); the seed is printed when the test fails.
class Random {
public:
  Random();
  uint64_t bits() { return engine(); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  }
  /// Bits that are often at the edges: 0, 1, -1, extremes, small values.
  uint64_t edgyBits(unsigned width);

private:
  uint64_t seed;
  std::mt19937_64 engine;
  ::testing::ScopedTrace trace;
};

} // namespace tilerun::harness
