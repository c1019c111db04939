// Shared by the tests of checked launches.
#pragma once

#include "tests/backends/interpreter/Harness.h"

namespace tilerun::harness {

/// Only one check.
inline CheckOptions only(bool CheckOptions::*check) {
  CheckOptions options;
  options.*check = true;
  return options;
}

} // namespace tilerun::harness
