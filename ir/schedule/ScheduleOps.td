// Ops of the `sched` dialect: what a loop with a schedule is expanded to. Values are still whole tiles; memory is explicit.
#ifndef TILERUN_IR_SCHEDULE_SCHEDULEOPS_TD
#define TILERUN_IR_SCHEDULE_SCHEDULEOPS_TD

include "ir/schedule/ScheduleAttrs.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// So that everybody sees which memory an op touches.
def NamesMemory : PredOpTrait<"its rings, channels and store buffers are results of the ops that make them",
                              CPred<"namesMemory($_op)">>;
class Sched_Op<string opMnemonic, list<Trait> traits = []> : Op<Sched_Dialect, opMnemonic, traits # [NamesMemory]>;
/// Has its place in the order of a role: nothing passes it.
defvar InOrder = MemoryEffects<[MemRead, MemWrite]>;

class Sched_Type<string name, string typeMnemonic> : TypeDef<Sched_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Sched_RingType : Sched_Type<"Ring", "ring"> {
  let summary = "slots in shared memory, each of which holds one tile";
  let description = [{ `!sched.ring<4 of tensor<32x32xf16>, <order = swizzled, inner = 1>>`: the number of slots, their tile, and its form in memory. }];
  let parameters = (ins "int64_t":$slots, "::mlir::RankedTensorType":$tile, "::tilerun::schedule::RingAttr":$form);
  let assemblyFormat = "`<` $slots `of` $tile `,` $form `>`";
  let genVerifyDecl = 1;
}

def Sched_StagedType : Sched_Type<"Staged", "staged"> {
  let summary = "a tile in registers on its way from global memory to a slot";
  let description = [{
    `!sched.staged<tensor<32x32xf16>, #layout, 2>`: registers in this layout, two neighbours in each 32-bit word. It is
    made by `sched.fetch`, carried by loops and written by `sched.put`; nothing computes with it.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile, "::tilerun::distribute::LayoutAttr":$layout,
                    "unsigned":$perWord);
  let assemblyFormat = "`<` $tile `,` $layout `,` $perWord `>`";
  let genVerifyDecl = 1;
}

def Sched_ChannelType : Sched_Type<"Channel", "channel"> {
  let summary = "an order between the producers and the consumers of the slots of rings";
  let description = [{
    `!sched.channel<slots = 4, copies = chunks>`: slots are filled and read by the same threads. With `producers = 4,
    consumers = 8` four warps of one role fill them and eight warps of another read them.
  }];
  let parameters = (ins "int64_t":$slots, EnumParameter<Sched_CopyKind>:$copies,
                    DefaultValuedParameter<"unsigned", "0">:$producers,
                    DefaultValuedParameter<"unsigned", "0">:$consumers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isBetweenRoles() const { return getProducers() != 0; }
  }];
}

def Sched_StoreBufferType : Sched_Type<"StoreBuffer", "store_buffer"> {
  let summary = "shared memory from which a tile is copied to global memory";
  let description = [{
    `!sched.store_buffer<tensor<128x256xf16>, 1>`: one tile, whose lines are along this dimension and lie as boxes want them.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile, "unsigned":$inner);
  let assemblyFormat = "`<` $tile `,` $inner `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{ int64_t getBytes() const; }];
}

def Sched_RetainedType : Sched_Type<"Retained", "retained"> {
  let summary = "slots in shared memory in which threads keep their own elements of tiles";
  let description = [{
    `!sched.retained<7 of tensor<16384xf16>, #layout>`: the number of slots, their tile, and the layout in which threads hold it.
    Each thread reads what it has written alone, so that nothing orders threads.
  }];
  let parameters = (ins "int64_t":$slots, "::mlir::RankedTensorType":$tile, "::tilerun::distribute::LayoutAttr":$layout);
  let assemblyFormat = "`<` $slots `of` $tile `,` $layout `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of one slot, with all threads' elements.
    int64_t getSlotBytes() const;
    int64_t getBytes() const { return getSlots() * getSlotBytes(); }
  }];
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Sched_RingOp : Sched_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "slots for the tiles of one load";
  let description = [{
    ```mlir
    %a = sched.ring %channel : !sched.channel<slots = 4, copies = chunks> -> !sched.ring<4 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
    ```
    The channel orders all uses of its slots: they are filled and read while the channel's slot of the same number is.
  }];
  let arguments = (ins Sched_ChannelType:$channel);
  let results = (outs Sched_RingType:$ring);
  let assemblyFormat = "$channel attr-dict `:` type($channel) `->` type($ring)";
  let hasVerifier = 1;
}

