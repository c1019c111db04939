#include "ir/tile/TileOps.h"
