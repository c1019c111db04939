// Passes that make per-thread IR. Documentation and command-line flags are generated from here.
#ifndef TILERUN_IR_SIMT_PASSES_TD
#define TILERUN_IR_SIMT_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToThreads : Pass<"lower-to-threads", "::mlir::ModuleOp"> {
  let summary = "tile IR with layouts to per-thread IR";
  let description = [{
    Every kernel becomes the work of one of its threads: a tensor is a vector of the registers that the thread holds by
    `distribute.homes`, accesses and products follow `distribute.access` and `distribute.dot`. Shared memory is placed
    and barriers are inserted. The attributes of distribution are removed, those of the module too.

    ```mlir
    %x = tile.load %p {distribute.access = #access, distribute.homes = [#layout]} : tensor<1024x!tile.ptr<f32>>
    // becomes, where #layout has two registers of four neighbours
    %x0 = simt.load %address0 : vector<4xf32>
    %x1 = simt.load %address1 : vector<4xf32>
    ```
  }];
  let dependentDialects = ["::tilerun::simt::SimtDialect", "::tilerun::distribute::DistributeDialect",
                           "::tilerun::schedule::SchedDialect"];
}

def SimtPlaceShared : Pass<"simt-place-shared", "::mlir::ModuleOp"> {
  let summary = "offsets for buffers of shared memory";
  let description = [{
    Buffers whose lives do not meet share bytes; those without users are erased. On per-thread text, for the target of the
    module (`--target`). `lower-to-threads` does the same. Buffers that do not fit are an error at the largest one.
  }];
  let dependentDialects = ["::tilerun::simt::SimtDialect", "::tilerun::distribute::DistributeDialect"];
}

def SimtInsertBarriers : Pass<"simt-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "barriers between accesses of shared memory by different threads";
  let description = [{
    On per-thread text whose buffers have places, which `lower-to-threads` makes: buffers may share bytes.
  }];
  let dependentDialects = ["::tilerun::simt::SimtDialect", "::tilerun::distribute::DistributeDialect"];
}

#endif
