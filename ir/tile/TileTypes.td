// Types and type constraints of the `tile` dialect.
#ifndef TILERUN_IR_TILE_TILETYPES_TD
#define TILERUN_IR_TILE_TILETYPES_TD

include "ir/tile/TileAttrs.td"
include "ir/tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_PointerType : Tile_Type<"Pointer", "ptr"> {
  let summary = "pointer to an element in device memory";
  let description = [{
    `!tile.ptr<f32>` is a 64-bit address of an element of the named type. The pointee is an integer, a floating-point
    type, `!tile.f8E4M3B15`, or another pointer. `i1` occupies one byte in memory (0 is false, anything else true).
    The address space defaults to 1 (global); others are reserved.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, DefaultValuedParameter<"unsigned", "1">:$addressSpace);
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType), [{
      return $_get(pointeeType.getContext(), pointeeType, 1u);
    }]>
  ];
  let genVerifyDecl = 1;
}

def Tile_DescriptorType : Tile_Type<"Descriptor", "descriptor"> {
  let summary = "a view of device memory that is read and written in blocks";
  let description = [{
    `!tile.descriptor<64x32xf16>` is an address, a size and a stride of each dimension, and reads and writes blocks of 64 × 32 elements.
    Elements of a block outside of the view read as 0, or as NaN with `!tile.descriptor<64x32xf16, nan>`, and are not written. A
    descriptor has 1 to 5 dimensions and elements as a pointer has them. It is a value like others: loops carry it, branches choose one, functions
    take and return it; but a kernel has none among its parameters, and makes it from an address, sizes and strides.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::tilerun::tile::DescriptorPadding":$padding);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr unsigned kMaxRank = 5;
    unsigned getRank() const { return getShape().size(); }
    /// What a block is in registers.
    ::mlir::RankedTensorType getBlockType() const;
    /// The address's type.
    PointerType getBaseType() const;
  }];
}

def Tile_F8E4M3B15Type : Tile_Type<"F8E4M3B15", "f8E4M3B15"> {
  let summary = "8-bit float: 1 sign, 4 exponent (bias 15), 3 mantissa bits; neither infinities nor NaN";
  let description = [{
    The one storage format of the language that MLIR has no builtin type for. It may be loaded, stored, reshaped,
    bit-cast, and converted by `tile.fp_cast`; arithmetic on it is not defined.
  }];
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def Tile_Ptr : DialectType<Tile_Dialect, CPred<"::mlir::isa<::tilerun::tile::PointerType>($_self)">, "pointer",
                           "::tilerun::tile::PointerType">;
def Tile_Descriptor : DialectType<Tile_Dialect, CPred<"::mlir::isa<::tilerun::tile::DescriptorType>($_self)">, "descriptor",
                                  "::tilerun::tile::DescriptorType">;
def Tile_AnyFloat : Type<CPred<"::tilerun::tile::isElementFloat($_self)">, "floating-point element">;
def Tile_AnyInt : Type<CPred<"::tilerun::tile::isElementInteger($_self)">, "signless integer element">;
def Tile_Element : AnyTypeOf<[Tile_AnyFloat, Tile_AnyInt, Tile_Ptr]>;

// Rank 0 and empty dimensions do not exist; 2^20 elements is the language's limit for one tensor.
def Tile_HasTileShape : CPred<"::tilerun::tile::hasTileShape($_self)">;
class Tile_TensorOf<list<Type> elements>
    : ShapedContainerType<elements, And<[IsTensorTypePred, Tile_HasTileShape]>,
                          "tensor of static shape (rank of at least 1, at most 2^20 elements)", "::mlir::RankedTensorType">;
class Tile_ScalarOrTensorOf<list<Type> elements> : AnyTypeOf<!listconcat(elements, [Tile_TensorOf<elements>])>;

def Tile_Tensor : Tile_TensorOf<[Tile_Element]>;
def Tile_Value : Tile_ScalarOrTensorOf<[Tile_Element]>;
def Tile_PtrLike : Tile_ScalarOrTensorOf<[Tile_Ptr]>;
def Tile_IntLike : Tile_ScalarOrTensorOf<[Tile_AnyInt]>;
def Tile_BoolLike : Tile_ScalarOrTensorOf<[I1]>;
def Tile_FloatLike : Tile_ScalarOrTensorOf<[Tile_AnyFloat]>;

#endif
