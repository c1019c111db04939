// The `distribute` dialect: attributes that say which thread holds which element, and for which target.
#ifndef TILERUN_IR_DISTRIBUTE_DISTRIBUTEDIALECT_TD
#define TILERUN_IR_DISTRIBUTE_DISTRIBUTEDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Distribute_Dialect : Dialect {
  let name = "distribute";
  let cppNamespace = "::tilerun::distribute";
  let summary = "Who holds what: layouts and plans of tile IR, as attributes";
  let description = [{
    This dialect has no ops. `tile-set-target` and `tile-distribute` write its attributes on a module in tile IR and on
    the ops in it; scheduling and the lowering to threads follow them and make none of these decisions themselves.
    Text with hand-written layouts lowers like any other.

    On the module:

    | attribute | meaning |
    |---|---|
    | `distribute.target` | the target, as `#distribute.target` |
    | `distribute.num_warps` | warps of a program, of the target's size: a power of two |
    | `distribute.num_stages` | buffers of loops without their own number; 1: nothing runs ahead |
    | `distribute.warp_unit` | threads per unit of the option `num_warps`, for messages; without it, a warp of the target |
    | `distribute.num_ctas` | blocks that a program is to run on where it can be divided: a power of two; without it, 1 |
    | `distribute.few_programs` | kernels may be compiled for launches of few programs (`tile.most_programs`), as others take other code |
    | `distribute.across_k` | the option `operands-across-k`: `registers` or `copies`; without it, `auto` |

    On ops:

    | attribute | on | meaning |
    |---|---|---|
    | `distribute.homes` | any op with results | for each result the `#distribute.layout` in which it is kept, or `unit`: a scalar, or a tensor that each user rematerializes in the layout that it needs |
    | `distribute.arguments` | loops | the same for the arguments of all its regions, in order |
    | `distribute.access` | loads, stores and atomics of tensors | `#distribute.access`: the layout and the grouping of the memory access |
    | `distribute.dot` | `tile.dot` | `#distribute.dot`: the instruction, and how it is tiled over the program |
    | `distribute.runs` | comparisons, `/` and shifts to the right of tensors of integers, `tile.addptr` | how many neighbours along each dimension, from aligned positions, have the same result in every execution |

    The layouts of one program have the inputs `register`, `lane` and `warp`, in this order, and the outputs `dim0`,
    `dim1`, … of the tensor's shape. `docs/layouts.md` explains what they mean.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kTargetAttr{"distribute.target"};
    static constexpr ::llvm::StringLiteral kNumWarpsAttr{"distribute.num_warps"};
    static constexpr ::llvm::StringLiteral kNumStagesAttr{"distribute.num_stages"};
    static constexpr ::llvm::StringLiteral kNumCtasAttr{"distribute.num_ctas"};
    static constexpr ::llvm::StringLiteral kFewProgramsAttr{"distribute.few_programs"};
    static constexpr ::llvm::StringLiteral kWarpUnitAttr{"distribute.warp_unit"};
    static constexpr ::llvm::StringLiteral kAcrossKAttr{"distribute.across_k"};
    static constexpr ::llvm::StringLiteral kHomesAttr{"distribute.homes"};
    static constexpr ::llvm::StringLiteral kArgumentsAttr{"distribute.arguments"};
    static constexpr ::llvm::StringLiteral kAccessAttr{"distribute.access"};
    static constexpr ::llvm::StringLiteral kDotAttr{"distribute.dot"};
    static constexpr ::llvm::StringLiteral kRunsAttr{"distribute.runs"};
  }];
}

class Distribute_Attr<string name, string attrMnemonic> : AttrDef<Distribute_Dialect, name> {
  let mnemonic = attrMnemonic;
}

/// A C++ value that the attribute keeps and hands out by reference.
class Distribute_Kept<string type, string summary> : AttrParameter<type, summary> {
  let cppAccessorType = "const " # type # " &";
}

def Distribute_LayoutAttr : Distribute_Attr<"Layout", "layout"> {
  let summary = "a linear layout";
  let description = [{
    ```mlir
    #layout = #distribute.layout<"{register = [(0, 1)], lane = [(0, 2), (1, 0)], warp = []} -> (dim0: 2, dim1: 4)">
    ```
    The text is that of `ir/layout` (docs/layouts.md): for each bit of the number of a register, lane or warp, the
    coordinates that it adds. Equal layouts are the same attribute.
  }];
  let parameters = (ins Distribute_Kept<"::tilerun::layout::LinearLayout", "the map">:$map);
  let hasCustomAssemblyFormat = 1;
}

