// A plugin in this process that compiles anything, and counts the requests.
#pragma once

#include "runtime/plugin/Plugin.h"

namespace tilerun::counting {

struct Counts {
  unsigned compiled, finalized, loaded;
};
Counts getCounts();
/// The next `times` loads of a module are refused as INCOMPATIBLE.
void refuseLoads(unsigned times);

std::shared_ptr<const plugin::Plugin> getPlugin();
plugin::DeviceInfo getDevice();

} // namespace tilerun::counting
