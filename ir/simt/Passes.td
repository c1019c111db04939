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

#endif
