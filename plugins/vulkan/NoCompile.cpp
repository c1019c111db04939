// In place of Compile.cpp in the plugin that only drives devices.
#include "plugins/vulkan/Launch.h"

void vulkan::addCompileEntries(TilerunPlugin &) {}
