// The kernels that a PTX text declares, as far as the fake driver needs them: names and parameters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fake_cuda {

struct PtxParameter {
  size_t offset, bytes; ///< In the buffer of the arguments.
  bool isPointer;       ///< Declared as a pointer to global memory.
};
struct PtxKernel {
  std::string name;
  std::vector<PtxParameter> parameters;
  size_t bytes = 0; ///< Of all parameters.
};

/// False if a declaration is not understood.
bool readKernels(const std::string &text, std::vector<PtxKernel> &kernels);

} // namespace fake_cuda
