// The device `cpu`: the reference interpreter behind the device interface.
#pragma once

#include "runtime/Device.h"

namespace tilerun {

/// Opens the device. It cannot fail on any supported host; the signature is the registry's.
llvm::Expected<std::unique_ptr<Device>> createCpuDevice();

} // namespace tilerun
