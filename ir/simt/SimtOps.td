// Ops of the `simt` dialect: threads, global memory, shared memory, exchange between threads, matrix instructions. Those of
// warp groups are in GroupOps.td, those that work on words of registers in WordOps.td, asynchronous copies in CopyOps.td.
#ifndef TILERUN_IR_SIMT_SIMTOPS_TD
#define TILERUN_IR_SIMT_SIMTOPS_TD

include "ir/simt/CopyOps.td"
include "ir/simt/GroupOps.td"
include "ir/simt/SimtOpBase.td"
include "ir/simt/WordOps.td"
include "ir/tile/TileAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Simt_ScalarOrVector : AnyTypeOf<[AnyInteger, AnyFloat, Simt_Vector]>;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

def Simt_ThreadIdOp : Simt_Op<"thread_id", [NoSharedUse, Pure]> {
  let summary = "number of this thread in its program, from 0";
  let description = [{
    Lanes are the low bits: the lane is `thread_id % warp size`, the warp `thread_id / warp size`.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, $_builder.getI32Type()); }]>];
}

def Simt_LaunchedOp : Simt_Op<"launched", [NoSharedUse, Pure]> {
  let summary = "number of this launched program, from 0, and how many are launched";
  let description = [{
    A kernel with this op is launched with a grid of one axis, which is not the caller's: that is `tile.num_programs`. It has no `tile.program_id`.
  }];
  let results = (outs I32:$program, I32:$count);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, $_builder.getI32Type(), $_builder.getI32Type());">];
}

def Simt_BarrierOp : Simt_Op<"barrier", [SaysSharedUse, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the scope wait for each other and see each other's accesses";
  let description = [{
    A barrier of a role gets the number and the thread count that the target needs when roles are expanded. `cluster` is that of all
    blocks of the program: phase barriers that were initialized before may be reached from other blocks behind it.
  }];
  let arguments = (ins DefaultValuedAttr<Simt_BarrierScopeAttr, "::tilerun::simt::BarrierScope::Program">:$scope,
                   OptionalAttr<I32Attr>:$number, OptionalAttr<I32Attr>:$threads);
  let assemblyFormat = "$scope (`number` $number^)? (`threads` $threads^)? attr-dict";
  let builders = [OpBuilder<(ins "::tilerun::simt::BarrierScope":$scope), [{
    build($_builder, $_state, scope, ::mlir::IntegerAttr(), ::mlir::IntegerAttr());
  }]>];
}

def Simt_TurnOp : Simt_Op<"turn", [NoSharedUse, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the warp's turn at the unit for matrices begins, or ends";
  let description = [{
    While it lasts, the warp's instructions go before those of other warps that share the unit. Neither accesses of memory nor
    matrix instructions move past it. It changes no result.
  }];
  let arguments = (ins BoolAttr:$begins);
  let assemblyFormat = "$begins attr-dict";
}

