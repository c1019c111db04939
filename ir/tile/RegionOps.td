// Ops of the `tile` dialect with a region of scalars: reductions, scans, maps.
#ifndef TILERUN_IR_TILE_REGIONOPS_TD
#define TILERUN_IR_TILE_REGIONOPS_TD

include "ir/tile/TileOpBase.td"

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

#endif
