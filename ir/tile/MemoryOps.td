// Ops of the `tile` dialect on pointers and on the memory behind them.
#ifndef TILERUN_IR_TILE_MEMORYOPS_TD
#define TILERUN_IR_TILE_MEMORYOPS_TD

include "ir/tile/TileOpBase.td"

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, Elementwise, AllTypesMatch<["base", "result"]>]> {
  let summary = "pointer plus a signed offset in elements";
  let description = [{
    ```mlir
    %p = tile.addptr %base, %offset : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    ```
    The offset has the pointer's shape; it is sign-extended to 64 bits and scaled by the pointee's size in bytes.
  }];
  let arguments = (ins Tile_PtrLike:$base, Tile_IntLike:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$base `,` $offset attr-dict `:` type($base) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, Tile_MaskMatches<"ptr">, Tile_ValueMatches<"result">,
                               Tile_OptionalValueMatches<"other">, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read the elements that a mask selects";
  let description = [{
    ```mlir
    %v = tile.load %p mask %m other %o : tensor<128x!tile.ptr<f32>>
    ```
    A lane whose mask is false touches no memory and gives `other`, or 0 where there is none. A load is a read of
    global memory; a volatile one may be neither removed nor merged.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Optional<Tile_BoolLike>:$mask, Optional<Tile_Value>:$other,
                   DefaultValuedAttr<Tile_CacheModifierAttr, "::tilerun::tile::CacheModifier::None">:$cache,
                   DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tilerun::tile::EvictionPolicy::Normal">:$evict,
                   UnitAttr:$is_volatile);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? (`volatile` $is_volatile^)? attr-dict
    `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_StoreOp : Tile_Op<"store", [Tile_MaskMatches<"ptr">, Tile_ValueMatches<"value">, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write the elements that a mask selects";
  let description = [{
    ```mlir
    tile.store %p, %v mask %m : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_Value:$value, Optional<Tile_BoolLike>:$mask,
                   DefaultValuedAttr<Tile_CacheModifierAttr, "::tilerun::tile::CacheModifier::None">:$cache,
                   DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tilerun::tile::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [Tile_MaskMatches<"ptr">, Tile_ValueMatches<"value">, Tile_ValueMatches<"result">,
                                             DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "atomic read-modify-write; gives the old value";
  let description = [{
    ```mlir
    %old = tile.atomic_rmw fadd %p, %v mask %m {sem = #tile<sem relaxed>} : tensor<128x!tile.ptr<f32>>
    ```
    A masked-off lane does nothing and gives 0. `fmax`/`fmin` order floats by value and ignore NaN in memory order
    of their bit patterns (see docs/language.md).
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_PtrLike:$ptr, Tile_Value:$value, Optional<Tile_BoolLike>:$mask,
                   DefaultValuedAttr<Tile_MemSemanticAttr, "::tilerun::tile::MemSemantic::AcquireRelease">:$sem,
                   DefaultValuedAttr<Tile_MemScopeAttr, "::tilerun::tile::MemScope::GPU">:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $kind $ptr `,` $value (`mask` $mask^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [Tile_ValueMatches<"compare">, Tile_ValueMatches<"value">, Tile_ValueMatches<"result">,
                                              DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "atomic compare and swap; gives the old value";
  let description = [{
    ```mlir
    %old = tile.atomic_cas %p, %compare, %v : !tile.ptr<i32>
    ```
    Compares bit patterns of 16, 32 or 64 bits.
  }];
  let arguments = (ins Tile_PtrLike:$ptr, Tile_Value:$compare, Tile_Value:$value,
                   DefaultValuedAttr<Tile_MemSemanticAttr, "::tilerun::tile::MemSemantic::AcquireRelease">:$sem,
                   DefaultValuedAttr<Tile_MemScopeAttr, "::tilerun::tile::MemScope::GPU">:$scope);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$ptr `,` $compare `,` $value attr-dict `:` type($ptr)";
  let hasVerifier = 1;
}

#endif
