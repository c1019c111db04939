// For builds without a compiler: artifacts come from elsewhere.
#include "plugins/cuda/Device.h"

void cuda::addCompileEntries(TilerunPlugin &) {}
