// Passes that decide who holds what. Documentation and command-line flags are generated from here.
#ifndef TILERUN_IR_DISTRIBUTE_PASSES_TD
#define TILERUN_IR_DISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSetTarget : Pass<"tile-set-target", "::mlir::ModuleOp"> {
  let summary = "write the target on the module";
  let description = [{
    Every later pass reads the target and the program's settings from the module's attributes (`docs/distribute.md`).
    `tile-opt --target=…` runs this pass before the others.

    ```mlir
    module attributes {
      distribute.target = #distribute.target<"generic:lanes=64,shared=64k,shuffle=off">,
      distribute.num_warps = 2 : i32, distribute.num_stages = 3 : i32
    } { … }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"generic\"",
           "the target: generic:lanes=64,shared=64k,… (ir/target/GenericTarget.h)">,
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program: a power of two up to 65536">,
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3", "buffers of pipelined loops; 1: none">,
    Option<"warpUnit", "warp-unit", "unsigned", /*default=*/"0",
           "threads that the option num_warps counts in, for messages; 0: a warp of the target">,
    Option<"numCtas", "num-ctas", "unsigned", /*default=*/"1",
           "blocks that a program is to run on where it can be divided: 1, 2, 4 or 8">,
    Option<"fewPrograms", "few-programs", "bool", /*default=*/"false",
           "whether launches of many programs can take other code, so that kernels may be compiled for few">,
    Option<"acrossK", "across-k", "std::string", /*default=*/"\"auto\"",
           "how operands across k come to instructions of warp groups: auto, registers or copies">
  ];
  let dependentDialects = ["::tilerun::distribute::DistributeDialect"];
}

def TilePad : Pass<"tile-pad", "::mlir::ModuleOp"> {
  let summary = "make every size of a tensor a power of two";
  let description = [{
    Tensors get the next power of two in each dimension. What lies beyond the real sizes touches no memory (loads,
    stores, atomics, assertions, prints and histograms are masked), is left out of reductions, reversed scans and the
    summed dimension of products, and never reaches a real element. Reshapes and concatenations whose elements would come
    in another order become gathers. Does nothing where all sizes are powers of two already.

    ```mlir
    %i = tile.make_range 0 to 48 : tensor<48xi32>
    %s = tile.reduce %i axis 0 : (tensor<48xi32>) -> i32 { … arith.addi … }
    // becomes
    %i = tile.make_range 0 to 64 : tensor<64xi32>
    %real = arith.cmpi slt, %i, %c48 : tensor<64xi32>
    %masked = arith.select %real, %i, %c0 : tensor<64xi1>, tensor<64xi32>
    %s = tile.reduce %masked axis 0 : (tensor<64xi32>) -> i32 { … arith.addi … }
    ```
  }];
  let options = [Option<"clean", "clean", "bool", /*default=*/"true",
                        "simplify what was padded: canonicalize, tile-reorder-broadcast, cse">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilerun::tile::TileDialect"];
}

def TileSplit : Pass<"tile-split", "::mlir::ModuleOp"> {
  let summary = "split tensors that registers cannot hold, and compute them part by part";
  let description = [{
    With more than `most` elements per thread, most would be spilled. In kernels that only load such tensors, compute
    element by element, reduce and store, loops over parts of `part` elements in a thread take their place: one for each
    reduction or store, shared by neighbours that do not need each other. Tensors that cannot be split stay as they are. Needs
    `tile-set-target`, and sizes that are powers of two.

    ```mlir
    %x = tile.load %p : tensor<65536x!tile.ptr<f32>>
    tile.store %q, %x : tensor<65536x!tile.ptr<f32>>
    // becomes, for 128 threads
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      %x = tile.load %part_of_p : tensor<4096x!tile.ptr<f32>>
      tile.store %part_of_q, %x : tensor<4096x!tile.ptr<f32>>
    }
    ```
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"256", "elements of a tensor in a thread that are not split: a power of two up to 65536">,
    Option<"part", "part", "int64_t", /*default=*/"32", "elements of a part in a thread: a power of two up to `most`">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tilerun::tile::TileDialect"];
}

def TileDistribute : Pass<"tile-distribute", "::mlir::ModuleOp"> {
  let summary = "assign a linear layout to every tensor that is kept";
  let description = [{
    Accesses and products choose their layouts from what the axis analysis knows and from the target's table; these flow
    through elementwise and shape operations and around loops, the stronger one winning; carried values that nothing has
    decided take the layout that their users need. A value that costs nothing to compute again (an index, a splat, an
    address) has no layout: each user computes it in the layout that it needs.

    The result is attributes on ops (`docs/distribute.md`); nothing else is changed. Attributes of an earlier run are
    replaced. Needs `tile-set-target`, and sizes that are powers of two.

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f32>>
    // becomes
    %x = tile.load %p {distribute.access = #access, distribute.homes = [#layout]} : tensor<1024x!tile.ptr<f32>>
    ```
  }];
  let dependentDialects = ["::tilerun::distribute::DistributeDialect"];
}

#endif
