// Code objects made from text for the tests of the emulator, and kernels around single
// instructions.
#ifndef TILERUN_TESTS_EMULATORS_AMDGPU_TESTKERNELS_H
#define TILERUN_TESTS_EMULATORS_AMDGPU_TESTKERNELS_H

#include "emulators/amdgpu/Device.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilerun::amdsim::tests {

// A kernel in assembly. Its arguments are two pointers, at s[0:1]; the workgroup's number is in s2
// (ttmp9 on gfx12), the thread's in v0.
struct Source {
  std::string name = "k", body = "";
  unsigned ldsBytes = 0, scratchBytes = 0, argumentBytes = 16;
  bool hasPrivateBuffer = false; // in s[0:3], before the arguments' pointer
  bool isIeee = false;           // MODE.IEEE, which gfx12 lacks
  bool isWave64 = false;         // on targets whose waves have 32 lanes here
  uint32_t mode = 0xf0;          // MODE's directions and subnormals in the kernel's descriptor
};

// A linked code object of these kernels for "gfx942" and so on. A failing assembler fails the test.
std::vector<char> assemble(const std::string &cpu, const std::vector<Source> &kernels);
// The same from LLVM IR.
std::vector<char> compile(const std::string &cpu, const std::string &ir);

// A device with a code object on it.
struct Loaded {
  std::unique_ptr<Device> device;
  std::unique_ptr<Module> module;
  // Runs a kernel with two pointers; nothing is expected about findings.
  LaunchResult run(const std::string &kernel, uint64_t first, uint64_t second,
                   LaunchOptions options = {});
};
Loaded load(const std::string &cpu, const std::vector<char> &object);

// Device memory with a copy of the values.
template <class T> uint64_t upload(Device &device, const std::vector<T> &values) {
  uint64_t address = device.memory().allocate(values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), reinterpret_cast<T *>(address));
  return address;
}
template <class T> std::vector<T> download(uint64_t address, size_t count) {
  const T *from = reinterpret_cast<const T *>(address);
  return std::vector<T>(from, from + count);
}

// All findings as text, for messages of assertions.
std::string messages(const LaunchResult &result);

// A body that loads four words of each thread from the first argument into v[0:3], runs `text`, and
// stores v[4:5] (zero unless `text` sets them) to the second argument. Names are those of the
// target's generation.
std::string aroundInstruction(const std::string &cpu, const std::string &text);

} // namespace tilerun::amdsim::tests

#endif