def Simt_FenceOp : Simt_Op<"fence", [NoSharedUse, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "this thread's accesses before it come before those after it, for all observers in the scope";
  let description = [{ With relaxed atomics it makes an acquire or a release on targets that have neither. }];
  let arguments = (ins Tile_MemScopeAttr:$scope);
  let assemblyFormat = "$scope attr-dict";
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Simt_LoadOp : Simt_Op<"load", [NoSharedUse, AttrSizedOperandSegments,
                                 OptionalTypesMatchWith<"other has the result's type", "result", "other", "$_self">,
                                 MemoryEffects<[MemRead<Simt_GlobalMemory>]>]> {
  let summary = "one access that reads consecutive elements, if a predicate holds";
  let description = [{
    ```mlir
    %v = simt.load %address mask %m other %o : vector<4xf32>
    ```
    The address is aligned to the whole vector. Where the mask is false nothing is read and the result is
    `other`, or 0.
  }];
  let arguments = (ins I64:$address, Optional<I1>:$mask, Optional<Simt_Vector>:$other,
                   DefaultValuedAttr<Tile_CacheModifierAttr, "::tilerun::tile::CacheModifier::None">:$cache,
                   DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tilerun::tile::EvictionPolicy::Normal">:$evict,
                   UnitAttr:$is_volatile);
  let results = (outs Simt_Vector:$result);
  let assemblyFormat = [{
    $address (`mask` $mask^)? (`other` $other^)? (`volatile` $is_volatile^)? attr-dict `:` type($result)
  }];
}

def Simt_StoreOp : Simt_Op<"store", [NoSharedUse, MemoryEffects<[MemWrite<Simt_GlobalMemory>]>]> {
  let summary = "one access that writes consecutive elements, if a predicate holds";
  let arguments = (ins I64:$address, Simt_Vector:$value, Optional<I1>:$mask,
                   DefaultValuedAttr<Tile_CacheModifierAttr, "::tilerun::tile::CacheModifier::None">:$cache,
                   DefaultValuedAttr<Tile_EvictionPolicyAttr, "::tilerun::tile::EvictionPolicy::Normal">:$evict);
  let assemblyFormat = "$address `,` $value (`mask` $mask^)? attr-dict `:` type($value)";
}

def Simt_AtomicRMWOp : Simt_Op<"atomic_rmw", [NoSharedUse, AllTypesMatch<["value", "result"]>,
                                             MemoryEffects<[MemRead<Simt_GlobalMemory>, MemWrite<Simt_GlobalMemory>]>]> {
  let summary = "atomic read-modify-write of one element; gives the old value, or 0 where the mask is false";
  let arguments = (ins Tile_AtomicKindAttr:$kind, I64:$address, AnyTypeOf<[AnyInteger, AnyFloat]>:$value,
                   Optional<I1>:$mask, Tile_MemSemanticAttr:$sem, Tile_MemScopeAttr:$scope);
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat]>:$result);
  let assemblyFormat = "$kind $address `,` $value (`mask` $mask^)? attr-dict `:` type($value)";
}

def Simt_AtomicSumOp : Simt_Op<"atomic_sum", [NoSharedUse, MemoryEffects<[MemRead<Simt_GlobalMemory>, MemWrite<Simt_GlobalMemory>]>]> {
  let summary = "adds to neighbouring floats, each of them atomically, without an order or old values";
  let description = [{ For targets that take as many at a time (`vectorSumBytes`). The address is a multiple of their size. }];
  let arguments = (ins I64:$address, VectorOfRankAndType<[1], [F16, BF16, F32]>:$value, Optional<I1>:$mask, Tile_MemScopeAttr:$scope);
  let assemblyFormat = "$address `,` $value (`mask` $mask^)? attr-dict `:` type($value)";
}

def Simt_AtomicCASOp : Simt_Op<"atomic_cas", [NoSharedUse, AllTypesMatch<["compare", "value", "result"]>,
                                             MemoryEffects<[MemRead<Simt_GlobalMemory>, MemWrite<Simt_GlobalMemory>]>]> {
  let summary = "atomic compare and swap of one element; gives the old value, or 0 where the mask is false";
  let arguments = (ins I64:$address, AnyInteger:$compare, AnyInteger:$value, Optional<I1>:$mask,
                   Tile_MemSemanticAttr:$sem, Tile_MemScopeAttr:$scope);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = "$address `,` $compare `,` $value (`mask` $mask^)? attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def Simt_SharedAllocOp : Simt_Op<"shared_alloc", [NoSharedUse, MemoryEffects<[MemAlloc<Simt_SharedMemory>]>]> {
  let summary = "a buffer in shared memory";
  let description = [{
    Buffers whose accesses never overlap in time may share bytes. `offset` is the place in the arena, once assigned.
    With `per_warp`, each warp touches bytes of its own only, so that barriers of a warp separate accesses through it.
  }];
  let arguments = (ins I64Attr:$bytes, DefaultValuedAttr<I64Attr, "16">:$alignment, OptionalAttr<I64Attr>:$offset,
                   UnitAttr:$per_warp);
  let results = (outs Simt_SharedType:$result);
  let assemblyFormat = "$bytes attr-dict";
  let builders = [OpBuilder<(ins "int64_t":$bytes), [{
    build($_builder, $_state, SharedType::get($_builder.getContext()), $_builder.getI64IntegerAttr(bytes),
          $_builder.getI64IntegerAttr(16), ::mlir::IntegerAttr(), ::mlir::UnitAttr());
  }]>];
}

def Simt_SharedLoadOp : Simt_Op<"shared_load", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>]>]> {
  let summary = "read consecutive elements from shared memory";
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset);
  let results = (outs Simt_Vector:$result);
  let assemblyFormat = "$buffer `[` $offset `]` attr-dict `:` type($result)";
}

