// What the tests of the CUDA plugin over its fake driver share.
#pragma once

#include "plugins/cuda/Driver.h"
#include "tests/plugins/fake/StreamDriverTest.h"

namespace cuda_test {

using Cuda = stream_driver_test::StreamDriver;
using CudaLaunch = stream_driver_test::StreamDriverLaunch;

/// The names of all functions of the driver.
inline const std::vector<const char *> kFunctions = {
#define NAME(member, name, parameters) #member,
    CUDA_FUNCTION_LIST(NAME)
#undef NAME
};

} // namespace cuda_test
