// What all ops of the `simt` dialect build on.
#ifndef TILERUN_IR_SIMT_SIMTOPBASE_TD
#define TILERUN_IR_SIMT_SIMTOPBASE_TD

include "ir/simt/SimtDialect.td"
include "ir/simt/sync/SharedUser.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Simt_Op<string opMnemonic, list<Trait> traits = []> : Op<Simt_Dialect, opMnemonic, traits>;

def Simt_GlobalMemory : Resource<"::tilerun::tile::GlobalMemory">;
def Simt_SharedMemory : Resource<"::tilerun::simt::SharedMemory">;
def Simt_Vector : VectorOfRankAndType<[1], [AnyType]>;

#endif