def Simt_SharedStoreOp : Simt_Op<"shared_store", [SaysSharedUse, MemoryEffects<[MemWrite<Simt_SharedMemory>]>]> {
  let summary = "write consecutive elements to shared memory, if a predicate holds";
  let description = [{
    With `ahead`, an existing barrier separates it from all reads of the value, and none is inserted for it. So a slot
    of a ring is filled while others are read.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, Simt_Vector:$value, Optional<I1>:$mask, UnitAttr:$ahead);
  let assemblyFormat = "(`ahead` $ahead^)? $buffer `[` $offset `]` `,` $value (`mask` $mask^)? attr-dict `:` type($value)";
}

def Simt_SharedAddOp : Simt_Op<"shared_add", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "atomically add to an integer in shared memory, if a predicate holds";
  let description = [{ No barrier is needed between additions. }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, I32:$value, Optional<I1>:$mask);
  let assemblyFormat = "$buffer `[` $offset `]` `,` $value (`mask` $mask^)? attr-dict";
}

def Simt_LoadMatrixOp : Simt_Op<"load_matrix", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>]>]> {
  let summary = "8×8 matrices of 16-bit elements from shared memory into the fragments of a warp";
  let description = [{
    For warps of 32 lanes. Lane 8·i + r gives the byte offset of row r of matrix i; each row is 16 consecutive bytes. A lane receives two
    elements of each of the `count` matrices: row lane/4, columns 2·(lane%4) and the next one; with `transposed`,
    rows and columns change roles.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, I32Attr:$count, UnitAttr:$transposed);
  let results = (outs Simt_Vector:$result);
  let assemblyFormat = "$count (`transposed` $transposed^)? $buffer `[` $offset `]` attr-dict `:` type($result)";
}

def Simt_LoadTransposedOp : Simt_Op<"load_transposed", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>]>]> {
  let summary = "8 bytes of each lane from shared memory, transposed among 16 lanes";
  let description = [{
    A lane gives the byte offset, a multiple of 8, of a run of `n` neighbours, which fill 8 bytes. Of each 16 lanes, lane `l` receives
    element `l % n` of the runs of lanes `l / n`, `l / n + 16 / n`, and so on: so lanes that give the rows of a matrix of 16 columns,
    `16 / n` lanes each row, receive its columns. Elements have 8 or 16 bits.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset);
  let results = (outs Simt_Vector:$result);
  let assemblyFormat = "$buffer `[` $offset `]` attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

def Simt_RoleOp : Simt_Op<"role", [SaysSharedUse, RecursiveMemoryEffects, NoTerminator, SingleBlock]> {
  let summary = "some warps of the program run this region, beside the others";
  let description = [{
    ```mlir
    simt.role 0 to 1 { … }   // warp 0
    simt.role 1 to 5 {       // warps 1 to 4
    ^bb0(%thread: i32):      // 0 to 127
      …
    }
    ```
    Warps from the first number up to, not including, the second. The others continue after the region, so that roles one
    after the other run at the same time. The region's argument is the thread's number in the role. Within a role control
    flow is the same for all its threads, and barriers are of the warp or the role. Accesses of different roles are
    ordered by phases; barriers are inserted for the accesses within one role, and before and behind the roles. With
    `registers`, its warps go on with so many of a lane, and wait for others to give them up.
  }];
  let arguments = (ins I32Attr:$first, I32Attr:$end, DefaultValuedAttr<I32Attr, "0">:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$first `to` $end (`registers` $registers^)? $body attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{ unsigned getWarps() { return getEnd() - getFirst(); } }];
}

def Simt_PhaseInitOp : Simt_Op<"phase_init", [SaysSharedUse, MemoryEffects<[MemWrite<Simt_SharedMemory>]>]> {
  let summary = "8 bytes of shared memory become a phase barrier";
  let description = [{
    A phase ends when `arrivals` threads have arrived, and the next one begins. Phases count from 0; `phase_wait` waits
    for their parity. One thread initializes it, before a barrier of the program.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, I32Attr:$arrivals, Optional<I1>:$mask);
  let assemblyFormat = "$buffer `[` $offset `]` `arrivals` $arrivals (`mask` $mask^)? attr-dict";
}

def Simt_PhaseArriveOp : Simt_Op<"phase_arrive", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "this thread arrives at a phase barrier, if a predicate holds, and does not wait";
  let description = [{
    A thread that has seen the phase end sees this thread's earlier accesses. To cover those of a whole warp, one thread arrives
    after a barrier of the warp. With `expects`, the phase does not end before so many bytes more have landed by `box_copy`;
    who has seen its end sees them. With `everywhere` it arrives at the barrier at this offset in each block of the program.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, Optional<I1>:$mask, DefaultValuedAttr<I32Attr, "0">:$bytes,
                   UnitAttr:$everywhere);
  let assemblyFormat = "$buffer `[` $offset `]` (`expects` $bytes^)? (`mask` $mask^)? (`everywhere` $everywhere^)? attr-dict";
}

def Simt_PhaseWaitOp : Simt_Op<"phase_wait", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>, MemWrite<Simt_SharedMemory>]>]> {
  let summary = "wait until the latest phase of this parity has ended";
  let description = [{
    Before the first phase has ended, one of parity 1 counts as ended. The offset and the parity (0 or 1) are the same in
    all lanes of a warp.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, I32:$parity);
  let assemblyFormat = "$buffer `[` $offset `]` `parity` $parity attr-dict";
}

def Simt_SetRegistersOp : Simt_Op<"set_registers", [NoSharedUse, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "this thread's warps go on with so many registers, more or fewer than before";
  let description = [{
    Warps that take more wait until the registers are free. A role's `registers` become this op when roles become control flow.
  }];
  let arguments = (ins I32Attr:$count, UnitAttr:$more);
  let assemblyFormat = "$count (`more` $more^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Exchange between the threads of a warp, and matrix instructions
//===----------------------------------------------------------------------===//

def Simt_ShuffleOp : Simt_Op<"shuffle", [NoSharedUse, Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of another lane of the warp";
  let description = [{
    The other lane is `lane` (idx), this lane XOR `lane` (xor), or `lane` below or above (up, down), where lanes outside of the
    warp give the thread's own value. Any scalar of up to 64 bits.
  }];
  let arguments = (ins Simt_ShuffleModeAttr:$mode, AnyTypeOf<[AnyInteger, AnyFloat]>:$value, I32:$lane);
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat]>:$result);
  let assemblyFormat = "$mode $value `,` $lane attr-dict `:` type($value)";
}

def Simt_MmaOp : Simt_Op<"mma", [NoSharedUse, Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "a warp's matrix instruction: acc + a × b on fragments";
  let description = [{
    `instruction` names a row of the target's table, which fixes shapes, element types and fragment layouts. A scaled one
    takes a word of scales for each operand, and `bytes` says which byte of it holds them. Elements of 4 bits come in pairs, as i8.
  }];
  let arguments = (ins StrAttr:$instruction, Simt_Vector:$a, Simt_Vector:$b, Simt_Vector:$acc, Variadic<I32>:$scales,
                   OptionalAttr<DenseI32ArrayAttr>:$bytes);
  let results = (outs Simt_Vector:$result);
  let assemblyFormat = [{
    $instruction $a `,` $b `,` $acc (`scales` $scales^ `bytes` $bytes)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$instruction, "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$acc), [{
    build($_builder, $_state, acc.getType(), instruction, a, b, acc, ::mlir::ValueRange(), ::mlir::DenseI32ArrayAttr());
  }]>];
  let hasVerifier = 1;
}

