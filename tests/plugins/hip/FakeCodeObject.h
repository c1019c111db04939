// The kernels of a code object, from the note that compilers write into it.
#pragma once

#include "tests/plugins/fake/FakeDriver.h"

#include <string>
#include <vector>

namespace fake_hip {

struct CodeKernel : fake_driver::Kernel {
  int registers = 0, sharedBytes = 0, localBytes = 0, maxThreads = 0;
};
struct CodeObject {
  std::string target;   ///< "gfx942:xnack-"
  unsigned version = 0; ///< 5
  std::vector<CodeKernel> kernels;
};

/// The image of a code object, whose length its headers tell. False if it is not one.
bool readCodeObject(const unsigned char *image, CodeObject &object);

} // namespace fake_hip
