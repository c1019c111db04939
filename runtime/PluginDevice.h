// Devices of plugins behind the interface of Device.h: the adapter, and their registration.
#pragma once

#include "runtime/Device.h"

#include <memory>

namespace tilerun {

namespace plugin {
class Plugin;
struct DeviceInfo;
} // namespace plugin

/// Opens a device of a plugin. `poison` fills with NaN patterns; checks are not supported. A launch
/// waits for its end. Every function may be called from several threads.
llvm::Expected<std::unique_ptr<Device>>
openPluginDevice(std::shared_ptr<const plugin::Plugin> plugin, const plugin::DeviceInfo &info);

/// Looks for plugins as the environment says and adds the devices of each. A plugin without a
/// device, and one that was skipped, is added under its name with a factory that gives the reason.
void addPluginDevices(DeviceRegistry &registry);

} // namespace tilerun
