// Ops of the `tile` dialect about the program itself: its grid, hints, debugging, what one target has.
#ifndef TILERUN_IR_TILE_PROGRAMOPS_TD
#define TILERUN_IR_TILE_PROGRAMOPS_TD

include "ir/tile/TileOpBase.td"

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

def Tile_BlockRankOp : Tile_Op<"block_rank", [Pure, Tile_InfersRange]> {
  let summary = "which of the blocks of its program this one is";
  let description = [{
    ```mlir
    %r = tile.block_rank
    ```
    From 0, below the number in the kernel's attribute `tile.blocks`. Passes make it when they divide a program.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
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

def Tile_DebugEventOp : Tile_Op<"debug_event", [MemoryEffects<[MemWrite]>]> {
  let summary = "what a debugger shows at this place of the source";
  let description = [{
    ```mlir
    tile.debug_event enter "scale" ""
    tile.debug_event assign "x" "float32" : %x : tensor<8xf32>
    tile.debug_event assign "BLOCK" "256"
    tile.debug_event statement "" ""
    tile.debug_event leave "scale" ""
    ```
    `enter` and `leave` are around the code of a function that was inlined, or of the kernel, and name it. `statement`: one begins here.
    `assign`: a variable gets a value. Its text is the type in the source, which knows more than the value's own, or, without a value,
    what the variable is at compile time. `break`: the source has `breakpoint()` here.

    The frontend emits them only where a signature asks for it (`debugEvents`). The interpreter hands them to the observer of a
    program; no other target takes them.
  }];
  let arguments = (ins Tile_DebugEventAttr:$kind, StrAttr:$name, StrAttr:$text, Optional<Tile_Value>:$value);
  let assemblyFormat = "$kind $name $text attr-dict (`:` $value^ `:` type($value))?";
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
// Target-specific ops
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
