// Runs textual tile IR on the interpreter: text to bytecode, load, launch, and typed buffers in its
// memory.
#pragma once

#include "backends/interpreter/Interpreter.h"

#include "gtest/gtest.h"

#include <bit>
#include <cstring>
#include <random>

namespace tilerun::harness {

using interp::CheckOptions;
using interp::CheckReport;
using interp::ErrorKind;
using interp::LaunchArgument;
using interp::LaunchOptions;
using interp::LaunchResult;
using interp::Program;

/// Bytecode of a module, keeping locations (of this text: file "test.mlir"). Fails the test on a
/// parse error.
std::vector<uint8_t> assemble(llvm::StringRef text);

/// The kind and text of an error, which is consumed.
std::pair<ErrorKind, std::string> takeError(llvm::Error error);

/// `$NAME` replaced by values, so that one text serves many types.
std::string substitute(std::string text,
                       std::initializer_list<std::pair<llvm::StringRef, std::string>> values);

/// The interpreter's memory, with helpers that fail the running test instead of returning errors.
class Machine {
public:
  template <class T> uint64_t put(const std::vector<T> &values, llvm::StringRef label = "buffer") {
    const size_t bytes = values.size() * sizeof(T);
    uint64_t address = allocate(bytes, label);
    auto error = heap.copyIn(address, {reinterpret_cast<const uint8_t *>(values.data()), bytes});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return address;
  }
  template <class T> std::vector<T> get(uint64_t address, size_t count) {
    std::vector<T> values(count);
    auto error =
        heap.copyOut({reinterpret_cast<uint8_t *>(values.data()), count * sizeof(T)}, address);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return values;
  }
  uint64_t allocate(uint64_t bytes, llvm::StringRef label = "buffer");

  std::unique_ptr<Program> load(llvm::StringRef text, llvm::StringRef name = "k");
  LaunchResult launch(const Program &kernel, std::vector<LaunchArgument> arguments,
                      LaunchOptions options = {});
  /// Loads and launches.
  LaunchResult run(llvm::StringRef text, std::vector<LaunchArgument> arguments,
                   LaunchOptions options = {});
  /// The error of a load or launch that must fail.
  std::pair<ErrorKind, std::string> loadError(llvm::StringRef text, llvm::StringRef name = "k");
  std::pair<ErrorKind, std::string> launchError(llvm::StringRef text,
                                                std::vector<LaunchArgument> arguments,
                                                LaunchOptions options = {});

  interp::Heap heap{uint64_t(4) << 30};
};

inline LaunchArgument ptr(uint64_t address) { return {LaunchArgument::Kind::Pointer, address}; }
inline LaunchArgument num(int64_t value) {
  return {LaunchArgument::Kind::Integer, uint64_t(value)};
}
inline LaunchArgument flt(double value) {
  return {LaunchArgument::Kind::Float, std::bit_cast<uint64_t>(value)};
}
/// All but NaN and infinity, which may be meant.
inline constexpr CheckOptions kAllChecks = {true, true, true, true, false, true, true};
LaunchOptions grid(uint64_t x, uint64_t y = 1, uint64_t z = 1);
LaunchOptions checked(uint64_t x = 1, CheckOptions checks = kAllChecks);

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
