// Passes over tile IR. Documentation and command-line flags are generated from here.
#ifndef TILERUN_IR_TRANSFORMS_PASSES_TD
#define TILERUN_IR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileExpandDescriptors : Pass<"tile-expand-descriptors", "::mlir::ModuleOp"> {
  let summary = "turn descriptors into addresses, sizes and strides, and their accesses into masked ones";
  let description = [{
    Runs for every target: the boxes that some copy in bulk are found in addresses and masks (`schedule-stages`). A descriptor becomes its address, sizes and strides wherever it is carried: through
    loops, branches, selects, calls. A load or gather becomes a `tile.load` through a tensor of pointers, whose mask is true inside of the
    view and whose `other` is the padding; a store or scatter becomes a `tile.store`, a reduction a `tile.atomic_rmw`. Addresses are
    computed in 64 bits; where the op has `tile.signed`, their arithmetic has it too, and debug mode checks it. Does
    nothing where there are no descriptors.

    ```mlir
    %v = tile.descriptor_load %d[%i] : !tile.descriptor<16xf32>
    // becomes, where %d is of %base, %size and %stride
    %range = tile.make_range 0 to 16 : tensor<16xi32>
    %wide = arith.extsi %range : tensor<16xi32> to tensor<16xi64>
    %start = tile.splat %i : i64 -> tensor<16xi64>
    %index = arith.addi %start, %wide : tensor<16xi64>
    …
    %v = tile.load %pointers mask %inside other %zero : tensor<16x!tile.ptr<f32>>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
    "::tilerun::tile::TileDialect"
  ];
}

def TileCombine : Pass<"tile-combine"> {
  let summary = "merge neighbouring ops into cheaper ones";
  let description = [{
    Rewrites that need two or more ops to be seen together:

    - `dot(a, b, 0) + c` accumulates into `c`;
    - `select(m, load(p, mask m), v)` loads with `v` as `other`, and a `select` on the mask inside `other` goes away;
    - `store(p, select(m, v, x), mask m)` stores `v`;
    - `select(c, true, false)` is `c`, also for tensors;
    - a mask that is implied by the other half of its conjunction goes away.

    Floating-point additions are never reordered except by the first rule, which the language grants to products.

    ```mlir
    %d = tile.dot %a, %b, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %r = arith.addf %c, %d : tensor<16x16xf32>
    // becomes
    %r = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilerun::tile::TileDialect"];
}

def TileReorderBroadcast : Pass<"tile-reorder-broadcast"> {
  let summary = "compute on small tensors first, broadcast after";
  let description = [{
    An elementwise op whose operands are all splats is computed once, on scalars; one whose operands are broadcast from
    one shape (or are splats) is computed on that shape. `expand_dims` and `trans` move ahead of `broadcast`.

    ```mlir
    %b = tile.broadcast %a : tensor<64x1xi32> -> tensor<64x64xi32>
    %r = arith.muli %b, %constant : tensor<64x64xi32>
    // becomes
    %s = arith.muli %a, %small_constant : tensor<64x1xi32>
    %r = tile.broadcast %s : tensor<64x1xi32> -> tensor<64x64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilerun::tile::TileDialect"];
}

def TileDeadLoads : Pass<"tile-dead-loads"> {
  let summary = "erase loads whose value is unused or known";
  let description = [{
    Erases a load whose result is unused or whose mask is false everywhere, and one that repeats an earlier load (same
    pointer, mask, `other` and cache behaviour) with no write to memory in between. Volatile loads stay. Loads are
    followed into branches and loops; a loop that writes starts from nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilerun::tile::TileDialect"];
}

def TilePropagateConstants : Pass<"tile-propagate-constants"> {
  let summary = "replace values that are always one constant";
  let description = [{
    Sparse conditional constant propagation, through branches and loops: a value that is the same constant on every path
    that can be taken is replaced by it.

    ```mlir
    %r = scf.if %true -> (i32) { scf.yield %c4 : i32 } else { scf.yield %x : i32 }
    // uses of %r become uses of %c4
    ```
  }];
}

def TileLoopSimplify : Pass<"tile-loop-simplify"> {
  let summary = "simplify structured loops and branches";
  let description = [{
    Loops that run zero times or once become straight code, computations that do not change move out of loops, and
    carried values that only feed themselves are dropped.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileOrderPrograms : Pass<"tile-order-programs"> {
  let summary = "give each part of a device a contiguous range of programs";
  let description = [{
    For devices of several dies with a cache each, such as the eight XCDs of an MI300X, which get programs in turn: program
    `i` runs on part `i % parts`. Kernels get new numbers of programs, so that a part's programs are neighbours, in their
    old order; where `parts` does not divide their number, the first parts have one more. Programs are numbered over
    the axes up to the last one that the kernel asks for, the first axis fastest. The grid stays as it is, and so do the numbers
    that `device_print` and `device_assert` show. Does nothing with fewer than two parts.

    ```mlir
    %pid = tile.program_id 0
    // becomes, with parts=8
    %i = tile.program_id 0
    %n = tile.num_programs 0
    %part = arith.remui %i, %c8 : i32
    %pid = %part * (%n / 8) + min(%part, %n % 8) + %i / 8
    ```
  }];
  let options = [Option<"parts", "parts", "unsigned", "0", "parts of the device that get programs in turn; 0 or 1: nothing changes">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileStripHints : Pass<"tile-strip-hints"> {
  let summary = "drop tile.hint and tile.assume once nothing reads them any more";
}

def TilePrintAxisInfo : Pass<"tile-print-axis-info"> {
  let summary = "remark what the axis analysis knows about each integer and pointer";
  let description = [{
    For tests and for looking into missed optimizations: a remark on each op (and on each block argument, at its
    block's parent) with contiguity, divisibility, constancy and, where known, the constant value.
  }];
  let options = [Option<"plainIndices", "plain-indices", "bool", /*default=*/"false",
                        "assume that signed arithmetic does not overflow and dividends are not negative">];
}

#endif
