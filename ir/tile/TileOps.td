// Ops of the `tile` dialect, by family.
#ifndef TILERUN_IR_TILE_TILEOPS_TD
#define TILERUN_IR_TILE_TILEOPS_TD

include "ir/tile/ArithmeticOps.td"
include "ir/tile/DescriptorOps.td"
include "ir/tile/MemoryOps.td"
include "ir/tile/ProgramOps.td"
include "ir/tile/RegionOps.td"
include "ir/tile/ShapeOps.td"

#endif
