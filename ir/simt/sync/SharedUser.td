// The interface by which an op says how it touches shared memory.
#ifndef TILERUN_IR_SIMT_SYNC_SHAREDUSER_TD
#define TILERUN_IR_SIMT_SYNC_SHAREDUSER_TD

include "mlir/IR/OpBase.td"

def Simt_SharedUser : OpInterface<"SharedUser"> {
  let description = [{
    Says what an op does with shared memory: which buffers it reads and writes, whether that completes later, what it
    waits for. Whoever places buffers, inserts barriers or emulates threads asks this and knows no op by its name.
    Every op of the simt dialect implements it, those without any use of shared memory as `NoSharedUse`.
  }];
  let cppNamespace = "::tilerun::simt";
  let methods = [InterfaceMethod<"What the op does with shared memory; by default nothing.",
                                 "::tilerun::simt::SharedUse", "getSharedUse", (ins), "", "return {};">];
}

/// Of an op that has nothing to do with shared memory.
defvar NoSharedUse = Simt_SharedUser;
/// Of an op that has; what it does is in SharedUser.cpp.
defvar SaysSharedUse = DeclareOpInterfaceMethods<Simt_SharedUser, ["getSharedUse"]>;

#endif
