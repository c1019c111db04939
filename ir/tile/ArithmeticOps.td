// Ops of the `tile` dialect that compute: conversions that `arith` does not have, and products.
#ifndef TILERUN_IR_TILE_ARITHMETICOPS_TD
#define TILERUN_IR_TILE_ARITHMETICOPS_TD

include "ir/tile/TileOpBase.td"

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

#endif