def Simt_DotBytesOp : Simt_Op<"dot_bytes", [NoSharedUse, Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "acc + the sum of the products of four signed bytes each";
  let arguments = (ins AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$a,
                   AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$b,
                   AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$acc);
  let results = (outs AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Opaque matrices: the target does not define which lane holds what
//===----------------------------------------------------------------------===//

def Simt_MatrixLoadOp : Simt_Op<"matrix_load", [SaysSharedUse, MemoryEffects<[MemRead<Simt_SharedMemory>]>]> {
  let summary = "a matrix from shared memory";
  let description = [{
    ```mlir
    %a = simt.matrix_load %buffer[%offset] pitch 80 : !simt.matrix<16x16xf16, a>
    ```
    The byte offset is the same in all lanes. Rows are `pitch` bytes apart and elements of a row neighbours; with
    `column_major`, columns and elements of a column.
  }];
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, I64Attr:$pitch, UnitAttr:$column_major);
  let results = (outs Simt_MatrixType:$result);
  let assemblyFormat = "$buffer `[` $offset `]` `pitch` $pitch (`column_major` $column_major^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Simt_MatrixStoreOp : Simt_Op<"matrix_store", [SaysSharedUse, MemoryEffects<[MemWrite<Simt_SharedMemory>]>]> {
  let summary = "a matrix to shared memory, row by row";
  let arguments = (ins Simt_SharedType:$buffer, I32:$offset, Simt_MatrixType:$matrix, I64Attr:$pitch);
  let assemblyFormat = "$buffer `[` $offset `]` `pitch` $pitch `,` $matrix attr-dict `:` type($matrix)";
  let hasVerifier = 1;
}

def Simt_MatrixSplatOp : Simt_Op<"matrix_splat", [NoSharedUse, Pure]> {
  let summary = "a matrix of one scalar";
  let arguments = (ins AnyTypeOf<[AnyInteger, AnyFloat]>:$scalar);
  let results = (outs Simt_MatrixType:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_MatrixMultiplyAddOp : Simt_Op<"matrix_multiply_add", [NoSharedUse, Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a × b; 8-bit integers are signed";
  let arguments = (ins Simt_MatrixType:$a, Simt_MatrixType:$b, Simt_MatrixType:$acc);
  let results = (outs Simt_MatrixType:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($result)";
  let hasVerifier = 1;
}

def Simt_MatrixFromRegistersOp : Simt_Op<"matrix_from_registers", [NoSharedUse, Pure]> {
  let summary = "accumulators from registers in a fixed layout";
  let description = [{
    Each result takes its part of the vector, in order: the elements of a row-major matrix, of which lane l holds a few
    neighbours, lane l + 1 the next ones, and so on, in rounds over all lanes. A lane holds 16 bytes per round, or
    less if it holds less in all.

    The lowering builds these two ops wherever registers and matrices meet; where loops hand matrices to themselves
    they are removed, and what is left goes through shared memory (MatrixRegisters.h).
  }];
  let arguments = (ins Simt_Vector:$registers);
  let results = (outs Variadic<Simt_MatrixType>:$results);
  let assemblyFormat = "$registers attr-dict `:` type($registers) `->` type($results)";
  let hasVerifier = 1;
}

def Simt_MatrixToRegistersOp : Simt_Op<"matrix_to_registers", [NoSharedUse, Pure]> {
  let summary = "accumulators to registers, as `matrix_from_registers` takes them";
  let arguments = (ins Variadic<Simt_MatrixType>:$matrices);
  let results = (outs Simt_Vector:$registers);
  let assemblyFormat = "$matrices attr-dict `:` type($matrices) `->` type($registers)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Conversions and debugging
//===----------------------------------------------------------------------===//

def Simt_FpCastOp : Simt_Op<"fp_cast", [NoSharedUse, Pure]> {
  let summary = "float conversion as `tile.fp_cast`, in one thread";
  let description = [{ 8-bit formats are i8 here; `from` and `to` name the formats. }];
  let arguments = (ins Simt_ScalarOrVector:$source, TypeAttr:$from, TypeAttr:$to, Tile_RoundingModeAttr:$rounding);
  let results = (outs Simt_ScalarOrVector:$result);
  let assemblyFormat = "$source `from` $from `to` $to attr-dict `:` type($source) `->` type($result)";
}

def Simt_AssertOp : Simt_Op<"assert", [NoSharedUse, MemoryEffects<[MemWrite]>]> {
  let summary = "stop the launch with a message where a condition is false";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Simt_DebugBufferOp : Simt_Op<"debug_buffer", [NoSharedUse, Pure]> {
  let summary = "address of the launch's buffer for messages, on targets whose driver has no printing";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, $_builder.getI64Type()); }]>];
}

def Simt_ExitIfOp : Simt_Op<"exit_if", [NoSharedUse, MemoryEffects<[MemWrite]>]> {
  let summary = "end this program here; the condition is the same in all its threads";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Simt_PrintOp : Simt_Op<"print", [NoSharedUse, MemoryEffects<[MemWrite]>]> {
  let summary = "print one line with the program's coordinates, if a predicate holds";
  let description = [{
    `format` is a C format string without program coordinates; each value is an i32, i64 or f64.
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyTypeOf<[I32, I64, F64]>>:$values, I1:$mask);
  let assemblyFormat = "$format `mask` $mask attr-dict (`:` $values^ `:` type($values))?";
}

#endif
