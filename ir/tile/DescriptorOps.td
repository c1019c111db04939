// Ops of the `tile` dialect on descriptors: views of memory that are read and written in blocks.
#ifndef TILERUN_IR_TILE_DESCRIPTOROPS_TD
#define TILERUN_IR_TILE_DESCRIPTOROPS_TD

include "ir/tile/TileOpBase.td"

class Tile_BlockMatches<string name> : TypesMatchWith<name # " is a block of the descriptor", "descriptor", name,
                                                      "::tilerun::tile::getBlockType($_self)">;
class Tile_RowsMatch<string name> : TypesMatchWith<"there is a number for each row of " # name, name, "rows",
                                                   "::tilerun::tile::getRowNumbersType($_self)">;
def Tile_RowNumbers : Tile_TensorOf<[I64]>;

def Tile_MakeDescriptorOp : Tile_Op<"make_descriptor", [Pure, AttrSizedOperandSegments,
    TypesMatchWith<"base points to an element of the descriptor", "result", "base",
                   "::tilerun::tile::getBaseType($_self)">]> {
  let summary = "a view of memory, from its address, sizes and strides";
  let description = [{
    ```mlir
    %d = tile.make_descriptor %base sizes [%m, %k] strides [%k, %one] : !tile.descriptor<64x32xf16>
    ```
    One size and one stride for each dimension, in elements, outermost first. The element at `[i, j]` is `base + i * strides[0] +
    j * strides[1]`; it is in the view if `0 <= i < sizes[0]` and `0 <= j < sizes[1]`. Nothing is read or written here. What a copy in bulk needs
    of a descriptor is found by following its operands: those of one that the host made are arguments of the kernel.
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<I64>:$sizes, Variadic<I64>:$strides);
  let results = (outs Tile_Descriptor:$result);
  let assemblyFormat = "$base `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

class Tile_DescriptorField<string opMnemonic, string what> : Tile_Op<opMnemonic, [Pure]> {
  let summary = what # " of one dimension of a descriptor, in elements";
  let description = "```mlir\n%n = tile." # opMnemonic # " %d axis 0 : !tile.descriptor<64x32xf16>\n```";
  let arguments = (ins Tile_Descriptor:$descriptor, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$descriptor `axis` $axis attr-dict `:` qualified(type($descriptor))";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Tile_DescriptorSizeOp : Tile_DescriptorField<"descriptor_size", "size">;
def Tile_DescriptorStrideOp : Tile_DescriptorField<"descriptor_stride", "stride">;

def Tile_DescriptorLoadOp : Tile_Op<"descriptor_load", [Tile_BlockMatches<"result">, MemoryEffects<[MemRead<Tile_GlobalMemory>]>]> {
  let summary = "read the block at offsets";
  let description = [{
    ```mlir
    %v = tile.descriptor_load %d[%i, %j] : !tile.descriptor<64x32xf16>
    ```
    Offsets are in elements and may have any sign. Elements outside of the view touch no memory and give the padding of the
    descriptor's type: 0, or NaN.
  }];
  let arguments = (ins Tile_Descriptor:$descriptor, Variadic<I64>:$offsets,
                   DefaultValuedAttr<Tile_CacheModifierAttr, "::tilerun::tile::CacheModifier::None">:$cache,
                   DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tilerun::tile::EvictionPolicy::Normal">:$evict);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$descriptor `[` $offsets `]` attr-dict `:` qualified(type($descriptor))";
  let hasVerifier = 1;
}

def Tile_DescriptorStoreOp : Tile_Op<"descriptor_store", [Tile_BlockMatches<"value">, MemoryEffects<[MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "write the block at offsets";
  let description = [{
    ```mlir
    tile.descriptor_store %d[%i, %j], %v : !tile.descriptor<64x32xf16>
    ```
    Elements outside of the view are not written.
  }];
  let arguments = (ins Tile_Descriptor:$descriptor, Variadic<I64>:$offsets, Tile_Tensor:$value);
  let assemblyFormat = "$descriptor `[` $offsets `]` `,` $value attr-dict `:` qualified(type($descriptor))";
  let hasVerifier = 1;
}

def Tile_DescriptorGatherOp : Tile_Op<"descriptor_gather", [Tile_RowsMatch<"result">, MemoryEffects<[MemRead<Tile_GlobalMemory>]>]> {
  let summary = "read rows of a two-dimensional view, from one column on";
  let description = [{
    ```mlir
    %v = tile.descriptor_gather %d[%rows, %column] : !tile.descriptor<1x32xf16> -> tensor<8x32xf16>
    ```
    Row r of the result is the block at `[rows[r], column]`. Blocks have one row.
  }];
  let arguments = (ins Tile_Descriptor:$descriptor, Tile_RowNumbers:$rows, I64:$column,
                   DefaultValuedAttr<Tile_CacheModifierAttr, "::tilerun::tile::CacheModifier::None">:$cache,
                   DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tilerun::tile::EvictionPolicy::Normal">:$evict);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$descriptor `[` $rows `,` $column `]` attr-dict `:` qualified(type($descriptor)) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_DescriptorScatterOp : Tile_Op<"descriptor_scatter", [Tile_RowsMatch<"value">, MemoryEffects<[MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "write rows of a two-dimensional view, from one column on";
  let description = [{
    ```mlir
    tile.descriptor_scatter %d[%rows, %column], %v : !tile.descriptor<1x32xf16>, tensor<8x32xf16>
    ```
    Row r of the value goes to the block at `[rows[r], column]`; of rows with one number any may be the last one.
  }];
  let arguments = (ins Tile_Descriptor:$descriptor, Tile_RowNumbers:$rows, I64:$column, Tile_Tensor:$value);
  let assemblyFormat = "$descriptor `[` $rows `,` $column `]` `,` $value attr-dict `:` qualified(type($descriptor)) `,` type($value)";
  let hasVerifier = 1;
}

def Tile_DescriptorReduceOp : Tile_Op<"descriptor_reduce", [Tile_BlockMatches<"value">,
    MemoryEffects<[MemRead<Tile_GlobalMemory>, MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "combine a block with memory, each element in one atomic step";
  let description = [{
    ```mlir
    tile.descriptor_reduce fadd %d[%i, %j], %v : !tile.descriptor<64x32xf32>
    ```
    As a `tile.atomic_rmw` of the kind, with its default order and scope, whose old values are unused; `xchg` is a store, and not a
    kind here. Elements outside of the view do nothing.
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Descriptor:$descriptor, Variadic<I64>:$offsets, Tile_Tensor:$value);
  let assemblyFormat = "$kind $descriptor `[` $offsets `]` `,` $value attr-dict `:` qualified(type($descriptor))";
  let hasVerifier = 1;
}

#endif