def Distribute_TargetAttr : Distribute_Attr<"Target", "target"> {
  let summary = "the passes' table of facts about the target";
  let description = [{
    ```mlir
    #target = #distribute.target<"generic:lanes=64,shared=64k,shuffle=off">
    ```
    Every target has such a text, including those of vendors; `ir/target/GenericTarget.h` lists the words.
  }];
  let parameters = (ins Distribute_Kept<"::tilerun::target::TargetInfo", "the table">:$info);
  let hasCustomAssemblyFormat = 1;
}

def Distribute_AccessAttr : Distribute_Attr<"Access", "access"> {
  let summary = "how the elements of a tensor are accessed in memory";
  let description = [{
    ```mlir
    #access = #distribute.access<layout = #layout, contiguity = [1, 64], alignment = [4, 256], constancy = [16, 64],
                                 order = [1, 0]>
    ```
    For each dimension: how many elements are consecutive in memory from aligned positions; the alignment of the first
    address of such a run, in bytes; and how many neighbours share a mask value. `order` lists the dimensions, the
    contiguous one first. `tile_inner`, for a load that is transposed on its way to a tile in shared memory, is the
    dimension that is contiguous there.
  }];
  let parameters = (ins "::tilerun::distribute::LayoutAttr":$layout,
                        "::mlir::DenseI64ArrayAttr":$contiguity, "::mlir::DenseI64ArrayAttr":$alignment,
                        "::mlir::DenseI64ArrayAttr":$constancy, "::mlir::DenseI64ArrayAttr":$order,
                        DefaultValuedParameter<"int64_t", "-1">:$tile_inner);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Distribute_DotAttr : Distribute_Attr<"Dot", "dot"> {
  let summary = "how a product is distributed over a program";
  let description = [{
    ```mlir
    #dot = #distribute.dot<instruction = "m16n8k16.row.col.f32.f16.f16.f32", a = #layout, b = #layout1, d = #layout2,
                           step_bits = 2, row_bits = 1, column_bits = 3>
    ```
    `instruction` names a matrix instruction of the target; without it, the product is computed by multiply-adds. `a`, `b`
    and `d` are the layouts of the operands and of the result (opaque instructions read operands from shared memory
    and have only `d`). `parts` is the number of narrower numbers into which each float32 operand is split. The bits count the
    fragments of a warp: along k, rows, columns and batches.

    With `swapped` the instruction computes the transposed product, from fragments of `b` and `a`. Along k, `a` and `b` have
    any one order.

    `warp_group` names an instruction of warp groups that replaces `instruction`, with `columns` columns of the result
    each; the second operand is then in shared memory, and `a` is for a first operand in registers.

    With `turns` an operand lies across k in shared memory, where the instruction cannot read it, so that threads read it into
    registers, in so many rounds along k: the first operand, or if `swapped` the second one, whose layout is then `b`. The
    order of its rows (columns) in `d` and in its layout is one in which the reads are wide and hit no bank twice.
    Where the other operand lies across k, too, it has a layout as well, in which threads read its tiles to transpose them in
    shared memory.
  }];
  let parameters = (ins OptionalParameter<"::mlir::StringAttr">:$instruction,
                        OptionalParameter<"::tilerun::distribute::LayoutAttr">:$a,
                        OptionalParameter<"::tilerun::distribute::LayoutAttr">:$b,
                        "::tilerun::distribute::LayoutAttr":$d,
                        OptionalParameter<"::mlir::StringAttr">:$warp_group,
                        DefaultValuedParameter<"unsigned", "0">:$columns,
                        DefaultValuedParameter<"unsigned", "1">:$parts,
                        DefaultValuedParameter<"unsigned", "0">:$step_bits,
                        DefaultValuedParameter<"unsigned", "0">:$row_bits,
                        DefaultValuedParameter<"unsigned", "0">:$column_bits,
                        DefaultValuedParameter<"unsigned", "0">:$batch_bits,
                        DefaultValuedParameter<"bool", "false">:$swapped,
                        DefaultValuedParameter<"unsigned", "0">:$turns);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
