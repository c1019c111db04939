// Ops of the `simt` dialect for asynchronous copies between global and shared memory.
#ifndef TILERUN_IR_SIMT_COPYOPS_TD
#define TILERUN_IR_SIMT_COPYOPS_TD

include "ir/schedule/ScheduleAttrs.td"
include "ir/simt/SimtOpBase.td"

def Simt_AsyncCopyOp : Simt_Op<"async_copy", [SaysSharedUse, MemoryEffects<[MemRead<Simt_GlobalMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "start copying bytes from global to shared memory; zeros where the mask is false";
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, I64:$address, Optional<I1>:$mask, ConfinedAttr<I32Attr, [IntIsOneOf<[4, 8, 16]>]>:$bytes);
  let assemblyFormat = "$bytes $address `->` $buffer `[` $offset `]` (`mask` $mask^)? attr-dict";
}

def Simt_BoxCopyOp : Simt_Op<"box_copy", [SaysSharedUse, AttrSizedOperandSegments, MemoryEffects<[MemRead<Simt_GlobalMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "start copying a box of a tensor in global memory to shared memory, if a predicate holds";
  let description = [{
    ```mlir
    simt.box_copy [%k, %m] -> %a[%offset] counts %phases[%place] mask %first {tensor = #sched.box<…>}
    ```
    Lines of at most 128 bytes follow each other in shared memory; their chunks of 16 bytes are permuted as in
    `layout::swizzledTile`, so `offset` is a multiple of eight lines. Elements outside of the tensor are zeros. When the bytes have landed they are
    taken from those that the phase barrier still expects (`phase_arrive`). `tensor` has the sizes of the box: up to 256
    lines. With `multicast` the box lands at this offset in each block of the program, and counts at each block's barrier.
  }];
  let arguments = (ins Variadic<I32>:$starts, Simt_SharedType:$buffer, I32:$offset, Simt_SharedType:$phases, I32:$place,
                   Optional<I1>:$mask, Sched_BoxAttr:$tensor, UnitAttr:$multicast);
  let assemblyFormat = "`[` $starts `]` `->` $buffer `[` $offset `]` `counts` $phases `[` $place `]` (`mask` $mask^)? (`multicast` $multicast^)? attr-dict";
}

def Simt_BoxStoreOp : Simt_Op<"box_store", [SaysSharedUse, AttrSizedOperandSegments, MemoryEffects<[MemWrite<Simt_GlobalMemory>, MemRead<Simt_SharedMemory>]>]> {
  let summary = "start copying a box from shared memory to a tensor in global memory, if a predicate holds";
  let description = [{
    ```mlir
    simt.box_store %buffer[%offset] -> [%n, %m] mask %first {tensor = #sched.box<…>}
    ```
    Lines lie as in `box_copy`. Elements outside of the tensor are not stored. Threads' writes to shared memory are seen behind their
    `async_fence` and a barrier. The memory may be written again behind this thread's `box_store_wait` and a barrier.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, Variadic<I32>:$starts, Optional<I1>:$mask, Sched_BoxAttr:$tensor);
  let assemblyFormat = "$buffer `[` $offset `]` `->` `[` $starts `]` (`mask` $mask^)? attr-dict";
}

def Simt_BoxStoreWaitOp : Simt_Op<"box_store_wait", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "wait until the boxes that this thread stores have been read from shared memory";
  let description = [{ All of them are waited for, also those from other buffers. `buffer` lives up to here at least. }];
  let arguments = (ins Simt_SharedType:$buffer);
  let assemblyFormat = "$buffer attr-dict";
}

def Simt_AsyncCommitOp : Simt_Op<"async_commit", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "close the group of asynchronous copies that this thread has started";
  let assemblyFormat = "attr-dict";
}

def Simt_AsyncWaitOp : Simt_Op<"async_wait", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "wait until at most `pending` of this thread's groups are in flight";
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

#endif
