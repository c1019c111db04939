// For builds without a compiler: artifacts come from elsewhere.
#include "plugins/hip/Device.h"

void hip::addCompileEntries(TilerunPlugin &) {}
