// The interface by which an op says how it touches shared memory.
#ifndef TILERUN_IR_SIMT_SYNC_SHAREDUSER_TD
#define TILERUN_IR_SIMT_SYNC_SHAREDUSER_TD

include "mlir/IR/OpBase.td"

def Simt_SharedUser : OpInterface<"SharedUser"> {
  let description = [{
    Says what an op does with shared memory: which buffers it reads and writes, whether that completes later, what it
    waits for. Placing buffers, inserting barriers and emulating threads rely on this interface and know no op by name.
    Every op of the simt dialect implements it, those without any use of shared memory as `NoSharedUse`.
  }];
  let cppNamespace = "::tilerun::simt";
  let methods = [InterfaceMethod<"What the op does with shared memory; by default nothing.",
                                 "::tilerun::simt::SharedUse", "getSharedUse", (ins), "", "return {};">];
}

/// For an op that does not touch shared memory.
defvar NoSharedUse = Simt_SharedUser;
/// For an op that does; SharedUser.cpp says how.
defvar SaysSharedUse = DeclareOpInterfaceMethods<Simt_SharedUser, ["getSharedUse"]>;

#endif
