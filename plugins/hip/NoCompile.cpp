// For builds without a compiler: artifacts come from elsewhere.
#include "plugins/hip/Compile.h"

void hip::addCompileEntries(TilerunPlugin &) {}