def Sched_ChannelOp : Sched_Op<"channel", [MemoryEffects<[MemAlloc]>]> {
  let summary = "an order for the slots of the rings that name it, which are filled and read together";
  let description = [{
    With `everywhere`, each block of the program has one, and a slot is empty once the consumers of all blocks have released theirs:
    then copies to all blocks may fill it.
  }];
  let arguments = (ins UnitAttr:$everywhere);
  let results = (outs Sched_ChannelType:$channel);
  let assemblyFormat = "(`everywhere` $everywhere^)? attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def Sched_CopyOp : Sched_Op<"copy", [InOrder, AttrSizedOperandSegments]> {
  let summary = "asynchronous copies of a tile from global memory to a slot";
  let description = [{
    ```mlir
    sched.copy %pointers mask %m when %p -> %a[%slot] : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi1> -> !sched.ring<…>
    ```
    Where the mask or the predicate is false the slot gets zeros, and nothing is read. `distribute.access` says which thread
    copies what.
  }];
  let arguments = (ins AnyRankedTensor:$ptr, Optional<AnyRankedTensor>:$mask, Optional<I1>:$when,
                   Sched_RingType:$ring, I32:$slot);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`when` $when^)? `->` $ring `[` $slot `]` attr-dict `:` type($ptr) (`,` type($mask)^)? `->`
    type($ring)
  }];
  let hasVerifier = 1;
}

def Sched_CopyBoxOp : Sched_Op<"copy_box", [InOrder]> {
  let summary = "asynchronous copy of a box of a tensor in global memory to a slot";
  let description = [{
    ```mlir
    sched.copy_box [%k, %m] -> %a[%slot] {tensor = #sched.box<…>} : !sched.ring<…>
    ```
    The box begins at these indices of the tensor's dimensions, of which the contiguous one is the first. Elements outside of the
    tensor are zeros. One thread of the role starts the copy; the publish of the slot counts its bytes. With `multicast` all blocks of
    the program want the same box, and each copies an equal part of its lines to all of them.
  }];
  let arguments = (ins Variadic<I32>:$starts, Sched_RingType:$ring, I32:$slot, Sched_BoxAttr:$tensor, UnitAttr:$multicast);
  let assemblyFormat = "`[` $starts `]` `->` $ring `[` $slot `]` (`multicast` $multicast^)? attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def Sched_FetchOp : Sched_Op<"fetch", [InOrder, SingleBlock, NoRegionArguments]> {
  let summary = "loads whose values stay in registers until they are put into slots";
  let description = [{
    ```mlir
    %x, %y = sched.fetch when %p {
      %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
      %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
      sched.yield %a, %b : tensor<32x32xf16>, tensor<32x32xf16>
    } : !sched.staged<…>, !sched.staged<…>
    ```
    The predicate guards all of the loads; if it is false the values are zeros.
  }];
  let arguments = (ins I1:$when);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Sched_StagedType>:$staged);
  let assemblyFormat = "`when` $when $body attr-dict `:` type($staged)";
  let hasVerifier = 1;
}

def Sched_PutOp : Sched_Op<"put", [InOrder]> {
  let summary = "registers of a fetched tile to a slot";
  let description = [{ With `ahead`, a barrier of the channel separates it from the reads of the slot: that of the next `await`. }];
  let arguments = (ins Sched_StagedType:$staged, Sched_RingType:$ring, I32:$slot, UnitAttr:$ahead);
  let assemblyFormat = "(`ahead` $ahead^)? $staged `->` $ring `[` $slot `]` attr-dict `:` type($staged) `->` type($ring)";
  let hasVerifier = 1;
}

def Sched_ReadOp : Sched_Op<"read", [
    InOrder, TypesMatchWith<"the result is a tile of the ring", "ring", "tile",
                            "::llvm::cast<::tilerun::schedule::RingType>($_self).getTile()">]> {
  let summary = "the tile in a slot, as operand of products";
  let description = [{ Products read their fragments from the slot at their own place, so it must not be released before them. }];
  let arguments = (ins Sched_RingType:$ring, I32:$slot);
  let results = (outs AnyRankedTensor:$tile);
  let assemblyFormat = "$ring `[` $slot `]` attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def Sched_RetainedOp : Sched_Op<"retained", [MemoryEffects<[MemAlloc]>]> {
  let summary = "slots in which tiles stay in shared memory from one loop to the next";
  let description = [{
    ```mlir
    %kept = sched.retained : !sched.retained<7 of tensor<16384xf16>, #layout>
    ```
  }];
  let results = (outs Sched_RetainedType:$kept);
  let assemblyFormat = "attr-dict `:` type($kept)";
}

def Sched_RetainOp : Sched_Op<"retain", [
    InOrder, TypesMatchWith<"the tile is one of the slots'", "kept", "tile",
                            "::llvm::cast<::tilerun::schedule::RetainedType>($_self).getTile()">]> {
  let summary = "each thread's elements of a tile to a slot";
  let arguments = (ins AnyRankedTensor:$tile, Sched_RetainedType:$kept, I32:$slot);
  let assemblyFormat = "$tile `->` $kept `[` $slot `]` attr-dict `:` type($kept)";
}

