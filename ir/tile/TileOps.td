// Ops of the `tile` dialect, by family: program, shape, memory, atomics, arithmetic, regions, hints, debugging.
#ifndef TILERUN_IR_TILE_TILEOPS_TD
#define TILERUN_IR_TILE_TILEOPS_TD

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

//===----------------------------------------------------------------------===//
// The program and its grid
//===----------------------------------------------------------------------===//

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure, Tile_InfersRange]> {
  let summary = "index of this program along one axis of the grid";
  let description = [{
    ```mlir
    %pid = tile.program_id 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let builders = [OpBuilder<(ins "int32_t":$axis), [{
    build($_builder, $_state, $_builder.getI32Type(), $_builder.getI32IntegerAttr(axis));
  }]>];
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure, Tile_InfersRange]> {
  let summary = "number of programs along one axis of the grid";
  let description = [{
    ```mlir
    %n = tile.num_programs 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let builders = [OpBuilder<(ins "int32_t":$axis), [{
    build($_builder, $_state, $_builder.getI32Type(), $_builder.getI32IntegerAttr(axis));
  }]>];
}

//===----------------------------------------------------------------------===//
// Making and shaping tensors
//===----------------------------------------------------------------------===//

def Tile_MakeRangeOp : Tile_Op<"make_range", [Pure, Tile_InfersRange]> {
  let summary = "the integers [start, end) as a 1-D tensor";
  let description = [{
    ```mlir
    %r = tile.make_range 0 to 128 : tensor<128xi32>
    ```
    `end - start` is the result's size, up to 2^20.
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Tile_TensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_InfersRange, SameOperandsAndResultElementType]> {
  let summary = "a tensor whose every element is one scalar";
  let description = [{
    ```mlir
    %v = tile.splat %x : f32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Element:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, Tile_InfersRange, SameOperandsAndResultElementType]> {
  let summary = "stretch dimensions of size 1";
  let description = [{
    ```mlir
    %r = tile.broadcast %x : tensor<64x1xf32> -> tensor<64x32xf32>
    ```
    Ranks are equal; every dimension is either equal or 1 in the source.
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure, Tile_InfersRange, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "insert a dimension of size 1";
  let description = [{
    ```mlir
    %r = tile.expand_dims %x axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure, Tile_InfersRange, SameOperandsAndResultElementType]> {
  let summary = "same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %r = tile.reshape %x : tensor<128xi32> -> tensor<8x16xi32>
    ```
    With `allow_reorder` the elements may come in any order, the same for every reshape of these two types
    (`ravel`, and reductions over all elements, do not care).
  }];
  let arguments = (ins Tile_Tensor:$source, UnitAttr:$allow_reorder);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source (`allow_reorder` $allow_reorder^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure, Tile_InfersRange, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "permute dimensions: result dimension i is source dimension order[i]";
  let description = [{
    ```mlir
    %r = tile.trans %x [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, Tile_InfersRange, SameTypeOperands, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "two tensors along a new innermost dimension of size 2";
  let description = [{
    ```mlir
    %r = tile.join %x, %y : tensor<64xf32> -> tensor<64x2xf32>
    ```
  }];
  let arguments = (ins Tile_Value:$lhs, Tile_Value:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, Tile_InfersRange]> {
  let summary = "a tensor whose innermost dimension has size 2 as its two halves";
  let description = [{
    ```mlir
    %x, %y = tile.split %r : tensor<64x2xf32> -> tensor<64xf32>, tensor<64xf32>
    ```
    A 1-D tensor of two elements gives two scalars.
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Value:$lhs, Tile_Value:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)`,` type($rhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_CatOp : Tile_Op<"cat", [Pure, Tile_InfersRange]> {
  let summary = "two 1-D tensors one after the other";
  let description = [{
    ```mlir
    %r = tile.cat %x, %y : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure, Tile_InfersRange, SameOperandsAndResultRank]> {
  let summary = "elements of a tensor at positions along one axis";
  let description = [{
    ```mlir
    %r = tile.gather %x[%i] axis 0 : tensor<64x32xf32>, tensor<16x32xi32> -> tensor<16x32xf32>
    ```
    `r[i, j] = x[indices[i, j], j]` for axis 0. The shapes of the operands are equal but for the axis; the result has the
    shape of the indices. An index counts modulo the size of the axis (-1 is the last), so that none is out of range.
  }];
  let arguments = (ins Tile_Tensor:$source, Tile_TensorOf<[Tile_AnyInt]>:$indices, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `axis` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure, Tile_MaskMatches<"source">]> {
  let summary = "how often each of the integers from 0 occurs in a tensor";
  let description = [{
    ```mlir
    %h = tile.histogram %x mask %m : tensor<256xi32> -> tensor<16xi32>
    ```
    Elements outside of the result's bins, as unsigned numbers, and those whose mask is false count nowhere.
  }];
  let arguments = (ins Tile_TensorOf<[Tile_AnyInt]>:$source, Optional<Tile_TensorOf<[I1]>>:$mask);
  let results = (outs Tile_TensorOf<[I32]>:$result);
  let assemblyFormat = "$source (`mask` $mask^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Conversions that arith does not have
//===----------------------------------------------------------------------===//

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure, SameOperandsAndResultShape, Elementwise]> {
  let summary = "a 64-bit integer as an address";
  let description = [{
    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_ScalarOrTensorOf<[I64]>:$source);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure, SameOperandsAndResultShape, Elementwise]> {
  let summary = "an address as a 64-bit integer";
  let description = [{
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_PtrLike:$source);
  let results = (outs Tile_ScalarOrTensorOf<[I64]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_BitcastOp : Tile_Op<"bitcast", [Pure, SameOperandsAndResultShape, Elementwise]> {
  let summary = "same bits, another element type";
  let description = [{
    ```mlir
    %q = tile.bitcast %p : !tile.ptr<i1> -> !tile.ptr<i8>
    ```
    Between pointers of any pointee, or between elements of equal width where `arith.bitcast` cannot be used
    (`!tile.f8E4M3B15`). Anything else uses `arith.bitcast`.
  }];
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_FpCastOp : Tile_Op<"fp_cast", [Pure, SameOperandsAndResultShape, Elementwise]> {
  let summary = "float conversion with a rounding mode, saturating into 8-bit formats";
  let description = [{
    ```mlir
    %r = tile.fp_cast %x rounding rtz : tensor<128xf32> -> tensor<128xf8E5M2>
    ```
    Converts between any two float formats. Into an 8-bit format, finite values and infinities beyond the range
    saturate to the largest finite value; NaN stays NaN where the format has one. Conversions between f16, bf16, f32 and
    f64 with rounding to nearest even use `arith.extf` and `arith.truncf` instead.
  }];
  let arguments = (ins Tile_FloatLike:$source,
                   DefaultValuedAttr<Tile_RoundingModeAttr, "::tilerun::tile::RoundingMode::NearestEven">:$rounding);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = "$source (`rounding` $rounding^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product plus accumulator: acc + a × b";
  let description = [{
    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    ```
    Shapes are `[B,] M×K`, `[B,] K×N` and `[B,] M×N`. Integer operands accumulate in i32. Two different 8-bit float formats
    may be mixed. `max_imprecise` bounds how many products an 8-bit product may accumulate at reduced precision
    before adding into the accumulator (0: as precise as the accumulator).
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$acc,
                   DefaultValuedAttr<Tile_InputPrecisionAttr, "::tilerun::tile::InputPrecision::IEEE">:$precision,
                   DefaultValuedAttr<I32Attr, "0">:$max_imprecise);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`precision` $precision^)? attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

def Tile_ReduceOp : Tile_Op<"reduce", [SameOperandsShape, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "combine all elements along one axis with a region";
  let description = [{
    ```mlir
    %s = tile.reduce %x axis 1 : (tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
    The region takes the N accumulated and the N next scalars, and yields N scalars. It must be associative; the
    order of combination is unspecified except that operands stay in index order, so that it need not be
    commutative. A 1-D operand gives a scalar.
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Variadic<Tile_Value>:$outputs);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$operands `axis` $axis attr-dict `:` functional-type($operands, $outputs) $combine";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [SameOperandsShape, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "inclusive scan along one axis with a combine region";
  let description = [{
    ```mlir
    %s = tile.scan %x axis 0 reverse : (tensor<128xi32>) -> tensor<128xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    ```
    As `tile.reduce`, but keeps every prefix (or with `reverse`, every suffix); result types are the operand types.
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $operands `axis` $axis (`reverse` $reverse^)? attr-dict `:` functional-type($operands, $outputs) $combine
  }];
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [SameOperandsShape, SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "apply a region to every element of tensors";
  let description = [{
    ```mlir
    %y = tile.map %x : (tensor<128xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32):
      %b = scf.if %c -> f32 { … } else { … }
      tile.yield %b : f32
    }
    ```
    The region takes one scalar of each operand and yields one for each result. Unlike elsewhere, control flow in it may
    depend on the elements.
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands);
  let results = (outs Variadic<Tile_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$operands attr-dict `:` functional-type($operands, $outputs) $body";
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp", "MapOp"]>]> {
  let summary = "ends the region of a reduction, scan or map";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

def Tile_HintOp : Tile_Op<"hint", [Pure, Tile_InfersRange, AllTypesMatch<["source", "result"]>]> {
  let summary = "the same value, with promised divisibility, contiguity or constancy";
  let description = [{
    ```mlir
    %n16 = tile.hint %n {divisibility = array<i64: 16>} : i32
    ```
    Each list is empty (no promise) or has one entry per dimension (one entry for a scalar): runs of `contiguity[d]` elements along
    dimension d are consecutive and start at multiples of the run, every first element of such a run is a multiple of
    `divisibility[d]`, and runs of `constancy[d]` elements are equal. A false promise is undefined behaviour.
  }];
  let arguments = (ins Tile_Value:$source,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$divisibility,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$contiguity,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$constancy);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "promise that a condition holds";
  let description = [{
    ```mlir
    tile.assume %positive
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Debugging and synchronization
//===----------------------------------------------------------------------===//

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "print a prefix and the elements of values, one line per element";
  let description = [{
    ```mlir
    tile.print "x" hex : %x signed [true] : tensor<8xi32>
    ```
    Where `extents` is not empty, it has a size for each dimension of the values, which are tensors of one shape, and only
    elements below are printed.
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, Variadic<Tile_Value>:$values,
                   DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$is_signed,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$extents);
  let assemblyFormat = "$prefix (`hex` $hex^)? attr-dict (`:` $values^ `signed` $is_signed `:` type($values))?";
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [Tile_MaskMatches<"condition">, MemoryEffects<[MemWrite]>]> {
  let summary = "stop the launch with a message where a condition is false";
  let description = [{
    ```mlir
    tile.assert %in_range, "index out of range" mask %m : tensor<8xi1>
    ```
    Lanes whose `mask` is false are not checked.
  }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message, Optional<Tile_BoolLike>:$mask);
  let assemblyFormat = "$condition `,` $message (`mask` $mask^)? attr-dict `:` type($condition)";
  let hasCanonicalizer = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead<Tile_GlobalMemory>, MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "memory accesses before it in this program are complete after it";
  let description = [{
    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// What a target has of its own
//===----------------------------------------------------------------------===//

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                             DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "assembly of the target, applied to every element";
  let description = [{
    ```mlir
    %y = tile.inline_asm pure "rcp.approx.f32 $0, $1;" constraints "=f,f" as "tl.inline_asm_elementwise"
        %x : (tensor<128xf32>) -> tensor<128xf32>
    ```
    Text and constraints are LLVM's. Operands and results that are tensors have one shape; scalars go with scalars.
    An instance takes `pack` elements of each operand, in the order of the operands, and gives as many of each result;
    elements of less than 32 bits share registers of 32 bits as far as `pack` fills them. Which elements meet in an instance is
    unspecified. Without `pure` every instance counts, and elements that several threads hold have several.
    `assembler` names the only kind of target that understands the text, where that is known ("ptx", "gcn"); `function` is what
    messages call the op.
  }];
  let arguments = (ins UnitAttr:$pure, StrAttr:$text, StrAttr:$constraints, StrAttr:$function,
                   DefaultValuedAttr<I32Attr, "1">:$pack, OptionalAttr<StrAttr>:$assembler,
                   Variadic<Tile_Value>:$operands);
  let results = (outs Variadic<Tile_Value>:$outputs);
  let assemblyFormat = [{
    (`pure` $pure^)? $text `constraints` $constraints `as` $function (`pack` $pack^)? (`for` $assembler^)? ($operands^)?
    attr-dict `:` functional-type($operands, $outputs)
  }];
  let hasVerifier = 1;
}

def Tile_GridDependencyOp : Tile_Op<"grid_dependency",
    [MemoryEffects<[MemRead<Tile_GlobalMemory>, MemWrite<Tile_GlobalMemory>]>]> {
  let summary = "meet the launches before and after this one, where they may overlap";
  let description = [{
    ```mlir
    tile.grid_dependency wait
    ```
    `wait`: what earlier launches wrote is visible after it. `release`: the next launch may begin. On a target whose launches
    never overlap both hold anyway, and the op is nothing.
  }];
  let arguments = (ins Tile_GridDependencyKindAttr:$kind);
  let assemblyFormat = "$kind attr-dict";
}

#endif
