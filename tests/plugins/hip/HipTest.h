// What the tests of the HIP plugin over its fake runtime share.
#pragma once

#include "plugins/hip/Driver.h"
#include "tests/plugins/fake/StreamDriverTest.h"

namespace hip_test {

using Hip = stream_driver_test::StreamDriver;
using HipLaunch = stream_driver_test::StreamDriverLaunch;

/// The names of all functions of the runtime.
inline const std::vector<const char *> kFunctions = {
#define NAME(name, optional, result, parameters) #name,
    HIP_FUNCTION_LIST(NAME)
#undef NAME
};

} // namespace hip_test