def Sched_RecallOp : Sched_Op<"recall", [
    InOrder, TypesMatchWith<"the result is a tile of the slots", "kept", "tile",
                            "::llvm::cast<::tilerun::schedule::RetainedType>($_self).getTile()">]> {
  let summary = "the tile that a slot was given";
  let arguments = (ins Sched_RetainedType:$kept, I32:$slot);
  let results = (outs AnyRankedTensor:$tile);
  let assemblyFormat = "$kept `[` $slot `]` attr-dict `:` type($kept)";
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

def Sched_StoreBufferOp : Sched_Op<"store_buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory for the tile of one store";
  let description = [{
    ```mlir
    %buffer = sched.store_buffer : !sched.store_buffer<tensor<128x256xf16>, 1>
    ```
  }];
  let results = (outs Sched_StoreBufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Sched_StoreBoxOp : Sched_Op<"store_box", [InOrder, AttrSizedOperandSegments]> {
  let summary = "a tile to a box of a tensor in global memory, by an asynchronous copy";
  let description = [{
    ```mlir
    sched.store_box %tile mask %inside : tensor<128x256xi1> -> %buffer -> [%n, %m] {tensor = #sched.box<…>} : tensor<128x256xf16> -> !sched.store_buffer<…>
    ```
    Waits until the buffer has been read by the copy before, puts the tile there and starts the copy. The box begins at these
    indices of the tensor's dimensions, of which the contiguous one is the first; nothing is stored outside of the tensor. Who
    reads the tensor waits for the end of the launch. Until the kernel is expanded `mask` says the same as the tensor's extents, for
    whoever asks which rows are stored.
  }];
  let arguments = (ins AnyRankedTensor:$tile, Optional<AnyRankedTensor>:$mask, Sched_StoreBufferType:$buffer, Variadic<I32>:$starts,
                   Sched_BoxAttr:$tensor);
  let assemblyFormat = "$tile (`mask` $mask^ `:` type($mask))? `->` $buffer `->` `[` $starts `]` attr-dict `:` type($tile) `->` type($buffer)";
  let hasVerifier = 1;
}

def Sched_StoreWaitOp : Sched_Op<"store_wait", [InOrder]> {
  let summary = "wait until the copies from a buffer have read it, so that its memory can be reused";
  let arguments = (ins Sched_StoreBufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Sched_AcquireOp : Sched_Op<"acquire", [InOrder]> {
  let summary = "wait until a slot is empty; from here to its publish it is filled";
  let description = [{ Between roles `phase` is the parity of how often the slot has been filled before. }];
  let arguments = (ins Sched_ChannelType:$channel, I32:$slot, Optional<I32>:$phase);
  let assemblyFormat = "$channel `[` $slot `]` (`phase` $phase^)? attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def Sched_PublishOp : Sched_Op<"publish", [InOrder]> {
  let summary = "a slot is full once the copies started into it have landed";
  let description = [{
    Between roles it waits for that, but not for what has been started since the `pending` publishes before: the slot is
    the one that was filled so many publishes ago. Where the predicate is false no slot becomes full, and the publish is
    only counted.
  }];
  let arguments = (ins Sched_ChannelType:$channel, I32:$slot, Optional<I1>:$when,
                   DefaultValuedAttr<I32Attr, "0">:$pending);
  let assemblyFormat = "$channel `[` $slot `]` (`when` $when^)? (`pending` $pending^)? attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def Sched_AwaitOp : Sched_Op<"await", [InOrder]> {
  let summary = "wait until a slot is full; from here to its release it is read";
  let description = [{
    In one role, `pending` slots that have been published after it may still be in flight. Between roles `phase` is the
    parity of how often the slot has been read before.
  }];
  let arguments = (ins Sched_ChannelType:$channel, I32:$slot, Optional<I32>:$phase,
                   DefaultValuedAttr<I32Attr, "0">:$pending);
  let assemblyFormat = "$channel `[` $slot `]` (`phase` $phase^)? (`pending` $pending^)? attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def Sched_ReleaseOp : Sched_Op<"release", [InOrder]> {
  let summary = "a slot is empty once the products that read it are done";
  let description = [{
    Products that are still in flight (`sched.in_flight`) hold the slot until a `sched.dot_wait`. Between roles it must not
    be released before that.
  }];
  let arguments = (ins Sched_ChannelType:$channel, I32:$slot, Optional<I1>:$when);
  let assemblyFormat = "$channel `[` $slot `]` (`when` $when^)? attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def Sched_DrainOp : Sched_Op<"drain", [InOrder]> {
  let summary = "wait until no copy of a channel is in flight, so that its memory can be reused";
  let arguments = (ins Sched_ChannelType:$channel);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def Sched_RoleOp : Sched_Op<"role", [RecursiveMemoryEffects, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "what some warps of the program do, beside the others";
  let description = [{
    ```mlir
    sched.role consumer 0 to 4 { … }
    sched.role producer 4 to 8 registers 24 { … }
    ```
    Warps from the first number up to, not including, the second. A role with tensors has as many warps as their layouts
    are for; one that copies boxes may have fewer. `registers` of a lane are what its warps go on with; 0 leaves them what they begin with. All of the kernel but rings and channels is in roles, which hand each other tiles through them alone.
  }];
  let arguments = (ins Sched_RoleKindAttr:$kind, I32Attr:$first, I32Attr:$end, DefaultValuedAttr<I32Attr, "0">:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind $first `to` $end (`registers` $registers^)? $body attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{ unsigned getWarps() { return getEnd() - getFirst(); } }];
}

def Sched_ProgramsOp : Sched_Op<"programs", [Pure]> {
  let summary = "which of the caller's programs this launched one runs";
  let description = [{
    ```mlir
    %first, %end, %step = sched.programs
    scf.for %program = %first to %end step %step : i32 { … }
    ```
    The caller's programs are numbered from 0, the first axis of the grid fastest. Their number is the same in all launched programs, and less than 2³⁰.
  }];
  let results = (outs I32:$first, I32:$end, I32:$step);
  let assemblyFormat = "attr-dict";
}

def Sched_TurnOp : Sched_Op<"turn", [InOrder]> {
  let summary = "warp groups of a role start products in turns";
  let description = [{
    ```mlir
    sched.turn open of 2
    scf.for … {
      sched.turn begin of 2
      …                                      // products start
      sched.turn end of 2
      …                                      // what is computed of them, while another group's products run
    }
    sched.turn close of 2
    ```
    A group's turn begins when the group before has ended its own; groups follow each other in a circle. `open` gives the first
    group its first turn, and `close` takes the one that it is given last. A role opens turns once: groups do not meet in between.
  }];
  let arguments = (ins Sched_TurnStepAttr:$step, I32Attr:$groups);
  let assemblyFormat = "$step `of` $groups attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def Sched_AheadOp : Sched_Op<"ahead", [RecursiveMemoryEffects, SingleBlock, NoRegionArguments]> {
  let summary = "part of a later iteration, which may be past the end of the loop";
  let description = [{
    ```mlir
    %next = sched.ahead {
      …                                      // the address of iteration i + 3
      sched.copy %pa when %inRange -> %a[%slot] : …
      sched.yield %following : tensor<32x32x!tile.ptr<f16>>
    } : tensor<32x32x!tile.ptr<f16>>
    ```
    Divisions in it are guarded, because their divisors may be 0 there. Values that are rematerialized in
    it are not reused outside.
  }];
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$body attr-dict (`:` type($results)^)?";
  let hasVerifier = 1;
}

def Sched_YieldOp : Sched_Op<"yield", [Pure, Terminator, ParentOneOf<["AheadOp", "FetchOp"]>]> {
  let summary = "end of a region: the values that its op gives";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Sched_KeepOp : Sched_Op<"keep", [InOrder, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor is in registers, in the layout of the result, from here on";
  let description = [{
    Values without a layout are computed, and others converted, where they are used. This op says where: the first value of a
    carried tensor before the loads that run ahead of the loop, the next one before the wait for the last iteration's
    products.

    With `fresh`, what is computed from the result is computed anew, though the same may have been computed from the value before:
    `schedule-rematerialize` has decided not to keep that.
  }];
  let arguments = (ins AnyRankedTensor:$value, UnitAttr:$fresh);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "(`fresh` $fresh^)? $value attr-dict `:` type($value)";
  let builders = [OpBuilder<(ins "::mlir::Value":$value), "build($_builder, $_state, value.getType(), value, ::mlir::UnitAttr());">];
}

def Sched_DotWaitOp : Sched_Op<"dot_wait", [InOrder, AttrSizedOperandSegments, AllTypesMatch<["sums", "results"]>]> {
  let summary = "wait until at most `pending` products are in flight";
  let description = [{
    ```mlir
    sched.dot_wait pending 1
    %sum = sched.dot_wait pending 0 for %x : tensor<64x64xf32>
    ```
    Counts the products with `sched.in_flight`. A sum that one of them has added to is read as a result of this op alone.
    What is computed of other values while the products run, named `after`, is computed before the wait.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sums, Variadic<AnyRankedTensor>:$after, I32Attr:$pending);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `pending` $pending (`for` $sums^ `:` type($sums))? (`after` $after^ `:` type($after))? attr-dict
  }];
  let hasVerifier = 1;
}

#endif
