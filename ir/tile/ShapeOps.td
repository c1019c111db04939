// Ops of the `tile` dialect that make tensors and change their shapes.
#ifndef TILERUN_IR_TILE_SHAPEOPS_TD
#define TILERUN_IR_TILE_SHAPEOPS_TD

include "ir/tile/TileOpBase.td"

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
  let summary = "a tensor with every element equal to a scalar";
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
    Elements outside of the result's bins, as unsigned numbers, and those whose mask is false are not counted.
  }];
  let arguments = (ins Tile_TensorOf<[Tile_AnyInt]>:$source, Optional<Tile_TensorOf<[I1]>>:$mask);
  let results = (outs Tile_TensorOf<[I32]>:$result);
  let assemblyFormat = "$source (`mask` $mask^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif
