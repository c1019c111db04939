// The kernels that a PTX text declares, as far as the fake driver needs them: names and parameters.
#pragma once

#include "tests/plugins/fake/FakeDriver.h"

namespace fake_cuda {

/// False if a declaration is not understood.
bool readKernels(const std::string &text, std::vector<fake_driver::Kernel> &kernels);

} // namespace fake_cuda
