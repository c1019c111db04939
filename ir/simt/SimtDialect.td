// The `simt` dialect: what one thread of a program does, before any target is chosen.
#ifndef TILERUN_IR_SIMT_SIMTDIALECT_TD
#define TILERUN_IR_SIMT_SIMTDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::tilerun::simt";
  let summary = "The work of one thread of a program";
  let description = [{
    A tensor that is distributed over the threads of a program is one `vector<NxT>` in each thread: its N registers.
    Arithmetic is `arith` and `math` on those vectors, control flow is `scf`. This dialect adds what those do not have:
    the thread's number, accesses to global and shared memory, barriers, shuffles and matrix instructions.

    Conventions:

    - Addresses of global memory are i64. A kernel argument that is a pointer is an i64 with `simt.pointer`.
    - Control flow is the same for all threads of a program, and within a role (`simt.role`) for all threads of the role, so
      barriers and shuffles may stand anywhere.
    - Shared memory is a `!simt.shared` buffer and a byte offset; `simt.shared_alloc` gets its place in the
      program's arena from the allocation pass.
    - Ops that access shared memory are built without barriers; the barrier pass inserts them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::tilerun::tile::TileDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// On a kernel argument: the i64 is an address of global memory.
    static constexpr ::llvm::StringLiteral kPointerAttr{"simt.pointer"};
    /// On a kernel: threads of one program.
    static constexpr ::llvm::StringLiteral kThreadsAttr{"simt.threads"};
    /// On a kernel: registers of 32 bits that a thread may have; without it, the target's compiler chooses.
    static constexpr ::llvm::StringLiteral kRegistersAttr{"simt.registers"};
    static constexpr ::llvm::StringLiteral kPrefersAttr{"simt.prefers"};
    /// On a kernel: bytes of shared memory, set by the allocation pass.
    static constexpr ::llvm::StringLiteral kSharedBytesAttr{"simt.shared_bytes"};
  }];
}

class Simt_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilerun::simt";
  let genSpecializedAttr = 0;
}
class Simt_EnumAttr<EnumInfo info, string attrMnemonic> : EnumAttr<Simt_Dialect, info, attrMnemonic>;

def Simt_ShuffleMode : Simt_Enum<"ShuffleMode", "whose value a shuffle takes", [
  I32EnumAttrCase<"Index", 0, "idx">, I32EnumAttrCase<"Xor", 1, "xor">, I32EnumAttrCase<"Up", 2, "up">,
  I32EnumAttrCase<"Down", 3, "down">]>;
def Simt_ShuffleModeAttr : Simt_EnumAttr<Simt_ShuffleMode, "shuffle">;

def Simt_BarrierScope : Simt_Enum<"BarrierScope", "who waits at a barrier", [
  I32EnumAttrCase<"Program", 0, "program">, I32EnumAttrCase<"Warp", 1, "warp">, I32EnumAttrCase<"Role", 2, "role">,
  I32EnumAttrCase<"Cluster", 3, "cluster">]>;
def Simt_BarrierScopeAttr : Simt_EnumAttr<Simt_BarrierScope, "scope">;

def Simt_MatrixUse : Simt_Enum<"MatrixUse", "which part of a product a matrix is", [
  I32EnumAttrCase<"A", 0, "a">, I32EnumAttrCase<"B", 1, "b">, I32EnumAttrCase<"Accumulator", 2, "acc">]>;

def Simt_SharedType : TypeDef<Simt_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "a buffer in the shared memory of a program";
}

def Simt_MatrixType : TypeDef<Simt_Dialect, "Matrix"> {
  let mnemonic = "matrix";
  let summary = "a small matrix that the lanes of a warp hold together";
  let description = [{
    `!simt.matrix<16x8xf16, b>`: rows × columns × element type, and which part of a product it is. It is opaque: the
    target does not define which lane holds what. Such a value can only be filled from shared memory, multiplied, carried
    by control flow and stored. All threads of a warp work on it together.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                    "::tilerun::simt::MatrixUse":$use);
  let hasCustomAssemblyFormat = 1;
}

def Simt_TileAttr : AttrDef<Simt_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "a matrix in shared memory as instructions of warp groups read it";
  let description = [{
    `#simt.tile<64x32xf16, contiguous 1>`: rows × columns × element type in memory, and the contiguous dimension. It lies there as
    `layout::swizzledTile`: lines of at most 128 bytes along the contiguous dimension, at least eight of them, whose 16-byte
    chunks are permuted by XOR with the number of the 128 bytes in which they lie.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType, "unsigned":$contiguous);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// As addresses.
    ::tilerun::layout::MatrixTile getTile() const;
  }];
}

#endif
