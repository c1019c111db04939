// What the ops of the `tile` dialect are declared with: their base class, traits, and memory as a resource.
#ifndef TILERUN_IR_TILE_TILEOPBASE_TD
#define TILERUN_IR_TILE_TILEOPBASE_TD

include "ir/tile/TileAttrs.td"
include "ir/tile/TileTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits>;

def Tile_InfersRange : DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;

// Traits that let the printed form leave out what follows from the pointer's type.
class Tile_MaskMatches<string value> : OptionalTypesMatchWith<"mask has the shape of " # value, value, "mask",
                                                             "::tilerun::tile::getMaskType($_self)">;
class Tile_ValueMatches<string name> : TypesMatchWith<name # " has the pointee type in the pointer's shape", "ptr", name,
                                                      "::tilerun::tile::getPointeeValueType($_self)">;
class Tile_OptionalValueMatches<string name>
    : OptionalTypesMatchWith<name # " has the pointee type in the pointer's shape", "ptr", name,
                             "::tilerun::tile::getPointeeValueType($_self)">;

def Tile_GlobalMemory : Resource<"::tilerun::tile::GlobalMemory">;

#endif
