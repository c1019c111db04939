// Asynchronous matrix instructions of warp groups: what units that multiply from shared memory, beside the threads, have in
// common. How a target encodes an operand and a shape is its backend's business.
#ifndef TILERUN_IR_SIMT_GROUPOPS_TD
#define TILERUN_IR_SIMT_GROUPOPS_TD

include "ir/simt/SimtOpBase.td"

/// Starts, closes or awaits asynchronous work: ordered with all accesses to shared memory.
class Simt_AsyncOp<string opMnemonic, list<Trait> traits = []>
    : Simt_Op<opMnemonic, traits # [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]>;

def Simt_AsyncFenceOp : Simt_AsyncOp<"async_fence"> {
  let summary = "this thread's earlier writes to shared memory become visible to asynchronous matrix instructions";
  let description = [{
    To cover the writes of all threads, each thread executes it and a barrier follows. Copies (`async_copy`) that their
    thread has waited for are visible without it. A target whose asynchronous instructions see what threads see emits
    nothing for it.

    Shared memory: it is the fence; it accesses nothing.
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_GroupMmaFenceOp : Simt_AsyncOp<"group_mma_fence", [AttrSizedOperandSegments]> {
  let summary = "a group of `group_mma` begins: registers and `buffers` may be read by it from here on";
  let description = [{
    Before the first `group_mma` that reads registers or accumulators which threads have written since. `registers` are
    those that the group's instructions read as their first operands: they are computed before it, since an assembler
    orders a group's instructions one by one where their registers are written between them.

    Shared memory: reads `buffers`, which completes at the `group_mma_wait`. So the barriers that the reads of the
    following `group_mma` need stand here, and none between the fence and them.
  }];
  let arguments = (ins Variadic<Simt_SharedType>:$buffers, Variadic<Simt_Vector>:$registers);
  let assemblyFormat = "($buffers^)? (`registers` $registers^ `:` type($registers))? attr-dict";
}

def Simt_GroupMmaOp : Simt_AsyncOp<"group_mma", [AttrSizedOperandSegments,
    TypesMatchWith<"acc has the result's type", "result", "acc", "$_self">]> {
  let summary = "a warp group's asynchronous matrix instruction: acc + a × b, operands in shared memory";
  let description = [{
    ```mlir
    %d = simt.group_mma "f32.f16.f16" [64, 128, 16] a %ring[%slot] at [0, 16] of <64x32xf16, contiguous 1>
                                                    b %ring2[%slot2] at [16, 0] of <32x128xf16, contiguous 1>, %acc : vector<64xf32>
    ```
    The warps of a group execute it together. `instruction` names a row of the target's table (`warp-group`), which fixes the
    element types, how many warps a group has, and which of them holds what of the result and of a first operand in
    registers. `shape` is m, n, k: it multiplies a block of m × k elements by one of k × n.

    An operand's block begins `at` an element of a tile (`#simt.tile`). The tile begins at a byte offset that is the same in
    all threads of a group; the buffer is aligned for the tile. A group's part of a tile may be part of the byte offset, as
    long as the block could begin there: offsets are added first, then chunks are permuted. In place of the first operand there may be
    its registers: `registers %a`.

    With `if %p`, which is the same in all threads of a group, the accumulator counts as zero where `%p` is false, whatever
    its registers hold: the first products of a sum need no zeros.

    The result, and the registers that are read, belong to the instruction until a `group_mma_wait` has waited for its
    group; only another `group_mma` of the same shape may take the result before.

    Shared memory: reads the buffers, which completes at the `group_mma_wait`; the `group_mma_fence` before has named them.
  }];
  let arguments = (ins StrAttr:$instruction, DenseI64ArrayAttr:$shape, Optional<Simt_Vector>:$a,
                   Optional<Simt_SharedType>:$a_buffer, Optional<I32>:$a_offset, Simt_SharedType:$b_buffer, I32:$b_offset,
                   Simt_Vector:$acc, OptionalAttr<DenseI64ArrayAttr>:$a_block, OptionalAttr<Simt_TileAttr>:$a_tile,
                   DenseI64ArrayAttr:$b_block, Simt_TileAttr:$b_tile, Optional<I1>:$accumulates);
  let results = (outs Simt_Vector:$result);
  let assemblyFormat = [{
    $instruction $shape (`registers` $a^ `:` type($a))?
    (`a` $a_buffer^ `[` $a_offset `]` `at` $a_block `of` $a_tile)?
    `b` $b_buffer `[` $b_offset `]` `at` $b_block `of` $b_tile
    `,` $acc (`if` $accumulates^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getRows() { return getShape()[0]; }
    int64_t getColumns() { return getShape()[1]; }
    int64_t getSteps() { return getShape()[2]; }
    /// Threads of a group, as the registers of the result say.
    int64_t getThreads();
  }];
}

/// A step of the turns that warp groups take.
class Simt_GroupTurnOp<string opMnemonic>
    : Simt_Op<opMnemonic, [NoSharedUse, MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins I32:$group, I32Attr:$groups, I32Attr:$threads, OptionalAttr<I32Attr>:$number);
  let assemblyFormat = "$group `of` $groups `threads` $threads (`number` $number^)? attr-dict";
  let builders = [OpBuilder<(ins "::mlir::Value":$group, "unsigned":$groups, "unsigned":$threads), [{
    build($_builder, $_state, group, groups, threads, ::mlir::IntegerAttr());
  }]>];
}

def Simt_TurnGiveOp : Simt_GroupTurnOp<"turn_give"> {
  let summary = "this warp group gives the turn to `group`, and goes on";
  let description = [{
    The turn is given once all of this group's threads have executed it, and taken by a `turn_await` of that group. `threads` are
    those of both. Turns that are given and not yet taken must not be given again. `number` is that of the first of `groups`
    barriers, which it gets when roles are expanded. Turns affect only timing, never results.
  }];
}

def Simt_TurnAwaitOp : Simt_GroupTurnOp<"turn_await"> {
  let summary = "warp group `group`, which executes it, waits until it has been given the turn";
  let description = [{ See `turn_give`. Matrix instructions do not move past it. }];
}

def Simt_GroupMmaCommitOp : Simt_AsyncOp<"group_mma_commit"> {
  let summary = "close the group of `group_mma` since the last one";
  let description = [{ Shared memory: closes the queue of products. }];
  let assemblyFormat = "attr-dict";
}

def Simt_GroupMmaWaitOp : Simt_AsyncOp<"group_mma_wait", [AttrSizedOperandSegments]> {
  let summary = "wait until at most `pending` groups are in flight";
  let description = [{
    `accs` are accumulators of groups that are waited for; their values may be used as the results from here on. `kept`
    are registers that those groups read, or whose values are to be computed before the wait.

    Shared memory: waits for the queue of products.
  }];
  let arguments = (ins I32Attr:$pending, Variadic<Simt_Vector>:$accs, Variadic<Simt_Vector>:$kept);
  let results = (outs Variadic<Simt_Vector>:$results);
  let assemblyFormat = "$pending (`accs` $accs^ `:` type($accs))? (`kept` $kept^ `:` type($kept))? attr-dict (`->` type($results)^)?";
  let hasVerifier = 1;
}

#endif
