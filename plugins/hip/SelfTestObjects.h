// The code objects that SelfTest.cmake makes.
#pragma once

#include <cstddef>

namespace hip {

struct SelfTestObject {
  const char *target; ///< "gfx942"; null ends the list.
  const char *bytes;
  size_t numBytes;
};
extern const SelfTestObject kSelfTestObjects[];

} // namespace hip
